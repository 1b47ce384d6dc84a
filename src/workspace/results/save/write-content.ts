// Writes the content of a result in its planned format.

import { isInsidePair, ReaderError } from '../../../contract/index.ts';
import { BadValue } from '../bad-value.ts';
import { CsvWriter } from '../csv.ts';
import { encodableJson, type Remarks } from '../encodable.ts';
import { contentOf, type Items } from '../input.ts';
import { JsonRowWriter } from '../json-lines.ts';
import type { ResultFormat } from '../result.ts';
import type { Table } from '../rows.ts';
import { TextSink } from '../sink.ts';
import type { Staging } from '../staging.ts';
import { jsonPieces } from '../value.ts';
import type { RowWriter } from '../writer.ts';
import type { Plan } from './plan.ts';

/** Bytes inspected to tell text from binary data, as in git. */
export const HEAD_BYTES = 8000;

export async function writePlan(
  plan: Plan,
  staging: Staging,
  table: Table,
  remarks: Remarks,
  named: boolean,
): Promise<void> {
  const sink = new TextSink(staging, remarks);
  switch (plan.kind) {
    case 'content': {
      const { content, format } = plan;
      const isJson = typeof content === 'string' && (format === 'json' || format === 'jsonl');
      return writeContent(isJson ? encodableJson(content, remarks) : content, sink);
    }
    case 'value':
      return writeValue(plan.value, sink, remarks);
    case 'rows': {
      const writer = await writerOf(plan.format, staging, table, sink, remarks, named);
      await plan.items.each((row) => {
        table.read(row);
        writer.add();
        return writer.full ? writer.flush() : undefined;
      });
      const rewrite = await writer.finish();
      if (rewrite) await staging.rewrite(rewrite);
    }
  }
}

async function writerOf(
  format: ResultFormat,
  staging: Staging,
  table: Table,
  sink: TextSink,
  remarks: Remarks,
  named: boolean,
): Promise<RowWriter> {
  switch (format) {
    case 'csv':
      return new CsvWriter(table, sink, remarks);
    case 'xlsx': {
      const { XlsxWriter } = await import('../xlsx.ts');
      return new XlsxWriter(table, staging, remarks);
    }
    default:
      return new JsonRowWriter(table, sink, remarks, format !== 'jsonl', named);
  }
}

/** Characters of text added to a sink at once. */
const TEXT_PIECE = 64 * 1024;

async function writeContent(content: string | Uint8Array | Blob | Items, sink: TextSink): Promise<void> {
  if (typeof content === 'string') await addText(content, sink);
  else if (content instanceof Uint8Array) await sink.write(content);
  else if (content instanceof Blob) for await (const bytes of content.stream()) await sink.write(bytes);
  else await addPieces(content, sink);
  await sink.end();
}

async function addPieces(items: Items, sink: TextSink): Promise<void> {
  // A surrogate pair may be split across two chunks.
  let half = '';
  await items.each(async (item) => {
    const piece = contentOf(item);
    if (piece === undefined)
      throw new ReaderError(
        'BAD_INPUT',
        `Piece ${items.taken} is a value of type \`${item === null ? 'null' : typeof item}\`; expected text or bytes, like the first one.`,
        'Pass either rows, or text and bytes.',
      );
    if (typeof piece !== 'string') {
      sink.add(half);
      half = '';
      await sink.write(piece);
      return;
    }
    const text = half + piece;
    const last = text.charCodeAt(text.length - 1);
    half = last >= 0xd800 && last <= 0xdbff ? text.slice(-1) : '';
    await addText(half === '' ? text : text.slice(0, -1), sink);
  });
  sink.add(half);
}

async function addText(text: string, sink: TextSink): Promise<void> {
  for (let from = 0; from < text.length; ) {
    const cut = Math.min(text.length, from + TEXT_PIECE);
    const to = isInsidePair(text, cut) ? cut - 1 : cut;
    sink.add(text.slice(from, to));
    if (sink.full) await sink.flush();
    from = to;
  }
}

async function writeValue(value: unknown, sink: TextSink, remarks: Remarks): Promise<void> {
  try {
    for (const piece of jsonPieces(value, remarks, 2)) {
      sink.add(piece);
      if (sink.full) await sink.flush();
    }
  } catch (error) {
    throw error instanceof BadValue ? error.at('The value') : error;
  }
  sink.add('\n');
  await sink.end();
}

export function checkColumns(given: unknown): readonly string[] | undefined {
  if (given === undefined) return undefined;
  if (Array.isArray(given) && given.every((name) => typeof name === 'string')) return given;
  throw new ReaderError(
    'BAD_INPUT',
    '`columns` is not an array of names.',
    'Pass the column names in order, or omit `columns`.',
  );
}

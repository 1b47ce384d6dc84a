// JSON Lines records, one per line. The view shows records unchanged if the limits allow, else truncated on one line; a
// walk gives what was left out, once. Records that are not shown are counted, not parsed.

import {
  type OutlineLine,
  type Part,
  type Position,
  type ProcessContext,
  resolveRange,
  type TextPart,
  type TextSource,
} from '../../../../src/contract/index.ts';
import { indexRecords, locate, type Newline } from '../../../../src/scan/index.ts';
import { itemIndex, WILDCARD } from '../../pointer.ts';
import {
  asksForTable,
  MAX_RECORD_BYTES,
  type RecordBytes,
  type Records,
  recordParts,
  warnOfNoTable,
} from '../../records/records.ts';
import { stretchOf } from '../../stretch.ts';
import { TextWindow } from '../../text-window.ts';
import { Schema, schemaOfItems } from '../../tree/schema.ts';
import { SCHEMA_LIMITS, schemaOutline } from '../../tree/schema-lines.ts';
import { indexMatches, matchesOf, outlineOfMatches } from '../matches/matches.ts';
import { rawText } from '../raw.ts';
import { parsedJson } from '../validator.ts';
import { firstView, pageOfRows } from './first-view.ts';
import { isBlank, isDocument, type Lines, OneDocument, readRow } from './record.ts';

const NEWLINE_HEAD_BYTES = 64 * 1024;

/** The records of a text; `resume` is where an earlier response ended. */
export async function* linesOfJson(
  utf8: TextSource,
  context: ProcessContext,
  resume?: Position,
): AsyncGenerator<Part> {
  const { selection } = context;
  if (selection.pointer !== undefined) {
    yield* matchesInLines(utf8, { ...context, selection: { ...selection, ...(resume && { resume }) } });
    return;
  }
  const lines = await linesIn(utf8, context);
  const { index } = lines;
  context.describe({ rows: index.count, ...(index.blank > 0 && { blankLines: index.blank }) });
  const table = asksForTable(selection)
    ? await recordParts(utf8, new LineRecords(lines), context, resume)
    : undefined;
  if (table) {
    yield* table;
    return;
  }
  context.whole({ unit: 'row', of: index.count });
  if (resume) {
    yield* pageOfRows(lines, resume);
    return;
  }
  if (index.count === 0) {
    if (utf8.size > 0 && selection.all) yield* stream(lines, 1, 0);
    return;
  }
  const { from, to } = selection.rows
    ? resolveRange('rows', selection.rows, index.count)
    : { from: 1, to: index.count };
  const parts = selection.all ? stream(lines, from, to) : firstView(lines, from, to);
  let first = true;
  for await (const part of parts) {
    // At this point the file is known not to be one document.
    if (first && asksForTable(selection)) warnOfNoTable(context, 'the records are not all objects');
    first = false;
    yield part;
  }
}

/** What the requested pointer names; its first token is the number of a record. */
async function* matchesInLines(utf8: TextSource, context: ProcessContext): AsyncGenerator<Part> {
  const newline = await newlineOf(utf8);
  const { facts, damage, searched } = await indexMatches(utf8, context, newline);
  const isOther = damage.badRecords > 0 || !namesRecord(searched.tokens[0] ?? '');
  if (facts.count === 0 && isOther && (await isDocument(utf8, context.signal))) throw new OneDocument();
  yield* matchesOf(utf8, context, newline);
}

const namesRecord = (token: string): boolean =>
  token === WILDCARD || itemIndex(token, Number.MAX_SAFE_INTEGER) !== undefined;

/** The lines as records of a table. */
class LineRecords implements Records {
  readonly #lines: Lines;

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  get count(): number {
    return this.#lines.index.count;
  }

  async *read(from: number): AsyncGenerator<RecordBytes> {
    const { utf8, index, newline, context } = this.#lines;
    const window = new TextWindow(utf8, context.signal);
    for (let at = await locate(utf8, index, from, context.signal); at < utf8.size; ) {
      await window.load(at, Math.min(MAX_RECORD_BYTES, utf8.size - at));
      const { bytes, start } = window;
      const first = at - start;
      // Most lines are there at once, and waiting costs more than reading them.
      for (
        let open = first, end = bytes.indexOf(newline, open);
        end >= 0;
        end = bytes.indexOf(newline, open)
      ) {
        const record = recordOf(bytes.subarray(open, end + 1));
        open = end + 1;
        at = start + open;
        if (!isBlank(record.bytes)) yield record;
      }
      if (at > start + first) continue;
      // A copy, because finding its end may load other bytes.
      const record = bytes.slice(first, first + MAX_RECORD_BYTES);
      const found = await window.find(newline, at);
      const next = found < 0 ? utf8.size : found + 1;
      if (!isBlank(record)) yield { bytes: record, size: next - at };
      at = next;
    }
  }
}

const recordOf = (line: Uint8Array): RecordBytes => ({
  bytes: line.subarray(0, MAX_RECORD_BYTES),
  size: line.length,
});

/** One index shared by all readings of a text. */
const INDEXES = new WeakMap<TextSource, Omit<Lines, 'utf8' | 'context'>>();

async function newlineOf(utf8: TextSource): Promise<Newline> {
  const head = await utf8.read(0, NEWLINE_HEAD_BYTES);
  return head.includes(10) || !head.includes(13) ? 10 : 13;
}

async function linesIn(utf8: TextSource, context: ProcessContext): Promise<Lines> {
  const known = INDEXES.get(utf8);
  if (known) return { utf8, context, ...known };
  const newline = await newlineOf(utf8);
  const index = await indexRecords(utf8, { newline, signal: context.signal, skipBlank: true });
  INDEXES.set(utf8, { index, newline });
  return { utf8, context, index, newline };
}

/** The schema is built from records that end within this size. */
const SCHEMA_BYTES = 16 * 1024 * 1024;

/** The schema of the records, or of the first ones of a large file. Records that are not JSON are ignored. */
export async function* outlineOfLines(
  utf8: TextSource,
  context: ProcessContext,
): AsyncGenerator<OutlineLine> {
  if (context.selection.pointer !== undefined) {
    yield* outlineOfMatches(utf8, context, await newlineOf(utf8));
    return;
  }
  const lines = await linesIn(utf8, context);
  const { count } = lines.index;
  const records = new Schema();
  let bad = 0;
  let bytes = 0;
  for await (const record of new LineRecords(lines).read(1)) {
    bytes += record.size;
    if (bytes > SCHEMA_BYTES) break;
    const value = parsedJson(rawText(record.bytes, 0, record.bytes.length));
    if (value === undefined) bad += 1;
    else records.addValue(value, SCHEMA_LIMITS.depth - 1);
  }
  if (bad === 0 && records.count === 0 && count > 0) {
    const { node } = await readRow(
      lines,
      1,
      await locate(utf8, lines.index, 1, context.signal),
      SCHEMA_LIMITS,
    );
    if (node) records.add(node);
  }
  if (records.count > 0) yield* schemaOutline(schemaOfItems(records, count - bad), context.selection.brief);
}

/** Rows unchanged, in pieces; the last one names them. */
async function* stream({ utf8, index, context }: Lines, from: number, to: number): AsyncGenerator<TextPart> {
  const { signal } = context;
  const start = await locate(utf8, index, from, signal);
  const end = to === 0 ? index.size : await locate(utf8, index, to + 1, signal);
  for await (const part of stretchOf(utf8, start, end, signal)) {
    const [bytes] = part.shown;
    const isLast = to > 0 && bytes?.to === end - start;
    yield { ...part, shown: isLast ? [{ unit: 'row', from, to, of: index.count }] : [] };
  }
}

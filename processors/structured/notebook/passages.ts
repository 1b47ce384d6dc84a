// The sources of a notebook's cells as texts that can be edited. Writing them back changes only their JSON values: the
// rest of the file, outputs included, keeps its bytes.

import { type Passages, ReaderError } from '../../../src/contract/index.ts';
import { JsonCursor } from '../json/cursor.ts';
import { findPointer } from '../json/pointer.ts';
import { parsedJson } from '../json/validator.ts';
import { MemoryText } from '../memory-text.ts';
import { kindOf, notebookIn, sourceOf, sourcePointers } from './cells.ts';

/** Undefined if `text` is not a notebook. */
export async function passagesOf(text: string): Promise<Passages | undefined> {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const json = text.slice(mark.length);
  const value = parsedJson(json);
  const notebook = notebookIn(value);
  if (!notebook) return undefined;
  const list = notebook.cells.map((cell, at) => ({
    name: `cell ${at + 1} (${kindOf(cell)})`,
    text: sourceOf(cell),
  }));
  const pointers = sourcePointers(value);
  return {
    list,
    replaced: async (texts) => {
      const changes = list.flatMap(({ text: before }, at) => {
        const [next = before, pointer] = [texts[at], pointers[at]];
        return next === before || pointer === undefined ? [] : [{ pointer, next }];
      });
      const written = await withValues(json, changes);
      const sources = notebookIn(parsedJson(written))?.cells.map(sourceOf);
      if (sources?.length === texts.length && sources.every((one, at) => one === texts[at]))
        return mark + written;
      throw new ReaderError(
        'UNSUPPORTED_FORMAT',
        'A cell of the notebook has its source in an unusual form; nothing was changed.',
        'Rewrite the whole file instead.',
      );
    },
  };
}

/** `json` with new texts as the values at the pointers, which are in the order of the file. */
async function withValues(
  json: string,
  changes: readonly { readonly pointer: string; readonly next: string }[],
): Promise<string> {
  const source = new MemoryText('notebook', json, '');
  const { signal } = new AbortController();
  const bytes = Buffer.from(await source.bytes());
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { pointer, next } of changes) {
    const cursor = new JsonCursor(source, signal);
    await findPointer(cursor, pointer, source, signal);
    const start = cursor.at;
    await cursor.skip();
    const raw = bytes.toString('utf8', start, cursor.at);
    pieces.push(bytes.subarray(from, start), Buffer.from(writtenAs(raw, next)));
    from = cursor.at;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]).toString('utf8');
}

/** `text` as JSON in the form of the value `raw`: a string, or an array of lines with the same white space. */
function writtenAs(raw: string, text: string): string {
  if (!raw.startsWith('[')) return JSON.stringify(text);
  const lines = text.split(/(?<=\n)/).filter((line) => line !== '');
  if (lines.length === 0) return '[]';
  const [, open = ''] = /^\[(\s*)/.exec(raw) ?? [];
  const close = open === '' ? '' : raw.slice(raw.trimEnd().slice(0, -1).trimEnd().length, -1);
  return `[${open}${lines.map((line) => JSON.stringify(line)).join(`,${open || ' '}`)}${close}]`;
}

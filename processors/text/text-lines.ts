// Iterates over the beginnings of a text's lines, in constant memory.

import {
  type Bytes,
  type ProcessContext,
  type Source,
  type TextSource,
  throwIfAborted,
} from '../../src/contract/index.ts';
import type { Newline } from '../../src/scan/index.ts';
import { READ_BYTES } from './page.ts';

/** Characters kept of each line; enough to classify it without storing lines of megabytes. */
const START = 1000;
/** Larger texts are not scanned for the facts above a view. */
export const MAX_SCANNED: Bytes = 8 * 1024 * 1024;

/** CR if the first 64 KiB contain a CR but no LF, else LF (which also ends CRLF lines). */
export async function newlineOf(text: Source): Promise<Newline> {
  const head = await text.read(0, READ_BYTES);
  return !head.includes(10) && head.includes(13) ? 13 : 10;
}

/**
 * The first `most` characters of every line, without its line end, in batches to keep the loop overhead low.
 * @throws {ReaderError} ABORTED
 */
export async function* lineStarts(
  text: TextSource,
  { signal }: ProcessContext,
  most: number = START,
): AsyncGenerator<string[]> {
  const terminator = String.fromCharCode(await newlineOf(text));
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const start = (line: string): string => {
    const kept = line.length > most ? line.slice(0, most) : line;
    return kept.endsWith('\r') ? kept.slice(0, -1) : kept;
  };
  let rest = '';
  for await (const chunk of text.chunks()) {
    throwIfAborted(signal);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(terminator);
    rest = (lines.pop() ?? '').slice(0, most);
    yield lines.map(start);
  }
  rest += decoder.decode();
  if (rest !== '') yield [start(rest)];
}

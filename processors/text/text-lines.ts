// Iterates over the beginnings of a text's lines, in constant memory.

import {
  type Bytes,
  type ProcessContext,
  type TextSource,
  throwIfAborted,
} from '../../src/contract/index.ts';
import { newlineOf } from './lines.ts';

/** Characters kept of each line; enough to classify it without storing lines of megabytes. */
const START = 1000;
/** Larger texts are not scanned for the facts above a view. */
export const MAX_SCANNED: Bytes = 8 * 1024 * 1024;

/** Every line without its line end, in batches, to keep the loop overhead low. */
export async function* lineStarts(text: TextSource, { signal }: ProcessContext): AsyncGenerator<string[]> {
  const terminator = String.fromCharCode(await newlineOf(text));
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const start = (line: string): string => {
    const kept = line.length > START ? line.slice(0, START) : line;
    return kept.endsWith('\r') ? kept.slice(0, -1) : kept;
  };
  let rest = '';
  for await (const chunk of text.chunks()) {
    throwIfAborted(signal);
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(terminator);
    rest = (lines.pop() ?? '').slice(0, START);
    yield lines.map(start);
  }
  rest += decoder.decode();
  if (rest !== '') yield [start(rest)];
}

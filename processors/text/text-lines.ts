// The lines of a text one by one, the start of each, in constant memory.

import {
  type Bytes,
  type ProcessContext,
  type TextSource,
  throwIfAborted,
} from '../../src/contract/index.ts';
import { newlineOf } from './lines.ts';

/** Characters at the start of a line that tell what it is; the rest of a line of megabytes is not kept. */
const START = 1000;
/** Above this size a text is not read through for what stands above a view of it. */
export const MAX_SCANNED: Bytes = 8 * 1024 * 1024;

/** Every line without its line end, in groups, so that a loop over many costs little. */
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

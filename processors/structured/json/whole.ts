// A whole JSON document, unchanged.

import {
  type Part,
  type ProcessContext,
  type TextSource,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import type { JsonCursor } from './cursor.ts';
import type { Stretch } from './tree.ts';

/** A stretch of the file unchanged, unless it has more than `most` characters. */
export async function verbatim(
  utf8: TextSource,
  from: number,
  to: number,
  most: number,
): Promise<string | undefined> {
  // A UTF-16 unit takes at most three bytes.
  if (to - from > most * 3) return undefined;
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await utf8.read(from, to - from));
}

/** The file's own text of the document, the value or the items. */
export async function* everything(
  cursor: JsonCursor,
  utf8: TextSource,
  context: ProcessContext,
  stretch: Stretch | undefined,
): AsyncGenerator<Part> {
  const { signal, selection } = context;
  let from = cursor.at;
  let to = utf8.size;
  if (stretch) {
    for (let item = stretch.from; item < stretch.to; item++) {
      await cursor.skip();
      await cursor.expect('`,`');
      cursor.at++;
      await cursor.expect('a value');
    }
    await cursor.skip();
    to = cursor.at;
  } else if (selection.pointer !== undefined && selection.pointer !== '') {
    await cursor.skip();
    to = cursor.at;
  } else from = 0;
  const [open, close] = stretch ? ['[', ']\n'] : ['', ''];
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let at = from;
  let text = open;
  for await (const chunk of utf8.chunks(from)) {
    throwIfAborted(signal);
    const bytes = chunk.subarray(0, to - at);
    const last = at + bytes.length >= to;
    text += decoder.decode(bytes, { stream: !last });
    if (last) text += close;
    if (text !== '')
      yield {
        kind: 'text',
        text,
        shown: [{ unit: 'byte', from: at - from + 1, to: at - from + bytes.length, of: to - from }],
      };
    text = '';
    at += bytes.length;
    if (last) return;
  }
}

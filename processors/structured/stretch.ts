// Stretches of a text as they stand in the file, in pieces and constant memory, and where a byte of it is.

import {
  type Bytes,
  type Source,
  type TextPart,
  type TextSource,
  throwIfAborted,
} from '../../src/contract/index.ts';

/** The text of `[from, to)` unchanged, between `open` and `close`. */
export async function* stretchOf(
  source: TextSource,
  from: Bytes,
  to: Bytes,
  signal: AbortSignal,
  [open, close]: readonly [string, string] = ['', ''],
): AsyncGenerator<TextPart> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let at = from;
  let text = open;
  for await (const chunk of source.chunks(from)) {
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

/** Converts a byte offset to a 1-based line and column in characters. */
export async function placeOf(
  source: Source,
  offset: Bytes,
  signal: AbortSignal,
): Promise<{ readonly line: number; readonly column: number }> {
  let line = 1;
  let column = 1;
  let position = 0;
  for await (const chunk of source.chunks()) {
    throwIfAborted(signal);
    const bytes = chunk.subarray(0, Math.max(0, offset - position));
    let lineStart = 0;
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
      line++;
      column = 1;
      lineStart = at + 1;
    }
    for (let index = lineStart; index < bytes.length; index++) {
      const byte = bytes[index] ?? 0;
      if (byte < 0x80 || byte >= 0xc0) column++;
    }
    position += chunk.length;
    if (position >= offset) break;
  }
  return { line, column };
}

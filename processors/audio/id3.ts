// ID3v2 tags (id3.org, versions 2.2 to 2.4): their length, and a copy with only the text frames, the long ones cut, so
// that reading a title does not load the cover. The tag library parses the frames.

import type { Bytes } from '../../src/contract/index.ts';
import { joined, letters, type SourceBytes, says } from './bytes.ts';

export const ID3_HEADER_BYTES: Bytes = 10;
const MAX_FRAMES = 500;
const MAX_TEXT: Bytes = 4096;
const MAX_TEXTS = 60;

const syncSafe = (bytes: Uint8Array, at: number): number =>
  [0, 1, 2, 3].reduce((size, i) => size * 128 + ((bytes[at + i] ?? 0) & 0x7f), 0);

/** Length of the tag that starts with `head`, header included; 0 if there is no tag. */
export function id3Length(head: Uint8Array): Bytes {
  if (head.length < ID3_HEADER_BYTES || !says(head, 0, 'ID3') || (head[3] ?? 0xff) === 0xff) return 0;
  const footer = ((head[5] ?? 0) & 0x10) !== 0 ? ID3_HEADER_BYTES : 0;
  return ID3_HEADER_BYTES + syncSafe(head, 6) + footer;
}

/** States the length of a frame that was cut to `MAX_TEXT`. */
function writeSize(frame: Uint8Array, version: number): void {
  const bits = version === 4 ? 7 : 8;
  const width = version === 2 ? 3 : 4;
  for (let i = 0; i < width; i += 1)
    frame[width + i] = (MAX_TEXT >> (bits * (width - 1 - i))) & (2 ** bits - 1);
}

/** The file's first tag with only its text frames; empty if there is no tag. */
export async function id3TextFrames(bytes: SourceBytes): Promise<Uint8Array> {
  const head = await bytes.copy(0, ID3_HEADER_BYTES);
  const end = Math.min(id3Length(head), bytes.size);
  const [, , , version = 0, , flags = 0] = head;
  if (end === 0) return new Uint8Array(0);
  const old = version === 2;
  const header = old ? 6 : 10;
  const extended = (flags & 0x40) !== 0 && !old ? await bytes.copy(ID3_HEADER_BYTES, 4) : undefined;
  const extension = extended
    ? version === 4
      ? syncSafe(extended, 0)
      : 4 + new DataView(extended.buffer, extended.byteOffset).getUint32(0)
    : 0;
  let at = ID3_HEADER_BYTES + extension;
  const texts: Uint8Array[] = [];
  for (let step = 0; step < MAX_FRAMES && at + header < end && texts.length < MAX_TEXTS; step += 1) {
    const frame = await bytes.at(at, header);
    const name = letters(frame, 0, old ? 3 : 4);
    if (!/^[A-Z0-9]{3,4}$/.test(name)) break;
    const size = old
      ? ((frame[3] ?? 0) << 16) | ((frame[4] ?? 0) << 8) | (frame[5] ?? 0)
      : version === 4
        ? syncSafe(frame, 4)
        : new DataView(frame.buffer, frame.byteOffset).getUint32(4);
    if (/^(?:T|COMM?$|USLT$|ULT$)/.test(name) && size > 0 && at + header + size <= end) {
      const text = await bytes.copy(at, header + Math.min(size, MAX_TEXT));
      // Only the whole of a frame that is compressed or encrypted can be read.
      const isPlain = old || text[9] === 0;
      if (size > MAX_TEXT && isPlain) writeSize(text, version);
      if (size <= MAX_TEXT || isPlain) texts.push(text);
    }
    at += header + size;
  }
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const start = new Uint8Array([0x49, 0x44, 0x33, version, 0, flags & 0x80, 0, 0, 0, 0]);
  for (let i = 0; i < 4; i += 1) start[6 + i] = (length >> (7 * (3 - i))) & 0x7f;
  return joined([start, ...texts]);
}

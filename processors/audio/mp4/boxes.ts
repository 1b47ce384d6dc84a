// Boxes of ISO base media files (ISO/IEC 14496-12, 4.2), limited in number.

import type { Bytes } from '../../../src/contract/index.ts';
import { letters, type SourceBytes } from '../bytes.ts';

const MAX_BOXES = 10_000;

export interface Box {
  readonly type: string;
  readonly content: Bytes;
  readonly end: Bytes;
}

/** The boxes in `[from, to)`, limited in number; a box that exceeds its parent is clipped to it. */
export async function* boxes(bytes: SourceBytes, from: Bytes, to: Bytes): AsyncGenerator<Box> {
  let at = from;
  for (let step = 0; step < MAX_BOXES && at + 8 <= to; step += 1) {
    const head = await bytes.view(at, 16);
    if (head.byteLength < 8) return;
    const short = head.getUint32(0);
    const type = letters(new Uint8Array(head.buffer, head.byteOffset, 8), 4, 4);
    const large = short === 1 && head.byteLength === 16;
    const length = large ? Number(head.getBigUint64(8)) : short === 0 ? to - at : short;
    const header = large ? 16 : 8;
    if (length < header) return;
    yield { type, content: at + header, end: Math.min(to, at + length) };
    at += length;
  }
}

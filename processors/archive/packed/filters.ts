// Filters of xz and 7z that reverse a change of machine code or tables made before packing (XZ Utils 5.4, simple/ and
// delta/): jump targets become relative again, and differences become values.

import type { Bytes } from '../../../src/contract/index.ts';

/** Changes bytes in place; returns how many are done. The rest, less than a jump, is given again with what follows. */
export type Filter = (bytes: Uint8Array, position: Bytes) => number;

const FILTERS: Readonly<Record<number, () => Filter>> = {
  4: x86,
  7: () => arm,
  8: () => armThumb,
  10: () => arm64,
};
const DELTA = 3;

/** A filter by its number in xz; undefined if it is not supported. `properties`: of the filter. */
export function filterOf(id: number, properties: Uint8Array): Filter | undefined {
  if (id === DELTA) return properties.length === 1 ? delta((properties[0] ?? 0) + 1) : undefined;
  // Properties may state a position of the first byte other than 0, for parts of a program.
  return properties.length === 0 ? FILTERS[id]?.() : undefined;
}

/** The pieces with `filter` reversed; each is the caller's. */
export async function* filtered(
  pieces: AsyncGenerator<Uint8Array, void>,
  filter: Filter,
): AsyncGenerator<Uint8Array, void> {
  let held: Uint8Array = new Uint8Array();
  let position = 0;
  for await (const piece of pieces) {
    const bytes = Buffer.concat([held, piece]);
    const done = filter(bytes, position);
    position += done;
    held = bytes.subarray(done);
    if (done > 0) yield bytes.subarray(0, done);
  }
  if (held.length > 0) yield held;
}

/** Each byte is the difference to the byte `distance` before. */
function delta(distance: number): Filter {
  const before = new Uint8Array(distance);
  return (bytes, position) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const place = (position + at) % distance;
      const value = ((bytes[at] ?? 0) + (before[place] ?? 0)) & 255;
      bytes[at] = value;
      before[place] = value;
    }
    return bytes.length;
  };
}

const isTop = (byte: number): boolean => byte === 0 || byte === 0xff;
/** Which byte of a target the opcodes just before may have been part of. */
const MASK_TO_BYTE = [0, 1, 2, 2, 3];

/** CALL and JMP with 32 bits (simple/x86.c). */
function x86(): Filter {
  let mask = 0;
  let last = -5;
  return (bytes, position) => {
    const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at + 5 <= bytes.length) {
      const opcode = bytes[at];
      if (opcode !== 0xe8 && opcode !== 0xe9) {
        at += 1;
        continue;
      }
      const distance = position + at - last;
      last = position + at;
      if (distance > 5) mask = 0;
      else for (let step = 0; step < distance; step += 1) mask = (mask & 0x77) << 1;
      const top = bytes[at + 4] ?? 0;
      const place = mask >> 1;
      if (!isTop(top) || place > 4 || place === 3) {
        at += 1;
        mask |= isTop(top) ? 0x11 : 1;
        continue;
      }
      const from = position + at + 5;
      let target = (data.getUint32(at + 1, true) - from) >>> 0;
      while (mask !== 0) {
        const index = MASK_TO_BYTE[mask >> 1] ?? 0;
        if (!isTop((target >>> (24 - index * 8)) & 255)) break;
        const changed = (target ^ (2 ** (32 - index * 8) - 1)) >>> 0;
        target = (changed - from) >>> 0;
      }
      data.setUint32(at + 1, (target & 0x01ffffff) >>> 0, true);
      bytes[at + 4] = (target >>> 24) & 1 ? 0xff : 0;
      at += 5;
      mask = 0;
    }
    return at;
  };
}

/** BL (simple/arm.c). */
function arm(bytes: Uint8Array, position: Bytes): number {
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    if (bytes[at + 3] !== 0xeb) continue;
    const words = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    const target = (words * 4 - (position + at + 8)) >>> 2;
    bytes[at] = target & 255;
    bytes[at + 1] = (target >> 8) & 255;
    bytes[at + 2] = (target >> 16) & 255;
  }
  return at;
}

/** BL in two halves of 16 bits (simple/armthumb.c). */
function armThumb(bytes: Uint8Array, position: Bytes): number {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  for (; at + 4 <= bytes.length; at += 2) {
    const high = data.getUint16(at, true);
    const low = data.getUint16(at + 2, true);
    if ((high & 0xf800) !== 0xf000 || (low & 0xf800) !== 0xf800) continue;
    const halves = ((high & 0x7ff) << 11) | (low & 0x7ff);
    const target = (halves * 2 - (position + at + 4)) >>> 1;
    data.setUint16(at, 0xf000 | ((target >>> 11) & 0x7ff), true);
    data.setUint16(at + 2, 0xf800 | (target & 0x7ff), true);
    at += 2;
  }
  return at;
}

/** BL, and ADRP within 512 MiB (simple/arm64.c). */
function arm64(bytes: Uint8Array, position: Bytes): number {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    const code = data.getUint32(at, true);
    const here = position + at;
    if (code >>> 26 === 0x25) {
      data.setUint32(at, (0x94000000 | ((code - (here >>> 2)) & 0x03ffffff)) >>> 0, true);
    } else if ((code & 0x9f000000) >>> 0 === 0x90000000) {
      const pages = ((code >>> 29) & 3) | ((code >>> 3) & 0x001ffffc);
      if ((pages + 0x00020000) & 0x001c0000) continue;
      const target = pages - (here >>> 12);
      const low = (code & 0x9000001f) | ((target & 3) << 29) | ((target & 0x0003fffc) << 3);
      data.setUint32(at, (low | (-(target & 0x00020000) & 0x00e00000)) >>> 0, true);
    }
  }
  return at;
}

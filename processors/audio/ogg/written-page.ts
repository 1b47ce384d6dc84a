// Writes the pages of an Ogg stream (RFC 3533).

import type { Bytes } from '../../../src/contract/index.ts';
import { joined, type SourceBytes } from '../bytes.ts';
import { PAGE_HEADER, pages } from './page.ts';

/** Maximum bytes of one stream's headers; an embedded cover makes them long. */
const MAX_HEADER_BYTES: Bytes = 4 * 1024 * 1024;

/** The pages of stream `serial` before `start`, renumbered. */
export async function headerPages(bytes: SourceBytes, serial: number, start: Bytes): Promise<Uint8Array[]> {
  const kept: Uint8Array[] = [];
  let total = 0;
  for await (const page of pages(bytes, 0)) {
    if (page.at >= start || total > MAX_HEADER_BYTES) break;
    if (page.serial !== serial) continue;
    total += page.length;
    const content = await bytes.copy(page.at + PAGE_HEADER, page.length - PAGE_HEADER);
    kept.push(
      pageOf({
        flags: (page.continued ? 1 : 0) | (page.begins ? 2 : 0),
        position: page.position,
        serial: page.serial,
        sequence: kept.length,
        lacing: page.lacing,
        content: content.subarray(page.lacing.length),
      }),
    );
  }
  return kept;
}

interface NewPage {
  readonly flags: number;
  readonly position: number;
  readonly serial: number;
  readonly sequence: number;
  readonly lacing: Uint8Array;
  readonly content: Uint8Array;
}

export function pageOf({ flags, position, serial, sequence, lacing, content }: NewPage): Uint8Array {
  const page = joined([new Uint8Array(PAGE_HEADER), lacing, content]);
  const view = new DataView(page.buffer);
  view.setUint32(0, 0x4f676753);
  view.setUint8(5, flags);
  view.setBigInt64(6, BigInt(position), true);
  view.setUint32(14, serial, true);
  view.setUint32(18, sequence, true);
  view.setUint8(26, lacing.length);
  view.setUint32(22, crc(page), true);
  return page;
}

/** RFC 3533, 6: CRC-32 with the polynomial 04c11db7, neither reflected nor inverted. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
  let value = i * 2 ** 24;
  for (let bit = 0; bit < 8; bit += 1) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value >>> 0;
});

function crc(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = ((value << 8) ^ (CRC_TABLE[(value >>> 24) ^ byte] ?? 0)) >>> 0;
  return value;
}

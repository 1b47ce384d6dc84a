// Reads the pages of an Ogg stream (RFC 3533).

import type { Bytes } from '../../../src/contract/index.ts';
import { type SourceBytes, says } from '../bytes.ts';

/** Maximum garbage to skip between two pages. */
const MAX_GAP: Bytes = 128 * 1024;
/** Position of a page on which no packet ends. */
export const NO_POSITION = -1;

export const PAGE_HEADER: Bytes = 27;

export interface Page {
  readonly at: Bytes;
  readonly length: Bytes;
  readonly continued: boolean;
  readonly begins: boolean;
  readonly serial: number;
  readonly position: number;
  readonly lacing: Uint8Array;
}

/** The page at `at`, or undefined if none starts there. */
async function pageAt(bytes: SourceBytes, at: Bytes): Promise<Page | undefined> {
  const near = bytes.at(at, PAGE_HEADER + 255);
  const head = near instanceof Uint8Array ? near : await near;
  if (head.length < PAGE_HEADER || !says(head, 0, 'OggS') || head[4] !== 0) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const lacing = head.slice(PAGE_HEADER, PAGE_HEADER + (head[26] ?? 0));
  const length = PAGE_HEADER + lacing.length + lacing.reduce((sum, size) => sum + size, 0);
  if (lacing.length < (head[26] ?? 0)) return undefined;
  const flags = head[5] ?? 0;
  const position = view.getBigInt64(6, true);
  return {
    at,
    length,
    continued: (flags & 1) !== 0,
    begins: (flags & 2) !== 0,
    serial: view.getUint32(14, true),
    position: position < 0n || position > 2n ** 50n ? NO_POSITION : Number(position),
    lacing,
  };
}

/** Yields every page from `from` on, skipping short garbage. */
export async function* pages(bytes: SourceBytes, from: Bytes): AsyncGenerator<Page> {
  let at = from;
  while (at < bytes.size) {
    const page = await pageAt(bytes, at);
    if (page) {
      yield page;
      at += page.length;
      continue;
    }
    const piece = await bytes.at(at + 1, MAX_GAP);
    const next = Buffer.from(piece.buffer, piece.byteOffset, piece.length).indexOf('OggS');
    if (next < 0) return;
    at += 1 + next;
  }
}

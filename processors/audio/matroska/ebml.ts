// EBML (RFC 8794): elements with an id, a size and content, limited in number. Matroska defines the ids.

import type { Bytes } from '../../../src/contract/index.ts';
import type { SourceBytes } from '../bytes.ts';

const MAX_ELEMENTS = 20_000;

export interface Element {
  readonly id: number;
  readonly content: Bytes;
  readonly end: Bytes;
  /** Unknown size: the element ends with its parent, or at the next element of its kind. */
  readonly open: boolean;
}

/** Undefined if no element starts there. */
export async function elementAt(bytes: SourceBytes, at: Bytes, to: Bytes): Promise<Element | undefined> {
  const head = await bytes.at(at, 12);
  const first = head[0] ?? 0;
  const idLength = Math.clz32(first) - 23;
  if (first === 0 || idLength > 4 || idLength >= head.length) return undefined;
  let id = 0;
  for (let i = 0; i < idLength; i += 1) id = id * 256 + (head[i] ?? 0);
  const sizeFirst = head[idLength] ?? 0;
  const sizeLength = Math.clz32(sizeFirst) - 23;
  if (sizeFirst === 0 || idLength + sizeLength > head.length) return undefined;
  let size = sizeFirst & (0xff >> sizeLength);
  let ones = size === 0xff >> sizeLength;
  for (let i = 1; i < sizeLength; i += 1) {
    const byte = head[idLength + i] ?? 0;
    ones &&= byte === 0xff;
    size = size * 256 + byte;
  }
  const content = at + idLength + sizeLength;
  return { id, content, end: ones ? to : Math.min(to, content + size), open: ones };
}

/** The elements in `[from, to)`; children of a cluster of unknown size are yielded as its siblings. */
export async function* elements(bytes: SourceBytes, from: Bytes, to: Bytes): AsyncGenerator<Element> {
  let at = from;
  for (let step = 0; step < MAX_ELEMENTS && at < to; step += 1) {
    const element = await elementAt(bytes, at, to);
    if (!element) return;
    yield element;
    at = element.open ? element.content : element.end;
  }
}

export async function unsigned(bytes: SourceBytes, { content, end }: Element): Promise<number> {
  const value = await bytes.at(content, Math.min(8, end - content));
  return value.reduce((sum, byte) => sum * 256 + byte, 0);
}

/** 0 for a negative, infinite or malformed value. */
export async function float(bytes: SourceBytes, { content, end }: Element): Promise<number> {
  const view = await bytes.view(content, Math.min(8, end - content));
  const value = view.byteLength === 8 ? view.getFloat64(0) : view.byteLength === 4 ? view.getFloat32(0) : 0;
  return Number.isFinite(value) && value > 0 ? value : 0;
}

/** At most 4096 bytes. */
export async function words(bytes: SourceBytes, { content, end }: Element): Promise<string> {
  return new TextDecoder().decode(await bytes.copy(content, Math.min(4096, end - content)));
}

// The form of an entry wherever it is kept: its key and its content, verified on every read.

import { createHash } from 'node:crypto';

export const KEY: RegExp = /^[0-9a-f][a-z0-9.-]{0,199}$/;

const MAGIC = Buffer.from('lectern1');
const HEADER_BYTES = MAGIC.length + 32 + 32;

const sha256 = (data: Uint8Array | string): Buffer => createHash('sha256').update(data).digest();

/** What stands before the payload. */
export function headerOf(key: string, payload: Uint8Array): Buffer {
  return Buffer.concat([MAGIC, sha256(key), sha256(payload)]);
}

/** The payload of a complete, valid entry; undefined otherwise. */
export function payloadOf(entry: Uint8Array, key: string): Uint8Array | undefined {
  if (entry.length < HEADER_BYTES) return undefined;
  const payload = entry.subarray(HEADER_BYTES);
  return headerOf(key, payload).equals(entry.subarray(0, HEADER_BYTES)) ? payload : undefined;
}

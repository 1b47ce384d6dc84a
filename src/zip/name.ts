// Decodes names of zip entries, and names compression methods.

import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { extraField } from './directory.ts';

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });

/** The name as declared by the flag or an extra field, or as UTF-8 if it is valid; undefined if its encoding is unknown. */
export function knownName(bytes: Uint8Array, extra: Uint8Array, flagged: boolean): string | undefined {
  if (flagged) return lossy.decode(bytes);
  const unicode = unicodePath(bytes, extra);
  if (unicode !== undefined) return unicode;
  return isUtf8(bytes) ? lossy.decode(bytes) : undefined;
}

const UNICODE_PATH = 0x7075;

/** Info-ZIP's Unicode path (APPNOTE 4.6.9), if its checksum matches the name. */
function unicodePath(name: Uint8Array, extra: Uint8Array): string | undefined {
  const field = extraField(extra, UNICODE_PATH);
  if (!field || field.byteLength < 5 || field.getUint32(1, true) !== crc32(name)) return undefined;
  return lossy.decode(new Uint8Array(field.buffer, field.byteOffset + 5, field.byteLength - 5));
}

/** APPNOTE 4.4.5. */
const METHODS: Readonly<Record<number, string>> = {
  1: 'shrink',
  2: 'reduce',
  3: 'reduce',
  4: 'reduce',
  5: 'reduce',
  6: 'implode',
  9: 'deflate64',
  10: 'PKWARE implode',
  12: 'bzip2',
  14: 'LZMA',
  16: 'IBM CMPSC',
  18: 'IBM TERSE',
  19: 'IBM LZ77',
  93: 'Zstandard',
  94: 'MP3',
  95: 'XZ',
  96: 'JPEG',
  97: 'WavPack',
  98: 'PPMd',
  99: 'AES',
};

export function methodName(method: number): string {
  return METHODS[method] ?? `method ${method}`;
}

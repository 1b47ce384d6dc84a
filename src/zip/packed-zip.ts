// Assembles a zip file in memory from data that is packed already, so that an entry need not be deflated again. Without
// ZIP64.

import type { Bytes } from '../contract/index.ts';
import { DIRECTORY_END, DIRECTORY_HEADER, LOCAL_HEADER, UTF8_FLAG } from './format.ts';

export interface PackedEntry {
  readonly name: string;
  /** `STORED` or `DEFLATED`. */
  readonly method: number;
  readonly data: Uint8Array;
  readonly crc: number;
  readonly size: Bytes;
}

const VERSION = 20;

export function packedZip(entries: readonly PackedEntry[]): Buffer {
  const pieces: Uint8Array[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const fields = fieldsOf(entry, name.length);
    const local = Buffer.concat([word(LOCAL_HEADER), fields, name]);
    directory.push(
      Buffer.concat([word(DIRECTORY_HEADER), half(VERSION), fields, Buffer.alloc(10), word(at), name]),
    );
    pieces.push(local, entry.data);
    at += local.length + entry.data.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const count = half(entries.length);
  const end = [word(DIRECTORY_END), Buffer.alloc(4), count, count, word(size), word(at), Buffer.alloc(2)];
  return Buffer.concat([...pieces, ...directory, ...end]);
}

/** What a local header and a record of the directory share (APPNOTE 4.3.7, 4.3.12). */
function fieldsOf({ method, crc, data, size }: PackedEntry, nameLength: number): Buffer {
  return Buffer.concat([
    half(VERSION),
    half(UTF8_FLAG),
    half(method),
    Buffer.alloc(4),
    word(crc),
    word(data.length),
    word(size),
    half(nameLength),
    half(0),
  ]);
}

function half(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

// A 512-byte tar header and the extended records that may precede it (POSIX.1-2001 ustar and pax, GNU). All fields are
// untrusted.

import type { MemberKind } from './member.ts';

/** Size of a header in bytes; data is padded to a multiple of it. */
export const TAR_BLOCK = 512;

/** A header as stored, before extended records override its fields. */
export interface TarHeader {
  readonly name: string;
  /** NaN if the field is not a number. */
  readonly size: number;
  readonly modified: number;
  readonly type: string;
  readonly target: string;
  /** GNU sparse: true if more blocks of its map follow. */
  readonly sparseContinues: boolean;
  readonly realSize: number;
}

/** True if the header's checksum matches its bytes. */
export function checksumHolds(block: Uint8Array): boolean {
  let sum = 0;
  let signed = 0;
  for (let at = 0; at < TAR_BLOCK; at += 1) {
    const byte = at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0);
    sum += byte;
    signed += byte >= 0x80 ? byte - 256 : byte;
  }
  const stated = numberAt(block, 148, 8);
  // Some old writers summed signed bytes.
  return stated === sum || stated === signed;
}

/** True if the block can start a tar archive: a valid checksum, or the ustar magic. */
export function tarStarts(block: Uint8Array): boolean {
  if (block.length < TAR_BLOCK || isZero(block)) return false;
  return checksumHolds(block) || ascii(block, 257, 5) === 'ustar';
}

export function isZero(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0);
}

export function readTarHeader(block: Uint8Array): TarHeader {
  const magic = ascii(block, 257, 6);
  const prefix = magic === 'ustar\0' ? textAt(block, 345, 155) : '';
  const name = textAt(block, 0, 100);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: numberAt(block, 124, 12),
    modified: numberAt(block, 136, 12),
    type: String.fromCharCode(block[156] ?? 0),
    target: textAt(block, 157, 100),
    sparseContinues: block[482] === 1,
    realSize: numberAt(block, 483, 12),
  };
}

const ascii = (block: Uint8Array, at: number, length: number): string =>
  Buffer.from(block.buffer, block.byteOffset + at, length).toString('latin1');

function textAt(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length);
  const end = field.indexOf(0);
  return decodeText(end < 0 ? field : field.subarray(0, end));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes from 0x80 on of a text that is not UTF-8, until its encoding is known: U+DC80 to U+DCFF, as in PEP 383. */
const UNDECODED = /([\udc80-\udcff]+)/u;

/** Decodes UTF-8. Bytes beyond ASCII stay undecoded if they are not valid UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
    return text.replace(/[\u0080-\u00ff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)));
  }
}

/** The bytes of a text that `decodeText` left undecoded; undefined for other text. */
export function undecoded(text: string): Uint8Array | undefined {
  if (!UNDECODED.test(text)) return undefined;
  const pieces = text.split(UNDECODED);
  // Every second piece is undecoded. The low bytes of its units are the bytes.
  return Buffer.concat(pieces.map((piece, i) => Buffer.from(piece, i % 2 === 1 ? 'latin1' : 'utf8')));
}

/** Octal digits, or a binary number if the first bit is set (GNU, star). */
function numberAt(block: Uint8Array, at: number, length: number): number {
  const first = block[at] ?? 0;
  if (first & 0x80) {
    let value = first === 0xff ? -1 : first & 0x3f;
    for (let i = 1; i < length; i += 1) value = value * 256 + (block[at + i] ?? 0);
    return value;
  }
  const digits = ascii(block, at, length).replace(/\0.*/s, '').trim();
  if (digits === '') return 0;
  return /^-?[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}

/** Member kind by type flag; an unknown flag is read as a file (POSIX). */
const KINDS: Readonly<Record<string, MemberKind>> = {
  '1': 'hardlink',
  '2': 'symlink',
  '3': 'device',
  '4': 'device',
  '5': 'folder',
  '6': 'pipe',
};

export function kindOf(type: string, name: string): MemberKind {
  const kind = KINDS[type];
  if (kind) return kind;
  // Before ustar, a folder was a file whose name ends in a slash.
  return (type === '\0' || type === '0') && name.endsWith('/') ? 'folder' : 'file';
}

const MAX_RECORDS = 1000;

/** Parses pax records of the form `length key=value\n`. Stops at the first malformed one. */
export function paxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>();
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at < data.length && records.size < MAX_RECORDS) {
    const space = data.indexOf(0x20, at);
    const digits = space > at && space - at <= 10 ? data.toString('latin1', at, space) : '';
    const length = /^\d+$/.test(digits) ? Number(digits) : 0;
    const end = at + length;
    const equals = data.indexOf(0x3d, space);
    if (length < 5 || end > data.length || equals < 0 || equals >= end) break;
    records.set(decodeText(data.subarray(space + 1, equals)), decodeText(data.subarray(equals + 1, end - 1)));
    at = end;
  }
  return records;
}

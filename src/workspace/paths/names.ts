// File names are bytes. Shows them so that a model can pass them back, and reserves the names of files being written.

import { isUtf8 } from 'node:buffer';
import { quoted, ReaderError, visibleName } from '../../contract/index.ts';

/** `name` as text, as `visibleName` shows it, with non-UTF-8 bytes as `\xNN`. Distinct names get distinct texts. */
export function shownName(name: Buffer): string {
  return isUtf8(name) ? visibleName(name.toString('utf8')) : shownBytes(name);
}

/** The bytes that `shownName` shows as `shown`; undefined if it contains no escape. */
export function bytesShown(shown: string): Buffer | undefined {
  const pieces = shown.split(/(\\x[0-9a-f]{2}|\\u\{[0-9a-f]{1,6}\})/);
  if (pieces.length === 1) return undefined;
  const bytes = Buffer.concat(
    pieces.map((piece, index) => (index % 2 === 1 ? unescaped(piece) : Buffer.from(piece, 'utf8'))),
  );
  return bytes.includes(0) || bytes.includes(0x2f) || bytes.equals(DOT) || bytes.equals(DOTS)
    ? undefined
    : bytes;
}

/** NUL, which no name contains, for a number that is not a character. */
function unescaped(written: string): Buffer {
  if (written.startsWith('\\x')) return Buffer.from(written.slice(2), 'hex');
  const code = Number.parseInt(written.slice(3), 16);
  return Buffer.from(code > 0x10ffff ? '\0' : String.fromCodePoint(code), 'utf8');
}

const DOT = Buffer.from('.');
const DOTS = Buffer.from('..');

function escapedByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** Keeps valid characters and escapes every other byte. */
function shownBytes(name: Buffer): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < name.length; ) {
    const length = CHARACTER_BYTES.find(
      (bytes) => at + bytes <= name.length && isUtf8(name.subarray(at, at + bytes)),
    );
    if (length === undefined) {
      pieces.push(visibleName(name.toString('utf8', from, at)), escapedByte(name[at] ?? 0));
      from = at + 1;
    }
    at += length ?? 1;
  }
  return pieces.join('') + visibleName(name.toString('utf8', from));
}

const CHARACTER_BYTES = [1, 2, 3, 4];

/** The error for writing to a reserved name. */
export function reservedName(path: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(path)} is a reserved name for files being written.`,
    'Choose another name.',
  );
}

// File names, which are bytes: how they are shown so that a model can hand them back, and which ones are kept for
// files that are being written.

import { isUtf8 } from 'node:buffer';
import { quoted, ReaderError } from '../contract/index.ts';

/**
 * What must not reach a terminal or a model as it is: control characters, line separators, marks that turn or hide text,
 * and blanks at either end. A backslash only where it would read as an escape.
 */
const HIDDEN =
  /[\p{Cc}\u2028\u2029\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]|^\s+|\s+$|\\(?=x[0-9a-f]{2})/gu;

const PLAIN = /^[!-[\]-~](?:[ -[\]-~]*[!-[\]-~])?$/;

/** `name` as text: bytes that are no UTF-8, and characters that do not show themselves, as `\xNN`. Never two names alike. */
export function shownName(name: Buffer): string {
  if (!isUtf8(name)) return shownBytes(name);
  return shownText(name.toString('utf8'));
}

function shownText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN, escaped);
}

/** The bytes that `shownName` may have shown as `shown`; undefined when it holds no escape. */
export function bytesShown(shown: string): Buffer | undefined {
  if (!/\\x[0-9a-f]{2}/.test(shown)) return undefined;
  const pieces = shown.split(/(\\x[0-9a-f]{2})/);
  const bytes = Buffer.concat(
    pieces.map((piece, index) =>
      index % 2 === 1 ? Buffer.from(piece.slice(2), 'hex') : Buffer.from(piece, 'utf8'),
    ),
  );
  return bytes.includes(0) || bytes.includes(0x2f) || bytes.equals(DOT) || bytes.equals(DOTS)
    ? undefined
    : bytes;
}

const DOT = Buffer.from('.');
const DOTS = Buffer.from('..');

function escaped(text: string): string {
  return [...Buffer.from(text, 'utf8')].map(escapedByte).join('');
}

function escapedByte(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** Whole characters stay, every byte that belongs to none is escaped. */
function shownBytes(name: Buffer): string {
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < name.length; ) {
    const length = CHARACTER_BYTES.find(
      (bytes) => at + bytes <= name.length && isUtf8(name.subarray(at, at + bytes)),
    );
    if (length === undefined) {
      pieces.push(shownText(name.toString('utf8', from, at)), escapedByte(name[at] ?? 0));
      from = at + 1;
    }
    at += length ?? 1;
  }
  return pieces.join('') + shownText(name.toString('utf8', from));
}

const CHARACTER_BYTES = [1, 2, 3, 4];

/** Names no operation lists, reads or writes: files that are still being written. */
export function isReserved(name: Buffer): boolean {
  return name.length < 100 && RESERVED.test(name.toString('latin1'));
}

/** What is said of such a name where one is to be written. */
export function reservedName(path: string): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(path)} is a name kept for files that are being written.`,
    'Choose another name.',
  );
}

const RESERVED = /^\.lectern-[0-9a-z-]+\.tmp$/;

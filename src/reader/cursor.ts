// The cursor: an opaque, URL-safe string with the place where an answer ended, bound to its content.

import { createHash } from 'node:crypto';
import {
  type Detail,
  type Position,
  quoted,
  ReaderError,
  type RequestFields,
  type TableFormat,
} from '../contract/index.ts';
import { KEPT_FIELDS, type ReadRequest } from './request.ts';

/** Request fields that must stay the same throughout a walk. */
export interface Kept extends RequestFields {
  readonly format?: TableFormat | 'text';
  readonly detail?: Detail;
  readonly numbered?: true;
  readonly encoding?: string;
}

/** What the position refers to: the content, an outline, or the content in a walk that asked for an outline. */
export type Walk = 'content' | 'outline' | 'content after outline';

/** What a cursor holds, besides the fingerprint of the content. */
export interface Cursor {
  readonly processor: string;
  readonly kept: Kept;
  readonly walk: Walk;
  readonly position: Position;
  /** Digest of the bytes before the position, if the format can continue after a file has grown. */
  readonly prefix?: string;
}

/** Longer than any cursor that `writeCursor` makes: a position of MAX_POSITION numbers, or of two long words. */
const MAX_LENGTH = 32 * 1024;

// A cursor is a list of words of unreserved URL characters (RFC 3986, 2.3) joined by dots, kept short because models
// pay for it: fingerprint, processor, the kept fields if any, the mark of a walk with an outline, a digest of the
// prefix, then the position. A word that starts with a digit or a letter is an integer in base 36; the others are
// identified by their first characters.
const KEPT = '_k';
const WALKS: ReadonlyMap<string, Walk> = new Map([
  ['_o', 'outline'],
  ['_a', 'content after outline'],
]);
const PREFIX = '_p';
const NUMBER = '_n';
const PLAIN = '~';
const ENCODED = '~~';

/** 48 bits: enough to tell the versions of one file apart. */
const fingerprint = (identity: string): string =>
  createHash('sha256').update(identity).digest('base64url').slice(0, 8);

const encode = (text: string): string => Buffer.from(text).toString('base64url');
const decode = (word: string): string => Buffer.from(word, 'base64url').toString('utf8');

/** The fields of `request` a cursor keeps; once a walk has begun, its position replaces `lines` and `rows`. */
export function keptOf(request: ReadRequest, begun: boolean): Kept {
  const kept: Record<string, string | boolean> = {};
  for (const field of KEPT_FIELDS) {
    const value = request[field];
    if (value !== undefined && !(begun && (field === 'lines' || field === 'rows')))
      kept[field] = typeof value === 'boolean' ? value : String(value);
  }
  if (request.numbered === true) kept['numbered'] = true;
  return kept;
}

/** A cursor bound to the content identified by `identity`. */
export function writeCursor({ processor, kept, walk, position, prefix }: Cursor, identity: string): string {
  const words = [fingerprint(identity), processor];
  if (Object.keys(kept).length > 0) words.push(KEPT + encode(JSON.stringify(kept)));
  for (const [mark, marked] of WALKS) if (marked === walk) words.push(mark);
  if (prefix !== undefined) words.push(PREFIX + prefix);
  return [...words, ...position.map(writeEntry)].join('.');
}

function writeEntry(entry: number | string): string {
  if (typeof entry === 'string') return /^[\w-]*$/.test(entry) ? PLAIN + entry : ENCODED + encode(entry);
  return Number.isSafeInteger(entry) && entry >= 0 ? entry.toString(36) : NUMBER + encode(String(entry));
}

function malformed(cursor: string, cause?: unknown): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(cursor)} is not a cursor of this reader.`,
    'Pass `truncation.next.cursor` of the previous answer unchanged, or omit `cursor` to start again.',
    cause,
  );
}

/**
 * Parses a cursor. Its numbers come from the caller, so a processor must bound them. `isCurrent` is false when the
 * content has changed since the cursor was made.
 * @throws {ReaderError} BAD_INPUT if it is not a cursor
 */
export function readCursor(
  cursor: string,
  identity: string,
): { readonly cursor: Cursor; readonly isCurrent: boolean } {
  if (cursor.length > MAX_LENGTH || !/^[\w-]{8}\.[a-z][a-z\d]{0,19}(?:\.[\w~-]+)*$/.test(cursor))
    throw malformed(cursor);
  const [print, processor = '', ...words] = cursor.split('.');
  const kept = words[0]?.startsWith(KEPT) ? readKept(cursor, words.shift() ?? '') : {};
  const walk = WALKS.get(words[0] ?? '') ?? 'content';
  if (walk !== 'content') words.shift();
  const prefix = words[0]?.startsWith(PREFIX) ? words.shift()?.slice(PREFIX.length) : undefined;
  const position = words.map((word) => readEntry(cursor, word));
  return {
    cursor: { processor, kept, walk, position, ...(prefix !== undefined && { prefix }) },
    isCurrent: print === fingerprint(identity),
  };
}

/**
 * A cursor continues an outline or the content, whichever it was made for.
 * @throws {ReaderError} BAD_INPUT when `request` asks for the other
 */
export function checkOverflow({ overflow }: ReadRequest, { walk }: Cursor): void {
  if (walk === 'outline' && overflow !== undefined && overflow !== 'outline')
    throw new ReaderError(
      'BAD_INPUT',
      'The cursor continues an outline, but the content was asked for.',
      'Omit `cursor` to read the content.',
    );
  if (walk === 'content' && overflow === 'outline')
    throw new ReaderError(
      'BAD_INPUT',
      'The cursor continues the content, but an outline was asked for.',
      'Omit `cursor` to get the outline.',
    );
}

function readEntry(cursor: string, word: string): number | string {
  if (word.startsWith(ENCODED)) return decode(word.slice(ENCODED.length));
  if (word.startsWith(PLAIN)) return word.slice(PLAIN.length);
  const number = word.startsWith(NUMBER)
    ? Number(decode(word.slice(NUMBER.length)))
    : Number.parseInt(word, 36);
  if (!Number.isFinite(number) || !(word.startsWith(NUMBER) || /^[0-9a-z]{1,11}$/.test(word)))
    throw malformed(cursor);
  return number;
}

function readKept(cursor: string, word: string): Kept {
  try {
    const kept: unknown = JSON.parse(decode(word.slice(KEPT.length)));
    if (isKept(kept)) return kept;
  } catch (cause) {
    throw malformed(cursor, cause);
  }
  throw malformed(cursor);
}

function isKept(value: unknown): value is Kept {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const known: readonly string[] = KEPT_FIELDS;
  return Object.entries(value).every(
    ([key, entry]) =>
      (key === 'numbered' && entry === true) ||
      (known.includes(key) && typeof entry === (key === 'header' ? 'boolean' : 'string')),
  );
}

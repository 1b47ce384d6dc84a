// The cursor of a listing or search: an opaque, URL-safe string with the place where the answer ended, bound to the
// query. It grants no access: it only skips what a walk has passed.

import { createHash } from 'node:crypto';
import { isCount, quoted, ReaderError } from '../../contract/index.ts';

/** Values stored in a cursor, in an order its reader knows. Numbers are non-negative integers. */
export type Kept = readonly (string | number | null)[];

/** Twice the longest path with every byte escaped. */
const MAX_LENGTH = 256 * 1024;
const MAX_WORDS = 16;

// A cursor is a list of words of unreserved URL characters (RFC 3986, 2.3) joined by `~`, kept short because models pay
// for it: the fingerprint, then each word with a letter for its type. In text, letters, digits, `.` and `-` are
// unescaped.
const TEXT = 's';
const NUMBER = 'n';
const NOTHING = 'z';

/** 48 bits: enough to tell queries apart. */
function fingerprint(question: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 8);
}

/** A cursor valid only for the same `question`. */
export function writeTreeCursor(question: readonly unknown[], kept: Kept): string {
  return [fingerprint(question), ...kept.map(writeWord)].join('~');
}

/**
 * The values in the cursor. They come from the caller, so bound them before use.
 * @throws {ReaderError} BAD_INPUT for an invalid cursor, STALE_CURSOR for a cursor of another query
 */
export function readTreeCursor(cursor: string, question: readonly unknown[]): Kept {
  if (cursor.length > MAX_LENGTH || !/^[\w-]{8}(?:~[snz][\w.-]*){1,16}$/.test(cursor))
    throw malformedCursor(cursor);
  const [print, ...words] = cursor.split('~', MAX_WORDS + 1);
  if (print !== fingerprint(question))
    throw new ReaderError(
      'STALE_CURSOR',
      'The cursor belongs to another query; `path`, pattern and options must stay the same.',
      'Repeat the original query with the cursor, or omit the cursor to start over.',
    );
  return words.map((word) => readWord(word, cursor));
}

function writeWord(kept: string | number | null): string {
  if (kept === null) return NOTHING;
  if (typeof kept === 'number') return NUMBER + kept.toString(36);
  const text = encodeURIComponent(kept).replace(/[_~!*'()]/g, (odd) => `%${odd.charCodeAt(0).toString(16)}`);
  return TEXT + text.replaceAll('%2F', '__').replaceAll('%', '_');
}

function readWord(word: string, cursor: string): string | number | null {
  if (word === NOTHING) return null;
  const rest = word.slice(1);
  if (word.startsWith(NUMBER)) {
    const number = /^[0-9a-z]{1,11}$/.test(rest) ? Number.parseInt(rest, 36) : Number.NaN;
    if (!isCount(number)) throw malformedCursor(cursor);
    return number;
  }
  try {
    return decodeURIComponent(rest.replaceAll('__', '%2F').replaceAll('_', '%'));
  } catch (cause) {
    throw malformedCursor(cursor, cause);
  }
}

/** BAD_INPUT for a cursor this workspace did not create. */
export function malformedCursor(cursor: string, cause?: unknown): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(String(cursor))} is not a cursor of this workspace.`,
    'Pass `next` of the previous answer unchanged, or omit `cursor` to start over.',
    cause,
  );
}

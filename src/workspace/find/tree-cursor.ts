// The cursor of a listing or a search: an opaque, URL-safe string that says where the answer ended, bound to what was
// asked for. Nothing in it opens anything: it only leaves out what a walk has passed.

import { createHash } from 'node:crypto';
import { isCount, quoted, ReaderError } from '../../contract/index.ts';

/** What a cursor keeps, in an order that its reader knows. Numbers are whole and not negative. */
export type Kept = readonly (string | number | null)[];

/** A path of the longest kind, every byte escaped, twice over. */
const MAX_LENGTH = 256 * 1024;
const MAX_WORDS = 16;

// A cursor is words of unreserved URL characters (RFC 3986, 2.3) joined by `~`, kept short because a model pays for it: the
// fingerprint, then a letter for the kind of each word. Of text only letters, digits, `.` and `-` stand for themselves.
const TEXT = 's';
const NUMBER = 'n';
const NOTHING = 'z';

/** 48 bits: enough to tell questions apart. */
function fingerprint(question: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 8);
}

/** A cursor for the same `question` only. */
export function writeTreeCursor(question: readonly unknown[], kept: Kept): string {
  return [fingerprint(question), ...kept.map(writeWord)].join('~');
}

/**
 * What the cursor keeps: the caller's word, to be bounded by who uses it.
 * @throws {ReaderError} BAD_INPUT when it is no cursor, STALE_CURSOR when it belongs to another question
 */
export function readTreeCursor(cursor: string, question: readonly unknown[]): Kept {
  if (cursor.length > MAX_LENGTH || !/^[\w-]{8}(?:~[snz][\w.-]*){1,16}$/.test(cursor))
    throw malformedCursor(cursor);
  const [print, ...words] = cursor.split('~', MAX_WORDS + 1);
  if (print !== fingerprint(question))
    throw new ReaderError(
      'STALE_CURSOR',
      'The cursor belongs to another question: path, pattern and options must stay the same.',
      'Ask the same again with the cursor, or leave the cursor out to start over.',
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

/** BAD_INPUT for a cursor that this workspace never made. */
export function malformedCursor(cursor: string, cause?: unknown): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(String(cursor))} is not a cursor of this workspace.`,
    'Pass `next` of the previous answer unchanged, or leave `cursor` out to start over.',
    cause,
  );
}

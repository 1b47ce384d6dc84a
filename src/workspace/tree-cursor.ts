// The cursor of a listing or a search: an opaque, URL-safe string that says where the answer ended, bound to what was
// asked for. Nothing in it opens anything: it only leaves out what a walk has passed.

import { createHash } from 'node:crypto';
import { quoted, ReaderError } from '../contract/index.ts';

type Plain = string | number | boolean | null | { readonly [key: string]: Plain };

/** What a cursor keeps. */
export type Kept = Readonly<Record<string, Plain>>;

/** A path of the longest kind, as base64 of JSON, twice over. */
const MAX_LENGTH = 256 * 1024;

/** 48 bits: enough to tell questions apart. */
function fingerprint(question: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(question)).digest('base64url').slice(0, 8);
}

/** A cursor for the same `question` only. */
export function writeTreeCursor(question: readonly unknown[], kept: Kept): string {
  return `${fingerprint(question)}.${Buffer.from(JSON.stringify(kept)).toString('base64url')}`;
}

/**
 * What `isKept` accepts of what the cursor keeps: the caller's word, to be bounded by who uses it.
 * @throws {ReaderError} BAD_INPUT when it is no cursor, STALE_CURSOR when it belongs to another question
 */
export function readTreeCursor<T>(
  cursor: string,
  question: readonly unknown[],
  isKept: (value: unknown) => value is T,
): T {
  const [print, words] = cursor.length <= MAX_LENGTH ? cursor.split('.') : [];
  if (print === undefined || words === undefined || !/^[\w-]{8}\.[\w-]+$/.test(cursor))
    throw malformed(cursor);
  let kept: unknown;
  try {
    kept = JSON.parse(Buffer.from(words, 'base64url').toString('utf8'));
  } catch (cause) {
    throw malformed(cursor, cause);
  }
  if (print !== fingerprint(question))
    throw new ReaderError(
      'STALE_CURSOR',
      'The cursor belongs to another question: path, pattern and options must stay the same.',
      'Ask the same again with the cursor, or leave the cursor out to start over.',
    );
  if (!isKept(kept)) throw malformed(cursor);
  return kept;
}

function malformed(cursor: string, cause?: unknown): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(cursor)} is not a cursor of this workspace.`,
    'Pass `next` of the previous answer unchanged, or leave `cursor` out to start over.',
    cause,
  );
}

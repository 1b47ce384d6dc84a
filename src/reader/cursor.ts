// The cursor: an opaque, URL-safe string that says where an answer ended, bound to the content it was made from.

import { createHash } from 'node:crypto';
import {
  type Position,
  quoted,
  ReaderError,
  type RequestFields,
  staleCursor,
  type TableFormat,
} from '../contract/index.ts';

/** What of a request a continued walk must keep to be the same walk. */
export interface Kept extends RequestFields {
  readonly format?: TableFormat;
  readonly numbered?: true;
  readonly encoding?: string;
}

/** What a cursor holds, beside the fingerprint of the content. */
export interface Cursor {
  readonly processor: string;
  readonly kept: Kept;
  readonly position: Position;
}

const VERSION = 1;
const MAX_LENGTH = 4096;
const MAX_POSITION_ENTRIES = 64;
const KEPT_FIELDS = ['lines', 'rows', 'columns', 'sheet', 'pages', 'pointer', 'format', 'encoding'] as const;

const fingerprint = (identity: string): string =>
  createHash('sha256').update(identity).digest('base64url').slice(0, 12);

/** A cursor bound to the content that `identity` stands for. */
export function writeCursor(cursor: Cursor, identity: string): string {
  const payload = JSON.stringify([
    VERSION,
    fingerprint(identity),
    cursor.processor,
    cursor.kept,
    cursor.position,
  ]);
  return Buffer.from(payload).toString('base64url');
}

function malformed(cursor: string, cause?: unknown): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    `${quoted(cursor)} is not a cursor of this reader.`,
    'Pass `truncation.next.cursor` of the previous answer unchanged, or leave `cursor` out to start again.',
    cause,
  );
}

/**
 * Reads a cursor back. Its numbers are the caller's word: a processor bounds them.
 * @throws {ReaderError} BAD_INPUT when it is none, STALE_CURSOR when the content is no longer what it was made from
 */
export function readCursor(cursor: string, identity: string): Cursor {
  if (cursor.length > MAX_LENGTH || !/^[\w-]+$/.test(cursor)) throw malformed(cursor);
  let payload: unknown;
  try {
    payload = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch (cause) {
    throw malformed(cursor, cause);
  }
  if (!Array.isArray(payload) || payload.length !== 5) throw malformed(cursor);
  const [version, print, processor, kept, position]: unknown[] = payload;
  if (version !== VERSION || typeof print !== 'string' || typeof processor !== 'string')
    throw malformed(cursor);
  if (!isPosition(position) || !isKept(kept)) throw malformed(cursor);
  if (print !== fingerprint(identity)) throw staleCursor('The file has changed since the cursor was made.');
  return { processor, kept, position };
}

function isPosition(value: unknown): value is Position {
  return (
    Array.isArray(value) &&
    value.length <= MAX_POSITION_ENTRIES &&
    value.every((entry) => (typeof entry === 'number' ? Number.isFinite(entry) : typeof entry === 'string'))
  );
}

function isKept(value: unknown): value is Kept {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const known: readonly string[] = KEPT_FIELDS;
  return Object.entries(value).every(
    ([key, entry]) =>
      (key === 'numbered' && entry === true) || (known.includes(key) && typeof entry === 'string'),
  );
}

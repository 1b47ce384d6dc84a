// The position stored in a search cursor.

import { createHash } from 'node:crypto';
import type { OpenFile } from '../../contract/index.ts';
import { malformedCursor, readTreeCursor } from './tree-cursor.ts';

/** Where an answer ended. */
export interface Kept {
  /** `key` of the last entry the walk passed. */
  readonly after: string;
  /** The file it ended in, as it was then. */
  readonly inside: null | {
    readonly key: string;
    readonly print: string;
    readonly offset: number;
    readonly line: number;
    readonly column: number;
    readonly seen: number;
    /** The path of the file inside it. */
    readonly member?: string;
  };
}

export function keptIn(cursor: string, question: readonly unknown[]): Kept {
  const [after, key, print, offset, line, column, seen, member, ...more] = readTreeCursor(cursor, question);
  if (typeof after !== 'string') throw malformedCursor(cursor);
  if (key === undefined) return { after, inside: null };
  const counts = typeof offset === 'number' && typeof line === 'number' && typeof column === 'number';
  if (
    typeof key === 'string' &&
    typeof print === 'string' &&
    counts &&
    typeof seen === 'number' &&
    typeof member !== 'number' &&
    more.length === 0
  )
    return { after, inside: { key, print, offset, line, column, seen, ...(member && { member }) } };
  throw malformedCursor(cursor);
}

export function wordsOf({ after, inside }: Kept): (string | number)[] {
  if (!inside) return [after];
  const { key, print, offset, line, column, seen, member } = inside;
  return [after, key, print, offset, line, column, seen, ...(member === undefined ? [] : [member])];
}

/** 36 bits: enough to notice that the file changed. */
export function printOf(file: OpenFile): string {
  const version =
    'remote' in file ? file.remote.version : `${file.stats.ino} ${file.stats.size} ${file.stats.mtimeNs}`;
  return createHash('sha256').update(version).digest('hex').slice(0, 9);
}

// Where the walk of a workbook is, as the position in a cursor: sheets that are unfinished, each with the position in its
// table, and the next sheet.

import {
  MAX_POSITION,
  type Next,
  type Position,
  PositionReader,
  type RequestFields,
} from '../../../src/contract/index.ts';
import { POSITION_LENGTH } from '../../../src/table/index.ts';
import { DONE, NOT_HERE } from './sheet-parts.ts';

/** All sheets of a response may be unfinished, and their positions are parts of one. */
export const MAX_PENDING: number = Math.floor((MAX_POSITION - 2) / (1 + POSITION_LENGTH));

/** The unfinished walk of one sheet: its index in the book, and the table's own position. */
export interface Pending {
  readonly place: number;
  readonly own: Position;
  /** The same as a request, if this response determined it. */
  readonly request?: RequestFields;
}

/** What `next` leaves of the sheet at `place`. */
export function pendingOf(next: Next | undefined, place: number): Pending | undefined {
  if (next === undefined || next === DONE) return undefined;
  return { place, own: next.position, ...(next.request && { request: next.request }) };
}

export function positionOf(pending: readonly Pending[], fresh: number): Position {
  return [fresh, pending.length, ...pending.flatMap(({ place, own }) => [place, ...own])];
}

/** The walk at `position` in a book of `count` sheets. @throws {ReaderError} STALE_CURSOR */
export function walkAt(position: Position, count: number): { pending: Pending[]; fresh: number } {
  const fields = new PositionReader(position, NOT_HERE);
  const fresh = fields.count(count);
  const unfinished = fields.count(count);
  const pending: Pending[] = [];
  while (pending.length < unfinished)
    pending.push({ place: fields.count(count - 1), own: fields.take(POSITION_LENGTH) });
  fields.end();
  fields.check(unfinished > 0 || fresh < count);
  return { pending, fresh };
}

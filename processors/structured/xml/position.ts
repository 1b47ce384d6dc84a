// The position of a walk: the omitted range, the byte in it, and the number of children passed at each level. Positions
// come from outside, so every number is validated.

import { type Bytes, type Position, PositionReader } from '../../../src/contract/index.ts';
import { limitFields, limitsIn } from '../tree/limit-fields.ts';
import type { OpenToken } from './token-kinds.ts';
import type { Cut, Opening, ViewLimits } from './view.ts';

/** An element around the position. `of`: its number of child elements, if counted; `seen`: those started. */
export interface Level {
  readonly seen: number;
  readonly of: number | undefined;
  /** Its start tag, while its number of children is unknown. */
  readonly open?: OpenToken;
}

/** More than any view shows. */
const MOST_OPENING: Bytes = 64 * 1024 * 1024;
/** Levels counted below an omitted range; deeper ones are only traversed. */
export const MAX_LEVELS = 24;

export interface XmlPosition {
  readonly offset: Bytes;
  /** Start of the token at `offset`; `offset` itself between tokens. */
  readonly anchor: Bytes;
  /** The range's own element first. */
  readonly levels: readonly Level[];
  /** Elements open below the deepest counted level. */
  readonly hidden: number;
}

/** The ranges of a walk: those a view leaves out, or a single one. */
export type Plan = ViewPlan | RangePlan;

export interface ViewPlan extends Omit<ViewLimits, 'quiet'> {
  readonly kind: 'view';
  /** Start of the element the view shows; -1 for the document. */
  readonly base: Bytes;
  readonly path: string;
}

export interface RangePlan extends Omit<Cut, 'mark'> {
  readonly kind: 'range';
}

export function encodePosition(plan: Plan, place: XmlPosition): Position {
  const head =
    plan.kind === 'view'
      ? ['view', ...limitFields(plan), ...openingFields(plan.opening), plan.base + 1, plan.path]
      : ['range', plan.unit, plan.start, plan.end, plan.first, plan.of, plan.path];
  const levels = place.levels.flatMap(({ seen, of }, index) => (index === 0 ? [seen] : [seen, orNone(of)]));
  return [...head, place.offset, place.anchor, place.hidden, ...levels];
}

/**
 * Decodes a position into plan and place. The first level's `of` is that of the range and is omitted here.
 * @throws {ReaderError} STALE_CURSOR
 */
export function decodePosition(
  position: Position,
  size: Bytes,
): { readonly plan: Plan; readonly place: XmlPosition } {
  const fields = new PositionReader(position, 'The cursor points to a place this file does not have.');
  const form = fields.oneOf(['view', 'range']);
  const plan = form === 'range' ? rangePlan(fields, size) : viewPlan(fields, size);
  const offset = fields.count(size);
  const anchor = fields.count(offset);
  const hidden = fields.count(size);
  const levels: Level[] = [{ seen: fields.count(), of: undefined }];
  while (fields.more) {
    fields.check(levels.length < MAX_LEVELS);
    const seen = fields.count();
    const of = unlessNone(fields.count());
    fields.check(of === undefined || seen <= of);
    levels.push({ seen, of });
  }
  return { plan, place: { offset, anchor, levels, hidden } };
}

/** Optional values are encoded as value + 1, with 0 for undefined. */
const orNone = (value: number | undefined): number => (value === undefined ? 0 : value + 1);
const unlessNone = (written: number): number | undefined => (written === 0 ? undefined : written - 1);

const openingFields = (opening: Opening | undefined): number[] =>
  opening ? [opening.bytes, ...limitFields(opening)] : [0];

function openingIn(fields: PositionReader): { readonly opening?: Opening } {
  const bytes = fields.count(MOST_OPENING);
  if (bytes === 0) return {};
  return { opening: { bytes, ...limitsIn(fields) } };
}

function viewPlan(fields: PositionReader, size: Bytes): Plan {
  return {
    kind: 'view',
    ...limitsIn(fields),
    ...openingIn(fields),
    base: unlessNone(fields.count(size + 1)) ?? -1,
    path: fields.word(),
  };
}

function rangePlan(fields: PositionReader, size: Bytes): Plan {
  const unit = fields.oneOf(['element', 'character', 'attribute']);
  const start = fields.count(size);
  return {
    kind: 'range',
    unit,
    start,
    end: fields.count(size, start),
    first: fields.count(Number.MAX_SAFE_INTEGER, 1),
    of: fields.count(),
    path: fields.word(),
  };
}

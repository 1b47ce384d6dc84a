// Where a walk stands: inside which left-out range, at which byte of it, and how many children were passed at each
// level there. Positions come back from outside, so every number is checked.

import { type Bytes, isCount, type Position, staleCursor } from '../../../src/contract/index.ts';
import type { OpenToken } from './token.ts';

/** An element the walk is in. `of`: its child elements, where they were counted; `seen`: those begun. */
export interface Level {
  readonly seen: number;
  readonly of: number | undefined;
  /** Its start tag, while it is not yet known how many children it has. */
  readonly open?: OpenToken;
}

/** Levels below a left-out range that are counted; deeper ones are only passed through. */
export const MAX_LEVELS = 24;

export interface Place {
  readonly offset: Bytes;
  /** The start of the token that `offset` lies in; `offset` itself between tokens. */
  readonly anchor: Bytes;
  /** The range's own element first. */
  readonly levels: readonly Level[];
  /** Elements open below the deepest counted level. */
  readonly hidden: number;
}

/** Which ranges a walk goes through: those a view leaves out, or a single one. */
export type Plan =
  | {
      readonly kind: 'view';
      readonly depth: number;
      readonly items: number;
      readonly keys: number;
      readonly string: number;
      readonly prolog: boolean;
      /** The start of the element the view was of; -1 for the document. */
      readonly base: Bytes;
      readonly path: string;
    }
  | {
      readonly kind: 'range';
      readonly unit: 'element' | 'character' | 'attribute';
      readonly start: Bytes;
      readonly end: Bytes;
      readonly first: number;
      readonly of: number;
      readonly path: string;
    };

export function encodePosition(plan: Plan, place: Place): Position {
  const head =
    plan.kind === 'view'
      ? ['view', plan.depth, plan.items, plan.keys, plan.string, plan.prolog ? 1 : 0, plan.base, plan.path]
      : ['range', plan.unit, plan.start, plan.end, plan.first, plan.of, plan.path];
  const levels = place.levels.flatMap(({ seen, of }, index) => (index === 0 ? [seen] : [seen, of ?? -1]));
  return [...head, place.offset, place.anchor, place.hidden, ...levels];
}

const stale = (): Error => staleCursor('The cursor names a place this file does not have.');

/**
 * The plan and place a position stands for. The first level's `of` is that of the range and left out here.
 * @throws {ReaderError} STALE_CURSOR
 */
export function decodePosition(
  position: Position,
  size: Bytes,
): { readonly plan: Plan; readonly place: Place } {
  let index = 0;
  const number = (least: number, most: number): number => {
    const value = position[index++];
    if (value === -1 && least === -1) return value;
    if (!isCount(value, most) || value < least) throw stale();
    return value;
  };
  const word = (): string => {
    const value = position[index++];
    if (typeof value !== 'string' || value.length > 2000) throw stale();
    return value;
  };
  const many = Number.MAX_SAFE_INTEGER;
  let plan: Plan;
  switch (word()) {
    case 'view':
      plan = {
        kind: 'view',
        depth: number(0, 256),
        items: number(0, many),
        keys: number(0, many),
        string: number(0, many),
        prolog: number(0, 1) === 1,
        base: number(-1, size),
        path: word(),
      };
      break;
    case 'range': {
      const unit = word();
      if (unit !== 'element' && unit !== 'character' && unit !== 'attribute') throw stale();
      const start = number(0, size);
      plan = {
        kind: 'range',
        unit,
        start,
        end: number(start, size),
        first: number(1, many),
        of: number(0, many),
        path: word(),
      };
      break;
    }
    default:
      throw stale();
  }
  const offset = number(0, size);
  const anchor = number(0, offset);
  const hidden = number(0, size);
  const levels: Level[] = [{ seen: number(0, many), of: undefined }];
  while (index < position.length) {
    if (levels.length >= MAX_LEVELS) throw stale();
    const seen = number(0, many);
    const of = number(-1, many);
    if (of >= 0 && seen > of) throw stale();
    levels.push({ seen, of: of < 0 ? undefined : of });
  }
  return { plan, place: { offset, anchor, levels, hidden } };
}

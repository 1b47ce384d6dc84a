// The position of a walk in a JSON document, and its cursor encoding, kept short to save the model tokens.

import { type Bytes, type Position, PositionReader } from '../../../src/contract/index.ts';
import { limitFields, limitsIn } from '../tree/limit-fields.ts';
import { MAX_TREE_DEPTH, type TreeLimits } from '../tree/shape.ts';

/** One open container. */
export interface Frame {
  readonly array: boolean;
  /** Every child from here on was omitted from the view; earlier children are shown under the view's limits. */
  rest: boolean;
  /** 1-based number of the current child. */
  index: number;
  /** Start of that child; in an object, of its key. */
  at: Bytes;
  /** Total number of children; 0 if unknown. */
  of: number;
  /** Last child to walk; 0 for all. */
  to: number;
  /** The last child that the view shows; 0 if that follows from its limits. */
  readonly seen: number;
  key?: string;
}

/** At the start of the current child; inside its string; inside its raw bytes. */
const STAGES = ['start', 'string', 'raw'] as const;

export interface JsonPosition {
  readonly limits: TreeLimits;
  readonly frames: Frame[];
  stage: (typeof STAGES)[number];
  /** Next byte. */
  at: Bytes;
  /** In a string: units shown so far. In raw bytes: their start. */
  done: number;
  /** In a string: its length in units. In raw bytes: their end. */
  of: number;
}

/** Maximum nesting the walk enters; deeper content is shown as raw bytes. */
export const MAX_FRAMES = 24;

/** Cursor code of an open container: array or object, upper case with `rest`. */
const FRAMES = ['a', 'o', 'A', 'O'] as const;
const NOT_HERE = 'The cursor points to a place this file does not have.';

/** Encodes the position for a cursor: stage, limits and progress, then a word and numbers per container. */
export function writePosition({ limits, stage, at, done, of, frames }: JsonPosition): Position {
  const here = stage === 'start' ? [] : [at, done, of];
  const containers = frames.flatMap((frame, level) => {
    const letter = FRAMES[(frame.rest ? 2 : 0) + (frame.array ? 0 : 1)] ?? 'a';
    // The start of an item is redundant in an outer array; in an outer object the key names the position.
    const start = level === frames.length - 1 || !frame.array ? frame.at : 0;
    return [letter, ...withoutZeros([frame.index, start, frame.of, frame.to, frame.seen])];
  });
  return [stage, ...withoutZeros([...limitFields(limits), ...here]), ...containers];
}

/** Drops trailing zeros; missing numbers decode as zero. */
function withoutZeros(numbers: readonly number[]): readonly number[] {
  return numbers.slice(0, numbers.findLastIndex((number) => number !== 0) + 1);
}

/** Decodes a position, every number checked against its bounds. @throws {ReaderError} STALE_CURSOR */
export function readPosition(position: Position, size: Bytes): JsonPosition {
  const fields = new PositionReader(position, NOT_HERE);
  const stage = fields.oneOf(STAGES);
  const numbers = new PositionReader(fields.counts(), NOT_HERE);
  const limits = limitsIn(numbers);
  const at = numbers.countOr(0, size);
  const done = numbers.countOr(0, size);
  const of = numbers.countOr(0, size);
  fields.check(done <= of && (stage !== 'raw' || (at >= done && at <= of)));
  const frames: Frame[] = [];
  while (fields.more) {
    fields.check(frames.length < MAX_FRAMES + MAX_TREE_DEPTH);
    frames.push(readFrame(fields, size));
  }
  fields.check(stage !== 'start' || frames.length > 0);
  return { limits, frames, stage, at, done, of };
}

function readFrame(fields: PositionReader, size: Bytes): Frame {
  const letter = fields.oneOf(FRAMES);
  const [index = 0, at = 0, of = 0, to = 0, seen = 0] = fields.counts(size);
  fields.check(index > 0);
  return {
    array: letter === 'a' || letter === 'A',
    rest: letter === 'A' || letter === 'O',
    index,
    at,
    of,
    to,
    seen,
  };
}

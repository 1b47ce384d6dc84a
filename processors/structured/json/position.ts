// The position of a walk in a JSON document, and its form in a cursor, kept short because a model pays for it.

import { type Bytes, type Position, PositionReader } from '../../../src/contract/index.ts';
import { MAX_TREE_DEPTH, type TreeLimits } from '../tree/shape.ts';

/** One open container. */
export interface Frame {
  readonly array: boolean;
  /** Every child from here on was left out of the view; before that, children are as the view's limits show them. */
  rest: boolean;
  /** 1-based number of the child the walk stands at. */
  index: number;
  /** Where that child starts: an object's at its key. */
  at: Bytes;
  /** True number of children; 0 while unknown. */
  of: number;
  /** Last child to walk; 0 for all. */
  to: number;
  /** The first child that counts for the view's limits: 1 but in a stretch. */
  readonly first: number;
  key?: string;
}

/**
 * How far into the current child: at its start; inside its key; before its value (a long key is already shown); before
 * a value that is not a string and whose key is already shown; inside its string; inside its bytes.
 */
type Stage = 'start' | 'key' | 'value' | 'bare' | 'string' | 'raw';

export interface JsonPosition {
  limits: TreeLimits;
  readonly frames: Frame[];
  stage: Stage;
  /** Next byte. */
  at: Bytes;
  /** Of a key or string: units shown so far. Of raw bytes: where they begin. */
  done: number;
  /** Of a key or string: its units. Of raw bytes: where they end. */
  of: number;
}

/** Nested containers the walk enters; deeper content is shown as raw bytes. */
export const MAX_FRAMES = 24;

/** Each stage in a cursor. */
const STAGES = ['start', 'key', 'value', 'bare', 'string', 'raw'] as const satisfies readonly Stage[];
/** An open container in a cursor: an array or an object, then with `rest`. */
const FRAMES = ['a', 'o', 'A', 'O'] as const;

/** Encodes the position for a cursor: stage, limits and how far, then a word and numbers for each container. */
export function writePosition(place: JsonPosition): Position {
  const { depth, items, keys, string } = place.limits;
  const here = place.stage === 'start' ? [] : [place.at, place.done, place.of];
  const frames = place.frames.flatMap((frame, level) => {
    const last = level === place.frames.length - 1;
    const letter = FRAMES[(frame.rest ? 2 : 0) + (frame.array ? 0 : 1)] ?? 'a';
    // The start of an outer array's item is not needed; an outer object's key names the position.
    const at = last || !frame.array ? frame.at : 0;
    return [letter, ...withoutZeros([frame.index, at, frame.of, frame.to, frame.first - 1])];
  });
  return [place.stage, ...withoutZeros([depth, items, keys, string, ...here]), ...frames];
}

/** Without the zeros at the end, which is what a missing number is read as. */
function withoutZeros(numbers: readonly number[]): readonly number[] {
  return numbers.slice(0, numbers.findLastIndex((number) => number !== 0) + 1);
}

/** Reads a position back, every number in bounds. @throws {ReaderError} STALE_CURSOR */
export function readPosition(position: Position, size: Bytes): JsonPosition {
  const fields = new PositionReader(position, 'The cursor names a place that this JSON file does not have.');
  const stage = fields.oneOf(STAGES);
  const [depth = 0, items = 0, keys = 0, string = 0, at = 0, done = 0, of = 0] = fields.counts();
  fields.check(done <= of && Math.max(at, of) <= size && (stage !== 'raw' || (at >= done && at <= of)));
  const frames: Frame[] = [];
  while (fields.more) {
    fields.check(frames.length < MAX_FRAMES + MAX_TREE_DEPTH);
    frames.push(readFrame(fields, size));
  }
  fields.check(stage !== 'start' || frames.length > 0);
  return { limits: { depth, items, keys, string }, frames, stage, at, done, of };
}

function readFrame(fields: PositionReader, size: Bytes): Frame {
  const letter = fields.oneOf(FRAMES);
  const [index = 0, at = 0, of = 0, to = 0, before = 0] = fields.counts(size);
  fields.check(index > 0);
  return {
    array: letter === 'a' || letter === 'A',
    rest: letter === 'A' || letter === 'O',
    index,
    at,
    of,
    to,
    first: before + 1,
  };
}

// A place in a JSON document where a walk stands, and its form in a cursor: short, because a model pays for it.

import { type Bytes, isCount, type Position, staleCursor } from '../../src/contract/index.ts';
import { MAX_TREE_DEPTH, type TreeLimits } from './tree.ts';

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
 * How far into the current child: not at all; inside its key; before its value (the key, if long, is told); before a
 * value whose key is told and that is no text; inside its string; inside its bytes.
 */
type Stage = 'start' | 'key' | 'value' | 'bare' | 'string' | 'raw';

export interface Place {
  limits: TreeLimits;
  readonly frames: Frame[];
  stage: Stage;
  /** Next byte. */
  at: Bytes;
  /** Of a key or string: units told so far. Of raw bytes: where they begin. */
  done: number;
  /** Of a key or string: its units. Of raw bytes: where they end. */
  of: number;
}

/** Containers entered one within another; what is deeper is told byte by byte. */
export const MAX_FRAMES = 24;

const STAGES: readonly Stage[] = ['start', 'key', 'value', 'bare', 'string', 'raw'];

const write = (numbers: readonly number[]): string => {
  const kept = [...numbers];
  while (kept.at(-1) === 0) kept.pop();
  return kept.map((number) => (number === 0 ? '' : number.toString(36))).join('.');
};

/** The place as a cursor's position. */
export function writePlace(place: Place): Position {
  const { depth, items, keys, string } = place.limits;
  const frames = place.frames.map((frame, level) => {
    const last = level === place.frames.length - 1;
    const letter = frame.array ? (frame.rest ? 'B' : 'A') : frame.rest ? 'P' : 'O';
    // Where an outer array's item starts is nobody's concern; an outer object's key names the place.
    return (
      letter + write([frame.index, last || !frame.array ? frame.at : 0, frame.of, frame.to, frame.first - 1])
    );
  });
  const here = place.stage === 'start' ? [] : [place.at, place.done, place.of];
  const stage = STAGES.indexOf(place.stage);
  return [`${write([depth, items, keys, string])}/${frames.join('')}/${stage}${write(here)}`];
}

const stale = (): Error => staleCursor('The cursor names a place that this JSON file does not have.');

function numbers(text: string, most: number): number[] {
  const found = text.split('.').map((digits) => (digits === '' ? 0 : Number.parseInt(digits, 36)));
  if (!found.every((number) => isCount(number, most))) throw stale();
  return found;
}

/** Reads a position back, every number in bounds. @throws {ReaderError} STALE_CURSOR */
export function readPlace(position: Position, size: Bytes): Place {
  const [text, ...more] = position;
  const match =
    typeof text === 'string' && more.length === 0
      ? /^([\da-z.]*)\/((?:[ABOP][\da-z.]*)*)\/([0-5])([\da-z.]*)$/.exec(text)
      : null;
  if (!match) throw stale();
  const [, limitText = '', frameText = '', stageText = '', hereText = ''] = match;
  const [depth = 0, items = 0, keys = 0, string = 0] = numbers(limitText, Number.MAX_SAFE_INTEGER);
  const frames = (frameText.match(/[ABOP][\da-z.]*/g) ?? []).map((written): Frame => {
    const letter = written.slice(0, 1);
    const [index = 0, at = 0, of = 0, to = 0, before = 0] = numbers(written.slice(1), size);
    if (index === 0) throw stale();
    return {
      array: letter === 'A' || letter === 'B',
      rest: letter === 'B' || letter === 'P',
      index,
      at,
      of,
      to,
      first: before + 1,
    };
  });
  if (frames.length > MAX_FRAMES + MAX_TREE_DEPTH) throw stale();
  const [at = 0, done = 0, of = 0] = numbers(hereText, size);
  const stage = STAGES[Number(stageText)] ?? 'start';
  if (stage === 'start' && frames.length === 0) throw stale();
  if (done > of || (stage === 'raw' && (at < done || at > of))) throw stale();
  return { limits: { depth, items, keys, string }, frames, stage, at, done, of };
}

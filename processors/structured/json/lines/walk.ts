// Walks JSON Lines by cursor: every record whole and unchanged; a record longer than the budget is split by characters.

import {
  type Bytes,
  type Extent,
  type Position,
  PositionReader,
  type ProcessContext,
  safeCut,
  type TextPart,
  type TextSource,
  wholeLength,
} from '../../../../src/contract/index.ts';
import { locate, type Newline } from '../../../../src/scan/index.ts';
import { bytesOf } from '../../byte-window.ts';
import { limitFields, limitsIn } from '../../tree/limit-fields.ts';
import type { TreeLimits } from '../../tree/shape.ts';
import { isBlank, type Lines, lengthOf, readRow, showRow } from './record.ts';

const MAX_PIECE_BYTES = 256 * 1024;

/** Where a walk continues. Rows up to `seen` were in the view, so only those its limits cut are returned again. */
interface Spot {
  readonly to: number;
  readonly row: number;
  /** Bytes of the row already returned. */
  readonly offset: Bytes;
  /** The same in UTF-16 units. */
  readonly done: number;
  /** UTF-16 length of the row if it is returned in stretches; else 0. */
  readonly of: number;
  readonly seen: number;
  readonly limits: TreeLimits;
}

export function writePosition({ to, row, offset, done, of, seen, limits }: Spot): Position {
  const here = [row, offset, to, done, of];
  if (seen >= row) return [...here, seen, ...limitFields(limits)];
  return offset > 0 ? here : here.slice(0, 3);
}

export function readPosition(position: Position, { index }: Lines): Spot {
  const fields = new PositionReader(position, 'The cursor points to a record this file does not have.');
  const row = fields.count(index.count, 1);
  const offset = fields.count(index.size);
  const to = fields.count(index.count, row);
  const done = fields.countOr(0);
  const of = fields.countOr(0);
  fields.check(done <= of);
  const seen = fields.countOr(0, to);
  return { to, row, offset, done, of, seen, limits: limitsIn(fields) };
}

/** Yields records whole and unchanged, as many as fit the budget; a longer one by characters. */
export async function* walk(lines: Lines, start: Spot): AsyncGenerator<TextPart> {
  const { utf8, index, context } = lines;
  const { budget, signal } = context;
  let tokens = budget.tokensBesideNotes;
  let characters = budget.charactersBesideNotes;
  let spot: Spot | undefined = await nextCut(lines, start);
  let pending: TextPart | undefined;
  while (spot) {
    const here: Spot = spot;
    if (pending) yield { ...pending, next: nextOf(here) };
    pending = undefined;
    const from = (await locate(utf8, index, here.row, signal)) + here.offset;
    const rest = here.row <= here.seen ? here.row : here.to;
    const block = await readBlock(lines, from, here, rest, characters);
    const count = rowsThatFit(context, block, tokens, characters);
    if (count > 0) {
      const text = block.text.slice(0, block.ends[count - 1]);
      const to = here.row + count - 1;
      const whole: Extent = { unit: 'row', from: here.row, to, of: index.count };
      pending = {
        kind: 'text',
        text,
        shown: here.offset > 0 ? [stretchOf(here, block.ends[0] ?? text.length), whole] : [whole],
      };
      tokens -= cost(context, text);
      characters -= text.length;
      spot =
        to >= here.to ? undefined : await nextCut(lines, { ...here, row: to + 1, offset: 0, done: 0, of: 0 });
      continue;
    }
    // Not even the rest of this record fits: return a stretch of it on a page of its own.
    if (tokens < budget.tokensBesideNotes || characters < budget.charactersBesideNotes) return;
    const text = block.text.slice(0, prefixThatFits(context, block.text, block.ends[0]));
    if (text === '') return;
    const length = bytesOf(block.bytes, block.text, text.length);
    const end = await locate(utf8, index, here.row + 1, signal);
    const of = here.of || (await lengthOf(utf8, from - here.offset, end, signal));
    const after = { ...here, offset: here.offset + length, done: here.done + text.length, of };
    yield {
      kind: 'text',
      text,
      shown: [stretchOf({ ...here, of }, text.length)],
      next: nextOf(after),
    };
    return;
  }
  if (pending) yield pending;
}

function cost({ budget }: ProcessContext, text: string): number {
  return budget.tokens === Number.POSITIVE_INFINITY ? 0 : budget.count(text);
}

function nextOf(spot: Spot): NonNullable<TextPart['next']> {
  const position = writePosition(spot);
  if (spot.row <= spot.seen) return { position };
  if (spot.offset === 0) return { position, request: { rows: `${spot.row}-${spot.to}` } };
  if (spot.row === spot.to) return { position };
  return { position, skip: { rows: `${spot.row + 1}-${spot.to}` } };
}

/** The first spot from `spot` on that has not been returned. */
async function nextCut(lines: Lines, spot: Spot): Promise<Spot | undefined> {
  const { utf8, index, context } = lines;
  if (spot.row > spot.seen || spot.offset > 0) return spot.row > spot.to ? undefined : spot;
  let from = await locate(utf8, index, spot.row, context.signal);
  for (let row = spot.row; row <= spot.seen; row++) {
    const read = await readRow(lines, row, from, spot.limits);
    if (showRow(read, spot.limits).cut) return { ...spot, row };
    from = read.to;
  }
  return spot.seen < spot.to ? { ...spot, row: spot.seen + 1 } : undefined;
}

interface Block {
  readonly bytes: Uint8Array;
  /** The decoded bytes. */
  readonly text: string;
  /** End offsets, in UTF-16 units, of the rows that are complete in `text`. */
  readonly ends: readonly number[];
}

/** Reads rows `spot.row` to `last` from `from` on, as many as may fit `characters`. */
async function readBlock(
  lines: Lines,
  from: Bytes,
  spot: Spot,
  last: number,
  characters: number,
): Promise<Block> {
  const { utf8, index, newline, context } = lines;
  const end = await locate(utf8, index, last + 1, context.signal);
  const most = Math.min(MAX_PIECE_BYTES, Math.max(64, characters * 3));
  const bytes = await utf8.read(from, Math.min(end - from, most));
  const complete = from + bytes.length >= end;
  const ends: number[] = [];
  let text = '';
  let open = 0;
  let row = spot.row;
  let begun = await insideLine(utf8, from, spot.offset, newline);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (let at = bytes.indexOf(newline); at >= 0 && row < last; at = bytes.indexOf(newline, at + 1)) {
    const line = decoder.decode(bytes.subarray(open, at + 1));
    text += line;
    open = at + 1;
    // The end of a line that an earlier page started is not a blank line.
    if (isBlank(line) && !begun) continue;
    begun = false;
    ends.push(text.length);
    row++;
  }
  const rest = bytes.subarray(open, complete ? bytes.length : wholeLength(bytes));
  text += decoder.decode(rest);
  if (complete && text.length > (ends.at(-1) ?? 0)) ends.push(text.length);
  return { bytes: bytes.subarray(0, open + rest.length), text, ends };
}

/** True if the line at `from` has content before it; `offset` is the position within its row. */
async function insideLine(utf8: TextSource, from: Bytes, offset: Bytes, newline: Newline): Promise<boolean> {
  const before = await utf8.read(from - Math.min(2, offset), Math.min(2, offset));
  if (before.length === 0 || before.at(-1) === newline) return false;
  const blank = before.at(-1) === 13 && (before.length === 1 || before[0] === newline);
  return !blank;
}

function rowsThatFit({ budget }: ProcessContext, block: Block, tokens: number, characters: number): number {
  let count = 0;
  for (let low = 1, high = block.ends.length; low <= high; ) {
    const middle = (low + high) >> 1;
    if (budget.fits(block.text.slice(0, block.ends[middle - 1]), tokens, characters)) {
      count = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  return count;
}

function prefixThatFits({ budget }: ProcessContext, text: string, end = text.length): number {
  const within = text.slice(0, Math.min(end, budget.charactersBesideNotes));
  const length = budget.prefix(within, budget.tokensBesideNotes);
  return length >= within.length && within.length < text.length
    ? safeCut(text, length)
    : safeCut(within, length);
}

/** The extent of the next `units` of a row that is returned in stretches. */
function stretchOf({ row, done, of }: Spot, units: number): Extent {
  const to = done + Math.max(1, units);
  return { unit: 'character', from: done + 1, to, of: Math.max(of, to), name: `row ${row}` };
}

// The records of JSON Lines, one a line. Records are shown as they stand in the file where the limits allow, else
// truncated on one line; a walk gives every record whole. What is not shown is counted, not parsed.

import {
  type Bytes,
  type Extent,
  NotThisFormat,
  type Part,
  type Position,
  PositionReader,
  type ProcessContext,
  resolveRange,
  safeCut,
  type TextPart,
  type TextSource,
  throwIfAborted,
  unitsIn,
  type Whole,
  wholeLength,
} from '../../../src/contract/index.ts';
import { indexRecords, locate, type Newline, type RecordIndex } from '../../../src/scan/index.ts';
import { bytesOf } from '../byte-window.ts';
import {
  extents,
  glyphFor,
  isWhole,
  type Node,
  STEPS,
  shape,
  stringMark,
  type TreeLimits,
  tighten,
  treeLimits,
} from '../tree.ts';
import { JsonCursor, JsonSyntaxError } from './cursor.ts';
import { writeJsonLine } from './text.ts';
import { type BoundedTree, readTree } from './tree.ts';
import { placeOf, validateJson, validateJsonBytes } from './validator.ts';

/** Most of one record held to be shaped, in characters: the same for every budget, so that a walk judges alike. */
const RECORD_CAPACITY = 200_000;
/** A longer record is checked only as far as it is shown. */
const MAX_CHECKED_BYTES = 1024 * 1024;
const MAX_BAD_NAMED = 5;
const MAX_PLACES = 100;
/** A file up to this size whose first line is no record is tried as one JSON document. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const NEWLINE_HEAD_BYTES = 64 * 1024;
const MAX_PIECE_BYTES = 256 * 1024;

/** Thrown before the first part when the lines are those of one JSON document. */
export class OneDocument extends Error {
  override readonly name = 'OneDocument';
}

interface Lines {
  readonly utf8: TextSource;
  readonly context: ProcessContext;
  readonly index: RecordIndex;
  readonly newline: Newline;
}

/** A record as it was read: its bytes, and its tree unless it is no JSON. */
interface Row {
  readonly number: number;
  readonly from: Bytes;
  readonly to: Bytes;
  readonly node: Node | undefined;
  /** As it stands in the file, blank lines before it included; of a long one, the start. */
  readonly text: string;
  /** UTF-16 units of the whole record. */
  readonly of: number;
}

/** The records of a text; `resume` is where an earlier answer of this function ended. */
export async function* linesOfJson(
  utf8: TextSource,
  context: ProcessContext,
  resume?: Position,
): AsyncGenerator<Part> {
  const { selection, signal } = context;
  const head = await utf8.read(0, NEWLINE_HEAD_BYTES);
  const newline: Newline = head.includes(10) || !head.includes(13) ? 10 : 13;
  const index = await indexRecords(utf8, { newline, signal, skipBlank: true });
  const lines: Lines = { utf8, context, index, newline };
  context.describe({ rows: index.count, ...(index.blank > 0 && { blankLines: index.blank }) });
  context.whole({ unit: 'row', of: index.count });
  if (resume) {
    yield* walk(lines, readPosition(resume, lines));
    return;
  }
  if (index.count === 0) {
    if (utf8.size > 0 && selection.all) yield* stream(lines, 1, 0);
    return;
  }
  const { from, to } = selection.rows
    ? resolveRange('rows', selection.rows, index.count)
    : { from: 1, to: index.count };
  if (selection.all) yield* stream(lines, from, to);
  else yield* firstView(lines, from, to);
}

async function* firstView(lines: Lines, from: number, to: number): AsyncGenerator<Part> {
  const { context, utf8 } = lines;
  const { budget, limits, signal } = context;
  const base = treeLimits(limits);
  const rows: Row[] = [];
  let kept = 0;
  let at = await locate(utf8, lines.index, from, signal);
  const most = Math.min(to, from + Math.max(1, base.items) - 1);
  for (let number = from; number <= most; number++) {
    const row = await readRow(lines, number, at, base);
    rows.push(row);
    at = row.to;
    // Even cut to the bone no later record would fit.
    kept += Math.min(row.text.length, 20);
    if (kept > Math.max(budget.characters, 1000)) break;
  }
  await refuseOther(lines, rows, from);
  warnOfBad(lines, rows);

  const best = chooseRows(lines, rows, to, base);
  if (!best) {
    if (budget.tokensBesideNotes > 0 && budget.charactersBesideNotes > 0)
      yield* walk(lines, { to, row: from, offset: 0, done: 0, of: 0, seen: 0, limits: base });
    return;
  }
  const { count, view } = best;
  const last = from + count - 1;
  const shown: Extent[] = [{ unit: 'row', from, to: last, of: lines.index.count }];
  const wholes: Whole[] = [];
  for (const row of view.slice(0, count)) {
    if (row.places) {
      if (wholes.length < MAX_PLACES) {
        shown.push(...row.places.shown);
        wholes.push(...row.places.wholes);
      }
    }
  }
  for (const whole of wholes) context.whole(whole);
  const firstCut = view.slice(0, count).findIndex((row) => row.cut);
  const text = view
    .slice(0, count)
    .map((row) => row.text)
    .join('');
  const more = `${last + 1}-${Math.min(to, last + base.items)}`;
  const part: TextPart = { kind: 'text', text, shown };
  if (firstCut < 0 && last >= to) yield part;
  else if (firstCut < 0)
    yield {
      ...part,
      next: {
        position: writePosition({
          to,
          row: last + 1,
          offset: 0,
          done: 0,
          of: 0,
          seen: 0,
          limits: best.limits,
        }),
        request: { rows: more },
      },
    };
  else
    yield {
      ...part,
      next: {
        position: writePosition({
          to,
          row: from + firstCut,
          offset: 0,
          done: 0,
          of: 0,
          seen: last,
          limits: best.limits,
        }),
        ...(last < to && { skip: { rows: more } }),
      },
    };
}

interface Shown {
  readonly text: string;
  readonly cut: boolean;
  readonly places: ReturnType<typeof extents> | undefined;
}

/** The loosest limits, and as many rows under them, as the budget holds; undefined when it holds not one row. */
function chooseRows(
  lines: Lines,
  rows: readonly Row[],
  to: number,
  base: TreeLimits,
): { readonly count: number; readonly limits: TreeLimits; readonly view: readonly Shown[] } | undefined {
  const { budget } = lines.context;
  const fits = (view: readonly Shown[], count: number): boolean => {
    const text = view
      .slice(0, count)
      .map((row) => row.text)
      .join('');
    const first = rows[0]?.number ?? 1;
    const whole = first === 1 && count === lines.index.count && !view.some((row) => row.cut);
    return whole
      ? budget.fits(text, budget.tokens, budget.characters)
      : budget.fits(text, budget.tokensBesideNotes, budget.charactersBesideNotes);
  };
  const attempt = (step: number): { count: number; limits: TreeLimits; view: Shown[] } | undefined => {
    const limits = tighten(base, step);
    const count = Math.max(1, Math.min(rows.length, step === 0 ? rows.length : limits.items));
    const view = rows.slice(0, count).map((row) => showRow(row, limits));
    return fits(view, count) ? { count, limits, view } : undefined;
  };
  let best = attempt(0);
  for (let low = 1, high = STEPS; !best && low <= high; ) {
    // The tightest first: it says whether there is a view at all.
    const middle = (low + high) >> 1;
    const tried = attempt(middle);
    if (!tried) low = middle + 1;
    else {
      best = tried;
      for (let up = low, top = middle - 1; up <= top; ) {
        const between = (up + top) >> 1;
        const looser = attempt(between);
        if (looser) {
          best = looser;
          top = between - 1;
        } else up = between + 1;
      }
    }
  }
  if (!best) return undefined;
  const { limits } = best;
  const all = rows.map((row) => showRow(row, limits));
  let count = best.count;
  for (let low = count + 1, high = Math.min(rows.length, to); low <= high; ) {
    const middle = (low + high) >> 1;
    if (fits(all, middle)) {
      count = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  return { count, limits, view: all };
}

function showRow(row: Row, limits: TreeLimits): Shown {
  const name = `row ${row.number}`;
  if (!row.node) {
    if (row.text.trim() === '' && row.text.length === row.of)
      return { text: row.text, cut: false, places: undefined };
    const most = Math.max(limits.string, 80);
    if (row.of <= most) return { text: row.text, cut: false, places: undefined };
    const kept = row.text.slice(0, safeCut(row.text, most));
    const mark = kept.includes('…') ? '⋯' : '…';
    const shown = { unit: 'character' as const, from: 1, to: kept.length, of: row.of, name };
    return {
      text: `${kept}${stringMark(mark, row.of - kept.length)}\n`,
      cut: true,
      places: { shown: [shown], wholes: [{ unit: 'character', of: row.of, name }], places: 1 },
    };
  }
  const shaped = shape(row.node, limits);
  if (isWhole(shaped) && row.text.length === row.of) return { text: row.text, cut: false, places: undefined };
  const glyph = glyphFor(row.node);
  return { text: `${writeJsonLine(shaped, glyph)}\n`, cut: true, places: extents(shaped, `${name}: `) };
}

async function readRow(lines: Lines, number: number, from: Bytes, limits: TreeLimits): Promise<Row> {
  const { utf8, index, context } = lines;
  const to = await locate(utf8, index, number + 1, context.signal);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const bytes = await utf8.read(from, Math.min(to - from, MAX_CHECKED_BYTES));
  const long = to - from > bytes.length;
  const text = decoder.decode(bytes);
  const of = long ? await lengthOf(utf8, from, to, context.signal) : text.length;
  const reading = await tryRow(lines, from, to, long ? undefined : bytes, limits);
  // A record too large for its capacity is cut by it: it never counts as whole.
  const node = reading && reading.limits !== limits ? shape(reading.node, reading.limits) : reading?.node;
  return { number, from, to, node, text, of };
}

/** The record's tree; undefined when it is no JSON. */
async function tryRow(
  lines: Lines,
  from: Bytes,
  to: Bytes,
  bytes: Uint8Array | undefined,
  limits: TreeLimits,
): Promise<BoundedTree | undefined> {
  try {
    if (bytes) validateJsonBytes(bytes);
    const cursor = new JsonCursor(lines.utf8, lines.context.signal, from);
    const reading = await readTree(cursor, limits, RECORD_CAPACITY);
    if (reading.end > to) return undefined;
    if (!bytes && (await cursor.peek()) >= 0 && cursor.at < to) return undefined;
    return reading;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function isBad(row: Row): boolean {
  return !row.node && row.text.trim() !== '';
}

/** A first line that is no record: the file may be one JSON document, or no JSON at all. */
async function refuseOther(lines: Lines, rows: readonly Row[], from: number): Promise<void> {
  const { utf8, context } = lines;
  const bad = rows.filter(isBad).length;
  if (from !== 1 || bad === 0) return;
  if (bad * 2 > rows.length) {
    const first = rows.find(isBad);
    const place = `line ${first ? (await placeOf(utf8, first.from, context.signal)).line : 1}`;
    if (utf8.size <= MAX_DOCUMENT_BYTES && (await isDocument(lines))) throw new OneDocument();
    const message = `Not JSON Lines: ${bad} of the first ${rows.length} lines are no JSON value, the first at ${place}.`;
    throw new NotThisFormat({ code: 'INVALID_SYNTAX', message });
  }
}

async function isDocument({ utf8, context }: Lines): Promise<boolean> {
  try {
    await validateJson(utf8, context.signal);
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

function warnOfBad({ context }: Lines, rows: readonly Row[]): void {
  const bad = rows.filter(isBad);
  if (bad.length === 0) return;
  const named = bad
    .slice(0, MAX_BAD_NAMED)
    .map((row) => row.number)
    .join(', ');
  const rest = bad.length > MAX_BAD_NAMED ? ` and ${bad.length - MAX_BAD_NAMED} more` : '';
  context.warn({
    code: 'INVALID_SYNTAX',
    message: `Not valid JSON, shown as it stands: row ${named}${rest} of those shown.`,
  });
}

/** Where a walk goes on. Rows up to `seen` were in the view, and only those its limits cut are given again. */
interface Spot {
  readonly to: number;
  readonly row: number;
  /** Bytes of the row already given. */
  readonly offset: Bytes;
  /** The same in UTF-16 units. */
  readonly done: number;
  /** UTF-16 units of the row, once it is given in stretches; else 0. */
  readonly of: number;
  readonly seen: number;
  readonly limits: TreeLimits;
}

function writePosition({ to, row, offset, done, of, seen, limits }: Spot): Position {
  const here = [row, offset, to, done, of];
  if (seen >= row) return [...here, seen, limits.depth, limits.items, limits.keys, limits.string];
  return offset > 0 ? here : here.slice(0, 3);
}

function readPosition(position: Position, { index }: Lines): Spot {
  const fields = new PositionReader(position, 'The cursor names a record that this file does not have.');
  const row = fields.count(index.count, 1);
  const offset = fields.count(index.size);
  const to = fields.count(index.count, row);
  const done = fields.countOr(0);
  const of = fields.countOr(0);
  fields.check(done <= of);
  const seen = fields.countOr(0, to);
  const depth = fields.countOr(1);
  const items = fields.countOr(0);
  const keys = fields.countOr(0);
  const string = fields.countOr(0);
  return { to, row, offset, done, of, seen, limits: { depth, items, keys, string } };
}

/** Records whole, as they stand in the file, as many as the budget holds; a longer one by characters. */
async function* walk(lines: Lines, start: Spot): AsyncGenerator<TextPart> {
  const { utf8, index, context } = lines;
  const { budget, signal } = context;
  let tokens = budget.tokensBesideNotes;
  let characters = budget.charactersBesideNotes;
  let spot: Spot | undefined = await nextCut(lines, start);
  let told: TextPart | undefined;
  while (spot) {
    const here: Spot = spot;
    if (told) yield { ...told, next: nextOf(lines, here) };
    told = undefined;
    const from = (await locate(utf8, index, here.row, signal)) + here.offset;
    const rest = here.row <= here.seen ? here.row : here.to;
    const block = await readBlock(lines, from, here, rest, characters);
    const count = rowsThatFit(context, block, tokens, characters);
    if (count > 0) {
      const text = block.text.slice(0, block.ends[count - 1]);
      const to = here.row + count - 1;
      const whole: Extent = { unit: 'row', from: here.row, to, of: index.count };
      told = {
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
    // Not even the rest of this record: a stretch of it, on a page of its own.
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
      next: nextOf(lines, after),
    };
    return;
  }
  if (told) yield told;
}

function cost({ budget }: ProcessContext, text: string): number {
  return budget.tokens === Number.POSITIVE_INFINITY ? 0 : budget.count(text);
}

function nextOf({ context }: Lines, spot: Spot): NonNullable<TextPart['next']> {
  const position = writePosition(spot);
  const page = Math.max(1, context.limits.maxArrayItems);
  if (spot.row <= spot.seen) return { position };
  if (spot.offset === 0)
    return { position, request: { rows: `${spot.row}-${Math.min(spot.to, spot.row + page - 1)}` } };
  if (spot.row === spot.to) return { position };
  return { position, skip: { rows: `${spot.row + 1}-${Math.min(spot.to, spot.row + page)}` } };
}

/** The first spot from `spot` on that is still to be given. */
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
  /** What they decode to. */
  readonly text: string;
  /** Ends, in UTF-16 units, of the rows that lie whole in `text`. */
  readonly ends: readonly number[];
}

/** Rows `spot.row` to `last` from `from` on, as many as may fit `characters`. */
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
    // The end of a line that an earlier page began is no blank line.
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

/** True when the line that `from` lies in has content before it; `offset` is how far into its row that is. */
async function insideLine(utf8: TextSource, from: Bytes, offset: Bytes, newline: Newline): Promise<boolean> {
  const before = await utf8.read(from - Math.min(2, offset), Math.min(2, offset));
  if (before.length === 0 || before.at(-1) === newline) return false;
  const blank = before.at(-1) === 13 && (before.length === 1 || before[0] === newline);
  return !blank;
}

/** A line that makes no record: the scan's own notion. */
function isBlank(line: string): boolean {
  return line === '' || line === '\n' || line === '\r' || line === '\r\n';
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

/** The next `units` of a row that is given in stretches. */
function stretchOf({ row, done, of }: Spot, units: number): Extent {
  const to = done + Math.max(1, units);
  return { unit: 'character', from: done + 1, to, of: Math.max(of, to), name: `row ${row}` };
}

/** UTF-16 units of a stretch of UTF-8. */
async function lengthOf(utf8: TextSource, from: Bytes, to: Bytes, signal: AbortSignal): Promise<number> {
  let units = 0;
  let at = from;
  if (to <= from) return 0;
  for await (const chunk of utf8.chunks(from)) {
    throwIfAborted(signal);
    const length = Math.min(chunk.length, to - at);
    units += unitsIn(chunk, 0, length);
    at += length;
    if (at >= to) break;
  }
  return units;
}

/** Rows as they stand in the file, in pieces. */
async function* stream({ utf8, index, context }: Lines, from: number, to: number): AsyncGenerator<TextPart> {
  const start = await locate(utf8, index, from, context.signal);
  const end = to === 0 ? index.size : await locate(utf8, index, to + 1, context.signal);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let at = start;
  let row = from;
  let inside = false;
  for await (const chunk of utf8.chunks(start)) {
    throwIfAborted(context.signal);
    const bytes = chunk.subarray(0, end - at);
    at += bytes.length;
    const last = at >= end;
    const text = decoder.decode(bytes, { stream: !last });
    const first = row;
    for (const line of text.split('\n').slice(0, -1)) {
      if (inside || !isBlank(line)) row++;
      inside = false;
    }
    inside ||= !text.endsWith('\n');
    const upTo = Math.min(Math.max(first, last ? to : row), to);
    const shown: Extent[] =
      to === 0 ? [] : [{ unit: 'row', from: Math.min(first, to), to: upTo, of: index.count }];
    if (text !== '') yield { kind: 'text', text, shown };
    if (last) return;
  }
}

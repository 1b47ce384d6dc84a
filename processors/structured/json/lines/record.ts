// One JSON Lines record: reads its tree as far as it may be shown, and renders it under limits.

import {
  type Bytes,
  type ProcessContext,
  safeCut,
  type TextSource,
  throwIfAborted,
  unitsIn,
} from '../../../../src/contract/index.ts';
import { locate, type Newline, type RecordIndex } from '../../../../src/scan/index.ts';
import { extents } from '../../tree/extents.ts';
import type { Node } from '../../tree/node.ts';
import { glyphFor, isWhole, shape, stringMark, type TreeLimits } from '../../tree/shape.ts';
import { JsonCursor, JsonSyntaxError } from '../cursor.ts';
import { writeJsonLine } from '../text.ts';
import { type BoundedTree, readTree } from '../tree.ts';
import { parsedJson } from '../validator.ts';

/**
 * Maximum characters of a record held for shaping. The same for every budget, so that a walk makes the same choices.
 */
const RECORD_CAPACITY = 200_000;
/** Longer records are validated only as far as they are shown. */
const MAX_CHECKED_BYTES = 1024 * 1024;

export interface Lines {
  readonly utf8: TextSource;
  readonly context: ProcessContext;
  readonly index: RecordIndex;
  readonly newline: Newline;
}

/** A record as read: its bytes, and its tree unless it is not JSON. */
export interface Row {
  readonly number: number;
  readonly from: Bytes;
  readonly to: Bytes;
  readonly node: Node | undefined;
  /** Unchanged, including preceding blank lines; only the start of a long record. */
  readonly text: string;
  /** UTF-16 units of the whole record. */
  readonly of: number;
}

export interface Shown {
  readonly text: string;
  readonly cut: boolean;
  readonly places: ReturnType<typeof extents> | undefined;
}

export function showRow(row: Row, limits: TreeLimits): Shown {
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

export async function readRow(lines: Lines, number: number, from: Bytes, limits: TreeLimits): Promise<Row> {
  const { utf8, index, context } = lines;
  const to = await locate(utf8, index, number + 1, context.signal);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const bytes = await utf8.read(from, Math.min(to - from, MAX_CHECKED_BYTES));
  const long = to - from > bytes.length;
  const text = decoder.decode(bytes);
  const of = long ? await lengthOf(utf8, from, to, context.signal) : text.length;
  const reading = await tryRow(lines, from, to, long ? undefined : text, limits);
  // A record cut by the capacity never counts as whole.
  const node = reading && reading.limits !== limits ? shape(reading.node, reading.limits) : reading?.node;
  return { number, from, to, node, text, of };
}

/** The record's tree; undefined if it is not JSON. `whole` is its text, unless it is long. */
async function tryRow(
  lines: Lines,
  from: Bytes,
  to: Bytes,
  whole: string | undefined,
  limits: TreeLimits,
): Promise<BoundedTree | undefined> {
  try {
    if (whole !== undefined && parsedJson(whole) === undefined) return undefined;
    const cursor = new JsonCursor(lines.utf8, lines.context.signal, from);
    const reading = await readTree(cursor, limits, RECORD_CAPACITY);
    if (reading.end > to) return undefined;
    if (whole === undefined && (await cursor.peek()) >= 0 && cursor.at < to) return undefined;
    return reading;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

export function isBad(row: Row): boolean {
  return !row.node && row.text.trim() !== '';
}

/** True for a line that is not a record, by the same rule as the scanner. */
export function isBlank(line: string): boolean {
  return line === '' || line === '\n' || line === '\r' || line === '\r\n';
}

/** UTF-16 length of a range of UTF-8. */
export async function lengthOf(
  utf8: TextSource,
  from: Bytes,
  to: Bytes,
  signal: AbortSignal,
): Promise<number> {
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

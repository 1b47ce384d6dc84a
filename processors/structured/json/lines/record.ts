// The records of JSON Lines: one a line, read as far as they may be shown.

import {
  type Bytes,
  NotThisFormat,
  type ProcessContext,
  type TextSource,
} from '../../../../src/contract/index.ts';
import { locate, type Newline, type RecordIndex } from '../../../../src/scan/index.ts';
import { decodeUtf8 } from '../../byte-window.ts';
import { placeOf } from '../../stretch.ts';
import type { Node } from '../../tree/node.ts';
import type { TreeLimits } from '../../tree/shape.ts';
import { JsonCursor, JsonSyntaxError } from '../cursor.ts';
import type { Rows } from '../place.ts';
import { type BoundedTree, readTree } from '../tree.ts';
import { faultOf, MAX_VALIDATED_BYTES, parsedJson } from '../validator.ts';

/** Maximum characters of a record held for shaping. */
const RECORD_CAPACITY = 200_000;
const NOTHING: TreeLimits = { depth: 1, items: 0, keys: 0, string: 0 };
/** Longer records are validated only as far as they are shown. */
const MAX_CHECKED_BYTES = 1024 * 1024;
const MAX_BAD_NAMED = 5;

export interface Lines {
  readonly utf8: TextSource;
  readonly context: ProcessContext;
  readonly index: RecordIndex;
  readonly newline: Newline;
}

/** A record as read. */
export interface Row {
  readonly number: number;
  readonly from: Bytes;
  readonly to: Bytes;
  /** Its value; undefined if it is not JSON. */
  readonly node: Node | undefined;
  /** The limits that kept the value within its capacity. */
  readonly limits: TreeLimits;
  /** Unchanged, including preceding blank lines; undefined for a long record. */
  readonly text: string | undefined;
}

/** Thrown before the first part if the lines form one JSON document. */
export class OneDocument extends Error {
  override readonly name = 'OneDocument';
}

export async function readRow(lines: Lines, number: number, from: Bytes, limits: TreeLimits): Promise<Row> {
  const { utf8, index, context } = lines;
  const to = await locate(utf8, index, number + 1, context.signal);
  const text = to - from <= MAX_CHECKED_BYTES ? decodeUtf8(await utf8.read(from, to - from)) : undefined;
  const reading = await tryRow(lines, from, to, text, limits);
  return { number, from, to, node: reading?.node, limits: reading?.limits ?? limits, text };
}

/** The record's tree; undefined if it is not JSON. `text` is all of it, unless it is long. */
async function tryRow(
  lines: Lines,
  from: Bytes,
  to: Bytes,
  text: string | undefined,
  limits: TreeLimits,
): Promise<BoundedTree | undefined> {
  try {
    if (text !== undefined && parsedJson(text) === undefined) return undefined;
    const cursor = new JsonCursor(lines.utf8, lines.context.signal, from);
    const reading = await readTree(cursor, limits, RECORD_CAPACITY);
    if (reading.end > to) return undefined;
    if (text === undefined && (await cursor.peek()) >= 0 && cursor.at < to) return undefined;
    return reading;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

/** The records as the places of a walk; those of `known`, which are in order, are not read again. */
export function rowsOf(lines: Lines, known: readonly Row[] = []): Rows {
  const { utf8, index, newline, context } = lines;
  const start = (number: number): Promise<Bytes> => locate(utf8, index, number, context.signal);
  return {
    count: index.count,
    newline,
    start,
    isValue: async (number, at) => {
      const row = known[number - (known[0]?.number ?? 0)] ?? (await readRow(lines, number, at, NOTHING));
      return row.node !== undefined;
    },
  };
}

/** True for a line that is not a record, by the same rule as the scanner. */
export const isBlank = (line: Uint8Array): boolean =>
  line.length <= 2 && line.every((byte) => byte === 10 || byte === 13);

const isBad = ({ node, text }: Row): boolean => !node && text?.trim() !== '';

/** The first line is not a record: the file may be one JSON document, or not JSON at all. */
export async function refuseOther(
  { utf8, context }: Lines,
  rows: readonly Row[],
  from: number,
): Promise<void> {
  const bad = rows.filter(isBad).length;
  if (from !== 1 || bad * 2 <= rows.length) return;
  const first = rows.find(isBad);
  const place = `line ${first ? (await placeOf(utf8, first.from, context.signal)).line : 1}`;
  if (await isDocument(utf8, context.signal)) throw new OneDocument();
  const message = `Not JSON Lines: ${bad} of the first ${rows.length} lines are not JSON values, the first at ${place}.`;
  throw new NotThisFormat({ code: 'INVALID_SYNTAX', message });
}

/** True if a text that is small enough to be tried is one JSON document. */
export const isDocument = async (utf8: TextSource, signal: AbortSignal): Promise<boolean> =>
  utf8.size <= MAX_VALIDATED_BYTES && (await faultOf(utf8, signal)) === undefined;

export function warnOfBad({ context }: Lines, rows: readonly Row[]): void {
  const bad = rows.filter(isBad).map(({ number }) => number);
  if (bad.length === 0) return;
  const rest = bad.length > MAX_BAD_NAMED ? ` and ${bad.length - MAX_BAD_NAMED} more` : '';
  context.warn({
    code: 'INVALID_SYNTAX',
    message: `Not valid JSON, shown unchanged: row ${bad.slice(0, MAX_BAD_NAMED).join(', ')}${rest}.`,
  });
}

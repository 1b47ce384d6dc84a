// The first view of JSON Lines: as many records, under the loosest limits, as fit the budget.

import {
  type Extent,
  NotThisFormat,
  type Part,
  type TextPart,
  type TextSource,
  type Whole,
} from '../../../../src/contract/index.ts';
import { locate } from '../../../../src/scan/index.ts';
import { placeOf } from '../../stretch.ts';
import { loosestStep, tighten } from '../../tree/fit.ts';
import { MAX_PLACES, type TreeLimits, treeLimits } from '../../tree/shape.ts';
import { JsonSyntaxError } from '../cursor.ts';
import { validateJson } from '../validator.ts';
import { isBad, type Lines, type Row, readRow, type Shown, showRow } from './record.ts';
import { walk, writePosition } from './walk.ts';

const MAX_BAD_NAMED = 5;
/** Up to this size, a file whose first line is not a record is tried as one JSON document. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Thrown before the first part if the lines form one JSON document. */
export class OneDocument extends Error {
  override readonly name = 'OneDocument';
}

/** Rows `from` to `to`, or as many as fit the budget, each under the limits it needs. */
export async function* firstView(lines: Lines, from: number, to: number): AsyncGenerator<Part> {
  const { context } = lines;
  const { budget } = context;
  const base = treeLimits(context.limits);
  const rows = await gather(lines, from, to, base);
  await refuseOther(lines, rows, from);
  warnOfBad(lines, rows);

  const start = { to, row: from, offset: 0, done: 0, of: 0, seen: 0, limits: base };
  const best = chooseRows(lines, rows, to, base);
  if (!best) {
    if (budget.tokensBesideNotes > 0 && budget.charactersBesideNotes > 0) yield* walk(lines, start);
    return;
  }
  const { count, limits } = best;
  const view = best.view.slice(0, count);
  const last = from + count - 1;
  const shown: Extent[] = [{ unit: 'row', from, to: last, of: lines.index.count }];
  const wholes: Whole[] = [];
  for (const { places } of view)
    if (places && wholes.length < MAX_PLACES) {
      shown.push(...places.shown);
      wholes.push(...places.wholes);
    }
  for (const whole of wholes) context.whole(whole);
  const part: TextPart = { kind: 'text', text: view.map(({ text }) => text).join(''), shown };
  const firstCut = view.findIndex(({ cut }) => cut);
  const more = { rows: `${last + 1}-${to}` };
  if (firstCut >= 0) {
    const position = writePosition({ ...start, row: from + firstCut, seen: last, limits });
    yield { ...part, next: { position, ...(last < to && { skip: more }) } };
  } else if (last < to)
    yield { ...part, next: { position: writePosition({ ...start, row: last + 1, limits }), request: more } };
  else if (to < lines.index.count) {
    const { count: end } = lines.index;
    const position = writePosition({ ...start, to: end, row: to + 1, limits });
    yield { ...part, next: { position, request: { rows: `${to + 1}-${end}` } } };
  } else yield part;
}

/** As many rows from `from` on as could be shown at all. */
async function gather(lines: Lines, from: number, to: number, base: TreeLimits): Promise<Row[]> {
  const { utf8, index, context } = lines;
  const rows: Row[] = [];
  let kept = 0;
  let at = await locate(utf8, index, from, context.signal);
  const most = Math.min(to, from + Math.max(1, base.items) - 1);
  for (let number = from; number <= most; number++) {
    const row = await readRow(lines, number, at, base);
    rows.push(row);
    at = row.to;
    // No later record would fit even fully tightened.
    kept += Math.min(row.text.length, 20);
    if (kept > Math.max(context.budget.characters, 1000)) break;
  }
  return rows;
}

/** The loosest limits and the number of rows that fit the budget; undefined if not even one row fits. */
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
  const best = attempt(0) ?? loosestStep(1, attempt);
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

/** The first line is not a record: the file may be one JSON document, or not JSON at all. */
async function refuseOther(lines: Lines, rows: readonly Row[], from: number): Promise<void> {
  const { utf8, context } = lines;
  const bad = rows.filter(isBad).length;
  if (from !== 1 || bad === 0) return;
  if (bad * 2 > rows.length) {
    const first = rows.find(isBad);
    const place = `line ${first ? (await placeOf(utf8, first.from, context.signal)).line : 1}`;
    if (await isDocument(utf8, context.signal)) throw new OneDocument();
    const message = `Not JSON Lines: ${bad} of the first ${rows.length} lines are not JSON values, the first at ${place}.`;
    throw new NotThisFormat({ code: 'INVALID_SYNTAX', message });
  }
}

/** True if a text that is small enough to be tried is one JSON document. */
export async function isDocument(utf8: TextSource, signal: AbortSignal): Promise<boolean> {
  if (utf8.size > MAX_DOCUMENT_BYTES) return false;
  try {
    await validateJson(utf8, signal);
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
    message: `Not valid JSON, shown unchanged: row ${named}${rest}.`,
  });
}

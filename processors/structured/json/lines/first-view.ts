// The first view of JSON Lines: as many records, under the loosest limits, as fit the budget; then what it left out.

import {
  type Extent,
  largestFrom,
  type Next,
  type Part,
  type Position,
  PositionReader,
  type TextPart,
} from '../../../../src/contract/index.ts';
import { locate } from '../../../../src/scan/index.ts';
import { extents } from '../../tree/extents.ts';
import { bestView, type Candidate, LineCosts } from '../../tree/fit.ts';
import type { Node } from '../../tree/node.ts';
import {
  glyphFor,
  isWhole,
  itemWeight,
  MAX_TREE_DEPTH,
  membersAt,
  shape,
  type TreeLimits,
  treeLimits,
  worthOf,
} from '../../tree/shape.ts';
import { JsonPlace, startOfItems } from '../place.ts';
import { readPosition } from '../position.ts';
import { writeJsonLine } from '../text.ts';
import { jsonPage } from '../walk.ts';
import { type Lines, type Row, readRow, refuseOther, rowsOf, warnOfBad } from './record.ts';

/** Marks a cursor position in JSON Lines. */
export const ROWS = 'rows';

const NONE: TreeLimits = { depth: 1, items: 0, keys: 0, string: 0 };

/** A line that is not JSON: shown as it is. */
const BAD: Node = { kind: 'literal', text: '' };

interface View extends Candidate<TreeLimits> {
  readonly items: Node[];
}

/** Rows `from` to `to`, or as many as fit the budget. */
export async function* firstView(lines: Lines, from: number, to: number): AsyncGenerator<Part> {
  const { context, index, utf8 } = lines;
  const { budget, signal } = context;
  const { rows, limits: base } = await gather(lines, from, to);
  await refuseOther(lines, rows, from);
  warnOfBad(lines, rows);
  if (budget.tokensBesideNotes <= 0 || budget.charactersBesideNotes <= 0) return;

  const view = await chooseRows(lines, rows, base);
  const count = view?.items.length ?? 0;
  const limits = view?.limits ?? NONE;
  const all = { from, to, of: index.count };
  const at = rows[0]?.from ?? 0;
  const place = new JsonPlace(utf8, startOfItems(limits, at, all, count), {
    signal,
    pointer: '',
    rows: rowsOf(lines, rows),
  });
  if (!view) {
    yield* marked(jsonPage(place, budget));
    return;
  }
  const last = from + count - 1;
  const places = extents({ kind: 'array', items: view.items, of: index.count, from });
  for (const whole of places.wholes) if (whole.name !== '') context.whole(whole);
  const shown: Extent[] = [
    { unit: 'row', from, to: last, of: index.count },
    ...places.shown.filter(({ name }) => name !== ''),
  ];
  const next = (await place.seek()) ? await place.next() : await behind(lines, to);
  const isPart = next !== undefined && !next.request && last < to;
  const skip = isPart ? { skip: { rows: `${last + 1}-${to}` } } : {};
  const part: TextPart = { kind: 'text', text: view.text, shown };
  yield* marked([next ? { ...part, next: { ...next, ...skip } } : part]);
}

/** How to continue after requested rows that are shown whole. */
async function behind({ utf8, index, context }: Lines, to: number): Promise<Next | undefined> {
  if (to >= index.count) return undefined;
  const at = await locate(utf8, index, to + 1, context.signal);
  const rest = { from: to + 1, to: index.count, of: index.count };
  const place = new JsonPlace(utf8, startOfItems(NONE, at, rest, 0), { signal: context.signal, pointer: '' });
  return await place.next();
}

/** The next page of a walk. */
export async function* pageOfRows(lines: Lines, position: Position): AsyncGenerator<Part> {
  const { utf8, context, index } = lines;
  const fields = new PositionReader(position, 'The cursor points to a record this file does not have.');
  fields.oneOf([ROWS]);
  const here = readPosition(position.slice(1), utf8.size);
  const [rows] = here.frames;
  fields.check(rows?.array === true && rows.index <= (rows.to || index.count) && rows.to <= index.count);
  const options = { signal: context.signal, pointer: '', rows: rowsOf(lines) };
  yield* marked(jsonPage(new JsonPlace(utf8, here, options), context.budget));
}

async function* marked(parts: AsyncIterable<TextPart> | Iterable<TextPart>): AsyncGenerator<Part> {
  for await (const part of parts)
    yield part.next ? { ...part, next: { ...part.next, position: [ROWS, ...part.next.position] } } : part;
}

/** As many rows from `from` on as could be shown at all, and the limits that keep each within its capacity. */
async function gather(
  lines: Lines,
  from: number,
  to: number,
): Promise<{ readonly rows: readonly Row[]; readonly limits: TreeLimits }> {
  const { utf8, index, context } = lines;
  const rows: Row[] = [];
  let limits = treeLimits(context.limits);
  let kept = 0;
  let at = await locate(utf8, index, from, context.signal);
  const most = Math.min(to, from + Math.max(1, limits.items) - 1);
  for (let number = from; number <= most; number++) {
    const row = await readRow(lines, number, at, limits);
    rows.push(row);
    limits = row.limits;
    at = row.to;
    // No later record would fit even fully tightened.
    kept += Math.min(row.to - row.from, 20);
    if (kept > Math.max(context.budget.characters, 1000)) break;
  }
  return { rows, limits };
}

/** The loosest limits and the number of rows that fit the budget; undefined if not even one row fits. */
async function chooseRows(
  { context, index }: Lines,
  rows: readonly Row[],
  base: TreeLimits,
): Promise<View | undefined> {
  const { budget } = context;
  const glyphs = rows.map(({ node = BAD }) => glyphFor(node));
  const viewOf = (limits: TreeLimits, count: number): View | undefined => {
    const items: Node[] = [];
    let text = '';
    for (const [at, row] of rows.slice(0, count).entries()) {
      // A long line that is not JSON ends a view. The records are the second level of a tree.
      if (!row.node && row.text === undefined) return undefined;
      const item = row.node ? shape(row.node, limits, 2) : BAD;
      const isSame = row.text !== undefined && isWhole(item);
      text += isSame ? row.text : `${writeJsonLine(item, glyphs[at] ?? '')}\n`;
      if (text.length > budget.characters) return undefined;
      items.push(item);
    }
    const whole = rows[0]?.number === 1 && count === index.count && items.every(isWhole);
    const worth = items.reduce((sum, item, at) => sum + worthOf(item) * itemWeight(at), 0);
    return { limits, worth, whole, text, items };
  };
  const attempt = (limits: TreeLimits): View | undefined =>
    viewOf(limits, Math.max(1, Math.min(rows.length, membersAt(limits, 'array', 1))));
  const limits = { ...base, depth: Math.min(base.depth + 1, MAX_TREE_DEPTH) };
  const best = await bestView(limits, budget, attempt);
  if (!best) return undefined;
  const costs = new LineCosts(budget);
  const count = largestFrom(best.items.length, rows.length, (tried) => {
    const view = viewOf(best.limits, tried);
    return view !== undefined && costs.allow(view);
  });
  return viewOf(best.limits, count);
}

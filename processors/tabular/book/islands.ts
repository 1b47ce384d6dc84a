// The islands of a sheet: rectangles of cells separated by blank rows and columns, each a table of its own in Markdown.

import {
  columnLetters,
  type Extent,
  type ProcessContext,
  quoted,
  ReaderError,
  shortName,
  throwIfAborted,
} from '../../../src/contract/index.ts';
import type { Table, TableRow } from '../../../src/table/index.ts';
import { type BookSheet, headingOf, type OpenSheet } from './sheets.ts';

/** Sheets with more cells stay one table: finding islands needs every cell. */
const MAX_CELLS = 50_000;
/** A sheet with more separate groups of cells stays one table: it is scattered, not laid out. */
const MAX_GROUPS = 2000;
const MAX_PASSES = 10;

/** Rows and columns of a sheet, 1-based and inclusive. */
interface Island {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

/** One island of a sheet, which a book shows like a sheet. */
export interface IslandSheet extends BookSheet {
  /** The sheet that it is in. */
  readonly of: BookSheet;
  /** `B4:C10`, or `B2` for one cell. */
  readonly range: string;
}

/** True if each table of a sheet is shown on its own. Rows and columns of a whole sheet are those of its grid. */
export function byIslands({ format, sheet, rows, columns, outline }: ProcessContext['selection']): boolean {
  if (format !== 'markdown' || outline) return false;
  return (rows === undefined && columns === undefined) || rangeIn(sheet ?? '') !== undefined;
}

/** The sheet itself, or the one that an island is in. */
export function sheetOf(sheet: BookSheet): BookSheet {
  return isIsland(sheet) ? sheet.of : sheet;
}

/** The Markdown above a table: the name of its sheet, once, and the range of the table. */
export function titleOf(sheet: BookSheet, before: BookSheet | undefined): string {
  const isFirst = before === undefined || sheetOf(before) !== sheetOf(sheet);
  const name = isFirst ? `## ${shortName(sheetOf(sheet).name)}\n\n` : '';
  return `${before ? '\n' : ''}${name}${isIsland(sheet) ? `${sheet.range}\n\n` : ''}`;
}

/**
 * The sheet's islands in reading order; the sheet itself if it has one that starts in cell A1, or too many cells.
 * @param opened the same sheet, opened
 */
export async function islandsOf(
  sheet: BookSheet,
  opened: OpenSheet,
  signal: AbortSignal,
): Promise<readonly BookSheet[]> {
  const { table } = opened;
  if (table.rows === 0 || table.rows * table.columns > MAX_CELLS) return [sheet];
  const rows: TableRow<string>[] = [];
  for await (const row of table.read(1, table.rows)) {
    throwIfAborted(signal);
    const cells = row.cells.map((cell) => cell ?? '');
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ number: row.number, cells });
  }
  const islands = found(rows) ?? [];
  const [first] = islands;
  const isWholeSheet =
    first?.top === 1 && first.left === 1 && first.right === table.columns && first.bottom === table.rows;
  if (first === undefined || (islands.length === 1 && isWholeSheet)) return [sheet];
  return islands.map((island, index) => {
    const range = rangeOf(island);
    return {
      name: `${sheet.name}!${range}`,
      state: sheet.state,
      kind: sheet.kind,
      cost: 0,
      of: sheet,
      range,
      open: () =>
        Promise.resolve({
          table: tableOf(sheet, island, range, rows),
          facts: {},
          // Notes and warnings are about the whole sheet.
          notes: (shown) => (index === islands.length - 1 ? opened.notes(inSheet(shown, island)) : []),
          warnings: () => (index === islands.length - 1 ? opened.warnings() : []),
        }),
    };
  });
}

/** The island that `wanted` names as `Sheet!B4:C10`. @throws {ReaderError} BAD_INPUT */
export function islandNamed(islands: readonly BookSheet[], wanted: string): BookSheet {
  const range = rangeIn(wanted);
  const island = islands.find((candidate) => isIsland(candidate) && candidate.range === range);
  if (island) return island;
  const ranges = islands.filter(isIsland).map((one) => one.range);
  throw new ReaderError(
    'BAD_INPUT',
    `The sheet has no table in the cells ${quoted(range ?? '')}.`,
    ranges.length === 0
      ? 'Leave out the range: the sheet is one table.'
      : `Use one of its tables: ${ranges.slice(0, 10).join(', ')}${ranges.length > 10 ? ', ...' : ''}.`,
  );
}

/** The range at the end of a sheet's name as a request writes it, if there is one. */
export function rangeIn(name: string): string | undefined {
  return /!([A-Z]{1,3}\d{1,7}(?::[A-Z]{1,3}\d{1,7})?)$/.exec(name)?.[1];
}

export function withoutRange(name: string): string {
  const range = rangeIn(name);
  return range === undefined ? name : name.slice(0, -range.length - 1);
}

function rangeOf({ top, bottom, left, right }: Island): string {
  const first = `${columnLetters(left)}${top}`;
  const last = `${columnLetters(right)}${bottom}`;
  return first === last ? first : `${first}:${last}`;
}

export function isIsland(sheet: BookSheet): sheet is IslandSheet {
  return 'range' in sheet;
}

function inSheet(extents: readonly Extent[], { top, left }: Island): Extent[] {
  return extents.map((extent) => {
    const before = (extent.unit === 'row' ? top : left) - 1;
    return { ...extent, from: extent.from + before, to: extent.to + before };
  });
}

/** Finds islands in `rows`, which all have text; undefined if there are too many groups of cells. */
function found(rows: readonly TableRow<string>[]): Island[] | undefined {
  const groups = connected(rows);
  const joined = groups && merged(groups);
  if (!joined) return undefined;
  const islands = joined.flatMap((island) => splitTitles(island, rows));
  return islands.sort((a, b) => a.top - b.top || a.left - b.left);
}

/** The bounding boxes of cells with text that share an edge. */
function connected(rows: readonly TableRow<string>[]): Island[] | undefined {
  const boxes: Island[] = [];
  let open: Island[] = [];
  let last = 0;
  for (const { number, cells } of rows) {
    if (number > last + 1) boxes.push(...open.splice(0));
    const next: Island[] = [];
    for (const [left, right] of runs(cells)) {
      if (boxes.length + open.length + next.length > MAX_GROUPS) return undefined;
      const touched = [...open, ...next].filter((box) => box.left <= right && left <= box.right);
      const box = touched.reduce(union, { top: number, bottom: number, left, right });
      for (const one of touched) {
        for (const list of [open, next]) {
          const at = list.indexOf(one);
          if (at >= 0) list.splice(at, 1);
        }
      }
      next.push(box);
    }
    boxes.push(...open);
    open = next;
    last = number;
  }
  return [...boxes, ...open];
}

/** Runs of cells with text, 1-based and inclusive. */
function* runs(cells: readonly string[]): Generator<readonly [left: number, right: number]> {
  let left = 0;
  for (let column = 1; column <= cells.length + 1; column++) {
    const filled = (cells[column - 1] ?? '').trim() !== '';
    if (filled && left === 0) left = column;
    if (!filled && left > 0) {
      yield [left, column - 1];
      left = 0;
    }
  }
}

function union(a: Island, b: Island): Island {
  return {
    top: Math.min(a.top, b.top),
    bottom: Math.max(a.bottom, b.bottom),
    left: Math.min(a.left, b.left),
    right: Math.max(a.right, b.right),
  };
}

/** Joins boxes that belong together, in passes until nothing changes; undefined if that takes too many. */
function merged(groups: readonly Island[]): Island[] | undefined {
  let boxes = [...groups];
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next: Island[] = [];
    for (const box of boxes) {
      const at = next.findIndex(
        (other) => touch(box, other) || isColumnOf(box, other) || isColumnOf(other, box),
      );
      const other = next[at];
      if (other) next[at] = union(box, other);
      else next.push(box);
    }
    if (next.length === boxes.length) return next;
    boxes = next;
  }
  return undefined;
}

/** True if the boxes overlap or share an edge; a shared corner is not enough. */
function touch(a: Island, b: Island): boolean {
  const rows = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  const columns = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  return (rows >= 0 && columns >= -1) || (columns >= 0 && rows >= -1);
}

/** True if `a` is a column of `b`, one blank column away: labels or values set apart by a spacer. */
function isColumnOf(a: Island, b: Island): boolean {
  if (a.left !== a.right || a.bottom === a.top) return false;
  if (a.top < b.top - 1 || a.bottom > b.bottom + 1) return false;
  return a.left === b.right + 2 || a.right === b.left - 2;
}

/** Parts rows with a single cell from the head of a wider island: titles. */
function splitTitles(island: Island, rows: readonly TableRow<string>[]): Island[] {
  const titles: Island[] = [];
  let top = island.top;
  while (island.right > island.left && top < island.bottom - 1) {
    const cells = rows.find(({ number }) => number === top)?.cells.slice(island.left - 1, island.right) ?? [];
    const filled = [...cells.entries()].filter(([, cell]) => cell.trim() !== '');
    const [only] = filled;
    if (only === undefined || filled.length > 1) break;
    const column = island.left + only[0];
    titles.push({ top, bottom: top, left: column, right: column });
    top += 1;
  }
  return [...titles, { ...island, top }];
}

function tableOf(sheet: BookSheet, island: Island, range: string, rows: readonly TableRow<string>[]): Table {
  const { top, bottom, left, right } = island;
  const inside = rows
    .filter(({ number }) => number >= top && number <= bottom)
    .map(({ number, cells }) => ({ number: number - top + 1, cells: cells.slice(left - 1, right) }));
  const size = { rows: bottom - top + 1, columns: right - left + 1 };
  const first = inside[0]?.cells ?? [];
  const named = first.filter((cell) => cell.trim() !== '');
  const isHeader = named.length * 2 >= size.columns && named.every((cell) => Number.isNaN(Number(cell)));
  return {
    ...size,
    name: `${sheet.name}!${range}`,
    heading: headingOf(sheet, { table: size, range }),
    header: isHeader ? first : undefined,
    headerRow: isHeader ? 1 : 0,
    columnName: (column) => columnLetters(left + column - 1),
    async *read(from, to): AsyncGenerator<TableRow<string>, void, undefined> {
      let next = from;
      for (const row of inside) {
        if (row.number < from || row.number > to) continue;
        for (; next < row.number; next++) yield { number: next, cells: [] };
        yield row;
        next = row.number + 1;
      }
    },
  };
}

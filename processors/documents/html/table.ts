// The tables of a page: distinguishes data from layout, and fills a grid with merged cells.

import type { HtmlNode } from './node.ts';
import { HOLDS_CODE, HOLDS_HEADING, HOLDS_LIST, HOLDS_TABLE, type Survey } from './survey.ts';
import { styleOf } from './visibility.ts';

/** A cell of a table being read. */
export interface Cell {
  readonly text: string;
  readonly columns: number;
  readonly rows: number;
}

/** A cell with more text is part of a page, not of a table. */
const LONG_CELL = 1000;
const LONG_WITH_BLOCKS = 250;
const SHORT_CELL = 120;
const LONG_NESTED = 1500;
/** HTML 4.9.11. */
const MAX_COLUMNS = 1000;
/** Maximum cells and characters that merged cells may add to a table. */
const MAX_REPEATED_CELLS = 100_000;
const MAX_REPEATED_CHARACTERS = 1_000_000;

/** True for a table to be read as rows and columns; others are read cell by cell, as a page layout. */
export function isDataTable(table: HtmlNode, survey: Survey): boolean {
  const role = table.get('role');
  if (role === 'presentation' || role === 'none') return false;
  let rows = 0;
  let headers = false;
  let longest = 0;
  let blocks = false;
  let nested = false;
  let widest = 0;
  const filled = new Set<number>();
  for (const row of rowsOf(table)) {
    let column = 0;
    let cells = 0;
    for (let cell = row.first; cell; cell = cell.next) {
      if ((cell.name !== 'td' && cell.name !== 'th') || survey.isSkipped(cell)) continue;
      const length = survey.textOf(cell);
      if (length > 0 || survey.holdsAny(cell, 0xff)) {
        if (cell.name === 'th' && length > 0) headers = true;
        filled.add(column);
        cells += 1;
        longest = Math.max(longest, length);
        if (length > LONG_WITH_BLOCKS && survey.holdsAny(cell, HOLDS_HEADING | HOLDS_LIST | HOLDS_CODE))
          blocks = true;
        if (survey.holdsAny(cell, HOLDS_TABLE)) nested = true;
      }
      column += 1;
    }
    if (cells > 0) rows += 1;
    widest = Math.max(widest, cells);
  }
  if (rows === 0 || filled.size === 0) return false;
  if (/highlight|rouge|code/.test(table.classes) && survey.holdsAny(table, HOLDS_CODE)) return false;
  const stated = role === 'table' || role === 'grid' || headers || holdsCaption(table, survey);
  if (widest <= 1) return stated && rows > 1 && !nested && !blocks && longest <= LONG_WITH_BLOCKS;
  if (
    nested &&
    (table.get('border') === '0' || table.get('cellpadding') === '0' || survey.textOf(table) > LONG_NESTED)
  )
    return false;
  if (stated) return true;
  if (rows === 1) return longest <= SHORT_CELL && !nested && !blocks;
  return !blocks && longest <= LONG_CELL;
}

function holdsCaption(table: HtmlNode, survey: Survey): boolean {
  for (let child = table.first; child; child = child.next)
    if ((child.name === 'caption' || child.name === 'thead') && survey.textOf(child) > 0) return true;
  return false;
}

function* rowsOf(table: HtmlNode): Generator<HtmlNode> {
  for (let child = table.first; child; child = child.next) {
    if (child.name === 'tr') yield child;
    else if (child.name === 'tbody' || child.name === 'thead' || child.name === 'tfoot')
      for (let row = child.first; row; row = row.next) if (row.name === 'tr') yield row;
  }
}

/** Number of columns or rows a cell spans; 1 if it is not a number. */
export function spanOf(cell: HtmlNode, attribute: 'colspan' | 'rowspan'): number {
  const value = cell.get(attribute);
  if (value === undefined) return 1;
  const span = Number.parseInt(value, 10);
  if (!(span >= 0)) return 1;
  // 0 extends to the last row (HTML 4.9.11).
  if (span === 0) return attribute === 'rowspan' ? Number.POSITIVE_INFINITY : 1;
  return attribute === 'colspan' ? Math.min(span, MAX_COLUMNS) : span;
}

/**
 * Expands merged cells: their text is repeated in every cell they span, within limits. Empty rows and columns are
 * dropped.
 */
export function gridOf(rows: readonly (readonly Cell[])[]): string[][] {
  const width = widthOf(rows);
  const grid: string[][] = [];
  let repeatedCells = 0;
  let repeatedCharacters = 0;
  // By column: the text a cell above extends down with, and for how many rows.
  const above: ({ text: string; left: number } | undefined)[] = [];
  for (const row of rows) {
    const out: string[] = [];
    const fill = (): void => {
      for (let cell = above[out.length]; cell; cell = above[out.length]) {
        cell.left -= 1;
        if (cell.left <= 0) above[out.length] = undefined;
        out.push(cell.text);
      }
    };
    for (const { text, columns, rows: down } of row) {
      fill();
      const span = row.length === 1 ? Math.min(columns, width) : columns;
      // A heading across the full width is not repeated.
      const over = row.length === 1 && span >= width && grid.length + 1 < rows.length;
      for (let at = 0; at < span; at += 1) {
        if (at > 0) {
          repeatedCells += 1;
          repeatedCharacters += text.length;
          if (repeatedCells > MAX_REPEATED_CELLS || above[out.length]) break;
        }
        const known = at > 0 && (over || repeatedCharacters > MAX_REPEATED_CHARACTERS) ? '' : text;
        if (down > 1) {
          repeatedCharacters += text.length;
          above[out.length] = {
            text: repeatedCharacters > MAX_REPEATED_CHARACTERS ? '' : text,
            left: down - 1,
          };
        }
        out.push(known);
      }
    }
    while (above.length > 0 && above.at(-1) === undefined) above.pop();
    while (out.length < above.length) {
      fill();
      if (out.length < above.length) out.push('');
    }
    while (above.length > 0 && above.at(-1) === undefined) above.pop();
    repeatedCells += Math.max(0, out.length - row.length);
    if (repeatedCells > MAX_REPEATED_CELLS) above.length = 0;
    grid.push(out);
  }
  return withoutEmpty(grid);
}

/** Number of columns of the widest row; a cell alone in its row may claim more than exist. */
function widthOf(rows: readonly (readonly Cell[])[]): number {
  let width = 0;
  for (const row of rows) {
    let columns = 0;
    for (const cell of row) columns += row.length === 1 && rows.length > 1 ? 1 : cell.columns;
    width = Math.max(width, columns);
  }
  return Math.min(width, MAX_COLUMNS);
}

function withoutEmpty(grid: readonly string[][]): string[][] {
  const rows = grid.filter((row) => row.some((cell) => cell !== ''));
  const filled: boolean[] = [];
  for (const row of rows) for (let at = 0; at < row.length; at += 1) if (row[at] !== '') filled[at] = true;
  let width = 0;
  for (const row of rows) width = Math.max(width, row.length);
  let empty = false;
  for (let at = 0; at < width; at += 1) if (filled[at] !== true) empty = true;
  return empty ? rows.map((row) => row.filter((_, at) => filled[at] === true)) : rows;
}

/** A cell with line numbers next to code. */
export function isGutter(node: HtmlNode): boolean {
  return / (?:gutter|linenos?|line-?numbers?|blob-num|rouge-gutter|hljs-ln-numbers|linenodiv) /.test(
    node.classes,
  ) || styleOf(node, 'user-select') === 'none'
    ? node.name === 'td' || node.name === 'pre' || node.name === 'span' || node.name === 'div'
    : false;
}

// The tables of a page: distinguishes data from layout.

import type { GridCell } from '../../../src/document/index.ts';
import type { HtmlNode } from './node.ts';
import { HOLDS_CODE, HOLDS_HEADING, HOLDS_LIST, HOLDS_TABLE, type Survey } from './survey.ts';
import { styleOf } from './visibility.ts';

/** A cell with more text is part of a page, not of a table. */
const LONG_CELL = 1000;
const LONG_WITH_BLOCKS = 250;
const SHORT_CELL = 120;
const LONG_NESTED = 1500;

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

/** The cell with its spans. */
export function cellOf(cell: HtmlNode, text: string): GridCell {
  const rows = Number.parseInt(cell.get('rowspan') ?? '', 10);
  return {
    columns: Number.parseInt(cell.get('colspan') ?? '', 10),
    // 0 extends to the last row (HTML 4.9.11).
    rows: rows === 0 ? Number.POSITIVE_INFINITY : rows,
    text: () => text,
  };
}

/** A cell with line numbers next to code. */
export function isGutter(node: HtmlNode): boolean {
  return / (?:gutter|linenos?|line-?numbers?|blob-num|rouge-gutter|hljs-ln-numbers|linenodiv) /.test(
    node.classes,
  ) || styleOf(node, 'user-select') === 'none'
    ? node.name === 'td' || node.name === 'pre' || node.name === 'span' || node.name === 'div'
    : false;
}

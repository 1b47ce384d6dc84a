// One sheet of a workbook read by SheetJS, as a table.

import { columnLetters, plural, quoted } from '../../../src/contract/index.ts';
import type { Table, TableRow } from '../../../src/table/index.ts';
import { formulaAddress, withFormula, withLink } from '../book/links.ts';
import { type Comment, type Drawn, remarkFacts, remarkNotes } from '../book/remarks.ts';
import { type BookSheet, headingOf, hiddenCells, hiddenValues, type OpenSheet } from '../book/sheets.ts';
import { MAX_COLUMNS, MAX_ROWS } from '../xlsx/cell.ts';
import { general } from '../xlsx/number-format/decimal.ts';
import type { Styles } from '../xlsx/styles.ts';
import { type CellObject, type Grid, MAX_ROWS_READ, type SheetCells } from './grid.ts';

/** What a sheet has besides its cells, and how its cells are shown. */
export interface SheetSetting {
  /** The name of the workbook's file. */
  readonly file: string;
  readonly isOds: boolean;
  /** Values only, without the addresses that cells link to. */
  readonly isPlain: boolean;
  /** Cells are shown with their formulas. */
  readonly hasFormulas: boolean;
  readonly drawn: readonly Drawn[];
  readonly headers: readonly string[];
  readonly footers: readonly string[];
  /** Cells whose number format shows nothing, as far as they are known before they are shown. */
  readonly hiddenValues: number;
}

export function openSheet(
  entry: Pick<BookSheet, 'name' | 'state' | 'kind'>,
  sheet: SheetCells,
  styles: Styles,
  setting: SheetSetting,
): OpenSheet {
  const { '!data': grid = [], '!fullref': full } = sheet;
  const measured = measure(grid);
  const fullRows = Math.min(MAX_ROWS, Number(/:\$?[A-Z]+\$?(\d+)$/.exec(full ?? '')?.[1] ?? 0));
  const cutRows = measured.rows >= MAX_ROWS_READ && fullRows > measured.rows ? fullRows - measured.rows : 0;
  const hidden = new Set<CellObject>();
  const text = (cell: CellObject | undefined): string => {
    const shown = cellText(cell, styles, setting.isOds);
    if (cell && shown === undefined) hidden.add(cell);
    const value = shown ?? (typeof cell?.v === 'number' ? general(cell.v) : String(cell?.v ?? ''));
    return setting.hasFormulas ? withFormula(value, cell?.f) : value;
  };
  const { table, headerLinks } = tableOf(entry, grid, measured, text, setting.isPlain);
  const merges = (sheet['!merges'] ?? []).map(
    ({ s, e }) => `${columnLetters(s.c + 1)}${s.r + 1}:${columnLetters(e.c + 1)}${e.r + 1}`,
  );
  const hiddenRows = (sheet['!rows'] ?? []).filter((row) => row?.hidden === true).length;
  const hiddenColumns = (sheet['!cols'] ?? []).filter((column) => column?.hidden === true).length;
  const { comments, formulas } = measured;
  const remarks = { ...setting, comments, links: headerLinks, merged: merges, mergedCount: merges.length };
  const shownFormulas = formulas > 0 ? plural(formulas, 'cell') : undefined;
  return {
    table,
    facts: {
      rows: measured.rows,
      columns: measured.columns,
      formulas,
      ...remarkFacts(remarks),
      hiddenRows,
      hiddenColumns,
    },
    comments,
    notes: (shown) => remarkNotes(remarks, setting.file, shown, shownFormulas),
    warnings: () => [
      ...(cutRows > 0
        ? [
            {
              code: 'SKIPPED_CONTENT' as const,
              message: `Sheet ${quoted(entry.name)} has ${fullRows} rows; only the first ${measured.rows} were read, the limit for this format.`,
            },
          ]
        : []),
      ...hiddenCells(entry.name, hiddenRows, hiddenColumns),
      ...hiddenValues(entry.name, setting.hiddenValues + hidden.size),
    ],
  };
}

interface Measured {
  /** 1-based number of the first non-empty row; 0 if there is none. */
  readonly firstRow: number;
  readonly rows: number;
  readonly columns: number;
  readonly formulas: number;
  readonly comments: readonly Comment[];
}

function measure(grid: Grid): Measured {
  let firstRow = 0;
  let rows = 0;
  let columns = 0;
  let formulas = 0;
  const comments: Comment[] = [];
  const lastRow = Math.min(grid.length, MAX_ROWS);
  for (let row = 0; row < lastRow; row++) {
    const cells = grid[row];
    if (!cells) continue;
    for (let column = Math.min(cells.length, MAX_COLUMNS) - 1; column >= 0; column--) {
      const cell = cells[column];
      if (!cell) continue;
      if (cell.f !== undefined) formulas++;
      for (const { a, t } of cell.c ?? []) {
        comments.push({
          cell: `${columnLetters(column + 1)}${row + 1}`,
          author: a ?? '',
          text: (t ?? '').trim(),
        });
      }
      if (cell.v === undefined && cell.f === undefined) continue;
      if (cell.t === 'z' && cell.f === undefined) continue;
      if (firstRow === 0) firstRow = row + 1;
      rows = row + 1;
      if (column + 1 > columns) columns = column + 1;
    }
  }
  return { firstRow, rows, columns, formulas, comments };
}

function tableOf(
  entry: Pick<BookSheet, 'name' | 'state' | 'kind'>,
  grid: Grid,
  { firstRow, rows, columns }: Measured,
  text: (cell: CellObject | undefined) => string,
  isPlain: boolean,
): { readonly table: Table; readonly headerLinks: readonly string[] } {
  const linked = (cell: CellObject | undefined): string =>
    isPlain ? text(cell) : withLink(text(cell), addressOf(cell));
  const first = grid[firstRow - 1] ?? [];
  const named = first.filter((cell) => cell?.v !== undefined);
  const isHeader =
    rows > firstRow && named.length * 2 >= columns && named.every((cell) => cell?.t === 's' && cell.v !== '');
  const cellsOf = (number: number): string[] =>
    Array.from((grid[number - 1] ?? []).slice(0, columns), isHeader && number === firstRow ? text : linked);
  // A header is the name of its column, so its address is set apart.
  const headerLinks = [...(isHeader && !isPlain ? first : []).entries()].flatMap(([column, cell]) =>
    linked(cell) === text(cell) ? [] : [`${columnLetters(column + 1)}${firstRow} ${addressOf(cell) ?? ''}`],
  );
  const table: Table = {
    name: entry.name,
    heading: headingOf(entry, { table: { rows, columns }, firstRow }),
    header: isHeader ? cellsOf(firstRow) : undefined,
    headerRow: isHeader ? firstRow : 0,
    rows,
    columns,
    columnName: columnLetters,
    async *read(from, to): AsyncGenerator<TableRow, void, undefined> {
      let number = Math.max(from, firstRow);
      const last = Math.min(to, rows);
      while (number <= last) {
        const cells = grid[number - 1];
        if (!cells || cells.length === 0) {
          const [start, end] = blankRun(grid, number, rows);
          if (end - start >= MAX_BLANK_RUN) {
            number = end + 1;
            continue;
          }
        }
        yield { number, cells: cells ? cellsOf(number) : [] };
        number++;
      }
    },
  };
  return { table, headerLinks };
}

/** What a cell links to; a place in the workbook starts with `#`. */
function addressOf(cell: CellObject | undefined): string | undefined {
  return cell?.l?.Target ?? (cell?.f === undefined ? undefined : formulaAddress(cell.f));
}

/** The run of empty rows around `number`, both ends inclusive. */
function blankRun(grid: Grid, number: number, rows: number): readonly [start: number, end: number] {
  const isBlank = (row: number): boolean => (grid[row - 1]?.length ?? 0) === 0;
  let start = number;
  let end = number;
  while (start > 1 && number - start <= MAX_BLANK_RUN && isBlank(start - 1)) start--;
  while (end < rows && isBlank(end + 1)) end++;
  return [start, end];
}

/** Undefined if the cell's number format shows nothing of its value. */
function cellText(cell: CellObject | undefined, styles: Styles, isOds: boolean): string | undefined {
  if (!cell) return '';
  const { t, v, w, f, z } = cell;
  if (v === undefined || t === 'z') return f === undefined ? '' : `=${f}`;
  // ODS files store the displayed text.
  if (isOds && w !== undefined && t !== 'b') return w;
  if (t === 'b') return v === true ? 'TRUE' : 'FALSE';
  const format = styles.ofCode(typeof z === 'string' ? (LOCAL_DATES[z] ?? z) : '');
  if (t === 'n' && typeof v === 'number') return format.number(v);
  if (t === 's' && typeof v === 'string') return format.text(v);
  return w ?? String(v);
}

const MAX_BLANK_RUN = 1000;
/** The codes that SheetJS gives for formats 14 and 22. */
const LOCAL_DATES: Readonly<Record<string, string>> = {
  'm/d/yy': 'm/d/yyyy',
  'm/d/yy h:mm': 'm/d/yyyy h:mm',
};

// One sheet of a workbook read by SheetJS, as a table.

import { plural, quoted } from '../../../src/contract/index.ts';
import { cutCell, type Table, type TableRow } from '../../../src/table/index.ts';
import { type BookSheet, headingOf, hiddenCells, type OpenSheet } from '../book/sheets.ts';
import { columnLetters, MAX_COLUMNS, MAX_ROWS } from '../xlsx/cell.ts';
import { type Styles, showNumber } from '../xlsx/styles.ts';
import { type CellObject, type DenseSheet, type Grid, MAX_ROWS_READ, type WorkSheet } from './grid.ts';

export function openSheet(
  entry: Pick<BookSheet, 'name' | 'state' | 'kind'>,
  sheet: WorkSheet,
  styles: Styles,
  isOds: boolean,
): OpenSheet {
  // With `dense`, SheetJS stores rows of cells under `!data`, and the size of a partially read sheet under `!fullref`;
  // both are missing from its types.
  const { '!data': grid = [], '!fullref': full } = sheet as DenseSheet;
  const measured = measure(grid);
  const fullRows = Math.min(MAX_ROWS, Number(/:\$?[A-Z]+\$?(\d+)$/.exec(full ?? '')?.[1] ?? 0));
  const cutRows = measured.rows >= MAX_ROWS_READ && fullRows > measured.rows ? fullRows - measured.rows : 0;
  const text = (cell: CellObject | undefined): string => cellText(cell, styles, isOds);
  const table = tableOf(entry, grid, measured, text);
  const merges = (sheet['!merges'] ?? []).map(
    ({ s, e }) => `${columnLetters(s.c + 1)}${s.r + 1}:${columnLetters(e.c + 1)}${e.r + 1}`,
  );
  const hiddenRows = (sheet['!rows'] ?? []).filter((row) => row?.hidden === true).length;
  const hiddenColumns = (sheet['!cols'] ?? []).filter((column) => column?.hidden === true).length;
  const { comments, formulas } = measured;
  return {
    table,
    facts: {
      rows: measured.rows,
      columns: measured.columns,
      formulas,
      mergedCount: merges.length,
      ...(merges.length > 0 && { merged: merges.slice(0, MAX_LISTED) }),
      commentCount: measured.commentCount,
      ...(comments.length > 0 && { comments }),
      hiddenRows,
      hiddenColumns,
    },
    notes: () => [
      ...(comments.length > 0
        ? [
            `Comments: ${comments
              .map(({ cell, author, text: note }) => `${cell}${author === '' ? '' : ` (${author})`}: ${note}`)
              .join('; ')
              .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
              .slice(0, MAX_COMMENT_LENGTH)}`,
          ]
        : []),
      ...(formulas > 0 ? [`Formulas: ${plural(formulas, 'cell')}`] : []),
      ...(merges.length > 0
        ? [
            `Merged: ${merges.slice(0, 12).join('; ')}${merges.length > 12 ? ` (${merges.length} in all)` : ''}`,
          ]
        : []),
    ],
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
    ],
  };
}

interface Measured {
  /** 1-based number of the first non-empty row; 0 if there is none. */
  readonly firstRow: number;
  readonly rows: number;
  readonly columns: number;
  readonly formulas: number;
  readonly commentCount: number;
  readonly comments: readonly { readonly cell: string; readonly author: string; readonly text: string }[];
}

function measure(grid: Grid): Measured {
  let firstRow = 0;
  let rows = 0;
  let columns = 0;
  let formulas = 0;
  let commentCount = 0;
  const comments: { cell: string; author: string; text: string }[] = [];
  const lastRow = Math.min(grid.length, MAX_ROWS);
  for (let row = 0; row < lastRow; row++) {
    const cells = grid[row];
    if (!cells) continue;
    for (let column = Math.min(cells.length, MAX_COLUMNS) - 1; column >= 0; column--) {
      const cell = cells[column];
      if (!cell) continue;
      if (cell.f !== undefined) formulas++;
      for (const { a, t } of cell.c ?? []) {
        commentCount++;
        if (comments.length >= MAX_LISTED) continue;
        const text = (t ?? '').trim();
        comments.push({
          cell: `${columnLetters(column + 1)}${row + 1}`,
          author: a ?? '',
          text: cutCell(text, MAX_COMMENT_LENGTH),
        });
      }
      if (cell.v === undefined && cell.f === undefined) continue;
      if (cell.t === 'z' && cell.f === undefined) continue;
      if (firstRow === 0) firstRow = row + 1;
      rows = row + 1;
      if (column + 1 > columns) columns = column + 1;
    }
  }
  return { firstRow, rows, columns, formulas, commentCount, comments };
}

function tableOf(
  entry: Pick<BookSheet, 'name' | 'state' | 'kind'>,
  grid: Grid,
  { firstRow, rows, columns }: Measured,
  text: (cell: CellObject | undefined) => string,
): Table {
  const cellsOf = (number: number): string[] => (grid[number - 1] ?? []).slice(0, columns).map(text);
  const first = grid[firstRow - 1] ?? [];
  const named = first.filter((cell) => cell?.v !== undefined);
  const isHeader =
    rows > firstRow && named.length * 2 >= columns && named.every((cell) => cell?.t === 's' && cell.v !== '');
  return {
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

function cellText(cell: CellObject | undefined, styles: Styles, isOds: boolean): string {
  if (!cell) return '';
  const { t, v, w, f, z } = cell;
  if (v === undefined || t === 'z') return f === undefined ? '' : `=${f}`;
  // ODS files store the displayed text.
  if (isOds && w !== undefined && t !== 'b') return w;
  if (t === 'b') return v === true ? 'TRUE' : 'FALSE';
  if (t === 'n' && typeof v === 'number') return showNumber(styles.ofCode(typeof z === 'string' ? z : ''), v);
  if (t === 's' && typeof v === 'string') return styles.ofCode(typeof z === 'string' ? z : '').text(v);
  return w ?? String(v);
}

const MAX_BLANK_RUN = 1000;
const MAX_LISTED = 20;
const MAX_COMMENT_LENGTH = 500;

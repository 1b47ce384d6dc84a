// XLS, XLSB and ODS through SheetJS, which holds a workbook in memory whole: its input is bounded first, what it returns
// is shown like any other workbook.

import {
  type Bytes,
  type ProcessContext,
  passwordNeeded,
  plural,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
} from '../../src/contract/index.ts';
import type { ZipFile } from '../../src/package/index.ts';
import type { BookSheet, OpenSheet } from './book/sheets.ts';
import { headingOf, hiddenCells } from './book/sheets.ts';
import { cutCell } from './cell-cut.ts';
import type { Table, TableRow } from './table.ts';
import { columnLetters, MAX_COLUMNS, MAX_ROWS } from './xlsx/cell.ts';
import { Styles, showNumber } from './xlsx/styles.ts';

/** A workbook of this size takes SheetJS several times as much memory. */
const MAX_BYTES: Bytes = 64 * 1024 * 1024;
const MAX_INFLATED_BYTES: Bytes = 256 * 1024 * 1024;
/** Rows a sheet is read to; Excel 97 to 2003 had 65 536. A bound on what repeated rows of ODS unfold to. */
const MAX_ROWS_READ = 200_000;
/** Cells an ODS file may unfold to. */
const MAX_UNFOLDED = 5_000_000;
const ODS_TAG =
  /<(style:style|style:table-properties|table:table|table:table-row|table:table-cell|table:covered-table-cell)(?=[\s/>])([^<>]*)>/g;
const MAX_BLANK_RUN = 1000;
const MAX_LISTED = 20;
const MAX_COMMENT_LENGTH = 500;

type SheetJS = typeof import('@e965/xlsx');
type WorkSheet = import('@e965/xlsx').WorkSheet;
type CellObject = import('@e965/xlsx').CellObject;
type Grid = readonly (readonly (CellObject | undefined)[] | undefined)[];
type DenseSheet = WorkSheet & { readonly '!data'?: Grid; readonly '!fullref'?: string };

/**
 * The sheets of a legacy workbook. `zip` is the container of an XLSB or ODS file, opened already.
 * @throws {ReaderError} LIMIT_EXCEEDED, ENCRYPTED_FILE, CORRUPT_FILE.
 */
export async function openLegacy(
  source: Source,
  context: ProcessContext,
  zip: ZipFile | undefined,
): Promise<readonly BookSheet[]> {
  const most = Math.min(MAX_BYTES, context.limits.maxBytesInMemory);
  if (source.size > most)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The workbook has ${source.size} bytes; in this format, which is held in memory, at most ${most} are read.`,
      'Save it as .xlsx or .csv, which are read in pieces.',
    );
  const hiddenTables = zip ? await preflight(zip, context) : new Set<number>();
  const bytes = await source.bytes();
  if (!zip && isEncryptedPackage(bytes)) throw encrypted();
  throwIfAborted(context.signal);
  const library = await import('@e965/xlsx');
  const book = parse(library, bytes);
  const date1904 = book.Workbook?.WBProps?.date1904 === true;
  const styles = new Styles(undefined, date1904);
  const isOds = zip !== undefined && zip.get('content.xml') !== undefined;
  return book.SheetNames.map((name, index) => {
    const sheet = book.Sheets[name];
    const hidden = hiddenTables.has(index) ? 1 : (book.Workbook?.Sheets?.[index]?.Hidden ?? 0);
    // SheetJS marks what is no worksheet with `!type`, which its types leave out.
    const type = (sheet as { readonly '!type'?: string } | undefined)?.['!type'];
    const kind =
      type === 'chart'
        ? 'chartsheet'
        : type === 'dialog'
          ? 'dialogsheet'
          : type === 'macro'
            ? 'macrosheet'
            : 'worksheet';
    const entry = {
      name,
      state: hidden === 2 ? 'veryHidden' : hidden === 1 ? 'hidden' : 'visible',
      kind,
      cost: 0,
    } as const;
    if (!sheet || kind !== 'worksheet') return entry;
    return { ...entry, open: () => Promise.resolve(openSheet(entry, sheet, styles, isOds)) };
  });
}

function parse(library: SheetJS, bytes: Uint8Array): import('@e965/xlsx').WorkBook {
  const restore = silence();
  try {
    return library.read(bytes, {
      type: 'array',
      dense: true,
      cellNF: true,
      cellHTML: false,
      cellStyles: true,
      sheetRows: MAX_ROWS_READ,
      bookVBA: false,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    if (/password|ECMA-376 encrypted|ODS encryption|encryption scheme/i.test(reason)) throw encrypted();
    throw new ReaderError(
      'CORRUPT_FILE',
      'The workbook cannot be read: its content does not follow its format.',
      'Open it in a spreadsheet program and save it as .xlsx.',
      error,
    );
  } finally {
    restore();
  }
}

/** The library writes remarks about a file to the console; its call is synchronous, so nobody else's are lost. */
function silence(): () => void {
  const target = globalThis.console;
  const { error, warn, log } = target;
  const nothing = (): void => undefined;
  Object.assign(target, { error: nothing, warn: nothing, log: nothing });
  return () => {
    Object.assign(target, { error, warn, log });
  };
}

function encrypted(): ReaderError {
  return passwordNeeded('The workbook is protected with a password.');
}

/** Protected Office Open XML files are OLE containers with a stream of this name ([MS-OFFCRYPTO] 2.3.4.4). */
function isEncryptedPackage(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(
    Buffer.from('EncryptedPackage', 'utf16le'),
  );
}

/**
 * Counts what really inflates before a library sees it, and what repeated cells of ODS unfold to. Returns the hidden
 * tables of an ODS file, from 0, which the library does not tell.
 */
async function preflight(zip: ZipFile, context: ProcessContext): Promise<ReadonlySet<number>> {
  const most = Math.min(MAX_INFLATED_BYTES, context.limits.maxBytesInMemory);
  const unfolding = new Unfolding();
  let total = 0;
  for (const entry of zip.entries.values()) {
    const isContent = entry.name === 'content.xml';
    for await (const piece of zip.inflate(entry, context.signal)) {
      total += piece.length;
      if (total > most)
        throw new ReaderError(
          'LIMIT_EXCEEDED',
          `The workbook inflates to more than ${most} bytes; in this format, which is held in memory, no more are read.`,
          'Save it as .xlsx or .csv, which are read in pieces.',
        );
      if (isContent) unfolding.feed(piece);
    }
    if (entry.name === 'META-INF/manifest.xml') {
      const manifest = (await zip.bytes(entry, 1024 * 1024, context.signal)).toString('latin1');
      if (manifest.includes('encryption-data')) throw encrypted();
    }
  }
  return unfolding.hidden;
}

/** What an ODS content part amounts to, read piece by piece. */
class Unfolding {
  readonly hidden = new Set<number>();
  readonly #hiddenStyles = new Set<string>();
  #style = '';
  #tables = 0;
  #repeats = 1;
  #cells = 0;
  #rest = '';

  /** @throws {ReaderError} LIMIT_EXCEEDED when repeated cells unfold to more than can be held. */
  feed(piece: Buffer): void {
    const text = this.#rest + piece.toString('latin1');
    let at = 0;
    for (const match of text.matchAll(ODS_TAG)) {
      at = match.index + match[0].length;
      this.#tag(match[1] ?? '', match[2] ?? '');
    }
    const open = text.lastIndexOf('<');
    this.#rest = open >= at && text.length - open < 4096 ? text.slice(open) : '';
  }

  #tag(name: string, attributes: string): void {
    switch (name) {
      case 'style:style':
        this.#style = /style:name="([^"]*)"/.exec(attributes)?.[1] ?? '';
        return;
      case 'style:table-properties':
        if (attributes.includes('table:display="false"')) this.#hiddenStyles.add(this.#style);
        return;
      case 'table:table':
        if (this.#hiddenStyles.has(/table:style-name="([^"]*)"/.exec(attributes)?.[1] ?? ''))
          this.hidden.add(this.#tables);
        this.#tables++;
        return;
      case 'table:table-row':
        this.#repeats = Number(/number-rows-repeated="(\d{1,9})"/.exec(attributes)?.[1] ?? 1);
        return;
      default: {
        // Empty cells are repeated to the edge of every sheet, and cost nothing.
        if (attributes.endsWith('/') && !attributes.includes('value')) return;
        const columns = Number(/number-columns-repeated="(\d{1,9})"/.exec(attributes)?.[1] ?? 1);
        this.#cells += columns * Math.min(this.#repeats, MAX_ROWS_READ);
        if (this.#cells > MAX_UNFOLDED)
          throw new ReaderError(
            'LIMIT_EXCEEDED',
            `The workbook unfolds to more than ${MAX_UNFOLDED} cells; in this format, which is held in memory, no more are read.`,
            'Save it as .xlsx or .csv, which are read in pieces.',
          );
      }
    }
  }
}

function openSheet(
  entry: Pick<BookSheet, 'name' | 'state' | 'kind'>,
  sheet: WorkSheet,
  styles: Styles,
  isOds: boolean,
): OpenSheet {
  // With `dense` SheetJS keeps rows of cells under `!data`, and the size of a sheet it read in part under `!fullref`;
  // its types leave both out.
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
              message: `Sheet ${quoted(entry.name)} has ${fullRows} rows; in this format only the first ${measured.rows} are read.`,
            },
          ]
        : []),
      ...hiddenCells(entry.name, hiddenRows, hiddenColumns),
    ],
  };
}

interface Measured {
  /** 1-based number of the first row that holds something; 0 when none does. */
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

/** The stretch of rows without cells around `number`; both ends inside. */
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
  // ODS files carry the text that was shown.
  if (isOds && w !== undefined && t !== 'b') return w;
  if (t === 'b') return v === true ? 'TRUE' : 'FALSE';
  if (t === 'n' && typeof v === 'number') return showNumber(styles.ofCode(typeof z === 'string' ? z : ''), v);
  if (t === 's' && typeof v === 'string') return styles.ofCode(typeof z === 'string' ? z : '').text(v);
  return w ?? String(v);
}

// Writes rows as CSV (RFC 4180), Markdown pipe tables or JSON objects. Pure text; knows no budget.

import { jsonString, type TableFormat } from '../contract/index.ts';
import type { Cell } from './table.ts';

/** The position of a piece in its row: at the start, at the end, or neither. */
export interface PieceEnds {
  readonly first: boolean;
  readonly last: boolean;
}

/** One way to write rows. */
export interface TableWriter {
  readonly format: TableFormat;
  /** Text around and between rows; empty if a row is a line of its own. */
  readonly open: string;
  readonly between: string;
  readonly close: string;
  /** The text of a table without rows. */
  readonly empty: string;
  /** The lines that name the columns. */
  head(names: readonly string[]): string;
  /** One complete row, without `between`. `keys` are only used by JSON. */
  row(cells: readonly Cell[], keys: readonly string[]): string;
  /** True if every part is self-contained, so that a piece of a row is written as its own row. */
  readonly standsAlone: boolean;
  /** Adjacent cells of a row without their names. Unless `standsAlone`, the joined pieces are the row. */
  piece(cells: readonly Cell[], ends: PieceEnds): string;
  /** Characters `from` up to `to` of one cell, likewise. */
  fragment(cell: string, from: number, to: number, ends: PieceEnds): string;
}

/** What CSV and Markdown show for null. */
const NULL = 'NULL';

function needsQuotes(cell: string): boolean {
  return /[",\r\n]|^[ \t]|[ \t]$/.test(cell);
}

function csvField(cell: Cell, hasNulls = false): string {
  if (cell === null) return NULL;
  return needsQuotes(cell) || (hasNulls && cell === NULL) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** One CSV record with its line break; a single empty field is `""`, since a blank line is not a record. */
function csvRecord(cells: readonly Cell[], hasNulls = false): string {
  if (cells.length === 1 && cells[0] === '') return '""\n';
  return `${csvFields(cells, hasNulls)}\n`;
}

const csvFields = (cells: readonly Cell[], hasNulls: boolean): string =>
  cells.map((cell) => csvField(cell, hasNulls)).join(',');

const csvWriter = (hasNulls: boolean): TableWriter => ({
  format: 'csv',
  standsAlone: false,
  open: '',
  between: '',
  close: '',
  empty: '',
  head: (names) => csvRecord(names),
  row: (cells) => csvRecord(cells, hasNulls),
  piece(cells, { first, last }) {
    if (first && last) return csvRecord(cells, hasNulls);
    return `${csvFields(cells, hasNulls)}${last ? '\n' : ','}`;
  },
  fragment(cell, from, to, { last }) {
    const quote = needsQuotes(cell) || (hasNulls && cell === NULL) ? '"' : '';
    const end = to === cell.length ? `${quote}${last ? '\n' : ','}` : '';
    return `${from === 0 ? quote : ''}${cell.slice(from, to).replaceAll('"', '""')}${end}`;
  },
});

function markdownCell(cell: Cell): string {
  if (cell === null) return NULL;
  return cell.replace(/\r\n|[\r\n]/g, '<br>').replaceAll('|', '\\|');
}

function markdownRow(cells: readonly Cell[]): string {
  return `| ${cells.map(markdownCell).join(' | ')} |\n`;
}

const markdown: TableWriter = {
  format: 'markdown',
  standsAlone: false,
  open: '',
  between: '',
  close: '',
  empty: '',
  head: (names) => `${markdownRow(names)}|${' --- |'.repeat(names.length)}\n`,
  row: markdownRow,
  piece(cells, { first, last }) {
    return `${first ? '| ' : ''}${cells.map(markdownCell).join(' | ')}${last ? ' |\n' : ' | '}`;
  },
  fragment(cell, from, to, { first, last }) {
    const end = to === cell.length ? (last ? ' |\n' : ' | ') : '';
    return `${first && from === 0 ? '| ' : ''}${markdownCell(cell.slice(from, to))}${end}`;
  },
};

const quotedNull = (cells: readonly Cell[]): Cell[] =>
  cells.map((cell) => (cell === NULL ? `"${NULL}"` : cell));

const markdownWithNulls: TableWriter = {
  ...markdown,
  row: (cells) => markdownRow(quotedNull(cells)),
  piece: (cells, ends) => markdown.piece(quotedNull(cells), ends),
};

/** CSV of an answer to a query: null is an empty field, and an empty text `""`. */
const answerCsv: TableWriter = {
  ...csvWriter(false),
  row: (cells) => answerRecord(cells),
  piece: (cells, { first, last }) =>
    first && last ? answerRecord(cells) : `${cells.map(answerField).join(',')}${last ? '\n' : ','}`,
};

const answerField = (cell: Cell): string => (cell === null ? '' : cell === '' ? '""' : csvField(cell));

const answerRecord = (cells: readonly Cell[]): string =>
  cells.length === 1 && cells[0] === null ? '""\n' : `${cells.map(answerField).join(',')}\n`;

/** Digits of a number that every parser of JSON keeps. */
const KEPT_DIGITS = 15;

/** True for the text of a JSON number that is the same after it is parsed, and of a truth value. */
function isBare(text: string): boolean {
  if (text === 'true' || text === 'false') return true;
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return false;
  return text.replace(/e.*|\D/gi, '').length <= KEPT_DIGITS || String(Number(text)) === text;
}

const answerJson = (bare: ReadonlySet<string>): TableWriter => ({
  ...json,
  row: (cells, keys) =>
    `{${cells
      .map((cell, index) => {
        const key = keys[index] ?? '';
        return `${jsonString(key)}:${cell !== null && bare.has(key) && isBare(cell) ? cell : jsonCell(cell)}`;
      })
      .join(',')}}`,
});

const jsonCell = (cell: Cell): string => (cell === null ? 'null' : jsonString(cell));

function jsonRow(cells: readonly Cell[], keys: readonly string[]): string {
  return `{${cells.map((cell, index) => `${jsonString(keys[index] ?? '')}:${jsonCell(cell)}`).join(',')}}`;
}

const json: TableWriter = {
  format: 'json',
  standsAlone: true,
  open: '[\n',
  between: ',\n',
  close: '\n]\n',
  empty: '[]\n',
  head: () => '',
  row: jsonRow,
  piece: (cells) => `[${cells.map(jsonCell).join(',')}]\n`,
  fragment: (cell, from, to) => `[${jsonString(cell.slice(from, to))}]\n`,
};

/**
 * The writer of a format. With `hasNulls`, of a table whose cells may be null, CSV and Markdown put the text `NULL` in
 * quotes, as PostgreSQL does in CSV. With `bare`, it is the answer to a query.
 */
export function tableWriter(format: TableFormat, hasNulls = false, bare?: ReadonlySet<string>): TableWriter {
  if (bare && format === 'csv') return answerCsv;
  if (bare && format === 'json') return answerJson(bare);
  return { csv: csvWriter(hasNulls), markdown: hasNulls ? markdownWithNulls : markdown, json }[format];
}

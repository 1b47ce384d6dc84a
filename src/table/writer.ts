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
 * quotes, as PostgreSQL does in CSV.
 */
export function tableWriter(format: TableFormat, hasNulls = false): TableWriter {
  return { csv: csvWriter(hasNulls), markdown: hasNulls ? markdownWithNulls : markdown, json }[format];
}

// The table interface of all tabular formats, and the one way tables become parts of an answer.

import {
  type Budget,
  type Next,
  type Position,
  type ProcessContext,
  resolveRange,
  type TextBlock,
  type TextPart,
  throwIfAborted,
  viewOf,
} from '../contract/index.ts';
import { Columns } from './columns.ts';
import { decodePosition, encodePosition, isBetweenRows, PHASE, type TablePosition } from './position.ts';
import { type RowsWanted, TableSampler } from './sample.ts';
import { TableWalk } from './walk.ts';
import { type TableWriter, tableWriter } from './writer.ts';

/** The text of a cell; null for a missing value of a database, which is not an empty text. */
export type Cell = string | null;

/** One row. `cells` may be shorter or longer than `Table.columns`; missing cells are empty. */
export interface TableRow<C extends Cell = Cell> {
  /** 1-based. */
  readonly number: number;
  readonly cells: readonly C[];
}

/** What a format provides to show a table. Counts are exact before the first row is read. */
export interface Table {
  /** The sheet's name, used as the `name` of every extent. */
  readonly name?: string;
  /** A line, without line break, that the view shows above the table; never part of the content. */
  readonly heading?: string;
  /** Column names; undefined if the table has none. */
  readonly header: readonly string[] | undefined;
  /** 0 if the header is not one of the rows (CSV); n if it is row n (sheets). */
  readonly headerRow: number;
  /** Exact; the number of the last row. */
  readonly rows: number;
  /** Width of the widest row known. */
  readonly columns: number;
  /**
   * How rows are delimited, in a table that may grow: as long as it is the same, existing rows keep their numbers. A
   * few letters or digits, because cursors hold it.
   */
  readonly form?: string;
  /** True if cells may be null: the text `NULL` is then shown in quotes. */
  readonly hasNulls?: boolean;
  /**
   * In the answer to a query, the names of columns whose cells JSON writes without quotes. CSV then writes null as an
   * empty field, and an empty text as `""`.
   */
  readonly bare?: ReadonlySet<string>;
  /** Name of an unnamed column, 1-based. Default `column_3`. */
  columnName?(column: number): string;
  /** Rows `from` to `to`, inclusive, in order; numbers without a row may be skipped. Stops when closed. */
  read(from: number, to: number): AsyncIterable<TableRow>;
}

/** The place of a table in an answer that holds more than this table. */
export interface TablePlace {
  /** Share of the budget. Default: `context.budget`. */
  readonly budget?: Budget;
  /** The table's own position, `POSITION_LENGTH` numbers; `null` for a fresh answer. Default: `selection.resume`. */
  readonly resume?: Position | null;
  /** What follows this table (the next sheet). */
  readonly after?: Next;
}

/** Characters in a part of an unlimited answer, before the row that fills it. */
const STREAM_PART = 64 * 1024;

/**
 * The parts of an answer about `table`: head and tail, or the selected rows and columns, or the page the cursor
 * continues. Declares the wholes `row` and `column`.
 * @throws {ReaderError} BAD_INPUT for missing rows or columns, STALE_CURSOR for a position outside
 */
export async function* tableParts(
  found: Table,
  context: ProcessContext,
  place: TablePlace = {},
): AsyncGenerator<TextPart> {
  const { selection } = context;
  const given = context.redact ? withoutSecrets(found, context.redact) : found;
  const table = selection.header === false ? withoutHeader(given) : given;
  const budget = place.budget ?? context.budget;
  const columns = new Columns(table, selection.columns);
  const writer = tableWriter(selection.format ?? 'csv', table.hasNulls, table.bare);
  const resume = place.resume === undefined ? selection.resume : (place.resume ?? undefined);
  const name = table.name === undefined ? {} : { name: table.name };
  context.whole({ unit: 'row', of: table.rows, ...name });
  context.whole({ unit: 'column', of: table.columns, ...name });
  const wanted = rowsWanted(table, context);
  if (selection.all) {
    yield* everything(table, columns, writer, wanted, context);
    return;
  }
  if (budget.tokens < 1 || budget.characters < 1) return;
  const next = nextOf(table, context, place);
  if (resume === undefined) {
    const sampler = new TableSampler(table, columns, writer, budget, context.limits);
    const fitted = await sampler.parts(wanted);
    if (fitted) {
      const walk = new TableWalk(table, columns, writer, budget);
      for (const [index, part] of fitted.parts.entries()) {
        const sample = fitted.samples[index];
        const start = sample && { ...sample, phase: PHASE.rows, row: sample.to + 1, column: 0, character: 0 };
        yield withNext(part, next(start && walk.settle(start)));
      }
      return;
    }
  }
  const position = resume === undefined ? fromTheStart(table, wanted.from) : decodePosition(resume, table);
  let first = true;
  for await (const step of new TableWalk(table, columns, writer, budget).page(position)) {
    if (!step.part) continue;
    yield withNext(first ? headed(step.part, table, budget) : step.part, next(step.position));
    first = false;
  }
}

/** The same table with placeholders for the secrets in its cells, which are cut later. */
function withoutSecrets(table: Table, redact: NonNullable<ProcessContext['redact']>): Table {
  const { header, headerRow, rows, columns } = table;
  return {
    ...table,
    header: header && redact(header),
    headerRow,
    rows,
    columns,
    columnName: (column) => table.columnName?.(column) ?? `column_${column}`,
    async *read(from, to) {
      for await (const row of table.read(from, to)) {
        const texts = redact(row.cells.map((cell) => cell ?? ''));
        yield { ...row, cells: row.cells.map((cell, at) => (cell === null ? null : (texts[at] ?? ''))) };
      }
    },
  };
}

/** The same rows, of which none names the columns. A header that is not a row cannot be chosen. */
function withoutHeader(table: Table): Table {
  if (table.headerRow === 0) return table;
  const { name, heading, rows, columns, form } = table;
  return {
    ...(name !== undefined && { name }),
    ...(heading !== undefined && { heading }),
    ...(form !== undefined && { form }),
    header: undefined,
    headerRow: 0,
    rows,
    columns,
    columnName: (column) => table.columnName?.(column) ?? `column_${column}`,
    read: (from, to) => table.read(from, to),
  };
}

/** The selected rows; otherwise all, or a sample of them. */
function rowsWanted(table: Table, { selection, limits }: ProcessContext): RowsWanted {
  const { from, to } = selection.rows
    ? resolveRange('rows', selection.rows, table.rows)
    : { from: 1, to: table.rows };
  const few = selection.all || selection.rows || table.rows <= limits.rowsHead + limits.rowsTail;
  return {
    from,
    to,
    sampled: !selection.rows,
    head: few ? to - from + 1 : limits.rowsHead,
    tail: selection.rows ? 0 : limits.rowsTail,
  };
}

/** A walk without a first answer: there is no sample to complete. */
function fromTheStart(table: Table, from: number): TablePosition {
  return {
    phase: PHASE.rows,
    row: table.header !== undefined && table.headerRow === 0 ? 0 : from,
    column: 0,
    character: 0,
    from,
    to: from - 1,
    tailFrom: table.rows + 1,
    tailTo: table.rows,
    columns: 0,
    cellLength: 0,
    wider: false,
    cut: false,
  };
}

function nextOf(
  table: Table,
  { selection }: ProcessContext,
  place: TablePlace,
): (position: TablePosition | undefined) => Next | undefined {
  return (position) => {
    if (!position) return place.after;
    const encoded = encodePosition(position, table);
    if (!isBetweenRows(position)) return { position: encoded };
    return {
      position: encoded,
      request: {
        rows: `${position.row}-${position.row < position.tailFrom ? position.tailFrom - 1 : table.rows}`,
        ...(selection.columns !== undefined && { columns: selection.columns }),
        ...(table.name !== undefined && { sheet: table.name }),
      },
    };
  };
}

function withNext(part: TextPart, next: Next | undefined): TextPart {
  return next ? { ...part, next } : part;
}

/** The sheet's heading above the first part of a page, if there is room. */
function headed(part: TextPart, table: Table, budget: Budget): TextPart {
  if (table.heading === undefined) return part;
  const view = `${table.heading}\n${viewOf(part)}`;
  const fits = budget.fits(view, budget.tokensBesideNotes, budget.charactersBesideNotes);
  return fits ? { ...part, view } : part;
}

/** The block of rows that start at these offsets, the first one with what is above it. */
const rowsAt = ([, ...items]: readonly number[], header: string): Omit<TextBlock, 'to'> => ({
  kind: 'table',
  items,
  ...(header !== '' && { frame: { before: header, after: '' } }),
});

/** Streams all selected rows: no cut, no view, one part in memory. */
async function* everything(
  table: Table,
  columns: Columns,
  writer: TableWriter,
  { from, to }: RowsWanted,
  context: ProcessContext,
): AsyncGenerator<TextPart> {
  const name = table.name === undefined ? {} : { name: table.name };
  const count = columns.count();
  const named = writer.format === 'markdown' || (table.header !== undefined && table.headerRow === 0);
  const head = named ? writer.head(columns.names(0, count)) : '';
  const text: string[] = [head, writer.open];
  let header = head;
  let items: number[] = [];
  let size = head.length;
  let first = from;
  let last = from - 1;
  let widest = count;
  let written = 0;
  const flush = (upTo: number): TextPart => {
    const row =
      upTo < first ? [] : [{ unit: 'row', from: first, to: upTo, of: table.rows, ...name } as const];
    const part: TextPart = {
      kind: 'text',
      text: text.join(''),
      shown: [...row, ...columns.extents(0, widest)],
      ...(writer.format === 'csv' && { blocks: [{ ...rowsAt(items, header), to: size }] }),
    };
    text.length = 0;
    items = [];
    size = 0;
    first = upTo + 1;
    return part;
  };
  for await (const row of table.read(from, to)) {
    throwIfAborted(context.signal);
    last = row.number;
    if (writer.format !== 'csv' && row.number === table.headerRow) continue;
    const width = columns.count(row.cells.length);
    widest = Math.max(widest, width);
    const keys = writer.format === 'json' ? columns.keys(0, width, Number.MAX_SAFE_INTEGER) : [];
    const line = writer.row(columns.cells(row.cells, 0, width), keys);
    if (written > 0) text.push(writer.between);
    text.push(line);
    items.push(size);
    if (row.number === table.headerRow) header = line;
    written += 1;
    size += line.length;
    if (size >= STREAM_PART) yield flush(last);
  }
  if (written === 0 && writer.empty !== '') text.splice(0, text.length, writer.empty);
  else text.push(writer.close);
  yield flush(Math.max(last, to));
}

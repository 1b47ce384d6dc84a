// A table as every tabular format presents it, and the one way all of them become parts of an answer.

import type { Budget, Next, Position, ProcessContext, TextPart } from '../../src/contract/index.ts';

/** One row. `cells` may be shorter or longer than `Table.columns`; missing cells are empty. */
export interface TableRow {
  /** 1-based. */
  readonly number: number;
  readonly cells: readonly string[];
}

export interface Table {
  /** The sheet; becomes the `name` of every extent. */
  readonly name?: string;
  /** A line, without its line break, that the view shows above the table; never part of the content. */
  readonly heading?: string;
  /** Names of the columns; undefined when the table has none. */
  readonly header: readonly string[] | undefined;
  /** 0 when the header is not one of the rows (CSV); n when it is row n (sheets). */
  readonly headerRow: number;
  /** Exact; the number of the last row. */
  readonly rows: number;
  /** The widest row known of. */
  readonly columns: number;
  /** What an unnamed column is called, 1-based; `column_3` unless told. */
  columnName?(column: number): string;
  /** Rows `from` to `to`, both inside, in order; numbers without a row may be left out. Stops when it is closed. */
  read(from: number, to: number): AsyncIterable<TableRow>;
}

/** How a table takes part in an answer that holds more than this table. */
export interface TablePlace {
  /** Share of the budget; `context.budget` unless told. */
  readonly budget?: Budget;
  /** Put before every position of this table (the number of the sheet). */
  readonly prefix?: Position;
  /** The table's own position, prefix removed, always `POSITION_LENGTH` numbers; `null` for a fresh answer. `selection.resume` unless told. */
  readonly resume?: Position | null;
  /** What follows when nothing of this table is left (the next sheet). */
  readonly after?: Next;
}

/** Numbers in a table's own position. */
export const POSITION_LENGTH = 11;

export async function* tableParts(
  table: Table,
  context: ProcessContext,
  place: TablePlace = {},
): AsyncGenerator<TextPart> {
  const budget = place.budget ?? context.budget;
  let text = table.header && table.headerRow === 0 ? `${table.header.join(',')}\n` : '';
  for await (const row of table.read(1, table.rows)) {
    const line = `${row.cells.join(',')}\n`;
    if (!budget.fits(text + line, budget.tokensBesideNotes, budget.charactersBesideNotes)) break;
    text += line;
  }
  yield { kind: 'text', text, shown: [] };
}

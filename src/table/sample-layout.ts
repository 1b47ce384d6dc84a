// Cuts the rows, columns and cells of a sample to fit its budget.

import type { Budget, Extent, TextPart } from '../contract/index.ts';
import { cutCell } from './cell-cut.ts';
import type { Columns } from './columns.ts';
import type { Cell, Table, TableRow } from './table.ts';
import type { TableWriter } from './writer.ts';

/** Minimum rows that must fit; columns and cells are reduced for them. */
export const HEAD_ROWS_KEPT = 3;
const TAIL_ROWS_KEPT = 1;
/** Head rows that show what a column contains. */
const ROWS_WANTED = 12;

export interface KeptRow {
  readonly number: number;
  readonly cells: readonly Cell[];
  readonly width: number;
}
export interface Cost {
  readonly tokens: number;
  readonly characters: number;
}

/** The first `rows` rows and, if there is more than one and the table has an end to show, its last. */
export function leastRows(
  head: readonly KeptRow[],
  tail: readonly KeptRow[],
  reachesEnd: boolean,
  rows: number,
): { head: KeptRow[]; tail: KeptRow[] } {
  const last = reachesEnd ? head.slice(rows) : tail;
  const below = rows > 1 ? Math.max(TAIL_ROWS_KEPT, Math.floor(rows / 3)) : 0;
  return { head: head.slice(0, rows), tail: below === 0 ? [] : last.slice(-below) };
}

/** A layout to try, and the head rows that must fit in it. */
export interface Tightening {
  readonly columns: number;
  readonly cellLength: number;
  readonly rows: number;
}

/**
 * First with all columns: enough rows to show what they contain with shorter cells, then fewer rows, then one row with
 * very short cells, because all names say more than rows without most of them. Then fewer columns, then very few, then
 * the start of one.
 */
export function* tightenings(columns: number, cellLength: number): Generator<Tightening> {
  const lengths = halves(cellLength, SHORT_CELL);
  for (const rows of [ROWS_WANTED, HEAD_ROWS_KEPT])
    for (const length of lengths) yield { columns, cellLength: length, rows };
  const rows = HEAD_ROWS_KEPT;
  const shorter = lengths.at(-1) ?? cellLength;
  for (const length of halves(shorter, SHORT_BESIDE_NAMES)) yield { columns, cellLength: length, rows: 1 };
  let fewer = columns;
  for (; fewer > FEW_COLUMNS; ) {
    fewer = Math.max(FEW_COLUMNS, Math.ceil(fewer / 2));
    yield { columns: fewer, cellLength: shorter, rows };
  }
  for (; fewer > 1; ) {
    fewer = Math.ceil(fewer / 2);
    yield { columns: fewer, cellLength: shorter, rows };
  }
  for (const length of halves(shorter, SHORTEST_CELL).slice(1))
    yield { columns: fewer, cellLength: length, rows };
}

/** `from`, half of it, a quarter, ... `least`. */
function halves(from: number, least: number): number[] {
  const steps = [from];
  for (let at = from; at > least; ) {
    at = Math.max(least, Math.ceil(at / 2));
    steps.push(at);
  }
  return steps;
}

/** One choice of columns and cell length: how rows look in it, and what they cost. */
export class Layout {
  readonly table: Table;
  readonly columns: number;
  readonly cellLength: number;
  /** True if all requested rows were read. */
  exhausted = true;
  readonly #columns: Columns;
  readonly #writer: TableWriter;
  readonly #budget: Budget;
  readonly #keys: readonly string[];
  readonly #names: readonly string[];
  readonly #head: string;
  readonly #costs = new Map<KeptRow, Cost>();
  readonly #headCost: Cost;

  constructor(
    table: Table,
    columns: Columns,
    writer: TableWriter,
    budget: Budget,
    shownColumns: number,
    cellLength: number,
  ) {
    this.table = table;
    this.columns = shownColumns;
    this.cellLength = cellLength;
    this.#columns = columns;
    this.#writer = writer;
    this.#budget = budget;
    this.#names = columns.names(0, shownColumns);
    this.#keys = writer.format === 'json' ? columns.keys(0, shownColumns, cellLength) : [];
    const heading = table.heading === undefined ? '' : `${table.heading}\n`;
    this.#head = writer.head(this.#names.map((name) => cutCell(name, cellLength)));
    this.#headCost = this.#cost(heading + this.#head);
  }

  /** True if complete head and tail cost no more than `limit`. */
  fits(head: readonly KeptRow[], tail: readonly KeptRow[], limit: Cost): boolean {
    let left = this.#start(limit, tail.length > 0);
    for (const row of head) if (left) left = subtract(left, this.#rowCost(row));
    for (const row of tail) if (left) left = subtract(left, this.#rowCost(row));
    return left !== undefined;
  }

  /** As many rows as fit, two of the head for one of the tail, required rows first. */
  fill(
    head: readonly KeptRow[],
    tail: readonly KeptRow[],
    limit: Cost,
    reachesEnd: boolean,
  ): { readonly head: KeptRow[]; readonly tail: KeptRow[] } {
    // A table shown without a gap loses its middle too.
    const below = reachesEnd ? head.slice(Math.ceil((head.length * 2) / 3)) : tail;
    const above = head.slice(0, reachesEnd ? head.length - below.length : head.length);
    let left = this.#start(limit, true);
    let up = 0;
    let down = 0;
    const add = (row: KeptRow | undefined): boolean => {
      const rest = row && left && subtract(left, this.#rowCost(row));
      if (rest) left = rest;
      return rest !== undefined;
    };
    for (;;) {
      const upper = up < HEAD_ROWS_KEPT || up < 2 * (down + 1);
      if (upper && up < above.length && add(above[up])) up += 1;
      else if (down < below.length && add(below.at(-1 - down))) down += 1;
      else if (!upper && up < above.length && add(above[up])) up += 1;
      else break;
    }
    this.exhausted = up === above.length && !reachesEnd;
    return { head: above.slice(0, up), tail: down === 0 ? [] : below.slice(-down) };
  }

  /** As many rows as fit from the start: those already read, then `more`. */
  async extend(
    read: readonly KeptRow[],
    more: AsyncGenerator<KeptRow, void>,
    limit: Cost,
  ): Promise<KeptRow[]> {
    const rows: KeptRow[] = [];
    let left = this.#start(limit, false);
    const add = (row: KeptRow): boolean => {
      left = left && subtract(left, this.#rowCost(row));
      if (left) rows.push(row);
      return left !== undefined;
    };
    this.exhausted = read.every(add);
    while (this.exhausted) {
      const next = await more.next();
      if (next.done) return rows;
      this.exhausted = add(next.value);
    }
    await more.return(undefined);
    return rows;
  }

  /** Number of cells of `rows` shown cut. */
  cut(rows: readonly KeptRow[]): number {
    let cut = 0;
    for (const row of rows) {
      for (const cell of row.cells.slice(0, this.columns))
        if (cell !== null && cell.length > this.cellLength) cut += 1;
    }
    return cut;
  }

  /** Number of names shown cut; names that are a row of the table are counted there. */
  headCut(): number {
    if (!this.table.header || this.table.headerRow > 0) return 0;
    return this.#names.filter((name) => name.length > this.cellLength).length;
  }

  part(rows: readonly KeptRow[], [from, to]: readonly [number, number], first: boolean): TextPart {
    const writer = this.#writer;
    const written = rows.filter((row) => !this.#isHead(row)).map((row) => this.#row(row));
    const body =
      written.length > 0
        ? writer.open + written.join(writer.between) + writer.close
        : first
          ? writer.empty
          : '';
    const inRows = this.table.headerRow > 0 && rows.some((row) => row.number === this.table.headerRow);
    const named = writer.format === 'csv' && inRows ? '' : this.#head;
    const inContent =
      first &&
      (writer.format === 'markdown' || (this.table.header !== undefined && this.table.headerRow === 0));
    const text = inContent ? named + body : body;
    const heading = first && this.table.heading !== undefined ? `${this.table.heading}\n` : '';
    const view = heading + (first || writer.format === 'markdown' ? named : '') + body;
    const name = this.table.name === undefined ? {} : { name: this.table.name };
    const row: Extent[] = to < from ? [] : [{ unit: 'row', from, to, of: this.table.rows, ...name }];
    const cellsCut = this.cut(rows) + (first ? this.headCut() : 0);
    return {
      kind: 'text',
      text,
      ...(view !== text && { view }),
      shown: [...row, ...this.#columns.extents(0, this.columns)],
      ...(cellsCut > 0 && { cellsCut }),
    };
  }

  /** True if a row contains the names and the format writes those above the rows. */
  #isHead(row: TableRow): boolean {
    return this.#writer.format !== 'csv' && row.number === this.table.headerRow;
  }

  #row(row: KeptRow): string {
    const cells = row.cells.slice(0, this.columns).map((cell) => cell && cutCell(cell, this.cellLength));
    while (cells.length < this.columns) cells.push('');
    return this.#writer.row(cells, this.#keys);
  }

  #start(limit: Cost, twoParts: boolean): Cost | undefined {
    const { open, close, empty, format } = this.#writer;
    const around = this.#cost(open + close + empty);
    const left = subtract(subtract(limit, this.#headCost), around);
    if (!twoParts) return left;
    return subtract(subtract(left, around), format === 'markdown' ? this.#headCost : NOTHING);
  }

  #rowCost(row: KeptRow): Cost {
    const known = this.#costs.get(row);
    if (known) return known;
    const cost = this.#cost(this.#row(row) + this.#writer.between);
    this.#costs.set(row, cost);
    return cost;
  }

  #cost(text: string): Cost {
    const most = this.#budget.characters;
    if (text.length > most) return { tokens: Number.POSITIVE_INFINITY, characters: text.length };
    return { tokens: text === '' ? 0 : this.#budget.count(text), characters: text.length };
  }
}

const NOTHING: Cost = { tokens: 0, characters: 0 };

function subtract(from: Cost | undefined, cost: Cost): Cost | undefined {
  if (!from) return undefined;
  const left = { tokens: from.tokens - cost.tokens, characters: from.characters - cost.characters };
  return left.tokens >= 0 && left.characters >= 0 ? left : undefined;
}

const FEW_COLUMNS = 8;
/** Units that show what a cell is about. */
export const SHORT_CELL = 32;
/** The same next to the names of all columns. */
const SHORT_BESIDE_NAMES = 8;
/** The same for a single remaining column: better than part of a cell, which is not a valid row. */
const SHORTEST_CELL = 4;
/** Units of a long cell kept after those shown, so that a cut sees the same context as in the whole cell. */
export const BESIDE_CUT = 128;

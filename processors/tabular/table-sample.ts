// The first answer about a table: head and tail rows, or the rows asked for, within the format's limits and the
// budget. What does not fit, even so, is left to the walk.

import type { Budget, Extent, Limits, TextPart } from '../../src/contract/index.ts';
import { cutCell } from './cell-cut.ts';
import type { Table, TableRow } from './table.ts';
import type { Columns } from './table-columns.ts';
import type { Sample } from './table-position.ts';
import type { TableWriter } from './table-writer.ts';

/** Rows that have to fit before columns and cells are made fewer and shorter for them. */
const HEAD_ROWS_KEPT = 3;
const TAIL_ROWS_KEPT = 1;
const FEW_COLUMNS = 8;
const SHORT_CELL = 16;
/** The same of the only column left: better than a cell in pieces, which is no valid row. */
const SHORTEST_CELL = 4;
/** Units of a long cell kept beside those shown, so that a cut sees the same surroundings as in the whole cell. */
const BESIDE_CUT = 128;

/** The rows of a first answer, by number. */
export interface RowsWanted {
  /** The upper stretch; both inside. */
  readonly head: readonly [number, number];
  /** The lower stretch, empty when its end lies before its start. */
  readonly tail: readonly [number, number];
  /** True for head and tail: rows leave the middle. False: rows leave the end. */
  readonly sampled: boolean;
}

/** A first answer, and how a walk goes on from it. */
export interface SampleParts {
  readonly parts: readonly TextPart[];
  /** One a part: what has been shown when the answer ends with that part. */
  readonly samples: readonly Sample[];
}

interface KeptRow {
  readonly number: number;
  readonly cells: readonly string[];
  readonly width: number;
}

interface Cost {
  readonly tokens: number;
  readonly characters: number;
}

/** Makes the first answer about a table; make a new one for each. */
export class TableSampler {
  readonly #table: Table;
  readonly #columns: Columns;
  readonly #writer: TableWriter;
  readonly #budget: Budget;
  readonly #limits: Limits;
  #width: number;

  constructor(table: Table, columns: Columns, writer: TableWriter, budget: Budget, limits: Limits) {
    this.#table = table;
    this.#columns = columns;
    this.#writer = writer;
    this.#budget = budget;
    this.#limits = limits;
    this.#width = columns.count();
  }

  /** Undefined when not even one row of one short column fits beside its name. */
  async parts(wanted: RowsWanted): Promise<SampleParts | undefined> {
    const { charactersBesideNotes, tokensBesideNotes } = this.#budget;
    const head: KeptRow[] = [];
    const more = this.#keep(...wanted.head);
    const few = this.#limits.rowsHead + this.#limits.rowsTail;
    await take(more, head, wanted.sampled ? Number.POSITIVE_INFINITY : Math.max(few, HEAD_ROWS_KEPT));
    const tail: KeptRow[] = [];
    await take(this.#keep(...wanted.tail), tail, Number.POSITIVE_INFINITY);

    const cellLength = Math.max(1, this.#limits.maxCellLength);
    const columns = this.#columns.chosen
      ? this.#columns.count()
      : Math.min(Math.max(1, this.#limits.maxColumns), this.#width);
    const everything = this.#everything(wanted, head, tail, columns, cellLength);
    const whole: Cost = everything
      ? { tokens: this.#budget.tokens, characters: this.#budget.characters }
      : { tokens: tokensBesideNotes, characters: charactersBesideNotes };

    const reachesEnd = wanted.head[1] === this.#table.rows;
    for (const [shownColumns, length] of tightenings(columns, cellLength)) {
      const layout = new Layout(this.#table, this.#columns, this.#writer, this.#budget, shownColumns, length);
      const beside: Cost = { tokens: tokensBesideNotes, characters: charactersBesideNotes };
      const loosest = shownColumns === columns && length === cellLength;
      if (loosest && (wanted.sampled || everything) && layout.fits(head, tail, whole))
        return this.#finish(layout, wanted, head, tail);
      const least = wanted.sampled
        ? leastRows(head, tail, reachesEnd)
        : { head: head.slice(0, HEAD_ROWS_KEPT), tail };
      if (!layout.fits(least.head, least.tail, beside)) continue;
      if (wanted.sampled) {
        const fitted = layout.fill(head, tail, beside, reachesEnd);
        return this.#finish(layout, wanted, fitted.head, fitted.tail);
      }
      return this.#finish(layout, wanted, await layout.extend(head, more, beside), []);
    }
    await more.return(undefined);
    return undefined;
  }

  #everything(
    wanted: RowsWanted,
    head: readonly KeptRow[],
    tail: readonly KeptRow[],
    columns: number,
    cellLength: number,
  ): boolean {
    const [tailFrom, tailTo] = wanted.tail;
    if (!wanted.sampled && head.length < this.#table.rows) return false;
    const last = tailTo >= tailFrom ? tailTo : wanted.head[1];
    const gapless = tailTo < tailFrom || tailFrom === wanted.head[1] + 1;
    if (wanted.head[0] !== 1 || last !== this.#table.rows || !gapless) return false;
    if (this.#columns.chosen ? columns < this.#table.columns : columns < this.#width) return false;
    const long = (cells: readonly string[]): boolean => cells.some((cell) => cell.length > cellLength);
    return !(
      long(this.#columns.names(0, columns)) ||
      head.some((row) => long(row.cells)) ||
      tail.some((row) => long(row.cells))
    );
  }

  #finish(
    layout: Layout,
    wanted: RowsWanted,
    head: readonly KeptRow[],
    tail: readonly KeptRow[],
  ): SampleParts {
    const { table } = layout;
    const wider = !this.#columns.chosen && this.#width > layout.columns;
    // Rows left out at the end of a stretch that was read to its end hold nothing: they are shown.
    const lastWanted = head.length === 0 ? wanted.head[0] - 1 : (head.at(-1)?.number ?? 0);
    const to = layout.exhausted ? wanted.head[1] : lastWanted;
    const tailFrom = tail[0]?.number ?? table.rows + 1;
    const headCut = layout.cut(head) + layout.headCut();
    const tailCut = layout.cut(tail);
    const base = { from: wanted.head[0], columns: layout.columns, cellLength: layout.cellLength, wider };
    const joined = tail.length > 0 && tailFrom === to + 1;
    if (joined) {
      const sample = { ...base, to: table.rows, tailFrom: table.rows + 1, cut: headCut + tailCut > 0 };
      return {
        parts: [layout.part([...head, ...tail], [wanted.head[0], table.rows], true)],
        samples: [sample],
      };
    }
    const parts = [layout.part(head, [wanted.head[0], to], true)];
    const samples: Sample[] = [{ ...base, to, tailFrom: table.rows + 1, cut: headCut > 0 }];
    if (tail.length > 0) {
      parts.push(layout.part(tail, [tailFrom, table.rows], false));
      samples.push({ ...base, to, tailFrom, cut: headCut + tailCut > 0 });
    }
    return { parts, samples };
  }

  async *#keep(from: number, to: number): AsyncGenerator<KeptRow, void> {
    if (to < from) return;
    const keptUnits = Math.max(1, this.#limits.maxCellLength) + BESIDE_CUT;
    for await (const row of this.#table.read(from, to)) {
      const width = row.cells.length;
      this.#width = this.#columns.count(Math.max(width, this.#width));
      const columns = this.#columns.chosen
        ? this.#columns.count()
        : Math.min(width, Math.max(1, this.#limits.maxColumns));
      const cells = this.#columns.cells(row.cells, 0, columns).map((cell) => keep(cell, keptUnits));
      yield { number: row.number, cells, width };
    }
  }
}

/** A copy of the start of a long cell: a slice would keep all of it alive. */
function keep(cell: string, units: number): string {
  if (cell.length <= units) return cell;
  return Buffer.from(cell.slice(0, units), 'utf16le').toString('utf16le');
}

async function take(rows: AsyncGenerator<KeptRow, void>, into: KeptRow[], most: number): Promise<void> {
  while (into.length < most) {
    const next = await rows.next();
    if (next.done) return;
    into.push(next.value);
  }
}

function leastRows(
  head: readonly KeptRow[],
  tail: readonly KeptRow[],
  reachesEnd: boolean,
): { head: KeptRow[]; tail: KeptRow[] } {
  const last = reachesEnd ? head.slice(HEAD_ROWS_KEPT) : tail;
  return { head: head.slice(0, HEAD_ROWS_KEPT), tail: last.slice(-TAIL_ROWS_KEPT) };
}

/** First what the limits allow, then fewer columns, then shorter cells, then very few columns, then the start of one. */
function* tightenings(columns: number, cellLength: number): Generator<readonly [number, number]> {
  yield [columns, cellLength];
  let fewer = columns;
  while (fewer > FEW_COLUMNS) {
    fewer = Math.max(FEW_COLUMNS, Math.ceil(fewer / 2));
    yield [fewer, cellLength];
  }
  let shorter = cellLength;
  while (shorter > SHORT_CELL) {
    shorter = Math.max(SHORT_CELL, Math.ceil(shorter / 2));
    yield [fewer, shorter];
  }
  while (fewer > 1) {
    fewer = Math.ceil(fewer / 2);
    yield [fewer, shorter];
  }
  while (shorter > SHORTEST_CELL) {
    shorter = Math.max(SHORTEST_CELL, Math.ceil(shorter / 2));
    yield [fewer, shorter];
  }
}

/** One choice of columns and cell length: what rows look like in it, and what they cost. */
class Layout {
  readonly table: Table;
  readonly columns: number;
  readonly cellLength: number;
  /** True when the rows wanted were all read. */
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

  /** True when head and tail, whole, cost no more than `limit`. */
  fits(head: readonly KeptRow[], tail: readonly KeptRow[], limit: Cost): boolean {
    let left = this.#start(limit, tail.length > 0);
    for (const row of head) if (left) left = subtract(left, this.#rowCost(row));
    for (const row of tail) if (left) left = subtract(left, this.#rowCost(row));
    return left !== undefined;
  }

  /** As many rows as fit, two of the head for one of the tail, the least rows first. */
  fill(
    head: readonly KeptRow[],
    tail: readonly KeptRow[],
    limit: Cost,
    reachesEnd: boolean,
  ): { readonly head: KeptRow[]; readonly tail: KeptRow[] } {
    // A table shown without a gap loses its middle like any other.
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

  /** As many rows as fit, from the first on: those already read, then `more`. */
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

  /** Cells of `rows` that are shown cut. */
  cut(rows: readonly KeptRow[]): number {
    let cut = 0;
    for (const row of rows) {
      for (const cell of row.cells.slice(0, this.columns)) if (cell.length > this.cellLength) cut += 1;
    }
    return cut;
  }

  /** Names that are shown cut; those that are a row of the table count there. */
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

  /** Where a row is itself the names, and the format writes those above the rows. */
  #isHead(row: TableRow): boolean {
    return this.#writer.format !== 'csv' && row.number === this.table.headerRow;
  }

  #row(row: KeptRow): string {
    const cells = row.cells.slice(0, this.columns).map((cell) => cutCell(cell, this.cellLength));
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

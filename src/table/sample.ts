// The first answer about a table: head and tail rows, or the requested rows, within the format's limits and the budget.
// The walk delivers the rest.

import type { Budget, Limits, TextPart } from '../contract/index.ts';
import type { Columns } from './columns.ts';
import type { Sample } from './position.ts';
import {
  BESIDE_CUT,
  type Cost,
  type KeptRow,
  Layout,
  leastRows,
  SHORT_CELL,
  tightenings,
} from './sample-layout.ts';
import type { Cell, Table } from './table.ts';
import type { TableWriter } from './writer.ts';

/** The rows of a first answer. */
export interface RowsWanted {
  /** First and last row that may be shown, inclusive. */
  readonly from: number;
  readonly to: number;
  /** True for a sample, which drops rows from the middle; false drops them from the end. */
  readonly sampled: boolean;
  /** Maximum rows from the start and, if those are not all, from the end. */
  readonly head: number;
  readonly tail: number;
}

/** Two inclusive ranges of rows; the lower one is empty if its end is before its start. */
interface Stretches {
  readonly head: readonly [number, number];
  readonly tail: readonly [number, number];
}

/** A first answer, and how a walk continues from it. */
export interface SampleParts {
  readonly parts: readonly TextPart[];
  /** One per part: what has been shown if the answer ends with that part. */
  readonly samples: readonly Sample[];
}

/** Makes the first answer about a table; create a new one for each. */
export class TableSampler {
  readonly #table: Table;
  readonly #columns: Columns;
  readonly #writer: TableWriter;
  readonly #budget: Budget;
  readonly #limits: Limits;
  #width: number;
  /** Units kept of each cell: the limit, or less in a row longer than any answer. */
  #keptLength: number;
  /** The last rows taken exceeded the budget. */
  #filled = false;

  constructor(table: Table, columns: Columns, writer: TableWriter, budget: Budget, limits: Limits) {
    this.#table = table;
    this.#columns = columns;
    this.#writer = writer;
    this.#budget = budget;
    this.#limits = limits;
    this.#width = columns.count();
    this.#keptLength = Math.max(1, limits.maxCellLength);
  }

  /** Undefined when not even one row of one short column fits with its name. */
  async parts(wanted: RowsWanted): Promise<SampleParts | undefined> {
    const { charactersBesideNotes, tokensBesideNotes } = this.#budget;
    const beside: Cost = { tokens: tokensBesideNotes, characters: charactersBesideNotes };
    const { from, to, sampled } = wanted;
    const more = this.#keep(from, Math.min(to, from + wanted.head - 1));
    const head = await this.#take(more);
    if (sampled) await more.return(undefined);
    const stretches = this.#stretches(wanted, head);
    const tail = sampled ? await this.#take(this.#keep(...stretches.tail)) : [];

    const columns = this.#columns.chosen
      ? this.#columns.count()
      : Math.min(Math.max(1, this.#limits.maxColumns), this.#width);
    const cellLength = this.#keptLength;
    const layoutOf = (shown: number, length: number): Layout =>
      new Layout(this.#table, this.#columns, this.#writer, this.#budget, shown, length);

    const everything = this.#everything(wanted, stretches, head, tail, columns, cellLength);
    const limit: Cost = everything
      ? { tokens: this.#budget.tokens, characters: this.#budget.characters }
      : beside;
    const loosest = layoutOf(columns, cellLength);
    if ((sampled || everything) && loosest.fits(head, tail, limit))
      return this.#finish(loosest, stretches, head, tail);

    const reachesEnd = stretches.head[1] === this.#table.rows;
    for (const { columns: shown, cellLength: length, rows } of tightenings(columns, cellLength)) {
      const layout = layoutOf(shown, length);
      const least = sampled ? leastRows(head, tail, reachesEnd, rows) : { head: head.slice(0, rows), tail };
      if (!layout.fits(least.head, least.tail, beside)) continue;
      if (!sampled) return this.#finish(layout, stretches, await layout.extend(head, more, beside), []);
      const fitted = layout.fill(head, tail, beside, reachesEnd);
      return this.#finish(layout, stretches, fitted.head, fitted.tail);
    }
    await more.return(undefined);
    return undefined;
  }

  /** The ranges for `head`, as read, and a tail half as long. */
  #stretches({ from, to, sampled, head: most, tail }: RowsWanted, head: readonly KeptRow[]): Stretches {
    const end = Math.min(to, from + most - 1);
    const last = this.#filled ? (head.at(-1)?.number ?? end) : end;
    const below = this.#filled ? Math.min(tail, Math.ceil(head.length / 2)) : tail;
    const tailFrom = sampled && last < to ? Math.max(last, to - below) + 1 : to + 1;
    return { head: [from, sampled ? last : to], tail: [tailFrom, to] };
  }

  #everything(
    wanted: RowsWanted,
    { head: [, last], tail: [tailFrom, tailTo] }: Stretches,
    head: readonly KeptRow[],
    tail: readonly KeptRow[],
    columns: number,
    cellLength: number,
  ): boolean {
    const { rows } = this.#table;
    if (!wanted.sampled && head.length < rows) return false;
    const gapless = last === rows || (tailFrom === last + 1 && tailTo === rows);
    if (wanted.from !== 1 || !gapless) return false;
    if (this.#columns.chosen ? columns < this.#table.columns : columns < this.#width) return false;
    const long = (cells: readonly Cell[]): boolean =>
      cells.some((cell) => cell !== null && cell.length > cellLength);
    return !(
      long(this.#columns.names(0, columns)) ||
      head.some((row) => long(row.cells)) ||
      tail.some((row) => long(row.cells))
    );
  }

  #finish(
    layout: Layout,
    stretches: Stretches,
    head: readonly KeptRow[],
    tail: readonly KeptRow[],
  ): SampleParts {
    const { table } = layout;
    const [from, end] = stretches.head;
    const wider = !this.#columns.chosen && this.#width > layout.columns;
    // Skipped rows at the end of a completely read range are empty and count as shown.
    const to = layout.exhausted ? end : (head.at(-1)?.number ?? from - 1);
    const tailFrom = tail[0]?.number ?? table.rows + 1;
    const headCut = layout.cut(head) + layout.headCut();
    const tailCut = layout.cut(tail);
    const shape = { columns: layout.columns, cellLength: layout.cellLength, wider };
    const base = { from, tailTo: table.rows, ...shape };
    const joined = tail.length > 0 && tailFrom === to + 1;
    if (joined) {
      const sample = { ...base, to: table.rows, tailFrom: table.rows + 1, cut: headCut + tailCut > 0 };
      return {
        parts: [layout.part([...head, ...tail], [from, table.rows], true)],
        samples: [sample],
      };
    }
    const parts = [layout.part(head, [from, to], true)];
    const samples: Sample[] = [{ ...base, to, tailFrom: table.rows + 1, cut: headCut > 0 }];
    if (tail.length > 0) {
      parts.push(layout.part(tail, [tailFrom, table.rows], false));
      samples.push({ ...base, to, tailFrom, cut: headCut + tailCut > 0 });
    }
    return { parts, samples };
  }

  async *#keep(from: number, to: number): AsyncGenerator<KeptRow, void> {
    if (to < from) return;
    for await (const row of this.#table.read(from, to)) {
      const width = row.cells.length;
      this.#width = this.#columns.count(Math.max(width, this.#width));
      const columns = this.#columns.chosen
        ? this.#columns.count()
        : Math.min(width, Math.max(1, this.#limits.maxColumns));
      yield { number: row.number, cells: this.#cells(row.cells, columns), width };
    }
  }

  /** Cells of a row, long ones as far as they can be shown; in a row too large for any answer, to the usual length. */
  #cells(cells: readonly Cell[], columns: number): Cell[] {
    const all = this.#columns.cells(cells, 0, columns);
    const units = all.reduce((sum, cell) => sum + lengthOf(cell), 0);
    if (units > this.#budget.characters) this.#keptLength = Math.min(this.#keptLength, USUAL_CELL);
    return all.map((cell) => cell && keep(cell, this.#keptLength + BESIDE_CUT));
  }

  /** Rows from `rows`: all of them, or at least a few and then until they exceed the budget. */
  async #take(rows: AsyncGenerator<KeptRow, void>): Promise<KeptRow[]> {
    const taken: KeptRow[] = [];
    const { tokens, characters } = this.#budget;
    let left = Math.min(characters, tokens * MOST_CHARACTERS_A_TOKEN);
    while (left > 0 || taken.length < FEW_ROWS) {
      const next = await rows.next();
      if (next.done) return taken;
      taken.push(next.value);
      for (const cell of next.value.cells) left -= Math.min(lengthOf(cell), SHORT_CELL) + 1;
    }
    this.#filled = true;
    return taken;
  }
}

const lengthOf = (cell: Cell): number => cell?.length ?? 0;

/** Copies the start of a long cell, because a slice would keep all of it in memory. */
function keep(cell: string, units: number): string {
  if (cell.length <= units) return cell;
  return Buffer.from(cell.slice(0, units), 'utf16le').toString('utf16le');
}

/** Rows that are always read: their cells are shortened until they fit. */
const FEW_ROWS = 30;
/** Units shown first of each cell in a table of long ones. */
const USUAL_CELL = 500;
/** Ordinary text has no longer tokens, so this many characters exceed a budget. */
const MOST_CHARACTERS_A_TOKEN = 8;

// The first answer about a table: head and tail rows, or the rows asked for, within the format's limits and the
// budget. What does not fit, even so, is left to the walk.

import type { Budget, Limits, TextPart } from '../../src/contract/index.ts';
import {
  BESIDE_CUT,
  type Cost,
  HEAD_ROWS_KEPT,
  type KeptRow,
  Layout,
  leastRows,
  tightenings,
} from './sample-layout.ts';
import type { Table } from './table.ts';
import type { Columns } from './table-columns.ts';
import type { Sample } from './table-position.ts';
import type { TableWriter } from './table-writer.ts';

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

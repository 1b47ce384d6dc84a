// Lays out the cells of a table on rows and columns: fills the cells that others span, and repeats short labels in them.
// Knows no file format: a format says which cells it has, and no number it states is trusted.

import { type Table, tableBlock } from './block.ts';
import { tableLines } from './table.ts';

/** The text of further columns is in the last (HTML 4.9.11 has as many). */
const MAX_COLUMNS = 1000;
/** Longer text is not a label, and is not repeated in the cells it spans. */
const MAX_LABEL = 100;
/** Cells and characters that all tables of one section may add to those in the file. */
const MAX_ADDED_CELLS = 250_000;
const MAX_ADDED_CHARACTERS = 1_000_000;
/** Consecutive empty rows that the file states as one. */
const MAX_EMPTY_ROWS = 20;

/** A cell as a file states it: any number may be missing, or impossible. */
export interface GridCell {
  /** Number of columns it spans, whose cells are not stated. */
  readonly columns?: number;
  /** Number of rows it spans; `Infinity` for all below that join it. */
  readonly rows?: number;
  /** It is merged into the cell above, if that spans this row. */
  readonly joinsAbove?: boolean;
  /** It is merged into the cell on its left, unless into the one above. */
  readonly joinsLeft?: boolean;
  /** The column it starts at, from 0, unless the cells before it extend beyond. */
  readonly column?: number;
  /** Number of equal cells side by side. */
  readonly times?: number;
  /** Its content, which is read only if it is shown. */
  text(): string;
}

/** What the tables of one section may add to the cells in the file, so that small files cannot produce large ones. */
export class GridRoom {
  #cells = MAX_ADDED_CELLS;
  #characters = MAX_ADDED_CHARACTERS;

  /** True if something was not added. */
  get isSpent(): boolean {
    return this.#cells < 0 || this.#characters < 0;
  }

  /** Takes `count` cells; false if there is no room for them. */
  cells(count: number): boolean {
    this.#cells -= count;
    return this.#cells >= 0;
  }

  /** `text` if there is room for it once more, else `''`. */
  again(text: string): string {
    this.#characters -= text.length;
    return this.#characters < 0 ? '' : text;
  }
}

/** A cell, as far as it extends. */
interface Reach {
  readonly text: string;
  /** The number of its last row. */
  readonly to: number;
}

/** One table. Costs time for the cells that are stated, and room for those that are not. */
export class Grid {
  readonly #room: GridRoom;
  readonly #isImplied: boolean;
  readonly #rows: string[][] = [];
  /** Rows that are one cell. */
  readonly #wide = new Set<string[]>();
  /** The columns of a row that other cells span. */
  readonly #covered = new Map<string[], Set<number>>();
  /** The last cell of each column. */
  readonly #reaches: (Reach | undefined)[] = [];
  #row = 0;

  /**
   * `covered`: whether the file states the cells that others above span (those that join them), or leaves them out.
   * Tables of one section share a `room`.
   */
  constructor(covered: 'stated' | 'implied', room: GridRoom = new GridRoom()) {
    this.#isImplied = covered === 'implied';
    this.#room = room;
  }

  /** Adds a row, which may be repeated. */
  add(cells: Iterable<GridCell>, times?: number): void {
    const line: string[] = [];
    let next = 0;
    for (const cell of cells) {
      this.#pad(line, Math.max(next, cell.column || 0));
      if (this.#isImplied) this.#descend(line);
      next = this.#place(cell, line);
    }
    if (this.#isImplied) this.#descendToEnd(line);
    else if (this.#reaches.length > line.length) this.#reaches.length = line.length;
    const first = this.#at(0);
    if (first && line.length > 1 && line.every((_, column) => this.#at(column) === first))
      this.#wide.add(line);
    this.#rows.push(line);
    this.#row += 1;
    if (times !== undefined && times > 1) this.#repeat(line, times);
  }

  /** A line for each row, where a block is not possible: nothing is repeated in the cells that others span. */
  lines(): string[] {
    return tableLines(
      this.#rows.map((row) => {
        const covered = this.#covered.get(row);
        return covered ? row.map((text, column) => (covered.has(column) ? '' : text)) : row;
      }),
    );
  }

  /**
   * The table; ends the layout. `without`: which parts are left out if they have no text: none, the whole table, also
   * rows and columns at its ends, or all rows and columns.
   */
  table(without: 'nothing' | 'table' | 'ends' | 'all'): Table {
    const rows = this.#rows;
    if (without !== 'nothing' && rows.every(isBlank)) return tableBlock([]);
    let width = 1;
    for (const row of rows) if (!this.#wide.has(row)) width = Math.max(width, row.length);
    // A heading over all columns is not repeated.
    for (const row of this.#wide) if (row.length >= width) row.fill('', 1).length = width;
    if (without === 'all') return tableBlock(withoutEmpty(rows));
    if (without === 'ends') {
      for (const row of rows) while (row.at(-1) === '') row.pop();
      while (rows.at(-1)?.length === 0) rows.pop();
    }
    return tableBlock(rows);
  }

  #repeat(line: string[], times: number): void {
    const count = isBlank(line) ? Math.min(MAX_EMPTY_ROWS, times) : times;
    for (let at = 1; at < count && this.#room.cells(line.length + 1) && !this.#room.isSpent; at += 1)
      this.#rows.push(line.map((text) => this.#room.again(text)));
  }

  /** Adds a cell; returns the column of the next. */
  #place(cell: GridCell, line: string[]): number {
    const at = line.length;
    const joined = this.#joined(cell, at);
    if (at >= MAX_COLUMNS) {
      if (!joined) this.#addText(line, cell.text());
      return at;
    }
    const reach = joined ?? { text: cell.text(), to: this.#row + Math.max(1, cell.rows || 1) - 1 };
    if (joined) this.#cover(line, reach);
    else line.push(reach.text);
    this.#reaches[at] = reach;
    const times = cell.times || 1;
    // Empty cells at the end of a row may be repeated without end.
    if (times > 1 && !joined && reach.text === '') return at + times;
    const end = at + Math.max(times, cell.columns || 1);
    while (line.length < end && this.#fits(line)) {
      const column = line.length;
      if (this.#isImplied && this.#at(column)) break;
      const isCopy = times > 1 && !joined;
      const same = isCopy ? { ...reach } : ((joined && this.#joined(cell, column)) ?? reach);
      this.#reaches[column] = same;
      if (isCopy) line.push(this.#room.again(reach.text));
      else this.#cover(line, same);
    }
    return line.length;
  }

  /** Adds text to the last cell, which is then its own. */
  #addText(line: string[], text: string): void {
    const last = line.length - 1;
    if (text === '') return;
    line[last] = line[last] === '' ? text : `${line[last]}\n${text}`;
    this.#reaches[last] = undefined;
    this.#covered.get(line)?.delete(last);
  }

  /** What the cell at `column` is merged into. */
  #joined(cell: GridCell, column: number): Reach | undefined {
    return (
      (cell.joinsAbove === true ? this.#at(column) : undefined) ??
      (cell.joinsLeft === true ? this.#at(column - 1) : undefined)
    );
  }

  /** The cell that extends to this column of the current row. */
  #at(column: number): Reach | undefined {
    const reach = this.#reaches[column];
    return reach && reach.to >= this.#row ? reach : undefined;
  }

  #cover(line: string[], { text }: Reach): void {
    const columns = this.#covered.get(line) ?? new Set();
    this.#covered.set(line, columns.add(line.length));
    line.push(text.length > MAX_LABEL ? '' : this.#room.again(text));
  }

  /** True if a cell may be added to `line`. */
  #fits(line: readonly string[]): boolean {
    return line.length < MAX_COLUMNS && this.#room.cells(1);
  }

  #pad(line: string[], length: number): void {
    while (line.length < length && this.#fits(line)) line.push('');
  }

  /** Adds the cells that those above span, up to the next free column. */
  #descend(line: string[]): void {
    for (let reach = this.#at(line.length); reach && this.#fits(line); reach = this.#at(line.length))
      this.#cover(line, reach);
  }

  #descendToEnd(line: string[]): void {
    const reaches = this.#reaches;
    while (reaches.length > line.length && !this.#at(reaches.length - 1)) reaches.pop();
    while (line.length < reaches.length && !this.#room.isSpent) {
      this.#descend(line);
      if (line.length < reaches.length) this.#pad(line, line.length + 1);
    }
  }
}

const isBlank = (row: readonly string[]): boolean => row.every((text) => text === '');

function withoutEmpty(all: readonly string[][]): string[][] {
  const rows = all.filter((row) => !isBlank(row));
  const filled: boolean[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) filled[at] ||= cell !== '';
  return filled.includes(false) ? rows.map((row) => row.filter((_, at) => filled[at])) : rows;
}

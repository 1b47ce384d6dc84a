// A table of an OpenDocument (ODF 1.3 part 3, 9) as a grid of texts. A file may state any repeat count, so all
// repetition is bounded.

import type { XmlElement } from '../../../src/package/index.ts';

const MAX_COLUMNS = 1000;
const MAX_ROWS = 100_000;
/** Maximum consecutive empty rows shown between filled ones. */
const MAX_EMPTY_ROWS = 20;

/** Limits the repeated text of all tables in a section, so that small files cannot produce large ones. */
export class RepeatRoom {
  #characters = 4_000_000;
  #cells = 1_000_000;
  readonly #lost = new Set<string>();

  /** True if something was not repeated. */
  get spent(): boolean {
    return this.#characters < 0 || this.#cells < 0;
  }

  /** What was left out, in the plural. */
  get losses(): readonly string[] {
    return [...this.#lost, ...(this.spent ? ['table cells, of which there are too many'] : [])];
  }

  /** Records content that is left out, in the plural. */
  lose(what: string): void {
    this.#lost.add(what);
  }

  /** `text` if it may be repeated once more, else `''`. */
  take(text: string): string {
    this.#characters -= text.length;
    return this.#characters < 0 ? '' : text;
  }

  /** Takes `count` cells; false if the limit is reached. */
  cells(count = 1): boolean {
    this.#cells -= count;
    return this.#cells >= 0;
  }
}

/** A cell that extends into rows below. */
interface Reach {
  readonly text: string;
  rows: number;
}

/**
 * Rows of the table; the text of a merged cell is repeated in each cell it spans. Trailing empty rows and columns are
 * dropped.
 */
export function tableRows(
  table: XmlElement,
  textOf: (cell: XmlElement) => string,
  room: RepeatRoom,
): string[][] {
  const rows: string[][] = [];
  const reaches: (Reach | undefined)[] = [];
  let empty = 0;
  for (const row of rowsOf(table)) {
    if (rows.length >= MAX_ROWS) {
      if (row.text().trim() === '') continue;
      room.lose(`table rows after the first ${MAX_ROWS}`);
      break;
    }
    const cells = cellsOf(row, textOf, reaches, room);
    const repeated = count(row.get('number-rows-repeated'), MAX_ROWS);
    const filled = cells.length > 0;
    if (!filled) {
      empty += repeated;
      continue;
    }
    // Empty rows count only between filled ones.
    for (let i = 0; i < Math.min(empty, MAX_EMPTY_ROWS) && room.cells(); i += 1) rows.push([]);
    empty = 0;
    for (let i = 0; i < repeated && rows.length < MAX_ROWS; i += 1) {
      if (i > 0 && (room.spent || !room.cells(cells.length))) break;
      rows.push(i === 0 ? cells : cells.map((cell) => room.take(cell)));
    }
  }
  return rows;
}

/** Rows in order, including those in groups and headers. */
function* rowsOf(table: XmlElement): Generator<XmlElement, void, undefined> {
  for (const node of table.children) {
    if (typeof node === 'string') continue;
    if (node.name === 'table-row') yield node;
    else if (/^table-(?:header-rows|rows|row-group)$/.test(node.name)) yield* rowsOf(node);
  }
}

/** Texts of a row, without trailing empty ones. */
function cellsOf(
  row: XmlElement,
  textOf: (cell: XmlElement) => string,
  reaches: (Reach | undefined)[],
  room: RepeatRoom,
): string[] {
  const cells: string[] = [];
  let across = { text: '', columns: 0, rows: 0 };
  let filled = 0;
  for (const cell of row.elements()) {
    const covered = cell.name === 'covered-table-cell';
    if (!covered && cell.name !== 'table-cell') continue;
    if (cells.length >= MAX_COLUMNS) {
      if (covered || cell.text().trim() === '') continue;
      room.lose(`table columns after the first ${MAX_COLUMNS}`);
      break;
    }
    if (!room.cells()) break;
    const repeated = count(cell.get('number-columns-repeated'), MAX_COLUMNS - cells.length);
    const text = covered ? '' : textOf(cell);
    if (!covered)
      across = {
        text,
        columns: count(cell.get('number-columns-spanned'), MAX_COLUMNS),
        rows: count(cell.get('number-rows-spanned'), MAX_ROWS),
      };
    for (let i = 0; i < repeated; i += 1) {
      const column = cells.length;
      if (i > 0 && (room.spent || !room.cells())) break;
      const above = reaches[column];
      let shown = i === 0 ? text : room.take(text);
      if (covered && above && above.rows > 0) {
        shown = room.take(above.text);
        above.rows -= 1;
      } else {
        if (covered && across.columns > 0) shown = room.take(across.text);
        const reachesDown = across.columns > 0 && across.rows > 1;
        reaches[column] = reachesDown ? { text: across.text, rows: across.rows - 1 } : undefined;
        across.columns -= 1;
      }
      cells.push(shown);
      if (shown !== '') filled = cells.length;
    }
  }
  cells.length = filled;
  return cells;
}

/** A stated count, clamped to 1 to `most`. */
function count(stated: string | undefined, most: number): number {
  const value = Number(stated ?? 1);
  return Number.isFinite(value) ? Math.max(1, Math.min(most, Math.trunc(value))) : 1;
}

// Rows of cells on one grid: spans filled in, short labels repeated in the cells they span, rows that start late aligned
// to their column. Knows no file format.

/** Word allows at most 63 columns; other writers a few more. */
export const MAX_COLUMNS = 1024;
/** Which cells are `lost`. */
export const PAST: string = `past column ${MAX_COLUMNS}`;
/** Longer text is not a label, and is not repeated in spanned cells. */
const MAX_REPEATED_LENGTH = 100;
const MAX_REPEATED_IN_ALL = 200_000;
/** Maximum cells added to widen rows to their spans; beyond it, spans take one cell. */
const MAX_FILLED = 100_000;

/** One cell of a row, as the file states it. */
export interface GridCell {
  /** Number of columns, at least 1. */
  readonly span: number;
  /** Merged with cells below, or with the one above. */
  readonly merge: 'none' | 'start' | 'continue';
  /** True if it is merged into the cell on its left. */
  readonly joinsLeft: boolean;
  /** Its Markdown, which is read only if it is shown. */
  text(): string;
}

/** The rows of a table on one grid. */
export class Grid {
  readonly rows: string[][] = [];
  /** The rows without repetition, for a table rendered on one line. */
  readonly once: string[][] = [];
  /** Text spanning down from above, by column. */
  readonly #above: (string | undefined)[] = [];
  /** Number of cells past the last column. */
  lost = 0;
  #repeated = 0;
  #filled = 0;

  /** Adds a row, with `before` and `after` empty columns at its ends. */
  add(cells: Iterable<GridCell>, before: number, after: number): void {
    const line: string[] = [];
    const own: string[] = [];
    this.#fill(line, before, () => '');
    for (const cell of cells) {
      if (line.length >= MAX_COLUMNS) this.lost += 1;
      else this.#addCell(cell, line, own);
    }
    this.#fill(line, after, () => '');
    for (let at = line.length; at < this.#above.length; at += 1) this.#above[at] = undefined;
    this.rows.push(line);
    this.once.push(own);
  }

  #addCell(cell: GridCell, line: string[], own: string[]): void {
    const span = Math.min(cell.span, MAX_COLUMNS - line.length);
    const first = line.length;
    const above = this.#above[first];
    const goesOn = cell.merge === 'continue' && above !== undefined;
    if (cell.joinsLeft && first > 0) {
      line.push(this.#repeat(line[first - 1] ?? ''));
      return;
    }
    const text = goesOn ? this.#repeat(above) : cell.text();
    const reach = cell.merge === 'none' ? undefined : goesOn ? above : text;
    if (!goesOn) own.push(text);
    line.push(text);
    this.#above[first] = reach;
    this.#fill(line, span - 1, () => {
      this.#above[line.length] = reach;
      return this.#repeat(text);
    });
  }

  /** Adds cells that only widen the row, up to the limit. */
  #fill(line: string[], count: number, text: () => string): void {
    for (let at = 0; at < count && line.length < MAX_COLUMNS && this.#filled < MAX_FILLED; at += 1) {
      line.push(text());
      this.#filled += 1;
    }
  }

  #repeat(text: string): string {
    if (text.length > MAX_REPEATED_LENGTH || this.#repeated > MAX_REPEATED_IN_ALL) return '';
    this.#repeated += text.length;
    return text;
  }
}

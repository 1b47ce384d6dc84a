// A table of a Word document (ECMA-376 part 1, 17.4) as rows of cells on one grid: spans filled in, rows that start
// late aligned to their column, deleted rows dropped. The story reads the cells.

import type { XmlElement } from '../../../src/package/index.ts';
import type { StoryBlock } from './story-block.ts';
import { isOn } from './styles.ts';

/** Options for reading a table. */
export interface TableOptions {
  /** Keep rows and cells with a tracked deletion. */
  readonly keepDeleted: boolean;
  /** Called for each row and cell left out because it is deleted. */
  onDeleted(): void;
  /** Reads a cell that only frames its content. */
  frame(cell: XmlElement): Generator<StoryBlock | undefined, void, undefined>;
}

/** Word allows at most 63 columns; other writers a few more. */
const MAX_COLUMNS = 1024;
/** Longer text is not a label, and is not repeated in spanned cells. */
const MAX_REPEATED_LENGTH = 100;
const MAX_REPEATED_IN_ALL = 200_000;
/** Maximum cells added to widen rows to their spans; beyond it, spans take one cell. */
const MAX_FILLED = 100_000;

/** Reads a cell's Markdown. */
type ReadCell = (cell: XmlElement, header: boolean) => string;

/**
 * The table as one piece; a table that only frames text as the pieces of that text. `read` returns a cell's Markdown.
 */
export function* readTable(
  table: XmlElement,
  read: ReadCell,
  options: TableOptions,
): Generator<StoryBlock | undefined, void, undefined> {
  const isKept = (mark: XmlElement | undefined): boolean => {
    if (mark && !options.keepDeleted) options.onDeleted();
    return !mark || options.keepDeleted;
  };
  const rows = membersOf(table, 'tr').filter((row) => isKept(row.at('trPr', 'del')));
  const cells = rows.map((row) => membersOf(row, 'tc').filter((cell) => isKept(cell.at('tcPr', 'cellDel'))));
  if (isFrame(cells)) {
    for (const row of cells) for (const cell of row) yield* options.frame(cell);
    return;
  }
  const grid = new Grid(read);
  for (const [index, row] of rows.entries()) {
    grid.add(row, cells[index] ?? []);
    yield undefined;
  }
  if (grid.rows.length > 0) yield { kind: 'table', rows: grid.rows, once: grid.once };
}

/** The rows of a table on one grid. */
class Grid {
  readonly rows: string[][] = [];
  /** The rows without repetition, for a table rendered on one line. */
  readonly once: string[][] = [];
  readonly #read: ReadCell;
  /** Text spanning down from above, by column. */
  readonly #above: (string | undefined)[] = [];
  #repeated = 0;
  #filled = 0;

  constructor(read: ReadCell) {
    this.#read = read;
  }

  add(row: XmlElement, cells: readonly XmlElement[]): void {
    const line: string[] = [];
    const own: string[] = [];
    this.#fill(line, columns(row.at('trPr', 'gridBefore')?.get('val'), 0), () => '');
    for (const cell of cells) {
      if (line.length >= MAX_COLUMNS) break;
      this.#addCell(cell, line, own);
    }
    this.#fill(line, columns(row.at('trPr', 'gridAfter')?.get('val'), 0), () => '');
    for (let at = line.length; at < this.#above.length; at += 1) this.#above[at] = undefined;
    this.rows.push(line);
    this.once.push(own);
  }

  #addCell(cell: XmlElement, line: string[], own: string[]): void {
    const properties = cell.child('tcPr');
    const span = Math.min(columns(properties?.child('gridSpan')?.get('val'), 1), MAX_COLUMNS - line.length);
    const merge = mergeOf(properties?.child('vMerge'));
    const first = line.length;
    const above = this.#above[first];
    const goesOn = merge === 'continue' && above !== undefined;
    if (mergeOf(properties?.child('hMerge')) === 'continue' && first > 0) {
      line.push(this.#repeat(line[first - 1] ?? ''));
      return;
    }
    const text = goesOn ? this.#repeat(above) : this.#read(cell, this.rows.length === 0);
    const reach = merge === 'none' ? undefined : goesOn ? above : text;
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

/** Rows or cells, including those inside content controls and custom XML. */
function membersOf(parent: XmlElement, name: string): XmlElement[] {
  const found: XmlElement[] = [];
  const visit = (element: XmlElement): void => {
    for (const node of element.children) {
      if (typeof node === 'string') continue;
      if (node.name === name) found.push(node);
      else if (node.name !== 'tbl' && node.name !== 'tr' && node.name !== 'tc' && node.name !== 'p')
        visit(node);
    }
  };
  visit(parent);
  return found;
}

/** True for a box around text rather than data: one cell, or nested tables but never two text cells side by side. */
function isFrame(rows: readonly (readonly XmlElement[])[]): boolean {
  if (rows.length === 1 && rows[0]?.length === 1) return true;
  if (!rows.some((cells) => cells.some((cell) => cell.child('tbl') !== undefined))) return false;
  return rows.every((cells) => {
    let filled = 0;
    for (const cell of cells) if (filled < 2 && holdsText(cell)) filled += 1;
    return filled < 2;
  });
}

function holdsText(cell: XmlElement): boolean {
  for (const text of cell.descendants('t')) if (text.text().trim() !== '') return true;
  return false;
}

function mergeOf(element: XmlElement | undefined): 'none' | 'start' | 'continue' {
  if (!element) return 'none';
  return element.get('val') === 'restart' ? 'start' : isOn(element.get('val')) ? 'continue' : 'none';
}

function columns(text: string | undefined, otherwise: number): number {
  const value = Number(text ?? Number.NaN);
  return Number.isInteger(value) && value >= otherwise ? Math.min(value, MAX_COLUMNS) : otherwise;
}

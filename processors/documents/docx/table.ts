// A table of a Word document (ECMA-376 part 1, 17.4) as rows of cells on one grid, deleted rows dropped. The story reads
// the cells.

import type { XmlElement } from '../../../src/package/index.ts';
import type { LeftOut } from './document.ts';
import { Grid, type GridCell, MAX_COLUMNS, PAST } from './grid.ts';
import type { StoryBlock } from './story-block.ts';
import { isOn } from './styles.ts';

/** Options for reading a table. */
export interface TableOptions {
  /** Keep rows and cells with a tracked deletion. */
  readonly keepDeleted: boolean;
  /** Counts the rows and cells left out. */
  readonly left: LeftOut;
  /** Reads a cell that only frames its content. */
  frame(cell: XmlElement): Generator<StoryBlock | undefined, void, undefined>;
}

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
    if (mark && !options.keepDeleted) options.left.delete();
    return !mark || options.keepDeleted;
  };
  const rows = membersOf(table, 'tr').filter((row) => isKept(row.at('trPr', 'del')));
  const cells = rows.map((row) => membersOf(row, 'tc').filter((cell) => isKept(cell.at('tcPr', 'cellDel'))));
  if (isFrame(cells)) {
    for (const row of cells) for (const cell of row) yield* options.frame(cell);
    return;
  }
  const grid = new Grid();
  for (const [index, row] of rows.entries()) {
    const header = index === 0;
    grid.add(
      shapes(cells[index] ?? [], (cell) => read(cell, header)),
      columns(row.at('trPr', 'gridBefore')?.get('val'), 0),
      columns(row.at('trPr', 'gridAfter')?.get('val'), 0),
    );
    yield undefined;
  }
  options.left.lose('table cell', PAST, grid.lost);
  if (grid.rows.length > 0) yield { kind: 'table', rows: grid.rows, once: grid.once };
}

function* shapes(cells: readonly XmlElement[], read: (cell: XmlElement) => string): Generator<GridCell> {
  for (const cell of cells) {
    const properties = cell.child('tcPr');
    yield {
      span: columns(properties?.child('gridSpan')?.get('val'), 1),
      merge: mergeOf(properties?.child('vMerge')),
      joinsLeft: mergeOf(properties?.child('hMerge')) === 'continue',
      text: () => read(cell),
    };
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

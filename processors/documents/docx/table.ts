// A table of a Word document (ECMA-376 part 1, 17.4), deleted rows dropped. The story reads the cells.

import { Grid, type GridCell } from '../../../src/document/index.ts';
import type { XmlElement } from '../../../src/package/index.ts';
import type { LeftOut } from '../left-out.ts';
import type { Piece } from '../piece.ts';
import { isOn } from './styles.ts';

/** Options for reading a table. */
export interface TableOptions {
  /** Keep rows and cells with a tracked deletion. */
  readonly keepDeleted: boolean;
  /** Counts the rows and cells left out. */
  readonly left: LeftOut;
  /** Reads a cell that only frames its content. */
  frame(cell: XmlElement): Generator<Piece | undefined, void, undefined>;
}

/** Reads a cell's content. */
type ReadCell = (cell: XmlElement, header: boolean) => string;

/**
 * The table as one piece; a table that only frames text as the pieces of that text. `read` returns a cell's Markdown.
 */
export function* readTable(
  table: XmlElement,
  read: ReadCell,
  options: TableOptions,
): Generator<Piece | undefined, void, undefined> {
  const isKept = (mark: XmlElement | undefined): boolean => {
    if (mark && !options.keepDeleted) options.left.delete();
    return !mark || options.keepDeleted;
  };
  const rows = membersOf(table, 'tr').filter((row) => isKept(row.at('trPr', 'del')));
  const cells = rows.map((row) => membersOf(row, 'tc').filter((cell) => isKept(cell.at('tcPr', 'cellDel'))));
  const isTable = (cell: XmlElement): boolean => cell.child('tbl') !== undefined;
  if (isFrame(cells, isTable, holdsText)) {
    for (const row of cells) for (const cell of row) yield* options.frame(cell);
    return;
  }
  const grid = new Grid('stated', options.left.tables);
  for (const [index, row] of rows.entries()) {
    grid.add(shapes(row, cells[index] ?? [], (cell) => read(cell, index === 0)));
    yield undefined;
  }
  if (rows.length > 0) yield { kind: 'table', grid, without: 'nothing' };
}

function* shapes(
  row: XmlElement,
  cells: readonly XmlElement[],
  read: (cell: XmlElement) => string,
): Generator<GridCell> {
  let column = Number(row.at('trPr', 'gridBefore')?.get('val'));
  for (const cell of cells) {
    const properties = cell.child('tcPr');
    const down = mergeOf(properties?.child('vMerge'));
    yield {
      column,
      columns: Number(properties?.child('gridSpan')?.get('val')),
      rows: down === 'none' ? 1 : Number.POSITIVE_INFINITY,
      joinsAbove: down === 'continue',
      joinsLeft: mergeOf(properties?.child('hMerge')) === 'continue',
      text: () => read(cell),
    };
    column = 0;
  }
  const after = Number(row.at('trPr', 'gridAfter')?.get('val'));
  if (after > 0) yield { columns: after, text: () => '' };
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

/** True for a box around text rather than data: one cell, or nested tables but never two filled cells side by side. */
export function isFrame<Cell>(
  rows: readonly (readonly Cell[])[],
  isTable: (cell: Cell) => boolean,
  isFilled: (cell: Cell) => boolean,
): boolean {
  if (rows.length === 1 && rows[0]?.length === 1) return true;
  if (!rows.some((cells) => cells.some(isTable))) return false;
  return rows.every((cells) => {
    let filled = 0;
    for (const cell of cells) if (filled < 2 && isFilled(cell)) filled += 1;
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

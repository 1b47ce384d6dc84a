// Tables of a Word file, built from the ends of cells and rows in its text. Columns come from the edges of all rows:
// cells state their place on the page, not the columns they span.

import type { LeftOut } from '../docx/document.ts';
import { Grid, type GridCell, MAX_COLUMNS, PAST } from '../docx/grid.ts';
import type { Gathered } from '../docx/inline.ts';
import { type ParagraphKind, paragraphPieces } from '../docx/paragraph.ts';
import { type StoryBlock, storyLines } from '../docx/story-block.ts';
import type { RowCell } from './row.ts';

/** A paragraph whose form depends on where it stands, or a finished piece. */
export type Held =
  | { readonly gathered: Gathered; readonly kind: Omit<ParagraphKind, 'plain'> }
  | { readonly piece: StoryBlock };

interface Row {
  readonly cells: readonly (readonly Held[])[];
  readonly shapes: readonly RowCell[];
}

/** Edges nearer than this (twentieths of a point) are one. */
const TOLERANCE = 40;

/** Collects one table. */
export class TableBuilder {
  readonly #left: LeftOut;
  readonly #rows: Row[] = [];
  #cells: Held[][] = [];
  #cell: Held[] = [];

  constructor(left: LeftOut) {
    this.#left = left;
  }

  add(held: Held): void {
    this.#cell.push(held);
  }

  endCell(): void {
    if (this.#cells.length < MAX_COLUMNS) this.#cells.push(this.#cell);
    else this.#left.lose('table cell', PAST);
    this.#cell = [];
  }

  /** Ends a row; a deleted one is dropped. */
  endRow(shapes: readonly RowCell[], isKept: boolean): void {
    if (this.#cell.length > 0) this.endCell();
    if (isKept && this.#cells.length > 0) this.#rows.push({ cells: this.#cells, shapes });
    this.#cells = [];
  }

  /** The table as one piece; a table that only frames text as the pieces of that text. */
  *finish(): Generator<StoryBlock, void, undefined> {
    if (this.#cell.length > 0 || this.#cells.length > 0) this.endRow([], true);
    const rows = this.#rows;
    if (isFrame(rows)) {
      for (const { cells } of rows) for (const cell of cells) yield* piecesOf(cell, false);
      return;
    }
    const edges = edgesOf(rows);
    const grid = new Grid();
    for (const [index, row] of rows.entries()) {
      const first = row.shapes[0];
      const before = first && edges ? columnOf(edges, first.left) : 0;
      grid.add(cellsOf(row, edges, index === 0), Math.max(0, before), 0);
    }
    this.#left.lose('table cell', PAST, grid.lost);
    if (grid.rows.length > 0) yield { kind: 'table', rows: grid.rows, once: grid.once };
  }
}

function* cellsOf(row: Row, edges: readonly number[] | undefined, header: boolean): Generator<GridCell> {
  for (const [index, cell] of row.cells.entries()) {
    const shape = row.shapes[index];
    const span = shape && edges ? columnOf(edges, shape.right) - columnOf(edges, shape.left) : 1;
    yield {
      span: Math.max(1, span),
      merge: shape?.merge ?? 'none',
      joinsLeft: shape?.joinsLeft ?? false,
      text: () => [...piecesOf(cell, header)].flatMap(storyLines).join('\n').trim(),
    };
  }
}

function* piecesOf(cell: readonly Held[], plain: boolean): Generator<StoryBlock, void, undefined> {
  for (const held of cell) {
    if ('piece' in held) yield held.piece;
    else yield* paragraphPieces(held.gathered, { ...held.kind, plain });
  }
}

/** The edges of all cells from the left; undefined if cells are too irregular for columns. */
function edgesOf(rows: readonly Row[]): readonly number[] | undefined {
  const stated = new Set<number>();
  let most = 1;
  // Rows next to each other often have the same cells.
  let last: Row['shapes'] | undefined;
  for (const { shapes, cells } of rows) {
    most = Math.max(most, cells.length);
    if (shapes === last) continue;
    last = shapes;
    for (const { left, right } of shapes) stated.add(left).add(right);
  }
  const edges: number[] = [];
  for (const edge of [...stated].sort((a, b) => a - b))
    if (edges.length === 0 || edge - (edges.at(-1) ?? 0) > TOLERANCE) edges.push(edge);
  return edges.length > Math.min(MAX_COLUMNS, most * 3 + 1) ? undefined : edges;
}

/** The number of the edge nearest to `place` from the left. */
function columnOf(edges: readonly number[], place: number): number {
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((edges[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** True for a box around text: one cell, or nested tables but never two filled cells side by side. */
function isFrame(rows: readonly Row[]): boolean {
  if (rows.length === 1 && rows[0]?.cells.length === 1) return true;
  const nests = rows.some(({ cells }) =>
    cells.some((cell) => cell.some((held) => 'piece' in held && held.piece.kind === 'table')),
  );
  return nests && rows.every(({ cells }) => cells.filter(isFilled).length < 2);
}

function isFilled(cell: readonly Held[]): boolean {
  return cell.some((held) => 'piece' in held || held.gathered.runs.some(({ text }) => text.trim() !== ''));
}

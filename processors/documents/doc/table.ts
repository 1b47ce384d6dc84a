// Tables of a Word file, built from the ends of cells and rows in its text. Columns come from the edges of all rows:
// cells state their place on the page, not the columns they span.

import { edgeAt, edgesOf, Grid, type GridCell } from '../../../src/document/index.ts';
import type { Gathered } from '../docx/inline.ts';
import { type ParagraphKind, paragraphPieces } from '../docx/paragraph.ts';
import { isFrame } from '../docx/table.ts';
import type { LeftOut } from '../left-out.ts';
import { type Piece, pieceLines } from '../piece.ts';
import type { RowCell } from './row.ts';

/** A paragraph whose form depends on where it stands, or a finished piece. */
export type Held =
  | { readonly gathered: Gathered; readonly kind: Omit<ParagraphKind, 'plain'> }
  | { readonly piece: Piece };

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
    this.#cells.push(this.#cell);
    this.#cell = [];
  }

  /** Ends a row; a deleted one is dropped. */
  endRow(shapes: readonly RowCell[], isKept: boolean): void {
    if (this.#cell.length > 0) this.endCell();
    if (isKept && this.#cells.length > 0) this.#rows.push({ cells: this.#cells, shapes });
    this.#cells = [];
  }

  /** The table as one piece; a table that only frames text as the pieces of that text. */
  *finish(): Generator<Piece, void, undefined> {
    if (this.#cell.length > 0 || this.#cells.length > 0) this.endRow([], true);
    const rows = this.#rows;
    const cells = rows.map((row) => row.cells);
    if (isFrame(cells, holdsTable, isFilled)) {
      for (const row of cells) for (const cell of row) yield* piecesOf(cell, false);
      return;
    }
    const edges = columnsOf(rows);
    const grid = new Grid('stated', this.#left.tables);
    for (const [index, row] of rows.entries()) grid.add(cellsOf(row, edges, index === 0));
    if (rows.length > 0) yield { kind: 'table', grid, without: 'nothing' };
  }
}

function* cellsOf(row: Row, edges: readonly number[] | undefined, header: boolean): Generator<GridCell> {
  for (const [index, cell] of row.cells.entries()) {
    const shape = row.shapes[index];
    const from = shape && edges ? edgeAt(edges, shape.left) : 0;
    yield {
      ...shape,
      ...(index === 0 && { column: from }),
      ...(shape && edges && { columns: edgeAt(edges, shape.right) - from }),
      text: () => [...piecesOf(cell, header)].flatMap(pieceLines).join('\n').trim(),
    };
  }
}

function* piecesOf(cell: readonly Held[], plain: boolean): Generator<Piece, void, undefined> {
  for (const held of cell) {
    if ('piece' in held) yield held.piece;
    else yield* paragraphPieces(held.gathered, { ...held.kind, plain });
  }
}

/** The edges of all cells from the left; undefined if cells are too irregular for columns. */
function columnsOf(rows: readonly Row[]): readonly number[] | undefined {
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
  const edges = edgesOf(stated, TOLERANCE);
  return edges.length > most * 3 + 1 ? undefined : edges;
}

const holdsTable = (cell: readonly Held[]): boolean =>
  cell.some((held) => 'piece' in held && held.piece.kind === 'table');

function isFilled(cell: readonly Held[]): boolean {
  return cell.some((held) => 'piece' in held || held.gathered.runs.some(({ text }) => text.trim() !== ''));
}

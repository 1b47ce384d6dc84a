// The b-tree of a table: which pages hold its rows, in order, and how many (Database file format, 1.6). Rows of tables
// WITHOUT ROWID also lie in interior pages. Pages that are damaged or occur twice are left out and counted.

import { type Bytes, largestFitting, throwIfAborted } from '../../../src/contract/index.ts';
import type { Pages } from './pages.ts';

const INTERIOR_INDEX = 2;
const INTERIOR_TABLE = 5;
const LEAF_INDEX = 10;
const LEAF_TABLE = 13;

/** Deeper trees are not built by SQLite (btree.c, BTCURSOR_MAX_DEPTH). */
const MAX_DEPTH = 20;
/** Pages of a table whose rows are counted: a gigabyte of pages of 4096 bytes. */
const MAX_PAGES = 262_144;

export type TreeKind = 'table' | 'index';

/** A page of a tree. */
export interface TreePage {
  readonly isLeaf: boolean;
  readonly bytes: Uint8Array;
  /** Offsets of its cells, in order. */
  readonly cells: readonly number[];
  /** Of an interior page: the last child. */
  readonly right: number;
}

/** Page `number` as one of a tree; undefined if it is not one. */
export async function treePage(pages: Pages, number: number, kind: TreeKind): Promise<TreePage | undefined> {
  const bytes = await pages.page(number);
  return bytes && parsePage(bytes, number, pages.header.usable, kind);
}

function parsePage(bytes: Uint8Array, number: number, usable: Bytes, kind: TreeKind): TreePage | undefined {
  const data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // The first page starts with the header of the file.
  const start = number === 1 ? 100 : 0;
  const type = bytes[start];
  const isLeaf = type === (kind === 'table' ? LEAF_TABLE : LEAF_INDEX);
  if (!isLeaf && type !== (kind === 'table' ? INTERIOR_TABLE : INTERIOR_INDEX)) return undefined;
  const count = data.getUint16(start + 3);
  const pointers = start + (isLeaf ? 8 : 12);
  const end = pointers + 2 * count;
  if (end > usable) return undefined;
  const cells: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const cell = data.getUint16(pointers + 2 * index);
    if (cell < end || cell + 4 > bytes.length) return undefined;
    cells.push(cell);
  }
  return { isLeaf, bytes, cells, right: isLeaf ? 0 : data.getUint32(start + 8) };
}

/** Where the rows of a table are. */
export interface TreeIndex {
  readonly rows: number;
  /** Pages that could not be read, or occurred before. */
  readonly damaged: number;
  /** False if there are more pages than were counted. */
  readonly complete: boolean;
  readonly parts: number;
  /** The part with row `row`, 0-based. */
  find(row: number): number;
  part(index: number): TreePart;
}

/** Consecutive rows: all cells of a page, or one of an interior page. */
export interface TreePart {
  readonly page: number;
  /** -1 for all cells. */
  readonly cell: number;
  /** 0-based. */
  readonly firstRow: number;
  readonly rows: number;
}

/** Counts and locates the rows of the tree at `root`. */
export async function indexTree(
  pages: Pages,
  root: number,
  kind: TreeKind,
  signal: AbortSignal,
): Promise<TreeIndex> {
  const found = new Parts();
  const seen = new PageSet();
  let damaged = 0;
  let visited = 0;
  /** Pages and single cells to visit, the next one last. */
  const open: { readonly page: number; readonly cell: number; readonly depth: number }[] = [
    { page: root, cell: -1, depth: 0 },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { page: number, cell, depth } = next;
    if (cell >= 0) {
      found.add(number, cell, 1);
      continue;
    }
    if (visited >= MAX_PAGES) return found.index(damaged, false);
    visited += 1;
    if (visited % 256 === 0) throwIfAborted(signal);
    const page = depth > MAX_DEPTH || !seen.add(number) ? undefined : await treePage(pages, number, kind);
    if (!page) {
      damaged += 1;
      continue;
    }
    if (page.isLeaf) {
      if (page.cells.length > 0) found.add(number, -1, page.cells.length);
      continue;
    }
    open.push({ page: page.right, cell: -1, depth: depth + 1 });
    const data = new DataView(page.bytes.buffer, page.bytes.byteOffset, page.bytes.byteLength);
    for (let index = page.cells.length - 1; index >= 0; index -= 1) {
      if (kind === 'index') open.push({ page: number, cell: index, depth });
      open.push({ page: data.getUint32(page.cells[index] ?? 0), cell: -1, depth: depth + 1 });
    }
  }
  return found.index(damaged, true);
}

/** An estimate of the bytes of a tree, from the pages on its left. */
export async function treeBytes(pages: Pages, root: number, kind: TreeKind): Promise<Bytes> {
  let size = pages.header.pageSize;
  let number = root;
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const page = await treePage(pages, number, kind);
    if (!page || page.isLeaf) break;
    size *= page.cells.length + 1;
    const [first] = page.cells;
    number =
      first === undefined
        ? page.right
        : new DataView(page.bytes.buffer, page.bytes.byteOffset, page.bytes.byteLength).getUint32(first);
  }
  return Math.min(size, pages.count * pages.header.pageSize);
}

/** The parts of a tree, in 16 bytes each. */
class Parts {
  #pages = new Uint32Array(64);
  #cells = new Int32Array(64);
  #starts = new Float64Array(64);
  #count = 0;
  #rows = 0;

  add(page: number, cell: number, rows: number): void {
    if (this.#count === this.#pages.length) this.#grow();
    this.#pages[this.#count] = page;
    this.#cells[this.#count] = cell;
    this.#starts[this.#count] = this.#rows;
    this.#count += 1;
    this.#rows += rows;
  }

  index(damaged: number, complete: boolean): TreeIndex {
    const [pages, cells, starts] = [this.#pages, this.#cells, this.#starts];
    const parts = this.#count;
    const rows = this.#rows;
    return {
      rows,
      damaged,
      complete,
      parts,
      part: (index) => {
        const firstRow = starts[index] ?? 0;
        const next = index + 1 < parts ? (starts[index + 1] ?? 0) : rows;
        return { page: pages[index] ?? 0, cell: cells[index] ?? -1, firstRow, rows: next - firstRow };
      },
      find: (row) => largestFitting(parts - 1, (at) => (starts[at] ?? 0) <= row),
    };
  }

  #grow(): void {
    const size = this.#pages.length * 2;
    const [pages, cells, starts] = [new Uint32Array(size), new Int32Array(size), new Float64Array(size)];
    pages.set(this.#pages);
    cells.set(this.#cells);
    starts.set(this.#starts);
    [this.#pages, this.#cells, this.#starts] = [pages, cells, starts];
  }
}

/** Page numbers, one bit each, in pieces that exist once a number in them was added. */
class PageSet {
  readonly #pieces = new Map<number, Uint8Array>();

  /** False if it was there before. */
  add(number: number): boolean {
    const key = number >>> 15;
    const piece = this.#pieces.get(key) ?? new Uint8Array(4096);
    this.#pieces.set(key, piece);
    const at = (number & 32_767) >> 3;
    const bit = 1 << (number & 7);
    const before = piece[at] ?? 0;
    piece[at] = before | bit;
    return (before & bit) === 0;
  }
}

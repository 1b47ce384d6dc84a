// Rows of one row group as cells. A column that cannot be read does not take the others with it.

import type { RowGroup, SchemaTree } from 'hyparquet';
import { type Bytes, quoted, ReaderError, type Source, throwIfAborted } from '../../../src/contract/index.ts';
import type { Cell } from '../../../src/table/index.ts';
import { type CellFindings, cellOf } from './cell.ts';
import { UnknownCodec } from './codecs.ts';
import type { Library } from './library.ts';
import { ColumnChunk, PageTooLarge, TooCostly, type Values } from './pages.ts';

/** Decoded values kept between two reads of a group, in all its columns. */
const MAX_KEPT_VALUES = 1_000_000;

export const NOT_READ = '(not read)';

/** A column as the table shows it. */
export interface Column {
  readonly index: number;
  /** With the types of the file. */
  readonly shown: SchemaTree;
  /** With the types that hyparquet decodes. */
  readonly stored: SchemaTree;
  readonly name: string;
}

/** What a file's groups share. */
export interface GroupOptions {
  readonly library: Library;
  readonly source: Source;
  readonly signal: AbortSignal;
  readonly root: SchemaTree;
  /** The columns to read. */
  readonly columns: readonly Column[];
  readonly findings: CellFindings;
  /** Why columns could not be read, by their names; written to. */
  readonly failures: Map<string, Failure>;
  readonly maxBytesInMemory: Bytes;
}

/** Why a column could not be read. */
export interface Failure {
  readonly reason: string;
  /** It exceeds a limit, and may not be damaged. */
  readonly isLimit: boolean;
}

/** A row group, opened for reading rows in order. */
export class GroupReader {
  readonly rows: number;
  readonly #options: GroupOptions;
  readonly #group: RowGroup;
  readonly #chunks = new Map<Column, readonly ColumnChunk[] | undefined>();

  constructor(group: RowGroup, options: GroupOptions) {
    this.#group = group;
    this.#options = options;
    this.rows = Number(group.num_rows);
  }

  /** Cells of rows `from` to `to` (exclusive, 0-based), by column; undefined if no column could be read. */
  async read(from: number, to: number, width: number): Promise<Cell[][] | undefined> {
    const { columns, signal, findings } = this.#options;
    const rows = Array.from({ length: to - from }, () => new Array<Cell>(width).fill(''));
    let isAnyRead = columns.length === 0;
    for (const column of columns) {
      throwIfAborted(signal);
      const values = await this.#values(column, from, to);
      for (const [at, row] of rows.entries())
        row[column.index] =
          values && at < values.length ? cellOf(values[at], column.shown, findings) : NOT_READ;
      if (values && values.length > 0) isAnyRead = true;
    }
    return isAnyRead ? rows : undefined;
  }

  /** The values of exactly these rows; undefined, with the reason noted, if they cannot be read. */
  async #values(column: Column, from: number, to: number): Promise<Values | undefined> {
    try {
      const chunks = this.#open(column);
      if (!chunks) return undefined;
      const values = await this.#assembled(column, chunks, from, to);
      if (values.length < to - from) this.#fail(column, 'its data is missing or damaged');
      return values;
    } catch (error) {
      if (error instanceof ReaderError) throw error;
      throwIfAborted(this.#options.signal);
      this.#fail(column, reasonOf(error), error instanceof PageTooLarge);
      return undefined;
    }
  }

  async #assembled(
    { stored }: Column,
    chunks: readonly ColumnChunk[],
    from: number,
    to: number,
  ): Promise<Values> {
    const { library } = this.#options;
    const leaves = new Map<string, Values>();
    const paths = leafPaths(stored);
    for (const [index, chunk] of chunks.entries()) {
      const { rowStart, values } = await chunk.read(from, to);
      // Assembly changes the lists it is given, and these are kept for the next read.
      const exact = values.slice(Math.max(0, from - rowStart), Math.max(0, to - rowStart));
      leaves.set(paths[index]?.join('.') ?? '', stored.children.length > 0 ? structuredClone(exact) : exact);
    }
    if (stored.children.length > 0) library.assembleNested(leaves, stored, library.DEFAULT_PARSERS);
    return leaves.get(stored.path.join('.')) ?? [];
  }

  #open(column: Column): readonly ColumnChunk[] | undefined {
    if (this.#chunks.has(column)) return this.#chunks.get(column);
    // Remembered as unreadable until it is open.
    this.#chunks.set(column, undefined);
    const { library, source, signal, root, columns, maxBytesInMemory } = this.#options;
    const chunks = leafPaths(column.stored).map((path) => {
      const key = path.join('.');
      const found = this.#group.columns.find(({ meta_data: meta }) => meta?.path_in_schema.join('.') === key);
      if (!found?.meta_data) throw new Error('missing column');
      if (found.file_path !== undefined) throw new Error('in another file');
      if (found.crypto_metadata !== undefined || found.encrypted_column_metadata !== undefined)
        throw new Error('encrypted');
      return new ColumnChunk({
        library,
        source,
        signal,
        meta: found.meta_data,
        path: library.getTreePath(root, [...path]),
        rows: this.rows,
        mostKept: MAX_KEPT_VALUES / Math.max(1, columns.length),
        maxBytesInMemory,
      });
    });
    this.#chunks.set(column, chunks);
    return chunks;
  }

  #fail({ name }: Column, reason: string, isLimit = false): void {
    const { failures } = this.#options;
    if (!failures.has(name)) failures.set(name, { reason, isLimit });
  }
}

function leafPaths(node: SchemaTree): string[][] {
  return node.children.length === 0 ? [node.path] : node.children.flatMap(leafPaths);
}

function reasonOf(error: unknown): string {
  if (error instanceof UnknownCodec) return `its compression ${quoted(error.message)} is not supported`;
  if (error instanceof PageTooLarge) return error.message;
  if (error instanceof TooCostly) return 'the rows before it take too much to read';
  if (error instanceof Error && error.message === 'encrypted') return 'it is encrypted';
  if (error instanceof Error && error.message === 'in another file') return 'it is stored in another file';
  if (error instanceof Error && /unsupported/.test(error.message)) return 'its encoding is not supported';
  return 'its data is missing or damaged';
}

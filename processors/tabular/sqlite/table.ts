// A table of an SQLite database: rows in the order of their key, each found by its number through the counts of pages.

import {
  type Bytes,
  createContentMap,
  type ProcessContext,
  plural,
  quoted,
  throwIfAborted,
  type Warning,
} from '../../../src/contract/index.ts';
import type { Cell, Table, TableRow } from '../../../src/table/index.ts';
import { headingOf, type OpenSheet } from '../book/sheets.ts';
import { CellWriter, fallbackOf, isRealColumn } from './cell.ts';
import type { Pages } from './pages.ts';
import { LOST, NULL, type Row, readRow, type Value } from './record.ts';
import type { TableEntry } from './schema.ts';
import { indexTree, type TreeIndex, type TreeKind, treePage } from './tree.ts';

/** Counted tables of files read before, each up to 4 MB. */
const MAX_KEPT = 8;
/** Rows whose width is looked at in a table without a statement. */
const ROWS_MEASURED = 20;
/** Bytes of each text read at least for a first answer, which shows only its start. */
const LEAST_OF_TEXT: Bytes = 1024 * 1024;
/** A smaller answer may show a part of one cell, and then states the length of its text. */
const LEAST_TOKENS = 200;
/** In bytes, more of a text than a first answer of so many characters can show. */
const BYTES_A_CHARACTER = 8;
const MAX_NAMED = 3;

const kept = createContentMap<TreeIndex>({ most: MAX_KEPT });

export const kindOf = ({ shape }: TableEntry): TreeKind => (shape?.hasRowid === false ? 'index' : 'table');

/** Counts the rows of a table and prepares it for reading. `identity`: of the file's content. */
export async function openTable(
  pages: Pages,
  entry: TableEntry,
  identity: string,
  context: ProcessContext,
): Promise<OpenSheet> {
  const { signal } = context;
  const key = `${identity} ${entry.root} ${kindOf(entry)}`;
  const tree = kept.get(key) ?? (await indexTree(pages, entry.root, kindOf(entry), signal));
  kept.set(key, tree);
  const reader = new RowReader(pages, entry, tree, context);
  const columns = entry.shape?.columns.length ?? (await reader.width());
  return {
    table: new SqliteTable(reader, entry, tree.rows, columns),
    facts: {
      rows: tree.rows,
      columns,
      ...(entry.shape && { columnTypes: entry.shape.columns.slice(0, 1000).map(({ type }) => type) }),
      ...(entry.shape?.hasRowid === false && { withoutRowid: true }),
      ...(entry.shape?.isStrict === true && { strict: true }),
    },
    notes: () => [],
    warnings: () => reader.warnings(),
  };
}

class SqliteTable implements Table {
  readonly name: string;
  readonly heading: string;
  readonly header: readonly string[] | undefined;
  readonly headerRow = 0;
  readonly hasNulls = true;
  readonly rows: number;
  readonly columns: number;
  readonly #reader: RowReader;

  constructor(reader: RowReader, { name, shape }: TableEntry, rows: number, columns: number) {
    this.name = name;
    this.rows = rows;
    this.columns = columns;
    this.heading = headingOf({ name, state: 'visible', kind: 'table' }, { table: { rows, columns } });
    this.header = shape?.columns.map((column) => column.name);
    this.#reader = reader;
  }

  async *read(from: number, to: number): AsyncGenerator<TableRow> {
    for await (const { number, row } of this.#reader.read(from, Math.min(to, this.rows)))
      yield { number, cells: this.#reader.cells(row, number) };
  }
}

/** Bytes of each text that an answer may need. */
function mostOfText({ selection, budget, limits }: ProcessContext): Bytes {
  const isFirst = !selection.all && selection.resume === undefined && budget.tokens >= LEAST_TOKENS;
  const needed = Math.max(LEAST_OF_TEXT, BYTES_A_CHARACTER * budget.characters);
  return isFirst ? Math.min(needed, limits.maxBytesInMemory) : limits.maxBytesInMemory;
}

/** Rows by their numbers, and what was found wrong with them. */
class RowReader {
  readonly #pages: Pages;
  readonly #entry: TableEntry;
  readonly #tree: TreeIndex;
  readonly #signal: AbortSignal;
  readonly #writer: CellWriter;
  readonly #isReal: readonly boolean[];
  readonly #fallbacks: readonly Value[];
  readonly #mostOfText: Bytes;
  readonly #maxBytesInMemory: Bytes;
  /** Texts that exceed the limit, by their places. */
  readonly #cutTexts = new Map<string, Bytes>();
  #lostRows = 0;

  constructor(pages: Pages, entry: TableEntry, tree: TreeIndex, context: ProcessContext) {
    const { encoding } = pages.header;
    this.#mostOfText = mostOfText(context);
    this.#maxBytesInMemory = context.limits.maxBytesInMemory;
    this.#pages = pages;
    this.#entry = entry;
    this.#tree = tree;
    this.#signal = context.signal;
    this.#writer = new CellWriter(encoding);
    this.#isReal = entry.shape?.columns.map(isRealColumn) ?? [];
    this.#fallbacks = entry.shape?.columns.map((column) => fallbackOf(column, encoding)) ?? [];
  }

  /** The number of values of the first rows, for a table whose statement cannot be parsed. */
  async width(): Promise<number> {
    let width = 0;
    for await (const { row } of this.read(1, Math.min(ROWS_MEASURED, this.#tree.rows)))
      width = Math.max(width, row?.values.length ?? 0);
    return width;
  }

  async *read(from: number, to: number): AsyncGenerator<{ number: number; row: Row | undefined }> {
    const kind = kindOf(this.#entry);
    let number = from;
    for (let part = this.#tree.find(from - 1); number <= to && part < this.#tree.parts; part += 1) {
      throwIfAborted(this.#signal);
      const { page: at, cell: only, firstRow, rows } = this.#tree.part(part);
      const page = await treePage(this.#pages, at, kind);
      for (let cell = number - 1 - firstRow; cell < rows && number <= to; cell += 1, number += 1) {
        const row =
          page && (await readRow(this.#pages, page, only >= 0 ? only : cell, kind, this.#mostOfText));
        if (!row) this.#lostRows += 1;
        yield { number, row };
      }
    }
  }

  cells(row: Row | undefined, number: number): Cell[] {
    const { shape } = this.#entry;
    for (const [index, value] of row?.values.entries() ?? [])
      if (value.kind === 'text' && value.length > this.#maxBytesInMemory) {
        const column = shape?.stored[index] ?? index;
        const name = shape?.columns[column]?.name ?? String(column + 1);
        this.#cutTexts.set(`row ${number}, column ${quoted(name)}`, value.length);
      }
    if (!shape) return (row?.values ?? [LOST]).map((value) => this.#writer.cell(value));
    if (!row) return shape.columns.map(() => '(not read)');
    const cells = shape.columns.map(({ generated }, column) =>
      generated === 'virtual'
        ? '(computed)'
        : this.#writer.cell(this.#fallbacks[column] ?? NULL, this.#isReal[column]),
    );
    for (const [index, value] of row.values.entries()) {
      const column = shape.stored[index];
      if (column === undefined) continue;
      const isAlias = column === shape.rowidColumn && value.kind === 'null' && row.rowid !== undefined;
      cells[column] = isAlias ? String(row.rowid) : this.#writer.cell(value, this.#isReal[column]);
    }
    return cells;
  }

  #cutInWords(): string {
    const most = this.#maxBytesInMemory;
    const places = [...this.#cutTexts]
      .slice(0, MAX_NAMED)
      .map(([place, length]) => `${place} (${length} bytes)`);
    const more = this.#cutTexts.size - places.length;
    const texts = `${plural(this.#cutTexts.size, 'text')} ${this.#cutTexts.size === 1 ? 'is' : 'are'}`;
    const listed = `${places.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
    return `${texts} cut after ${most} bytes (limit \`maxBytesInMemory\`): ${listed}.`;
  }

  warnings(): Warning[] {
    const where = `Table ${quoted(this.#entry.name)}`;
    const { damaged, complete, rows } = this.#tree;
    const { invalidText, lost } = this.#writer.findings;
    const skipped = (message: string): Warning => ({
      code: 'SKIPPED_CONTENT',
      message: `${where}: ${message}`,
    });
    return [
      ...(damaged > 0
        ? [
            skipped(
              `${plural(damaged, 'page')} missing or damaged; the rows in ${damaged === 1 ? 'it' : 'them'} are left out.`,
            ),
          ]
        : []),
      ...(complete ? [] : [skipped(`it has more rows; only the first ${rows} were counted.`)]),
      ...(this.#lostRows + lost > 0
        ? [skipped('some values are missing or damaged; shown as (not read).')]
        : []),
      ...(this.#cutTexts.size > 0 ? [skipped(this.#cutInWords())] : []),
      ...(invalidText > 0
        ? [
            {
              code: 'LOSSY_DECODE' as const,
              message: `${where}: texts that are not valid are shown with \ufffd.`,
            },
          ]
        : []),
    ];
  }
}

// The schema of an SQLite database: the rows of its first table, which name tables, indexes, views and triggers
// (Database file format, 2.6).

import { CellWriter } from './cell.ts';
import { type TableShape, tableShape } from './create-table.ts';
import type { Pages } from './pages.ts';
import { readRow, type Value } from './record.ts';
import { indexTree, treePage } from './tree.ts';

const MAX_ENTRIES = 20_000;
/** Bytes of all entries. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Bytes of a statement that are read; the columns of a longer one are unnamed. */
const MAX_SQL = 1024 * 1024;

/** A table with rows. */
export interface TableEntry {
  readonly name: string;
  readonly root: number;
  /** Undefined if its statement cannot be parsed. */
  readonly shape: TableShape | undefined;
  /** Made by SQLite itself. */
  readonly isInternal: boolean;
}

/** A view, a virtual table, an index or a trigger: listed, not read. */
export interface OtherEntry {
  readonly kind: 'view' | 'virtual table' | 'index' | 'trigger';
  readonly name: string;
  /** The table it belongs to. */
  readonly table: string;
  readonly sql: string;
}

export interface Schema {
  readonly tables: readonly TableEntry[];
  readonly others: readonly OtherEntry[];
  /** Entries that could not be read. */
  readonly damaged: number;
  readonly complete: boolean;
}

export async function readSchema(pages: Pages, signal: AbortSignal): Promise<Schema> {
  const tree = await indexTree(pages, 1, 'table', signal);
  const writer = new CellWriter(pages.header.encoding);
  const tables: TableEntry[] = [];
  const others: OtherEntry[] = [];
  let damaged = tree.damaged;
  let count = 0;
  let left = MAX_BYTES;
  for (let part = 0; part < tree.parts && count < MAX_ENTRIES && left > 0; part += 1) {
    const page = await treePage(pages, tree.part(part).page, 'table');
    for (let cell = 0; page && cell < page.cells.length && count < MAX_ENTRIES && left > 0; cell += 1) {
      count += 1;
      const row = await readRow(pages, page, cell, 'table', MAX_SQL);
      for (const value of row?.values ?? []) left -= 'bytes' in value ? value.bytes.length : 0;
      const entry = row && entryOf(row.values, writer);
      if (!entry) damaged += 1;
      else if ('kind' in entry) others.push(entry);
      else tables.push(entry);
    }
  }
  return { tables, others, damaged, complete: tree.complete && count === tree.rows };
}

function entryOf(values: readonly Value[], writer: CellWriter): TableEntry | OtherEntry | undefined {
  const [type, name, table, root, sql] = values;
  const text = (value: Value | undefined): string =>
    value?.kind === 'text' ? (writer.cell(value) ?? '') : '';
  const kind = text(type);
  const statement = text(sql);
  const named = { name: text(name), table: text(table), sql: statement };
  if (kind === 'index' || kind === 'view' || kind === 'trigger') return { kind, ...named };
  if (kind !== 'table' || root?.kind !== 'integer') return undefined;
  if (root.value === 0n) return { kind: 'virtual table', ...named };
  return {
    name: named.name,
    root: Number(root.value),
    shape: sql?.kind === 'text' && sql.length > MAX_SQL ? undefined : tableShape(statement),
    isInternal: /^sqlite_/i.test(named.name),
  };
}

// Makes the files of a query available as views, before the database is locked.

import { ReaderError } from '../../contract/index.ts';
import { type CsvContent, csvSource } from './csv-table.ts';
import { type Connection, identifier, literal } from './duckdb.ts';
import { type JsonContent, jsonSource } from './json-table.ts';
import type { TableSchema } from './schema.ts';

/** A file, as the asking process opened it. */
export interface TableFile {
  /** The first is its name, the others find it too. */
  readonly names: readonly string[];
  /** The inherited descriptor to read from. */
  readonly descriptor: number;
  readonly bytes: number;
  readonly content: CsvContent | JsonContent | { readonly kind: 'parquet' };
}

/** Types of columns are inferred from all rows of a file up to this size, and from the first rows of a larger one. */
const WHOLE_SAMPLE_BYTES = 64 * 1024 * 1024;
const SAMPLE_ROWS = 200_000;

/** A name as it is written in SQL: quoted unless it is a plain word. */
const written = (name: string, reserved: ReadonlySet<string>): string =>
  /^[A-Za-z_]\w*$/.test(name) && !reserved.has(name.toLowerCase()) ? name : identifier(name);

/** The path at which this process can open an inherited file. */
export const pathOf = (descriptor: number): string =>
  process.platform === 'linux' ? `/proc/self/fd/${descriptor}` : `/dev/fd/${descriptor}`;

/** Makes a table known whose rows are not read, by its names. */
export async function addUnread(
  db: Connection,
  names: readonly string[],
  reserved: ReadonlySet<string>,
): Promise<TableSchema> {
  for (const one of names)
    await db.run(
      `CREATE OR REPLACE VIEW ${identifier(one)} AS SELECT 'not read' AS "not read" WHERE error('This table was not read.') IS NULL`,
    );
  return { name: written(names[0] ?? '', reserved), columns: [] };
}

/** @throws {ReaderError} CORRUPT_FILE when DuckDB cannot read the file */
export async function addTable(
  db: Connection,
  table: TableFile,
  { reserved, infersFromAll }: { readonly reserved: ReadonlySet<string>; readonly infersFromAll: boolean },
): Promise<TableSchema> {
  const [name = ''] = table.names;
  try {
    const source = await sourceOf(
      db,
      table,
      infersFromAll || table.bytes <= WHOLE_SAMPLE_BYTES ? -1 : SAMPLE_ROWS,
    );
    for (const one of table.names) await db.run(`CREATE VIEW ${identifier(one)} AS ${source}`);
    const rows = (await db.runAndReadAll(`DESCRIBE ${identifier(name)}`)).getRowObjects();
    return {
      name: written(name, reserved),
      columns: rows.map((row) => ({
        name: written(String(row['column_name']), reserved),
        type: String(row['column_type']),
      })),
    };
  } catch (cause) {
    throw new ReaderError(
      'CORRUPT_FILE',
      `The table ${JSON.stringify(table.names.at(-1) ?? '')} cannot be read as ${table.content.kind}.`,
      'Read the file to see what it contains.',
      cause,
    );
  }
}

async function sourceOf(
  db: Connection,
  { descriptor, bytes, content }: TableFile,
  sample: number,
): Promise<string> {
  const path = literal(pathOf(descriptor));
  switch (content.kind) {
    case 'parquet':
      return `FROM read_parquet(${path})`;
    case 'json':
    case 'jsonl':
      return jsonSource(db, path, content, sample);
    case 'csv':
      return csvSource(db, path, content, { bytes, sample });
  }
}

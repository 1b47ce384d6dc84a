// An SQLite database as a book of tables. Reads pages of the file itself: no more of them than the schema, the counts
// and the rows to show need.

import {
  type OutlineLine,
  oneLine,
  type Part,
  type ProcessContext,
  plural,
  quoted,
  type Source,
} from '../../../src/contract/index.ts';
import { bookParts } from '../book/book.ts';
import type { BookSheet } from '../book/sheets.ts';
import type { TableColumn } from './create-table.ts';
import { Pages, readHeader } from './pages.ts';
import { type OtherEntry, readSchema, type Schema, type TableEntry } from './schema.ts';
import { kindOf, openTable } from './table.ts';
import { treeBytes } from './tree.ts';

/** Tables whose size is estimated. */
const MAX_ESTIMATED = 1000;
/** Pages of all tables that an outline reads to count rows: 16 MiB. */
const OUTLINE_BYTES = 16 * 1024 * 1024;
const MAX_SQL = 500;
const COLUMNS_A_LINE = 20;

/** The tables of a database, the requested part of one, or the next page of a walk. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const database = await openDatabase(source, context);
  yield* bookParts(
    database.sheets.map(({ sheet }) => sheet),
    context,
  );
}

/** Tables with their columns and indexes, then views and triggers. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const { pages, schema, sheets } = await openDatabase(source, context);
  const indexes = new Map<string, OtherEntry[]>();
  for (const other of schema.others) {
    const key = other.table.toLowerCase();
    // Those without a statement belong to constraints.
    if (other.kind === 'index' && other.sql !== '') indexes.set(key, [...(indexes.get(key) ?? []), other]);
  }
  const { pageSize, encoding } = pages.header;
  yield {
    level: 0,
    text: `${countsOf(schema)}; ${encoding}, ${plural(pages.count, 'page')} of ${pageSize} bytes`,
  };
  let left = OUTLINE_BYTES;
  for (const { entry, sheet } of sheets) {
    if (!entry) continue;
    left -= sheet.cost;
    const opened = left >= 0 ? await sheet.open?.() : undefined;
    const size = opened ? `: ${plural(opened.table.rows, 'row')}` : '';
    const without = entry.shape?.hasRowid === false ? ' (WITHOUT ROWID)' : '';
    yield { level: 1, text: `Table ${quoted(entry.name)}${without}${size}` };
    yield* columnLines(entry.shape?.columns ?? []);
    for (const index of indexes.get(entry.name.toLowerCase()) ?? [])
      yield { level: 2, nested: true, text: `  ${sqlOf(index)}` };
  }
  for (const other of schema.others)
    if (other.kind !== 'index') yield { level: 1, text: `${titleOf(other)}: ${sqlOf(other)}` };
}

function* columnLines(columns: readonly TableColumn[]): Generator<OutlineLine> {
  for (let at = 0; at < columns.length; at += COLUMNS_A_LINE) {
    const texts = columns
      .slice(at, at + COLUMNS_A_LINE)
      .map(({ name, type, isKey, isRequired, generated }) =>
        [
          oneLine(name),
          oneLine(type),
          isKey ? 'PRIMARY KEY' : '',
          isRequired ? 'NOT NULL' : '',
          generated ? `GENERATED ${generated.toUpperCase()}` : '',
        ]
          .filter(Boolean)
          .join(' '),
      );
    yield { level: 2, nested: true, text: `  ${texts.join(', ')}` };
  }
}

const sqlOf = ({ sql }: OtherEntry): string => {
  const line = oneLine(sql).trim();
  return line.length > MAX_SQL ? `${line.slice(0, MAX_SQL)}…` : line;
};

const titleOf = ({ kind, name }: OtherEntry): string =>
  `${kind[0]?.toUpperCase()}${kind.slice(1)} ${quoted(name)}`;

function countsOf({ tables, others }: Schema): string {
  const count = (kind: OtherEntry['kind'], plurals: string): string[] => {
    const number = others.filter((other) => other.kind === kind).length;
    return number === 0 ? [] : [number === 1 ? `1 ${kind}` : `${number} ${plurals}`];
  };
  return [
    plural(tables.length, 'table'),
    ...count('view', 'views'),
    ...count('virtual table', 'virtual tables'),
    ...count('index', 'indexes'),
    ...count('trigger', 'triggers'),
  ].join(', ');
}

interface Database {
  readonly pages: Pages;
  readonly schema: Schema;
  /** With the table that each is, if it is one. */
  readonly sheets: readonly { readonly sheet: BookSheet; readonly entry?: TableEntry }[];
}

/** Parsed once for all answers of a read: its outline, and content of several sizes. */
const SCHEMAS = new WeakMap<Source, Promise<Schema>>();

async function openDatabase(source: Source, context: ProcessContext): Promise<Database> {
  const { signal } = context;
  const header = await readHeader(source);
  const pages = new Pages(source, header, signal);
  const reading = SCHEMAS.get(source) ?? readSchema(pages, signal);
  SCHEMAS.set(source, reading);
  const schema = await reading;
  const identity = await source.identity();
  const others = schema.others.filter(({ kind }) => kind !== 'index' && kind !== 'trigger');
  const { encoding, pageSize, userVersion, applicationId } = header;
  context.describe({
    tables: schema.tables.length,
    ...(others.length > 0 && { views: others.map(({ name }) => oneLine(name)).slice(0, 1000) }),
    pageSize,
    pages: pages.count,
    textEncoding: encoding,
    ...(userVersion !== 0 && { userVersion }),
    ...(applicationId !== 0 && { applicationId }),
  });
  if (!context.selection.outline) warnOf(pages, schema, context);
  const sheets: { sheet: BookSheet; entry?: TableEntry }[] = [];
  const ordered = [...schema.tables].sort((a, b) => Number(a.isInternal) - Number(b.isInternal));
  for (const [index, entry] of ordered.entries())
    sheets.push({ entry, sheet: await sheetOf(pages, entry, identity, index < MAX_ESTIMATED, context) });
  for (const { kind, name } of others)
    sheets.push({
      sheet: { name, state: 'visible', kind: kind === 'view' ? kind : 'virtual table', cost: 0 },
    });
  return { pages, schema, sheets };
}

async function sheetOf(
  pages: Pages,
  entry: TableEntry,
  identity: string,
  isEstimated: boolean,
  context: ProcessContext,
): Promise<BookSheet> {
  return {
    name: entry.name,
    state: 'visible',
    kind: 'table',
    cost: isEstimated ? await treeBytes(pages, entry.root, kindOf(entry)) : OUTLINE_BYTES,
    open: () => openTable(pages, entry, identity, context),
  };
}

function warnOf({ header, count }: Pages, { damaged, complete }: Schema, { warn }: ProcessContext): void {
  const skipped = (message: string): void => warn({ code: 'SKIPPED_CONTENT', message });
  if (header.hasWriteAheadLog)
    skipped(
      'The database uses a write-ahead log: changes that are still in the `-wal` file beside it are not seen.',
    );
  if (header.statedPages > count)
    skipped(`The database is truncated: it states ${header.statedPages} pages, and the file holds ${count}.`);
  if (damaged > 0) skipped(`The schema is damaged: ${plural(damaged, 'entry')} or pages of it left out.`);
  if (!complete) skipped('The schema has more entries than are read.');
}

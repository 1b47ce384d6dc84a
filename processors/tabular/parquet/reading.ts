// A Parquet file as a table: its footer tells columns and rows, and only the pages with the rows to show are read.

import type { FileMetaData } from 'hyparquet';
import {
  type Bytes,
  cannotDecrypt,
  type OutlineLine,
  oneLine,
  type Part,
  type ProcessContext,
  plural,
  quoted,
  ReaderError,
  type Source,
} from '../../../src/contract/index.ts';
import { Columns, type Table, type TableRow, tableParts } from '../../../src/table/index.ts';
import { type Column, type Failure, GroupReader } from './group.ts';
import { type Library, loadLibrary } from './library.ts';
import { isSoundSchema, physicalSchema, typeOf } from './schema.ts';
import { thriftEnd } from './thrift-check.ts';

/** Bytes read to find the footer. */
const TAIL_BYTES: Bytes = 64 * 1024;
/** Larger footers describe a hundred thousand column chunks. */
const MAX_FOOTER_BYTES: Bytes = 32 * 1024 * 1024;
/** Rows decoded at a time: few at first, because most reads want few. */
const FIRST_BATCH = 64;
const LARGEST_BATCH = 4096;
const MAX_NAMED = 5;

/** The rows' head and tail, the requested rows, or the next page of a walk. */
export async function* process(source: Source, context: ProcessContext): AsyncGenerator<Part> {
  const file = await openFile(source, context);
  if (file.table.columns > 0) yield* tableParts(file.table, context);
}

/** The size of the table, then one line per column with its type. */
export async function* outline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const { metadata, columns, table, codecs } = await openFile(source, context);
  const groups = plural(metadata.row_groups.length, 'row group');
  const from =
    metadata.created_by === undefined ? '' : `; created by ${oneLine(metadata.created_by).slice(0, 100)}`;
  const packed = codecs.length === 0 ? '' : `; ${codecs.join(', ')}`;
  yield {
    level: 0,
    text: `${plural(table.rows, 'row')} in ${groups}, ${plural(columns.length, 'column')}${packed}${from}`,
  };
  for (const { index, name, shown } of columns) {
    const required = shown.element.repetition_type === 'REQUIRED' ? ', required' : '';
    yield { level: 1, text: `${index + 1}. ${quoted(name)}: ${oneLine(typeOf(shown))}${required}` };
  }
}

interface OpenFile {
  readonly metadata: FileMetaData;
  readonly columns: readonly Column[];
  readonly table: Table;
  readonly codecs: readonly string[];
}

async function openFile(source: Source, context: ProcessContext): Promise<OpenFile> {
  const library = await loadLibrary();
  const metadata = await readFooter(source, library);
  const { columns, rows } = measured(metadata, library);
  const codecs = [
    ...new Set(
      metadata.row_groups.flatMap((group) => group.columns.map(({ meta_data: meta }) => meta?.codec ?? '')),
    ),
  ].flatMap((codec) => (codec === '' || codec === 'UNCOMPRESSED' ? [] : [codec.toLowerCase()]));
  context.describe({
    rows,
    columns: columns.length,
    rowGroups: metadata.row_groups.length,
    ...(codecs.length > 0 && { compression: codecs }),
    ...(metadata.created_by !== undefined && { createdBy: oneLine(metadata.created_by).slice(0, 200) }),
    columnTypes: columns
      .slice(0, 1000)
      .map(({ name, shown }) => `${oneLine(name)}: ${oneLine(typeOf(shown))}`),
  });
  const stated = Number(metadata.num_rows);
  if (stated !== rows && !context.selection.outline)
    context.warn({
      code: 'SKIPPED_CONTENT',
      message: `The file states ${plural(stated, 'row')}, but its row groups state ${rows}.`,
    });
  return {
    metadata,
    columns,
    codecs,
    table: new ParquetTable({ library, source, metadata, columns, rows }, context),
  };
}

async function readFooter(source: Source, library: Library): Promise<FileMetaData> {
  const tail = await source.read(Math.max(0, source.size - TAIL_BYTES), TAIL_BYTES);
  const magic = Buffer.from(tail.subarray(-4)).toString('latin1');
  if (magic === 'PARE') throw cannotDecrypt('The Parquet file is encrypted.');
  const length =
    tail.length < 12 ? 0 : new DataView(tail.buffer, tail.byteOffset + tail.length - 8).getUint32(0, true);
  if (magic !== 'PAR1' || length < 1 || length > source.size - 12)
    throw corrupt('The Parquet file is truncated: its footer is missing.');
  if (length > MAX_FOOTER_BYTES)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The footer of the Parquet file has ${length} bytes; the limit is ${MAX_FOOTER_BYTES}.`,
      'Write the rows into larger row groups, or export the columns you need.',
    );
  const footer =
    length + 8 <= tail.length
      ? tail.slice(-(length + 8))
      : await source.read(source.size - length - 8, length + 8);
  try {
    thriftEnd(footer.subarray(0, length), 0);
    return library.parquetMetadata(footer, { geoparquet: false });
  } catch (error) {
    throw corrupt('The footer of the Parquet file is damaged.', error);
  }
}

function measured(metadata: FileMetaData, library: Library): { columns: Column[]; rows: number } {
  try {
    if (!isSoundSchema(metadata.schema)) throw new Error('invalid schema');
    const shown = library.parquetSchema(metadata);
    const stored = library.parquetSchema({ schema: physicalSchema(metadata.schema) });
    let rows = 0;
    for (const { num_rows: count } of metadata.row_groups) {
      rows += Number(count);
      if (count < 0n || !Number.isSafeInteger(rows)) throw new Error('invalid row count');
    }
    const columns = shown.children.flatMap((column, index): Column[] => {
      const twin = stored.children[index];
      return twin ? [{ index, shown: column, stored: twin, name: column.element.name }] : [];
    });
    return { columns, rows };
  } catch (error) {
    throw corrupt('The footer of the Parquet file is damaged.', error);
  }
}

function corrupt(message: string, cause?: unknown): ReaderError {
  return new ReaderError(
    'CORRUPT_FILE',
    message,
    'Check that it was saved or transferred completely.',
    cause,
  );
}

interface TableOptions {
  readonly library: Library;
  readonly source: Source;
  readonly metadata: FileMetaData;
  readonly columns: readonly Column[];
  readonly rows: number;
}

class ParquetTable implements Table {
  readonly heading?: string;
  readonly header: readonly string[];
  readonly headerRow = 0;
  readonly hasNulls = true;
  readonly rows: number;
  readonly columns: number;
  readonly #options: TableOptions;
  readonly #context: ProcessContext;
  readonly #findings = { invalidText: 0 };
  readonly #failures = new Map<string, Failure>();
  #told = 0;
  #open: { readonly group: number; readonly reader: GroupReader } | undefined;
  #wanted: readonly Column[] | undefined;

  constructor(options: TableOptions, context: ProcessContext) {
    this.header = options.columns.map(({ name }) => oneLine(name));
    this.rows = options.rows;
    this.columns = options.columns.length;
    if (this.rows === 0 && context.selection.format !== 'json')
      this.heading = `Table: 0 rows x ${plural(this.columns, 'column')}`;
    this.#options = options;
    this.#context = context;
  }

  async *read(from: number, to: number): AsyncGenerator<TableRow> {
    let before = 0;
    let batch = FIRST_BATCH;
    let isAnyRead = false;
    for (const [group, { num_rows: count }] of this.#options.metadata.row_groups.entries()) {
      const rows = Number(count);
      const last = Math.min(to, before + rows);
      for (let next = Math.max(from, before + 1); next <= last; ) {
        const end = Math.min(last, next + batch - 1);
        const cells = await this.#reader(group).read(next - 1 - before, end - before, this.columns);
        this.#warn();
        if (!cells) {
          if (!isAnyRead) throw this.#unreadable(next);
          break;
        }
        isAnyRead = true;
        for (const [at, row] of cells.entries()) yield { number: next + at, cells: row };
        next = end + 1;
        batch = Math.min(LARGEST_BATCH, batch * 2);
      }
      before += rows;
      if (before >= to) return;
    }
  }

  #reader(group: number): GroupReader {
    const known = this.#open;
    if (known?.group === group) return known.reader;
    const { library, source, metadata, columns } = this.#options;
    const found = metadata.row_groups[group];
    if (!found) throw corrupt('The Parquet file is damaged: a row group is missing.');
    const { signal, selection, limits } = this.#context;
    if (!this.#wanted) {
      const chosen = new Columns(this, selection.columns).chosen;
      this.#wanted = chosen ? columns.filter(({ index }) => chosen.includes(index + 1)) : columns;
    }
    const reader = new GroupReader(found, {
      library,
      source,
      signal,
      root: library.parquetSchema({ schema: physicalSchema(metadata.schema) }),
      columns: this.#wanted,
      findings: this.#findings,
      failures: this.#failures,
      maxBytesInMemory: limits.maxBytesInMemory,
    });
    this.#open = { group, reader };
    return reader;
  }

  /** The error for a first row of which no column was read. */
  #unreadable(row: number): ReaderError {
    const limited = [...this.#failures].find(([, { isLimit }]) => isLimit);
    if (!limited) return corrupt(`No column of row ${row} could be read: the Parquet file is damaged.`);
    const [name, { reason }] = limited;
    return new ReaderError(
      'LIMIT_EXCEEDED',
      `No column of row ${row} could be read: column ${quoted(name)} exceeds a limit, because ${reason}.`,
      'Raise `maxBytesInMemory`, or write the file with smaller pages.',
    );
  }

  /** Reports what the last rows added. */
  #warn(): void {
    const { warn } = this.#context;
    const failed = [...this.#failures];
    for (const [name, { reason }] of failed.slice(this.#told, MAX_NAMED))
      warn({ code: 'SKIPPED_CONTENT', message: `Column ${quoted(name)} was not read in part: ${reason}.` });
    if (failed.length > MAX_NAMED && this.#told <= MAX_NAMED)
      warn({ code: 'SKIPPED_CONTENT', message: `More than ${MAX_NAMED} columns were not read in part.` });
    this.#told = failed.length;
    if (this.#findings.invalidText > 0)
      warn({ code: 'LOSSY_DECODE', message: 'Texts that are not valid UTF-8 are shown with \ufffd.' });
  }
}

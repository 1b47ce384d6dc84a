// Opens the files of a query and decides how the child process reads each: as it is, or converted to CSV by the reader.

import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type ErrorCode,
  plural,
  quoted,
  ReaderError,
  throwIfAborted,
  type Warning,
} from '../contract/index.ts';
import { unnamedFile } from '../disk/index.ts';
import type { TableFile } from '../isolated/query/tables.ts';
import { handleOf, type Input, type Opened, open, type Reader } from '../reader/index.ts';
import { TableNames } from './table-names.ts';

/** The parts of a reader that a query uses. */
export type QueryReader = Pick<Reader, 'read' | 'inspect' | 'stream' | 'limits' | 'count' | 'workspace'>;

/** A table of a query, with the open file that holds it. */
export interface OpenTable extends Omit<TableFile, 'descriptor'> {
  readonly file: FileHandle;
}

/** The tables of a query; `close` closes their files. */
export interface OpenTables {
  readonly tables: readonly OpenTable[];
  /** Names of tables that the query does not use. */
  readonly unread: readonly (readonly string[])[];
  /** What is doubtful about the tables that are read. */
  readonly warnings: readonly Warning[];
  close(): Promise<void>;
}

interface Room {
  readonly reader: QueryReader;
  /** The tables that the query names, in lower case. */
  readonly used: () => Promise<ReadonlySet<string>>;
  readonly signal: AbortSignal;
  readonly names: TableNames;
  /** Names of tables that are not read. */
  readonly unread: (readonly string[])[];
  /** Tables are converted also where DuckDB could read the file itself. */
  readonly converts: boolean;
  /** Whether the first record of a delimited file or sheet names its columns. Default: as detected. */
  readonly header: boolean | undefined;
  readonly warnings: Warning[];
  readonly held: (() => Promise<void>)[];
}

const MAX_TABLES = 100;
/** Views and sheets that a note names. */
const MAX_NAMED = 5;
/** The dialect of a larger CSV file is detected from its beginning. */
const HEAD_BYTES = 1024 * 1024;
const DELIMITED = new Set(['.csv', '.tsv', '.tab', '.psv', '.ssv']);

/** Opens `inputs`. @throws {ReaderError} for the first that cannot be opened or has no tables */
export async function openTables(
  inputs: readonly Input[],
  room: Pick<Room, 'reader' | 'used' | 'signal' | 'converts' | 'header'>,
): Promise<OpenTables> {
  const held: Room['held'] = [];
  const close = async (): Promise<void> => {
    await Promise.all(held.splice(0).map((one) => one()));
  };
  const unread: Room['unread'] = [];
  const warnings: Room['warnings'] = [];
  const all: Room = { ...room, names: new TableNames(), unread, warnings, held };
  try {
    const tables: OpenTable[] = [];
    for (const input of inputs) for (const table of await tablesOf(input, all)) tables.push(table);
    if (tables.length > MAX_TABLES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `The query uses ${plural(tables.length, 'table')}; expected at most ${MAX_TABLES}.`,
        'Use fewer tables in one query.',
      );
    return { tables, unread, warnings, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function tablesOf(input: Input, room: Room): Promise<OpenTable[]> {
  const { reader, signal, held } = room;
  const opened = await open(input, reader.limits, signal, reader.workspace);
  held.push(() => opened.close());
  const { name, size } = opened.source;
  const { maxStreamBytes } = reader.limits;
  if (handleOf(opened) === undefined && size > maxStreamBytes)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `${quoted(name)} has ${size} bytes and has to be copied for a query; expected at most ${maxStreamBytes} (limit \`maxStreamBytes\`).`,
      'Query a smaller file.',
    );
  const aliases = typeof input === 'string' ? [input] : [];
  const again = againFrom(input, opened);
  let facts: Facts;
  try {
    facts = await inspected(again, opened, room);
    refuseEmpty(facts, name);
    if (facts.isHeaderDoubtful && room.header === undefined)
      room.warnings.push({
        code: 'HEADER_GUESSED',
        message: `The first record of ${quoted(name)} looks like data; set \`header\` to false to read it as a row.`,
      });
  } catch (error) {
    // A file without tables is a mistake of the caller; one that cannot be read matters if the query uses it.
    if (!(error instanceof ReaderError) || !UNREADABLE.has(error.code)) throw error;
    const names = room.names.take(name, aliases);
    if (await isUsed(names, room)) throw error;
    room.unread.push(names);
    return [];
  }
  const content = room.converts ? undefined : directContent(facts, opened, room.header);
  nameNoTables(facts, name, room.warnings);
  if (content && !(content.kind === 'csv' && (await startsBlank(opened.source))))
    return [
      {
        names: room.names.take(name, aliases),
        bytes: opened.source.size,
        content,
        file: await fileOf(opened, room),
      },
    ];
  const sheets = sheetsOf(facts);
  if (sheets.length <= 1)
    return [
      await converted(again(), name, room.names.take(name, [...aliases, ...sheets]), sheets[0], facts, room),
    ];
  const tables: OpenTable[] = [];
  for (const sheet of sheets) {
    const names = room.names.take(sheet, [`${basename(name)}/${sheet}`]);
    if (await isUsed(names, room)) tables.push(await converted(again(), name, names, sheet, facts, room));
    else room.unread.push(names);
  }
  return tables;
}

/** Errors of a file that do not matter to a query of other files. */
const UNREADABLE: ReadonlySet<ErrorCode> = new Set([
  'CORRUPT_FILE',
  'ENCRYPTED_FILE',
  'WRONG_PASSWORD',
  'LIMIT_EXCEEDED',
  'MISSING_DEPENDENCY',
]);

async function isUsed(names: readonly string[], { used }: Room): Promise<boolean> {
  const all = await used();
  return names.some((name) => all.has(name.toLowerCase()));
}

/** @throws {ReaderError} CORRUPT_FILE for a delimited file without a header */
function refuseEmpty({ processor, metadata }: Facts, name: string): void {
  if (processor === 'csv' && metadata['rows'] === 0 && metadata['columns'] === 0)
    throw new ReaderError(
      'CORRUPT_FILE',
      `${quoted(name)} is empty: it has no columns.`,
      'Query another file, or write a header into this one.',
    );
}

/**
 * The input for another read: a stream is gone once it is opened, but its bytes are held. Bytes that nothing identifies
 * are taken for CSV.
 */
function againFrom(input: Input, { source }: Opened): () => Input {
  if (typeof input === 'string' || input instanceof URL) return () => input;
  const { name, extension, mimeType = extension === '' ? 'text/csv' : undefined } = source;
  return () => ({ name, ...(mimeType !== undefined && { mimeType }), stream: source.chunks() });
}

interface Facts {
  readonly processor: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly isHeaderDoubtful: boolean;
}

/** @throws {ReaderError} for a file the reader cannot read */
async function inspected(
  again: () => Input,
  { source, entry }: Opened,
  { reader, signal }: Room,
): Promise<Facts> {
  const isLarge = entry === undefined && DELIMITED.has(source.extension) && source.size > 2 * HEAD_BYTES;
  const given: Input = isLarge
    ? { name: source.name, bytes: wholeLines(await source.read(0, HEAD_BYTES)) }
    : again();
  const answer = await reader.inspect(given, { signal });
  if (!answer.success) throw new ReaderError(answer.error.code, answer.error.message, answer.error.hint);
  const { processor, metadata, warnings } = answer;
  return {
    processor,
    metadata,
    isHeaderDoubtful: warnings.some(({ code }) => code === 'HEADER_GUESSED'),
  };
}

const wholeLines = (bytes: Uint8Array): Uint8Array =>
  bytes.subarray(0, bytes.lastIndexOf(10) + 1 || undefined);

/** How DuckDB reads the file itself; undefined if the reader has to convert it. */
function directContent(
  { processor, metadata }: Facts,
  { entry }: Opened,
  asked: boolean | undefined,
): TableFile['content'] | undefined {
  const { encoding, delimiter, quote, header } = metadata;
  const name: unknown =
    typeof encoding === 'object' && encoding !== null && 'name' in encoding ? encoding.name : undefined;
  if (entry !== undefined) return undefined;
  if (processor === 'parquet') return { kind: 'parquet' };
  if (name !== 'utf-8' && name !== 'ascii') return undefined;
  if (processor === 'json' || processor === 'jsonl') return { kind: processor };
  if (processor !== 'csv' || typeof delimiter !== 'string' || typeof quote !== 'string') return undefined;
  // DuckDB reads these in another way than the reader, and takes a first line `sep=;` for the names.
  if (['escape', 'initialSpaces', 'declared'].some((rule) => metadata[rule] !== undefined)) return undefined;
  return { kind: 'csv', delimiter, quote, header: asked ?? header === true };
}

/** True for a file whose first line is blank: DuckDB would take the line for the one with the names. */
async function startsBlank(source: Opened['source']): Promise<boolean> {
  const [first = 0, second, third, fourth] = await source.read(0, 4);
  const start = first === 0xef && second === 0xbb && third === 0xbf ? fourth : first;
  return start === 10 || start === 13;
}

/** The open file; bytes in memory are written to a temporary one. */
async function fileOf(opened: Opened, room: Room): Promise<FileHandle> {
  const held = handleOf(opened);
  if (held !== undefined) return held;
  const file = await heldFile(room);
  for await (const chunk of opened.source.chunks()) {
    throwIfAborted(room.signal);
    await file.appendFile(chunk);
  }
  return file;
}

async function heldFile({ held }: Room): Promise<FileHandle> {
  const file = await unnamedFile();
  held.push(() => file.close());
  return file;
}

/** The sheets of a workbook that have columns, or the tables of a database. Its views are not read. */
function sheetsOf({ metadata }: Facts): string[] {
  const { sheets } = metadata;
  return Array.isArray(sheets)
    ? sheets.flatMap((sheet: unknown) => (isTable(sheet) ? [sheet.name] : []))
    : [];
}

function isTable(sheet: unknown): sheet is { readonly name: string } {
  return isNamed(sheet) && 'rows' in sheet && !('columns' in sheet && sheet.columns === 0);
}

function isNamed(sheet: unknown): sheet is { readonly name: string } {
  return typeof sheet === 'object' && sheet !== null && 'name' in sheet && typeof sheet.name === 'string';
}

/** Names the views of a database and the sheets that are not tables of the query. */
function nameNoTables({ metadata }: Facts, name: string, warnings: Warning[]): void {
  const { sheets } = metadata;
  const others = (Array.isArray(sheets) ? sheets : []).flatMap((sheet: unknown) =>
    !isTable(sheet) && isNamed(sheet) ? [quoted(sheet.name)] : [],
  );
  if (others.length === 0) return;
  const more = others.length > MAX_NAMED ? ` and ${others.length - MAX_NAMED} more` : '';
  warnings.push({
    code: 'SKIPPED_CONTENT',
    message: `Not tables of the query: ${others.slice(0, MAX_NAMED).join(', ')}${more} of ${quoted(name)}; read the file to see what they hold.`,
  });
}

/** The table as CSV, written by the reader. @throws {ReaderError} UNSUPPORTED_FORMAT for a file without tables */
async function converted(
  input: Input,
  name: string,
  names: readonly string[],
  sheet: string | undefined,
  { processor, metadata }: Facts,
  room: Room,
): Promise<OpenTable> {
  if (metadata['rows'] === undefined && !Array.isArray(metadata['sheets']))
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      `${quoted(name)} is read as ${processor}, which has no tables.`,
      'Query a CSV, JSON, Parquet, Excel or SQLite file, or read this one.',
    );
  const file = await heldFile(room);
  const { maxStreamBytes } = room.reader.limits;
  const isDelimited = processor === 'csv';
  const isSheet = Array.isArray(metadata['sheets']) && processor !== 'sqlite';
  const request = {
    format: 'csv',
    plain: true,
    ...(sheet !== undefined && { sheet }),
    ...(isDelimited && room.header !== undefined && { header: room.header }),
    signal: room.signal,
  } as const;
  let bytes = 0;
  for await (const part of room.reader.stream(input, request)) {
    throwIfAborted(room.signal);
    if (part.kind !== 'text') continue;
    await file.appendFile(part.text);
    bytes += Buffer.byteLength(part.text);
    if (bytes > maxStreamBytes)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(name)} has more than ${maxStreamBytes} bytes as CSV (limit \`maxStreamBytes\`).`,
        'Convert it to Parquet or CSV, and query that.',
      );
  }
  return {
    names,
    bytes,
    file,
    content: {
      kind: 'csv',
      delimiter: ',',
      quote: '"',
      header: isDelimited
        ? (room.header ?? metadata['header'] === true)
        : !(isSheet && room.header === false),
      ...(processor === 'sqlite' && { nullText: 'NULL' }),
    },
  };
}

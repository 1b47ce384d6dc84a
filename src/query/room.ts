// What the tables of one query share: the reader, the names that are taken, and the files that are held open.

import type { FileHandle } from 'node:fs/promises';
import { quoted, ReaderError, throwIfAborted, type Warning } from '../contract/index.ts';
import { unnamedFile } from '../disk/index.ts';
import type { TableGroup } from '../isolated/query/groups.ts';
import type { Input, Reader, ReadRequest } from '../reader/index.ts';
import type { TableNames } from './table-names.ts';

/** The parts of a reader that a query uses. */
export type QueryReader = Pick<
  Reader,
  'read' | 'inspect' | 'stream' | 'limits' | 'count' | 'processors' | 'redactor' | 'workspace'
>;

export interface Room {
  readonly reader: QueryReader;
  /** The tables that the query names, in lower case. */
  readonly used: () => Promise<ReadonlySet<string>>;
  /** What stands in quotes in the query. */
  readonly inQuotes: readonly string[];
  readonly signal: AbortSignal;
  readonly names: TableNames;
  /** Names of tables that are not read. */
  readonly unread: (readonly string[])[];
  /** Files with several tables. */
  readonly groups: TableGroup[];
  /** Tables are converted also where DuckDB could read the file itself. */
  readonly converts: boolean;
  /** Whether the first record of a table names its columns. Default: as detected. */
  readonly header: boolean | undefined;
  readonly warnings: Warning[];
  readonly held: (() => Promise<void>)[];
}

export async function isUsed(names: readonly string[], { used }: Room): Promise<boolean> {
  const all = await used();
  return names.some((name) => all.has(name.toLowerCase()));
}

/** A temporary file, closed with the tables. */
export async function heldFile({ held }: Room): Promise<FileHandle> {
  const file = await unnamedFile();
  held.push(() => file.close());
  return file;
}

/** A text in pieces. */
export type Pieces = Iterable<string> | AsyncIterable<string>;

/** Text is written in pieces of about this size. */
const PIECE_CHARACTERS = 256 * 1024;

/** `pieces` in a temporary file. @throws {ReaderError} LIMIT_EXCEEDED */
export async function written(
  pieces: Pieces,
  name: string,
  room: Room,
): Promise<{ readonly file: FileHandle; readonly bytes: number }> {
  const file = await heldFile(room);
  const { maxStreamBytes } = room.reader.limits;
  let bytes = 0;
  let text = '';
  const flush = async (): Promise<void> => {
    throwIfAborted(room.signal);
    await file.appendFile(text);
    bytes += Buffer.byteLength(text);
    text = '';
    if (bytes > maxStreamBytes)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(name)} has more than ${maxStreamBytes} bytes as a table (limit \`maxStreamBytes\`).`,
        'Convert it to Parquet or CSV, and query that.',
      );
  };
  for await (const piece of pieces) {
    text += piece;
    if (text.length >= PIECE_CHARACTERS) await flush();
  }
  await flush();
  return { file, bytes };
}

/** The text of a file as the reader converts it; `told` gets what the reader left out of it. @throws {ReaderError} */
export async function* textOf(
  input: Input,
  request: Omit<ReadRequest, 'all' | 'cursor'>,
  { reader, signal }: Room,
  told: (warning: Warning) => void = () => undefined,
): AsyncGenerator<string> {
  const parts = reader.stream(input, { ...request, signal })[Symbol.asyncIterator]();
  try {
    let next = await parts.next();
    for (; !next.done; next = await parts.next()) if (next.value.kind === 'text') yield next.value.text;
    for (const warning of next.value) if (warning.code === 'SKIPPED_CONTENT') told(warning);
  } finally {
    await parts.return?.();
  }
}

/** The lines of a text in pieces, without their ends. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + piece;
    // A last `\r` may be the first half of a line end.
    const lines = text.slice(0, text.endsWith('\r') ? -1 : undefined).split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? '') + (text.endsWith('\r') ? '\r' : '');
    yield* lines;
  }
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest;
}

/** A record of CSV. */
export const recordOf = (fields: readonly string[]): string =>
  `${fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(',')}\n`;

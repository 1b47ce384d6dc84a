// A file of a query, opened: what the reader finds in it, and how DuckDB reads it as it is.

import type { FileHandle } from 'node:fs/promises';
import { quoted, ReaderError, throwIfAborted } from '../contract/index.ts';
import type { TableFile } from '../isolated/query/tables.ts';
import { handleOf, type Input, type Opened, open } from '../reader/index.ts';
import { redactedSource } from '../redact/index.ts';
import { heldFile, type Room } from './room.ts';

/** What an inspection finds. */
export interface Facts {
  readonly processor: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Codes of its warnings. */
  readonly doubts: ReadonlySet<string>;
}

/** A file or a part of it, as an address names it. */
export interface QueriedFile {
  readonly opened: Opened;
  /** For messages, with the path inside it: `gtfs.zip!/stops.txt`. */
  readonly name: string;
  /** `#table=3`; empty for a whole file. */
  readonly place: string;
  /** The path as the caller wrote it, if it is one, without the place. */
  readonly address: string | undefined;
  /**
   * The input for another read, at its place or at another one: `!/member`, `#table=1` or all of it, `''`. A stream is
   * gone once it is opened, but its bytes are held.
   */
  again(place?: string): Input;
}

/** @throws {ReaderError} as `open`, and LIMIT_EXCEEDED for bytes in memory above `maxStreamBytes` */
export async function openFile(input: Input, { reader, signal, held }: Room): Promise<QueriedFile> {
  const opened = await open(input, reader.limits, signal, reader.workspace, true);
  held.push(() => opened.close());
  const { source, entry, fragment = '' } = opened;
  const { maxStreamBytes } = reader.limits;
  if ((handleOf(opened) === undefined || reader.redactor) && source.size > maxStreamBytes)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `${quoted(source.name)} has ${source.size} bytes and has to be copied for a query; expected at most ${maxStreamBytes} (limit \`maxStreamBytes\`).`,
      'Query a smaller file.',
    );
  const { place: inside, path: member } = partedAt(entry ?? '');
  const place = inside === '' && fragment !== '' ? `#${fragment}` : inside;
  const whole =
    typeof input === 'string' || input instanceof URL ? partedAt(String(input), place).path : undefined;
  // Bytes that nothing identifies are taken for CSV.
  const mimeType = source.mimeType ?? (source.extension === '' ? 'text/csv' : undefined);
  const label = { name: source.name, ...(mimeType !== undefined && { mimeType }) };
  return {
    opened,
    name: entry === undefined ? source.name : `${source.name}!/${member}`,
    place,
    address: typeof input === 'string' ? whole : undefined,
    again: (at = place) => {
      if (whole !== undefined) return whole + at;
      const path = entry === undefined ? at.replace(/^!\//, '') : member + at;
      return { ...label, stream: source.chunks(), ...(path !== '' && { entry: path }) };
    },
  };
}

/** Cuts the place off an address; default: from its first `#`. */
function partedAt(
  address: string,
  place: string = address.includes('#') ? address.slice(address.indexOf('#')) : '',
): { readonly path: string; readonly place: string } {
  return { path: address.slice(0, address.length - place.length), place };
}

const DELIMITED = new Set(['.csv', '.tsv', '.tab', '.psv', '.ssv']);
/** The dialect of a larger file is detected from its beginning. */
const HEAD_BYTES = 1024 * 1024;

/** The facts of the whole file. @throws {ReaderError} for a file the reader cannot read, or that has no columns */
export async function inspected(file: QueriedFile, room: Room): Promise<Facts> {
  const { source, entry } = file.opened;
  const isLarge = entry === undefined && DELIMITED.has(source.extension) && source.size > 2 * HEAD_BYTES;
  const head = isLarge
    ? { name: source.name, bytes: wholeLines(await source.read(0, HEAD_BYTES)) }
    : undefined;
  // A place in it is found when it is read.
  const facts = await factsOf(head ?? file.again(''), room);
  if (facts.processor === 'csv' && facts.metadata['rows'] === 0 && facts.metadata['columns'] === 0)
    throw new ReaderError(
      'CORRUPT_FILE',
      `${quoted(file.name)} is empty: it has no columns.`,
      'Query another file, or write a header into this one.',
    );
  return facts;
}

/** What the reader finds in delimited text. */
export async function delimitedFacts(file: FileHandle, room: Room): Promise<Facts> {
  const head = Buffer.alloc(HEAD_BYTES);
  const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
  const bytes = bytesRead < HEAD_BYTES ? head.subarray(0, bytesRead) : wholeLines(head);
  return factsOf({ name: 'table.csv', bytes }, room);
}

/** @throws {ReaderError} as a read */
export async function factsOf(input: Input, { reader, signal }: Room): Promise<Facts> {
  const answer = await reader.inspect(input, { signal });
  if (!answer.success) throw new ReaderError(answer.error.code, answer.error.message, answer.error.hint);
  const { processor, metadata, warnings } = answer;
  return { processor, metadata, doubts: new Set(warnings.map(({ code }) => code)) };
}

/** Says whether the first record is a row, where that was guessed. */
export function noteHeader(name: string, { metadata, doubts }: Facts, { header, warnings }: Room): void {
  if (header !== undefined) return;
  const message = doubts.has('HEADER_GUESSED')
    ? `The first record of ${quoted(name)} looks like data; set \`header\` to false to read it as a row.`
    : metadata['header'] === false
      ? `${quoted(name)} has no header: its columns are column_1, column_2 and so on.`
      : undefined;
  if (message !== undefined) warnings.push({ code: 'HEADER_GUESSED', message });
}

const wholeLines = (bytes: Uint8Array): Uint8Array =>
  bytes.subarray(0, bytes.lastIndexOf(10) + 1 || undefined);

/** How DuckDB reads the file itself; undefined if the reader has to convert it. */
export async function directContent(
  { processor, metadata }: Facts,
  { opened: { source, entry } }: QueriedFile,
  { header: asked, reader: { redactor } }: Room,
): Promise<TableFile['content'] | undefined> {
  const { encoding, delimiter, quote, header } = metadata;
  const name: unknown =
    typeof encoding === 'object' && encoding !== null && 'name' in encoding ? encoding.name : undefined;
  if (entry !== undefined) return undefined;
  // Its text is compressed: the reader converts it.
  if (processor === 'parquet') return redactor ? undefined : { kind: 'parquet' };
  if (name !== 'utf-8' && name !== 'ascii') return undefined;
  if (processor === 'json' || processor === 'jsonl') return { kind: processor };
  if (processor !== 'csv' || typeof delimiter !== 'string' || typeof quote !== 'string') return undefined;
  // DuckDB reads these in another way than the reader, and takes a first line `sep=;` for the names.
  if (['escape', 'initialSpaces', 'declared'].some((rule) => metadata[rule] !== undefined)) return undefined;
  if (await startsBlank(source)) return undefined;
  return { kind: 'csv', delimiter, quote, header: asked ?? header === true };
}

/** True for a file whose first line is blank: DuckDB would take the line for the one with the names. */
async function startsBlank(source: Opened['source']): Promise<boolean> {
  const [first = 0, second, third, fourth] = await source.read(0, 4);
  const start = first === 0xef && second === 0xbb && third === 0xbf ? fourth : first;
  return start === 10 || start === 13;
}

/** The open file; bytes in memory, and text without its secrets, are written to a temporary one. */
export async function handleFor({ opened }: QueriedFile, room: Room): Promise<FileHandle> {
  const { redactor } = room.reader;
  const held = redactor ? undefined : handleOf(opened);
  if (held !== undefined) return held;
  const file = await heldFile(room);
  const source = redactor ? redactedSource(opened.source, redactor) : opened.source;
  for await (const chunk of source.chunks()) {
    throwIfAborted(room.signal);
    await file.appendFile(chunk);
  }
  return file;
}

// Everything a zip file lists, from its directory or, if that is missing, from the local headers. The caller decides
// what to keep of an entry and how many to accept.

import {
  type Bytes,
  quoted,
  ReaderError,
  type Source,
  throwIfAborted,
  visibleName,
  type Warning,
} from '../contract/index.ts';
import { encodingOfFields, type FieldEncoding } from '../encoding/index.ts';
import { corrupt, findZipDirectory, type ZipDirectory, type ZipRecord, zipRecords } from './directory.ts';
import { knownNameOf, type ZipData, type ZipEntry, zipEntryOf } from './entry.ts';
import { LOCAL_LENGTH } from './format.ts';
import { isInnerDirectory, salvagedRecords } from './salvage.ts';

export interface ZipContents<Kept> {
  /** In directory order; never empty without a directory. */
  readonly entries: readonly Kept[];
  /** Undefined if it is missing and the entries were found by their own headers. */
  readonly directory: ZipDirectory | undefined;
  /** Bytes of the directory from its first damaged record on. */
  readonly rest: Bytes;
  /** The encoding guessed for names that declare none; undefined if all do. */
  readonly names: FieldEncoding | undefined;
}

/** The warning for contents without a directory. */
export const CUT_OFF: Warning = {
  code: 'SKIPPED_CONTENT',
  message: 'The file is truncated: its directory is missing; what was found is shown.',
};

/** Converts a record to what the caller keeps; throws if there are too many entries. */
type Keep<Kept> = (entry: ZipEntry, record: ZipRecord) => Kept;

/**
 * @throws {ReaderError} CORRUPT_FILE without a directory and entries, or if entries overlap; UNSUPPORTED_FORMAT for one
 * part of several; LIMIT_EXCEEDED for a larger directory
 */
export async function readZip<Kept extends ZipData>(
  source: Source,
  maxDirectoryBytes: Bytes,
  keep: Keep<Kept>,
  signal?: AbortSignal,
): Promise<ZipContents<Kept>> {
  let directory: ZipDirectory;
  try {
    directory = await findZipDirectory(source);
    if (await isInnerDirectory(source, directory, signal)) throw corrupt('The end of the file is missing.');
  } catch (error) {
    if (!(error instanceof ReaderError) || error.code !== 'CORRUPT_FILE') throw error;
    const found = await salvaged(source, keep, signal);
    if (found.entries.length === 0) throw error;
    return found;
  }
  if (directory.part > 0)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      `${quoted(source.name)} is part ${directory.part + 1} of a zip archive in several files.`,
      'Join the parts (for example with `zip -s 0 archive.zip --out whole.zip`) and read the result.',
    );
  if (directory.size > maxDirectoryBytes)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The directory of the zip file has ${directory.size} bytes; expected at most ${maxDirectoryBytes}.`,
      'Extract it and read its files.',
    );
  const entries: Kept[] = [];
  let names: FieldEncoding | undefined;
  const records = zipRecords(source, directory);
  for (;;) {
    const { value, done } = await records.next();
    if (done) {
      // An end record with a wrong size: the directory it describes is empty although there are entries.
      if (entries.length === 0 && (directory.count > 0 || value.rest > 0)) {
        const found = await salvaged(source, keep, signal);
        if (found.entries.length > 0) return found;
      }
      refuseOverlap(entries);
      return { entries, directory, rest: value.rest, names };
    }
    if (signal && entries.length % 10_000 === 0) throwIfAborted(signal);
    if (names === undefined && knownNameOf(value) === undefined)
      names = await encodingOfNames(zipRecords(source, directory));
    entries.push(keep(zipEntryOf(value, names), value));
  }
}

async function encodingOfNames(records: AsyncIterable<ZipRecord>): Promise<FieldEncoding> {
  return encodingOfFields(undeclared(records), { origin: 'dos' });
}

async function* undeclared(records: AsyncIterable<ZipRecord>): AsyncGenerator<Uint8Array> {
  for await (const record of records) if (knownNameOf(record) === undefined) yield record.name;
}

/** What can be found without a directory. A name without any data is not an entry. */
async function salvaged<Kept>(
  source: Source,
  keep: Keep<Kept>,
  signal: AbortSignal | undefined,
): Promise<ZipContents<Kept>> {
  const entries: Kept[] = [];
  let names: FieldEncoding | undefined;
  for await (const record of salvagedRecords(source, signal)) {
    if (record.cut && record.compressedSize === 0) continue;
    if (names === undefined && knownNameOf(record) === undefined)
      names = await encodingOfNames(salvagedRecords(source, signal));
    entries.push(keep(zipEntryOf(record, names), record));
  }
  return { entries, directory: undefined, rest: 0, names };
}

/** No entry may begin inside the data of another. */
function refuseOverlap(entries: readonly ZipData[]): void {
  let end = 0;
  for (const { name, offset, compressedSize } of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (offset < end)
      throw new ReaderError(
        'CORRUPT_FILE',
        `The entry ${quoted(visibleName(name))} of the zip file overlaps another one, as in a zip bomb.`,
        'Do not extract it; ask for a new copy.',
      );
    end = offset + LOCAL_LENGTH + compressedSize;
  }
}

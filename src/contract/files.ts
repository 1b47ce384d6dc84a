// How the reader resolves paths that are not the host's: its view of a workspace. A path is opened to a descriptor, or
// to one version of a stored object, once, and all further work uses that.

import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { ReaderError, throwIfAborted } from './error.ts';
import type { Bytes } from './format.ts';
import { quoted } from './name.ts';

/** A file open for reading. Whoever requested it closes it with `closeFile`. */
export type OpenFile = LocalFile | RemoteFile;

/** A regular file of this host. */
export interface LocalFile {
  /** The name shown to the model, as from `visibleName`: the path inside the workspace, without a leading slash. */
  readonly name: string;
  readonly handle: FileHandle;
  /** Stats at the time of opening. */
  readonly stats: BigIntStats;
}

/** A file in object storage. It holds nothing open. */
export interface RemoteFile {
  /** As in `LocalFile`. */
  readonly name: string;
  readonly remote: RemoteBytes;
}

/** One version of a stored object, read over the network by ranges. */
export interface RemoteBytes {
  readonly size: Bytes;
  readonly modified: Date;
  /** Changes with the content. */
  readonly version: string;
  /**
   * The bytes `from` to `to`, the latter exclusive. Returning early ends the transfer.
   * @throws {ReaderError} CONFLICT once another version is stored, FILE_NOT_FOUND, TIMED_OUT, ABORTED
   */
  stream(from: Bytes, to: Bytes, signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

export const sizeOfFile = (file: OpenFile): Bytes =>
  'remote' in file ? file.remote.size : Number(file.stats.size);

/**
 * The bytes `from` to `to`, the latter exclusive, or to the end. Leaves the file open, also when stopped early: a stream
 * of Node closes its file when it is destroyed, whoever owns it.
 */
export async function* bytesOfFile(
  file: Pick<LocalFile, 'handle'> | Pick<RemoteFile, 'remote'>,
  {
    from = 0,
    to,
    signal,
  }: { readonly from?: Bytes; readonly to?: Bytes; readonly signal?: AbortSignal } = {},
): AsyncGenerator<Uint8Array> {
  if ('remote' in file) {
    const end = Math.min(to ?? file.remote.size, file.remote.size);
    if (from < end) yield* file.remote.stream(from, end, signal);
    return;
  }
  // To its end, not to the size it had: a file may grow while it is read.
  for (let position = from; position < (to ?? Number.POSITIVE_INFINITY); ) {
    if (signal) throwIfAborted(signal);
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, (to ?? Number.POSITIVE_INFINITY) - position));
    const { bytesRead } = await file.handle.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

export async function closeFile(file: OpenFile): Promise<void> {
  if ('handle' in file) await file.handle.close();
}

const CHUNK_BYTES = 256 * 1024;

/** Files by path. Paths are names, never URLs, and nothing outside is ever opened. */
export interface Files {
  /**
   * Opens a regular file and nothing else.
   * @throws {ReaderError} PATH_ESCAPES_WORKSPACE, FILE_NOT_FOUND (suggests similar names), NOT_A_FILE, ACCESS_DENIED,
   * BAD_INPUT
   */
  open(path: string): Promise<OpenFile>;
  /** Kind of the entry, following links; undefined if it does not exist or cannot be determined. Never throws. */
  kind(path: string): Promise<'file' | 'directory' | 'other' | undefined>;
}

/** A larger file without allocated blocks is sparse. */
const MAX_UNTOLD_BYTES = 64 * 1024;

/**
 * False if the size is only known after reading: generated files report 0 bytes (/proc, some network mounts) or a page
 * (/sys), and have no allocated blocks.
 */
export function tellsSize({ size, blocks }: BigIntStats): boolean {
  return size > 0n && (blocks > 0n || size > MAX_UNTOLD_BYTES);
}

/** @throws {ReaderError} BAD_INPUT unless `workspace` can open files */
export function checkFiles(workspace: unknown): void {
  if (typeof workspace === 'object' && workspace !== null && 'open' in workspace && 'kind' in workspace)
    return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`workspace\` is ${workspace === null ? 'null' : `a value of type ${quoted(typeof workspace)}`}; expected a workspace.`,
    'Pass `workspace: createWorkspace(...)`, or omit it for files of this host.',
  );
}

/**
 * Guards against a reader of another place, which could read files outside the workspace, up to the whole host.
 * @throws {ReaderError} BAD_INPUT unless `reader` is a reader created with `workspace`
 */
export function checkReaderOf(
  workspace: Files | undefined,
  reader: { readonly workspace: Files | undefined },
): void {
  const given: unknown = reader;
  if (typeof given !== 'object' || given === null || !('read' in given) || typeof given.read !== 'function')
    throw new ReaderError(
      'BAD_INPUT',
      '`reader` is not a reader.',
      'Pass `reader: createReader({ workspace })`.',
    );
  if (reader.workspace !== workspace)
    throw new ReaderError(
      'BAD_INPUT',
      '`reader` was not created with this `workspace`.',
      'Pass `reader: createReader({ workspace })`.',
    );
}

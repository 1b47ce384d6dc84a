// Where paths lead when they are not the host's: what the reader asks of a workspace. A path is opened to a descriptor
// once, and everything after works on that descriptor.

import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { ReaderError } from './error.ts';
import { quoted } from './name.ts';

/** A regular file, open for reading; who asked for it closes `handle`. */
export interface OpenFile {
  /** What the model may see, as `visibleName` shows it: the path inside the workspace, without a leading slash. */
  readonly name: string;
  readonly handle: FileHandle;
  /** As it was when it was opened. */
  readonly stats: BigIntStats;
}

/** Files by path. Paths are names, never URLs, and nothing outside is ever opened. */
export interface Files {
  /**
   * Opens a regular file at once, whatever lies there.
   * @throws {ReaderError} PATH_ESCAPES_WORKSPACE, FILE_NOT_FOUND (with near names), NOT_A_FILE, ACCESS_DENIED, BAD_INPUT
   */
  open(path: string): Promise<OpenFile>;
  /** What lies there, links followed; undefined for nothing, or nothing that may be known. Never throws. */
  kind(path: string): Promise<'file' | 'directory' | 'other' | undefined>;
}

/** Larger files that take no blocks on the disk are sparse. */
const MAX_UNTOLD_BYTES = 64 * 1024;

/**
 * False where only reading shows the size: files that are made as they are read say 0 bytes (/proc, some network mounts)
 * or a page (/sys), and take no blocks.
 */
export function tellsSize({ size, blocks }: BigIntStats): boolean {
  return size > 0n && (blocks > 0n || size > MAX_UNTOLD_BYTES);
}

/** @throws {ReaderError} BAD_INPUT unless `workspace` opens files */
export function checkFiles(workspace: unknown): void {
  if (typeof workspace === 'object' && workspace !== null && 'open' in workspace && 'kind' in workspace)
    return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`workspace\` is ${workspace === null ? 'null' : `a value of type ${quoted(typeof workspace)}`}, which opens no files.`,
    'Pass `workspace: createWorkspace(...)`, or leave it out for files of this host.',
  );
}

/**
 * A reader of another place would read what a workspace keeps from the model, up to the whole host.
 * @throws {ReaderError} BAD_INPUT unless `reader` is one, and its paths lead into `workspace`
 */
export function checkReaderOf(
  workspace: Files | undefined,
  reader: { readonly workspace: Files | undefined },
): void {
  const given: unknown = reader;
  if (typeof given !== 'object' || given === null || !('read' in given) || typeof given.read !== 'function')
    throw new ReaderError(
      'BAD_INPUT',
      'The `reader` is none: it has no function to read with.',
      'Pass `reader: createReader({ workspace })`.',
    );
  if (reader.workspace !== workspace)
    throw new ReaderError(
      'BAD_INPUT',
      'The `reader` was not made with this `workspace`: its paths lead elsewhere.',
      'Pass `reader: createReader({ workspace })`.',
    );
}

// How the reader resolves paths that are not the host's: its view of a workspace. A path is opened to a descriptor
// once, and all further work uses that descriptor.

import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { ReaderError } from './error.ts';
import { quoted } from './name.ts';

/** A regular file open for reading. Whoever requested it closes `handle`. */
export interface OpenFile {
  /** The name shown to the model, as from `visibleName`: the path inside the workspace, without a leading slash. */
  readonly name: string;
  readonly handle: FileHandle;
  /** Stats at the time of opening. */
  readonly stats: BigIntStats;
}

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

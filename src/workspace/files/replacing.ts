// Checks whether a file may be replaced: its kind, its name, and whether it is unchanged since the caller read it.

import { createHash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { bytesOfFile, quoted, ReaderError, refuseOther } from '../../contract/index.ts';
import { isReserved } from '../../disk/index.ts';
import { reservedName } from '../paths/names.ts';
import { type Place, pathError } from '../paths/walk.ts';
import type { WriteOptions } from '../workspace.ts';
import { taken } from './publish.ts';
import { throwIfCancelled } from './writing.ts';

export function refuseNames(names: readonly string[], path: string): void {
  if (names.length === 0) throw isFolder(path);
  if (names.some((name) => isReserved(Buffer.from(name)))) throw reservedName(path);
}

/** NOT_A_FILE when a write targets a folder. */
const isFolder = (path: string): ReaderError =>
  pathError(Object.assign(new Error('a folder'), { code: 'EISDIR' }), path, 'change');

export async function refuseReplacing(
  place: Pick<Place, 'directory' | 'name' | 'stats'> | undefined,
  path: string,
  { overwrite = false, ifSha256, signal }: WriteOptions,
): Promise<BigIntStats | undefined> {
  const stats = place?.stats;
  checkSha256(ifSha256);
  if (stats?.isDirectory()) throw isFolder(path);
  if (stats) refuseOther(stats, path);
  if (ifSha256 === undefined) {
    if (stats && !overwrite) throw taken(path);
    return stats;
  }
  const found = place?.name && stats ? await place.directory.find(place.name) : undefined;
  const hash = found?.handle && (await hashOf(found.handle, signal));
  if (hash === ifSha256.toLowerCase()) return found?.stats;
  throw changedSince(path, stats !== undefined);
}

/** @throws {ReaderError} BAD_INPUT if `ifSha256` is not a SHA-256 in hexadecimal */
export function checkSha256(ifSha256: unknown): void {
  if (ifSha256 === undefined || (typeof ifSha256 === 'string' && /^[\da-f]{64}$/i.test(ifSha256))) return;
  throw new ReaderError(
    'BAD_INPUT',
    `\`ifSha256\` is ${typeof ifSha256 === 'string' ? quoted(ifSha256) : `a value of type \`${typeof ifSha256}\``}; expected 64 hexadecimal digits.`,
    'Pass the `sha256` returned by an earlier call.',
  );
}

/** CONFLICT for a file that changed or was removed since it was read. */
export const changedSince = (path: string, exists: boolean): ReaderError =>
  new ReaderError(
    'CONFLICT',
    `${quoted(path)} ${exists ? 'changed since it was read' : 'was removed since it was read'}.`,
    'Read the file again first.',
  );

/** Closes `handle`. */
export async function hashOf(handle: FileHandle, signal: AbortSignal | undefined): Promise<string> {
  try {
    const hash = createHash('sha256');
    for await (const chunk of bytesOfFile({ handle })) {
      throwIfCancelled(signal);
      hash.update(chunk);
    }
    return hash.digest('hex');
  } finally {
    await handle.close();
  }
}

// Stores and removes one file: complete, durable and visible in one step, or not at all.

import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { errnoOf, ReaderError } from '../../contract/index.ts';
import { type Directory, isReserved, stagingName, sweep, writeAll } from '../../disk/index.ts';
import type { PutOptions } from '../blobs.ts';
import { blobChanged, keyTaken, throwIfCancelled } from '../failure.ts';
import { locked } from './lock.ts';
import { versionOf } from './version.ts';

/** A folder on the way to a key: `name` in `directory`. */
export interface Parent {
  readonly directory: Directory;
  readonly name: Buffer;
}

export interface Target {
  readonly key: string;
  readonly directory: Directory;
  readonly name: Buffer;
  /** The folders on the way, outermost first. */
  readonly parents: readonly Parent[];
}

export async function putFile(
  target: Target,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  { ifAbsent, ifVersion, signal }: PutOptions,
): Promise<BigIntStats> {
  const { key, directory, name } = target;
  if (isReserved(name))
    throw new ReaderError('BAD_INPUT', 'The key is a reserved name.', 'Use another name.');
  await sweep(directory);
  if (ifAbsent || ifVersion !== undefined) await check(target, ifAbsent, ifVersion);
  const staged = stagingName();
  const handle = await directory.create(staged, 0o666);
  try {
    await writeContent(handle, content, signal);
    await handle.sync();
    throwIfCancelled(signal);
    if (ifAbsent) {
      await directory.link(staged, directory, name).catch((error: unknown) => {
        throw errnoOf(error) === 'EEXIST' ? keyTaken(key) : error;
      });
      await directory.unlink(staged);
    } else
      await locked(directory, name, async () => {
        if (ifVersion !== undefined) await check(target, false, ifVersion);
        await directory.rename(staged, directory, name);
      });
    const stats = await handle.stat({ bigint: true });
    await directory.sync();
    return stats;
  } catch (error) {
    await directory.unlink(staged).catch(() => undefined); // already renamed
    throw errnoOf(error) === 'EISDIR' || errnoOf(error) === 'ENOTEMPTY' ? usedAsFolder() : error;
  } finally {
    await handle.close();
  }
}

/** False if there was no file. Folders left empty are removed. */
export async function removeFile(target: Target, ifVersion: string | undefined): Promise<boolean> {
  const { directory, name, parents } = target;
  const removed = await locked(directory, name, async () => {
    try {
      if (!(await directory.stat(name)).isFile()) return false;
      if (ifVersion !== undefined) await check(target, false, ifVersion);
      await directory.unlink(name);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  });
  if (!removed) return false;
  await directory.sync();
  for (const parent of [...parents].reverse())
    try {
      await parent.directory.removeFolder(parent.name);
    } catch {
      break; // not empty
    }
  return true;
}

async function check(
  { key, directory, name }: Target,
  ifAbsent: boolean | undefined,
  ifVersion: string | undefined,
): Promise<void> {
  const stats = await directory.stat(name).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (ifAbsent && stats) throw keyTaken(key);
  if (ifVersion !== undefined && (!stats || versionOf(stats) !== ifVersion)) throw blobChanged(key);
}

function usedAsFolder(): ReaderError {
  return new ReaderError(
    'BAD_INPUT',
    'Other keys start with this one and a `/`; a folder cannot store both.',
    'Use another name.',
  );
}

async function writeContent(
  handle: FileHandle,
  content: Uint8Array | AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for await (const piece of content instanceof Uint8Array ? [content] : content) {
    throwIfCancelled(signal);
    await writeAll(handle, piece);
  }
}

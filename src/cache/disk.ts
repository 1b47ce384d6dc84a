// The conversion cache on disk: one file per entry, verified on every read, bounded in size, safe to share between
// processes and to kill at any time. Does not interpret its entries.

import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename, rm, unlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bytes } from '../contract/index.ts';
import { makeFolder, writeAll } from '../disk/index.ts';
import type { ConversionCache } from './cache.ts';
import { headerOf, KEY, payloadOf } from './entry.ts';

/** Where entries are kept, and their maximum total size. */
export interface DiskCacheOptions {
  /** Created with the first entry; private to its owner. */
  readonly directory: string;
  /** Default 512 MiB, accurate to one entry. An entry larger than 1/32 of it is not kept. */
  readonly maxBytes?: Bytes;
}

/** Contents of a disk cache. */
export interface CacheStats {
  readonly directory: string;
  readonly entries: number;
  readonly bytes: Bytes;
  readonly maxBytes: Bytes;
  /** Why nothing can be kept here, if so. */
  readonly problem?: string;
}

/** A conversion cache that outlives the process. */
export interface DiskCache extends ConversionCache {
  stats(): Promise<CacheStats>;
  /** Drops every entry, and returns what there was. Leaves other files alone. */
  clear(): Promise<CacheStats>;
}

const SCHEMA = 'v1';
const MAX_BYTES = 512 * 1024 * 1024;
/**
 * Entries are spread over 16 folders by the first letter of their key, each with its own limit, so the total is never
 * counted.
 */
const FOLDERS = '0123456789abcdef';
/** An entry's time of last use is updated at most this often. */
const TOUCH_MS = 10 * 60 * 1000;
/** A temporary file this old has been abandoned. */
const ABANDONED_MS = 60 * 60 * 1000;
/** Share of a folder's limit in use after an eviction. */
const LOW_WATER = 0.9;

/** A cache in `directory`, which is not touched before the first entry. */
export function createDiskCache({ directory, maxBytes = MAX_BYTES }: DiskCacheOptions): DiskCache {
  const root = join(directory, SCHEMA);
  const folderOf = (key: string): string => join(root, key.slice(0, 1));
  const folderBytes = maxBytes / FOLDERS.length;
  let problem: string | undefined;
  const told = (error: unknown): undefined => {
    problem = reasonOf(error);
    return undefined;
  };
  return {
    get: async (key) => {
      if (!KEY.test(key)) return undefined;
      try {
        const payload = await readEntry(join(folderOf(key), key), key);
        if (payload) await checkOwner(directory);
        return payload;
      } catch (error) {
        return codeOf(error) === 'ENOENT' ? undefined : told(error);
      }
    },
    put: async (key, bytes) => {
      if (!KEY.test(key) || bytes.length > folderBytes / 2) return;
      const folder = folderOf(key);
      try {
        await makeFolder(folder, 0o700);
        await checkOwner(directory);
        await writeEntry(folder, key, bytes);
        await evict(folder, folderBytes);
        problem = undefined;
      } catch (error) {
        told(error);
      }
    },
    stats: async () => statsOf(directory, root, maxBytes, problem),
    clear: async () => {
      const before = await statsOf(directory, root, maxBytes, problem);
      for (const folder of FOLDERS)
        for (const { path } of await entriesOf(join(root, folder)).catch(none))
          await rm(path, { force: true });
      return before;
    },
  };
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** Without the path, because it may be shown to a model. */
function reasonOf(error: unknown): string {
  return codeOf(error) || (error instanceof Error ? error.message : String(error));
}

/** @throws {Error} if others can write here, since their files would be shown as document content, or run as code */
async function checkOwner(directory: string): Promise<void> {
  const stats = await lstat(directory);
  const mine = process.getuid?.();
  if (!stats.isDirectory()) throw new Error('the cache directory is a link or a file');
  if (mine !== undefined && stats.uid !== mine && stats.uid !== 0)
    throw new Error('the cache directory belongs to another user');
  if (process.platform !== 'win32' && (stats.mode & 0o002) !== 0)
    throw new Error('the cache directory is writable by everyone');
}

/** The payload of a complete, valid file. An invalid file is removed. */
async function readEntry(path: string, key: string): Promise<Uint8Array | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) return undefined;
    const bytes = await readAll(handle, stats.size);
    const payload = payloadOf(bytes, key);
    if (!payload) {
      await unlinkSame(path, stats);
      return undefined;
    }
    const now = Date.now();
    if (now - stats.mtimeMs > TOUCH_MS || stats.mtimeMs > now)
      await utimes(path, now / 1000, now / 1000).catch(() => undefined); // only its last-use time is lost
    return payload;
  } finally {
    await handle.close();
  }
}

async function readAll(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(bytes, filled, size - filled, filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}

/** Writes the file atomically, replacing an older one of the same key. */
async function writeEntry(folder: string, key: string, payload: Uint8Array): Promise<void> {
  const temporary = join(folder, `${randomBytes(12).toString('hex')}.tmp`);
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const handle = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      for (const piece of [headerOf(key, payload), payload]) await writeAll(handle, piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, join(folder, key));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

interface Found {
  readonly path: string;
  readonly size: Bytes;
  readonly mtimeMs: number;
  readonly ino: number;
}

const none = (): Found[] => [];

/** The entries of a folder. Removes abandoned files, and skips links, folders and unknown names. */
async function entriesOf(folder: string): Promise<Found[]> {
  const entries: Found[] = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined); // another process may have removed it
    if (!stats?.isFile()) continue;
    if (/^[0-9a-f]{24}\.tmp$/.test(name)) {
      if (Date.now() - stats.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    } else if (KEY.test(name))
      entries.push({ path, size: stats.size, mtimeMs: stats.mtimeMs, ino: stats.ino });
  }
  return entries;
}

/** Removes the least recently used entries until the folder is within its limit. */
async function evict(folder: string, maxBytes: Bytes): Promise<void> {
  const entries = await entriesOf(folder);
  let held = entries.reduce((sum, { size }) => sum + size, 0);
  if (held <= maxBytes) return;
  entries.sort((a, b) => a.mtimeMs - b.mtimeMs);
  for (const entry of entries) {
    if (held <= maxBytes * LOW_WATER) return;
    await unlinkSame(entry.path, entry);
    held -= entry.size;
  }
}

/** Removes the inspected file, but not another one that has taken its name since. */
async function unlinkSame(
  path: string,
  seen: { readonly ino: number; readonly mtimeMs: number },
): Promise<void> {
  const now = await lstat(path).catch(() => undefined); // gone already
  if (now && now.ino === seen.ino && now.mtimeMs === seen.mtimeMs)
    await unlink(path).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error;
    });
}

async function statsOf(
  directory: string,
  root: string,
  maxBytes: Bytes,
  problem: string | undefined,
): Promise<CacheStats> {
  let entries = 0;
  let bytes = 0;
  for (const folder of FOLDERS)
    for (const { size } of await entriesOf(join(root, folder)).catch(none)) {
      entries += 1;
      bytes += size;
    }
  return { directory, entries, bytes, maxBytes, ...(problem !== undefined && { problem }) };
}

// A folder on this host as the storage of a plan. Its files must be regular files: links and pipes are refused.

import { constants } from 'node:fs';
import { type FileHandle, link, open, readdir, rename, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Attempt, errnoOf, ReaderError, refuseOther, systemError } from '../contract/index.ts';
import { makeFolder } from '../disk/index.ts';
import { takeLock } from './lock.ts';
import type { PlanStorage } from './storage.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Larger files are refused. */
const MAX_BYTES = 256 * 1024 * 1024;
const TEMPORARY = /^\.[\w.-]+\.tmp$/;
/** Zero where the system has no such flag. */
const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_TRUNC, O_WRONLY } = constants;

/** The plan in folder `path`, by convention `.agent_context`, which is created on the first write. */
export function createPlanDirectory(path: string): PlanStorage {
  let made = false;
  const make = async (): Promise<void> => {
    if (!made) await explained('change', basename(path), () => makeFolder(path, FOLDER_MODE));
    made = true;
  };
  const at = (name: string): string => join(path, name);
  return {
    read: (name, from = 0) => explained('open', name, () => textFrom(at(name), from)),
    write: async (name, text) => {
      await make();
      const staged = at(`.${name}.${process.pid}.tmp`);
      await explained('change', name, async () => {
        await durably(staged, O_TRUNC, text);
        await rename(staged, at(name));
        await syncFolder(path);
      });
    },
    append: async (name, text) => {
      await make();
      return { bytes: await explained('change', name, () => durably(at(name), O_APPEND, text)) };
    },
    setAside: (name) => explained('change', name, () => setAside(path, name)),
    lock: async () => {
      await make();
      return explained('change', basename(path), async () => {
        const lock = await takeLock(path);
        try {
          // Left behind by killed writers. Only the holder of the lock writes.
          for (const name of await readdir(path)) if (TEMPORARY.test(name)) await removed(at(name));
          return lock;
        } catch (error) {
          await lock.release();
          throw error;
        }
      });
    },
  };
}

/** @throws {ReaderError} for system errors: ACCESS_DENIED, QUOTA_EXCEEDED, NOT_A_FILE, NOT_A_FOLDER and others */
async function explained<T>(attempt: Attempt, name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw systemError(error, name, attempt);
  }
}

/** @throws {ReaderError} NOT_A_FILE for a link, a folder, a pipe or a device */
async function openFile(path: string, flags: number): Promise<FileHandle> {
  const name = basename(path);
  let file: FileHandle;
  try {
    file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, FILE_MODE);
  } catch (error) {
    if (errnoOf(error) !== 'ELOOP') throw error;
    throw new ReaderError(
      'NOT_A_FILE',
      `\`${name}\` is a link; expected a regular file.`,
      'Remove the link, or use another folder.',
      error,
    );
  }
  try {
    refuseOther(await file.stat({ bigint: true }), name);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function textFrom(path: string, from: number): Promise<string | undefined> {
  let file: FileHandle;
  try {
    file = await openFile(path, O_RDONLY);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size } = await file.stat();
    const bytes = Math.max(0, size - from);
    if (bytes > MAX_BYTES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `\`${basename(path)}\` has ${size} bytes; expected at most ${MAX_BYTES}.`,
        'Move the folder of the plan away and start a new plan.',
      );
    const buffer = Buffer.alloc(bytes);
    let filled = 0;
    while (filled < bytes) {
      const { bytesRead } = await file.read(buffer, filled, bytes - filled, from + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.toString('utf8', 0, filled);
  } finally {
    await file.close();
  }
}

/** Writes `text` and returns the size of the file. */
async function durably(path: string, flag: number, text: string): Promise<number> {
  const file = await openFile(path, O_WRONLY | O_CREAT | flag);
  try {
    await file.writeFile(text);
    await file.datasync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows cannot open folders; its renames are durable.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function setAside(folder: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const aside = `${name}.damaged-${number}`;
    try {
      // Unlike a rename, a link never replaces an existing file.
      await link(join(folder, name), join(folder, aside));
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') continue;
      throw error;
    }
    await unlink(join(folder, name));
    return aside;
  }
}

async function removed(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    // A folder of such a name was not left by a writer.
    if (!['ENOENT', 'EISDIR', 'EPERM'].includes(errnoOf(error) ?? '')) throw error;
  }
}

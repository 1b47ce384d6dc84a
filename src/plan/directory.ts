// A folder of this host as the place of a plan.

import { link, open, readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, ReaderError } from '../contract/index.ts';
import { makeFolder } from '../disk/index.ts';
import { takeLock } from './lock.ts';
import type { PlanStorage } from './storage.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** A state or a log that is longer is none of ours. */
const MAX_BYTES = 256 * 1024 * 1024;
const TEMPORARY = /^\.[\w.-]+\.tmp$/;

/** The plan in folder `path`, by convention `.agent_context`; it is made when something is written. */
export function createPlanDirectory(path: string): PlanStorage {
  let made = false;
  const make = async (): Promise<void> => {
    if (!made) await makeFolder(path, FOLDER_MODE);
    made = true;
  };
  const at = (name: string): string => join(path, name);
  return {
    read: (name, from = 0) => textFrom(at(name), from),
    write: async (name, text) => {
      await make();
      const staged = at(`.${name}.${process.pid}.tmp`);
      await durably(staged, 'w', text);
      await rename(staged, at(name));
      await syncFolder(path);
    },
    append: async (name, text) => {
      await make();
      return { bytes: await durably(at(name), 'a', text) };
    },
    setAside: (name) => setAside(path, name),
    lock: async () => {
      await make();
      const lock = await takeLock(path);
      // What a writer that was killed left behind; nobody else writes now.
      for (const name of await readdir(path)) if (TEMPORARY.test(name)) await removed(at(name));
      return lock;
    },
  };
}

async function textFrom(path: string, from: number): Promise<string | undefined> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, 'r');
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
        `The plan's file has ${size} bytes; expected at most ${MAX_BYTES}.`,
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

/** The size of the file after it. */
async function durably(path: string, flags: 'a' | 'w', text: string): Promise<number> {
  const file = await open(path, flags, FILE_MODE);
  try {
    await file.writeFile(text);
    await file.datasync();
    return (await file.stat()).size;
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folder; a rename there is durable by itself.
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
      // Unlike a rename, a link never replaces what was set aside before.
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
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

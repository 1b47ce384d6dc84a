// Admits one process at a time to the folder of a plan. Each process writes its own lock file and then looks for others: of
// two that start together at least one sees the other. The files of ended processes are removed.

import { randomUUID } from 'node:crypto';
import { lstat, readdir, readFile, rename, unlink, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, isCount, ReaderError } from '../contract/index.ts';

/** The process behind a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Start of the process in ticks since boot, if known: a later process may have the same number. */
  readonly started: string | undefined;
}

const PREFIX = 'lock-';
/** How often a holder updates the time of its file, and how long the file of another host is valid without that. */
const TOUCH_MS = 10_000;
const STALE_MS = 60_000;
const MAX_BYTES = 4096;
const MAX_PID = 2 ** 31 - 1;
/** Processes that start together back off and try again. */
const TRIES = 5;
const MAX_PAUSE_MS = 50;

/** @throws {ReaderError} BUSY */
export async function takeLock(folder: string): Promise<{ release(): Promise<void> }> {
  const own: Holder = { pid: process.pid, host: hostname(), started: await startOf(process.pid) };
  for (let tries = 1; ; tries += 1) {
    const name = `${PREFIX}${randomUUID()}`;
    const path = join(folder, name);
    let other: Holder | 'unknown' | undefined = 'unknown';
    try {
      if (await written(folder, name, own)) other = await otherThan(folder, name);
    } catch (error) {
      await gone(path);
      throw error;
    }
    if (!other) return held(path);
    await gone(path);
    if (tries === TRIES) throw busy(other);
    await delay(Math.random() * MAX_PAUSE_MS);
  }
}

/** Creates the file with its content, atomically. False if another process removed the temporary file. */
async function written(folder: string, name: string, holder: Holder): Promise<boolean> {
  const staged = join(folder, `.${name}.tmp`);
  await writeFile(staged, JSON.stringify(holder), { flag: 'wx', mode: 0o600 });
  try {
    await rename(staged, join(folder, name));
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

function held(path: string): { release(): Promise<void> } {
  const touch = setInterval(() => {
    // The folder was removed, and the lock with it.
    utimes(path, new Date(), new Date()).catch(() => clearInterval(touch));
  }, TOUCH_MS);
  touch.unref();
  return {
    release: async () => {
      clearInterval(touch);
      await gone(path);
    },
  };
}

/** A running holder other than `own`. Removes the files of ended ones. */
async function otherThan(folder: string, own: string): Promise<Holder | 'unknown' | undefined> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(PREFIX) || name === own) continue;
    const path = join(folder, name);
    const holder = await holderOf(path);
    if (holder === undefined) continue;
    if (await isAlive(holder, path)) return holder;
    await gone(path);
  }
  return undefined;
}

async function holderOf(path: string): Promise<Holder | 'unknown' | undefined> {
  try {
    // A link or a folder is not a lock.
    const stats = await lstat(path);
    if (!stats.isFile()) return undefined;
    if (stats.size > MAX_BYTES) return 'unknown';
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof value !== 'object' || value === null) return 'unknown';
    const { pid, host, started } = value as Partial<Record<keyof Holder, unknown>>;
    if (!isCount(pid, MAX_PID) || pid === 0 || typeof host !== 'string') return 'unknown';
    return { pid, host, started: typeof started === 'string' ? started : undefined };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return 'unknown';
    throw error;
  }
}

async function isAlive(holder: Holder | 'unknown', path: string): Promise<boolean> {
  if (holder === 'unknown' || holder.host !== hostname()) return isFresh(path);
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return false;
  }
  const started = await startOf(holder.pid);
  return started === undefined || holder.started === undefined || started === holder.started;
}

async function isFresh(path: string): Promise<boolean> {
  try {
    // A clock that was set back leaves times in the future.
    return Math.abs(Date.now() - (await lstat(path)).mtimeMs) < STALE_MS;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Field 22 of /proc/PID/stat. The name before it may contain spaces and parentheses. */
async function startOf(pid: number): Promise<string | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined;
  }
}

async function gone(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

function busy(holder: Holder | 'unknown'): ReaderError {
  const who = holder === 'unknown' ? 'another process' : `process ${holder.pid} on ${holder.host}`;
  return new ReaderError(
    'BUSY',
    `The plan is in use by ${who}.`,
    'Wait until it ends, or use another folder.',
  );
}

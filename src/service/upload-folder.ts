// The folder where uploads of one service process wait. What a process that was killed left behind goes at the next start.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A live process renews the time of its folder more often than another machine waits to take it for dead. */
const RENEW_MS = 60 * 60 * 1000;
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Folders of this very process: a container starts with the same number again. */
const own = new Set<string>();

/** Makes a folder of this process in `parent`. */
export async function uploadFolder(
  parent: string,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const host = hostname().replace(/[^\w.-]/g, '_');
  for (const name of await readdir(parent))
    if (await isAbandoned(join(parent, name), name, host))
      await rm(join(parent, name), { recursive: true, force: true });
  const name = `${host}--${process.pid}--${startOf(process.pid)}--${randomUUID()}`;
  const path = join(parent, name);
  await mkdir(path, { mode: 0o700 });
  own.add(name);
  const timer = setInterval(() => {
    const now = new Date();
    void utimes(path, now, now).catch(() => undefined); // uploads fail first, and say why
  }, RENEW_MS);
  timer.unref();
  return {
    path,
    remove: async () => {
      clearInterval(timer);
      own.delete(name);
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function isAbandoned(path: string, name: string, host: string): Promise<boolean> {
  const [, owner, pid, start] = /^(.+)--(\d+)--(\d*)--[\da-f-]{36}$/.exec(name) ?? [];
  if (owner === undefined || own.has(name)) return false;
  if (owner === host)
    return Number(pid) === process.pid || !isAlive(Number(pid)) || startOf(Number(pid)) !== start;
  // A process of another machine on the same volume cannot be asked for.
  const facts = await stat(path).catch(() => undefined);
  return facts !== undefined && Date.now() - facts.mtimeMs > ABANDONED_MS;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // There is one that belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** When a process started, in clock ticks since the system did (proc(5), field 22); empty where that cannot be known. */
function startOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return fields.slice(fields.lastIndexOf(')')).split(' ')[20] ?? '';
  } catch {
    return '';
  }
}

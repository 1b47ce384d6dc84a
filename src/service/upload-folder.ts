// The folder where uploads of one service process wait. What a process that was killed left behind goes at the next start.

import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Makes a folder of this process in `parent`. */
export async function uploadFolder(
  parent: string,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  const host = hostname().replace(/[^\w.-]/g, '_');
  for (const name of await readdir(parent)) {
    const [, owner, pid] = /^(.+)--(\d+)--/.exec(name) ?? [];
    // A process of another machine on the same volume cannot be asked for; it cleans up after itself.
    if (owner === host && !isAlive(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true });
  }
  const path = join(parent, `${host}--${process.pid}--${randomUUID()}`);
  await mkdir(path, { mode: 0o700 });
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
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

// Folders that belong to a running process and are removed with it. The name identifies the owner, so that leftovers of
// a killed process can be told apart from folders in use.

import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { lstat, mkdir, opendir, rm, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A folder that exists until it is removed or its process exits. */
export interface OwnedFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Owners update their folders' times more often than another machine waits before treating them as abandoned. */
const RENEW_MS = 60 * 60 * 1000;
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Folders of this process. */
const owned = new Set<string>();
let renewal: NodeJS.Timeout | undefined;

/**
 * Creates a folder for this process in `parent`, with a name starting with `prefix`.
 * @throws the error of `mkdir`
 */
export async function ownedFolder(parent: string, prefix: string): Promise<OwnedFolder> {
  const path = join(parent, `${prefix}${where()}--${process.pid}--${startOf(process.pid)}--${randomUUID()}`);
  await mkdir(path, { mode: 0o700 });
  owned.add(path);
  if (!renewal) {
    process.once('exit', removeAll);
    renewal = setInterval(renew, RENEW_MS).unref();
  }
  return {
    path,
    remove: async () => {
      await rm(path, { recursive: true, force: true, maxRetries: 3 });
      owned.delete(path);
    },
  };
}

/** Removes folders with `prefix` that dead processes of this user left in `parent`. Skips what cannot be removed. */
export async function removeAbandoned(parent: string, prefix: string): Promise<void> {
  for await (const { name } of await opendir(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    try {
      if (await isAbandoned(path, name.slice(prefix.length)))
        await rm(path, { recursive: true, force: true });
    } catch {
      // Another process is removing it too.
    }
  }
}

async function isAbandoned(path: string, name: string): Promise<boolean> {
  const [, place, pid, start] = /^(.+)--(\d+)--(\d*)--[\da-f-]{36}$/.exec(name) ?? [];
  if (place === undefined) return false;
  const facts = await lstat(path);
  // The temporary directory is shared: a name there proves nothing, and another user could replace its contents.
  if (!facts.isDirectory() || facts.uid !== (process.getuid?.() ?? facts.uid)) return false;
  if (place === where()) return !isAlive(Number(pid)) || startOf(Number(pid)) !== start;
  // A process of another machine or container cannot be checked.
  return Date.now() - facts.mtimeMs > ABANDONED_MS;
}

/** The scope in which process ids are unique: this host and, on Linux, this namespace. */
function where(): string {
  const host = hostname().replace(/[^\w.-]/g, '_');
  try {
    return `${host}-${/\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''}`;
  } catch {
    return host;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It exists, but belongs to someone else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Start time of a process in clock ticks since boot (proc(5), field 22); empty if unknown. */
function startOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return fields.slice(fields.lastIndexOf(')')).split(' ')[20] ?? '';
  } catch {
    return '';
  }
}

function renew(): void {
  const now = new Date();
  for (const path of owned) void utimes(path, now, now).catch(() => undefined); // its next use fails and reports the reason
}

function removeAll(): void {
  for (const path of owned) rmSync(path, { recursive: true, force: true });
}

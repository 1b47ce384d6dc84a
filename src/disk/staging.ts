// Names of files being written. A name identifies its writer, so that the leftovers of a killed process can be told
// apart from writes in progress.

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { BoundedMap } from '../contract/index.ts';
import type { Directory } from './directory.ts';

/** A file not written to for this long is abandoned, even if its writer ran on another host. */
const ABANDONED_MS = 60 * 60 * 1000;

/** A process sweeps a folder at most this often, and looks at a limited number of its entries. */
const SWEEP_EVERY_MS = 10 * 60 * 1000;
const SWEPT_ENTRIES = 10_000;
const SWEPT_FOLDERS = 1000;

const swept = new BoundedMap<string, number>({ most: SWEPT_FOLDERS });

/** A unique reserved name. */
export function stagingName(): Buffer {
  return Buffer.from(`.lectern-${writer()}-${randomBytes(9).toString('hex')}.tmp`);
}

let self: string | undefined;

/** Identifies this process: its namespace, process id and start time, where the system provides them. */
function writer(): string {
  self ??= `${namespace()}-${process.pid.toString(36)}-${startOf(statText('self')) ?? '0'}`;
  return self;
}

/** A process id is only unique within one boot and one PID namespace. */
function namespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return createHash('sha256')
      .update(`${boot} ${readlinkSync('/proc/self/ns/pid')}`)
      .digest('hex')
      .slice(0, 12);
  } catch {
    return '0';
  }
}

function statText(id: string): string {
  try {
    return readFileSync(`/proc/${id}/stat`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Field 22 of proc_pid_stat(5), in base 36. Field 2, the process name, may contain anything, so fields are counted
 * after it.
 */
function startOf(stat: string): string | undefined {
  const ticks = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return Number.isSafeInteger(ticks) ? ticks.toString(36) : undefined;
}

/** True when the writer of the reserved name `name` is gone. */
export async function isAbandoned(name: Buffer, modified: Date): Promise<boolean> {
  const [, place, id = '', start] = name.toString('latin1').slice(0, -'.tmp'.length).split('-');
  if (place === '0' || start === '0' || place !== writer().split('-')[0])
    return Math.abs(Date.now() - modified.getTime()) > ABANDONED_MS;
  try {
    const stat = await readFile(`/proc/${Number.parseInt(id, 36)}/stat`, 'latin1');
    return startOf(stat) !== start;
  } catch {
    return true; // no such process
  }
}

/** Removes leftovers of dead writers from `directory`. Failures are ignored: they must not fail the current write. */
export async function sweep(
  directory: Directory,
  { now = false }: { readonly now?: boolean } = {},
): Promise<number> {
  let removed = 0;
  try {
    if (!now && !(await isDue(directory))) return 0;
    let seen = 0;
    for await (const { name, kind } of directory.entries()) {
      seen += 1;
      if (!now && seen > SWEPT_ENTRIES) break;
      if (kind !== 'file' || !isReserved(name)) continue;
      const { mtime } = await directory.stat(name);
      if (!(await isAbandoned(name, mtime))) continue;
      await directory.unlink(name);
      removed += 1;
    }
  } catch {
    return removed; // another sweeper was faster, or the folder cannot be listed
  }
  return removed;
}

async function isDue(directory: Directory): Promise<boolean> {
  // Inode numbers are reused soon after a folder is removed.
  const { dev, ino, birthtimeNs } = await directory.ownStats();
  const key = `${dev}:${ino}:${birthtimeNs}`;
  const last = swept.get(key);
  if (last !== undefined && Date.now() - last < SWEEP_EVERY_MS) return false;
  swept.set(key, Date.now());
  return true;
}

/** True for names of files being written, which no operation lists, reads or writes. */
export function isReserved(name: Buffer): boolean {
  return name.length < 100 && RESERVED.test(name.toString('latin1'));
}

const RESERVED = /^\.lectern-[0-9a-z-]+\.tmp$/;

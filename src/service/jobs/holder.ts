// A name for the process that works on an item or writes a file. Other processes can check it, so that after a crash
// its work is taken over at once instead of after the lease. Only works on Linux; elsewhere no process is known to be
// dead.

import { readFileSync, readlinkSync } from 'node:fs';

interface Identity {
  readonly boot: string;
  /** Inode of the PID namespace: a process of another container cannot be looked up by its number. */
  readonly namespace: string;
  readonly pid: string;
  /** Start time in clock ticks since boot, so that a reused process id does not look alive. */
  readonly started: string;
}

const NAME = /^(?<boot>[0-9a-f]{8})-(?<namespace>\d+)-(?<pid>\d+)-(?<started>\d+)$/;

/** Field 22 of proc_pid_stat(5); the name in field 2 may hold blanks and parentheses. */
function startTime(pid: string): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie (field 3) never works again.
  if (fields[0] === 'Z' || fields[0] === 'X') throw new Error('The process has ended.');
  return fields[19] ?? '';
}

const bootOf = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);
const namespaceOf = (): string => /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';

/** The name of this process: letters, digits and `-` only. */
export function thisHolder(): string {
  const pid = String(process.pid);
  try {
    return `${bootOf()}-${namespaceOf()}-${pid}-${startTime(pid)}`;
  } catch {
    return `unknown-${pid}-${Math.trunc(performance.timeOrigin)}`;
  }
}

/**
 * True if the process called `name` has certainly ended. False if unknown: another PID namespace, or a system without
 * /proc. A file belongs to one machine, so another boot means that the machine restarted; what is shared between machines
 * says nothing of processes on another.
 */
export function hasEnded(name: string, { isShared = false }: { readonly isShared?: boolean } = {}): boolean {
  // The groups of NAME are those of Identity.
  const identity = NAME.exec(name)?.groups as unknown as Identity | undefined;
  if (identity === undefined) return false;
  try {
    if (identity.boot !== bootOf()) return !isShared;
    if (identity.namespace !== namespaceOf()) return false;
  } catch {
    return false;
  }
  try {
    return startTime(identity.pid) !== identity.started;
  } catch {
    return true;
  }
}

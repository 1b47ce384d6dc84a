// The number of connections that the open-file limit of this process allows.

import { readFileSync } from 'node:fs';

/** For the database, the cache, child processes and files being read. */
const RESERVED = 64;
/** A connection, and the file of its upload. */
const PER_CONNECTION = 2;
const LEAST = 8;

/** Unlimited if the system states no limit. */
export function affordableConnections(limit: number = openFileLimit()): number {
  return Math.max(LEAST, Math.floor((limit - RESERVED) / PER_CONNECTION));
}

/** The soft limit of open files, on Linux. */
function openFileLimit(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return found ? Number(found[1]) : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY; // not Linux
  }
}

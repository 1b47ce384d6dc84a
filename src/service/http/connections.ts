// How many connections the open-file limit of this process leaves room for.

import { readFileSync } from 'node:fs';

/** For the database, the cache, child processes and files being read. */
const RESERVED = 64;
/** A connection, and the file its upload is kept in. */
const PER_CONNECTION = 2;
const LEAST = 8;

/** No bound where the system does not state its limit. */
export function affordableConnections(limit: number = openFileLimit()): number {
  return Math.max(LEAST, Math.floor((limit - RESERVED) / PER_CONNECTION));
}

/** The soft limit of open files, as Linux states it. */
function openFileLimit(): number {
  try {
    const found = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return found ? Number(found[1]) : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY; // not Linux
  }
}

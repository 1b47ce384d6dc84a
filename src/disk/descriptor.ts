// Detects whether files can be opened relative to an open folder. Node has no openat; on Linux, `/proc/self/fd/N/name`
// does the same.

import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';

/**
 * Opens a path without touching the file, not even a device. Missing from Node's constants; from asm-generic/fcntl.h of
 * Linux.
 */
export const O_PATH = 0o10000000;

let known: boolean | undefined;

/** True when a path through an open descriptor resolves to the open file. Checked once. */
export function opensByDescriptor(): boolean {
  known ??= probe();
  return known;
}

/** The `/proc` path of `descriptor`. */
export const descriptorPath = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

function probe(): boolean {
  if (process.platform !== 'linux') return false;
  let descriptor: number | undefined;
  try {
    descriptor = openSync('/', O_PATH | constants.O_DIRECTORY);
    const held = fstatSync(descriptor);
    const reached = statSync(`${descriptorPath(descriptor)}/.`);
    return held.ino === reached.ino && held.dev === reached.dev;
  } catch {
    return false; // a container without /proc, or one that hides descriptors
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

// Whether this system opens files relative to an open folder. Node has no openat; on Linux `/proc/self/fd/N/name` is one.

import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';

/** Names a thing without opening it: no device is touched. Not in Node's constants; asm-generic/fcntl.h of Linux. */
export const O_PATH = 0o10000000;

let known: boolean | undefined;

/** True where a path through an open descriptor leads to what the descriptor holds; looked at once. */
export function opensByDescriptor(): boolean {
  known ??= probe();
  return known;
}

/** The path of `descriptor` itself. */
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
    return false; // a container without /proc, or one that does not show descriptors
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

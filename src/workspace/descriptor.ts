// Whether this system opens files relative to an open folder. Node has no openat; on Linux `/proc/self/fd/N/name` is one.

import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';

let known: boolean | undefined;

/** True where a path through an open descriptor leads to what the descriptor holds; looked at once. */
export function opensByDescriptor(): boolean {
  known ??= probe();
  return known;
}

/** The path of `descriptor` itself. */
export const descriptorPath = (descriptor: number): string => `/proc/self/fd/${descriptor}`;

function probe(): boolean {
  let descriptor: number | undefined;
  try {
    descriptor = openSync('/', constants.O_RDONLY | constants.O_DIRECTORY);
    const held = fstatSync(descriptor);
    const reached = statSync(`${descriptorPath(descriptor)}/.`);
    return held.ino === reached.ino && held.dev === reached.dev;
  } catch {
    return false; // no such path here: macOS, Windows, a container without /proc
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

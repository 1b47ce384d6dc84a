// Open files and folders by the number of their descriptor. Node has no openat; on Linux, `/proc/self/fd/N/name` does the
// same.

import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs';
import { type FileHandle, readlink } from 'node:fs/promises';

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

/** The current path of an open file; undefined if the system does not provide it. */
export async function pathOf(file: FileHandle): Promise<string | undefined> {
  const { fd } = file;
  const path = await readlink(descriptorPath(fd)).catch(() => undefined);
  // Once the file is closed, the number may belong to another file.
  return file.fd === fd ? path : undefined;
}

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

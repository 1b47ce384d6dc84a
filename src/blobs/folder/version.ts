// Versions of files on disk.

import type { BigIntStats } from 'node:fs';

/** Changes with every replacement, which is a new inode, and with changes in place. */
export function versionOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].map((part) => part.toString(36)).join('-');
}

// The folder where uploads of one service process wait. What a process that was killed left behind goes at the next start.

import { mkdir } from 'node:fs/promises';
import { type OwnedFolder, ownedFolder, removeAbandoned } from '../isolation/index.ts';

/** Makes a folder of this process in `parent`. */
export async function uploadFolder(parent: string): Promise<OwnedFolder> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeAbandoned(parent, '');
  return ownedFolder(parent, '');
}

// The folder where uploads of one service process wait. What a process that was killed left behind goes at the next start.

import { type OwnedFolder, ownedFolder, removeAbandoned } from '../isolation/index.ts';
import { dataFolder } from './data-folder.ts';

/** Makes a folder of this process in `parent`. @throws {ReaderError} NOT_A_FOLDER, ACCESS_DENIED */
export async function uploadFolder(parent: string): Promise<OwnedFolder> {
  await dataFolder(parent);
  await removeAbandoned(parent, '');
  return ownedFolder(parent, '');
}

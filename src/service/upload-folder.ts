// The folder for current uploads of one service process. Leftovers of a killed process are removed at the next start.

import { type OwnedFolder, ownedFolder, removeAbandoned } from '../isolation/index.ts';
import { dataFolder } from './data-folder.ts';

/** Creates a folder for this process in `parent`. @throws {ReaderError} NOT_A_FOLDER, ACCESS_DENIED */
export async function uploadFolder(parent: string): Promise<OwnedFolder> {
  await dataFolder(parent);
  await removeAbandoned(parent, '');
  return ownedFolder(parent, '');
}

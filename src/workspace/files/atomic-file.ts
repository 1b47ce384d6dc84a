// Creates a file that appears complete, durably and under its own name only on commit. Until then it is staged under a
// reserved name that no operation lists. A failed or abandoned write leaves nothing behind.

import { errnoOf } from '../../contract/index.ts';
import { type Directory, stagingName, sweep } from '../../disk/index.ts';
import type { Root } from '../paths/root.ts';
import { type Place, pathError } from '../paths/walk.ts';
import type { WriteOptions } from '../workspace.ts';
import { refuseNames, refuseReplacing } from './replacing.ts';
import { StagedFile } from './staged-file.ts';
import { type AtomicFile, type Staging, throwIfCancelled } from './writing.ts';

/** @throws {ReaderError} if the path is already known to be unwritable */
export async function createAtomicFile(
  root: Root,
  names: readonly string[],
  staging: Staging,
  options: WriteOptions,
): Promise<AtomicFile> {
  const path = root.shownPath(names);
  refuseNames(names, path);
  throwIfCancelled(options.signal);
  let directory: Directory | undefined;
  try {
    const place = await placeOf(root, names);
    directory = place?.directory;
    await refuseReplacing(place, path, options);
    const staged = await staging.open();
    if (staged) {
      directory?.close();
      directory = staged;
    }
    if (directory === undefined) throw Object.assign(new Error('no root'), { code: 'ENOENT' });
    await sweep(directory);
    const name = stagingName();
    const handle = await directory.create(name, 0o666);
    // Keeps the permission bits, so a script stays executable.
    if (place?.stats) await handle.chmod(Number(place.stats.mode & 0o777n)).catch(() => undefined);
    const before = { bytes: Number(place?.stats?.size ?? 0), files: place ? place.missing : names.length };
    return new StagedFile(root, names, options, { directory, name, handle }, before);
  } catch (error) {
    directory?.close();
    throw pathError(error, path, 'change');
  }
}

/** The target place, or the deepest existing folder on the way to it. Undefined when the root does not exist. */
async function placeOf(root: Root, names: readonly string[]): Promise<Place | undefined> {
  try {
    return await root.walk(names, { end: 'target', spelling: 'exact', partial: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

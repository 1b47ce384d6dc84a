// A file that appears whole, durably and under its own name only when it is committed. Until then it grows where no
// operation looks; a failed or forgotten one leaves nothing behind.

import { errnoOf } from '../../contract/index.ts';
import type { Directory } from '../paths/directory.ts';
import type { Root } from '../paths/root.ts';
import { type Place, pathError } from '../paths/walk.ts';
import type { WriteOptions } from '../workspace.ts';
import { refuseNames, refuseReplacing } from './replacing.ts';
import { StagedFile } from './staged-file.ts';
import { stagingName, sweep } from './staging.ts';
import { type AtomicFile, type Staging, throwIfCancelled } from './writing.ts';

/** @throws {ReaderError} when it is known already that it may not be written */
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
    // A script stays one that may be run.
    if (place?.stats) await handle.chmod(Number(place.stats.mode & 0o777n)).catch(() => undefined);
    const before = { bytes: Number(place?.stats?.size ?? 0), files: place ? place.missing : names.length };
    return new StagedFile(root, names, options, { directory, name, handle }, before);
  } catch (error) {
    directory?.close();
    throw pathError(error, path, 'change');
  }
}

/** Where it will be, or the deepest folder there is on the way; undefined when there is not even a root. */
async function placeOf(root: Root, names: readonly string[]): Promise<Place | undefined> {
  try {
    return await root.walk(names, { end: 'target', spelling: 'exact', partial: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

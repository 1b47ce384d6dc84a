// A file written under a staging name, then moved to its target in one step.

import { createHash, type Hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type Bytes, bytesOfFile, errnoOf, quoted, ReaderError } from '../../contract/index.ts';
import { type Directory, stagingName, writeAll } from '../../disk/index.ts';
import type { Root } from '../paths/root.ts';
import { pathError } from '../paths/walk.ts';
import type { Claim, Growth } from '../quota.ts';
import type { WriteOptions, Written } from '../workspace.ts';
import { inodeOf, MadeFolders } from './made-folders.ts';
import { add, isTaken, replace, taken } from './publish.ts';
import { refuseNames, refuseReplacing } from './replacing.ts';
import { type AtomicFile, inTurn, throwIfCancelled } from './writing.ts';

interface Staged {
  readonly directory: Directory;
  readonly name: Buffer;
  readonly handle: FileHandle;
}

export class StagedFile implements AtomicFile {
  bytes: Bytes = 0;
  readonly #root: Root;
  #names: readonly string[];
  #path: string;
  readonly #options: WriteOptions;
  readonly #staged: Staged;
  /** Size of the replaced file, and the number of new names. */
  readonly #before: Growth;
  readonly #claim: Claim | undefined;
  readonly #hash: Hash = createHash('sha256');
  #state: 'open' | 'committed' | 'discarded' = 'open';

  constructor(root: Root, names: readonly string[], options: WriteOptions, staged: Staged, before: Growth) {
    this.#root = root;
    this.#names = names;
    this.#path = root.shownPath(names);
    this.#options = options;
    this.#staged = staged;
    this.#before = before;
    this.#claim = root.quota?.claim(this.#path);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#orDiscard(async () => {
      throwIfCancelled(this.#options.signal);
      await this.#claim?.take(this.#growth(Math.max(this.bytes + bytes.length, this.#options.bytes ?? 0)));
      await writeAll(this.#staged.handle, bytes);
      this.#hash.update(bytes);
      this.bytes += bytes.length;
    });
  }

  readBack(target: Uint8Array, position: Bytes): Promise<number> {
    return this.#orDiscard(async () => {
      const { bytesRead } = await this.#staged.handle.read(target, 0, target.length, position);
      return bytesRead;
    });
  }

  commit(path?: string): Promise<Written> {
    return this.#orDiscard(async () => {
      const { handle, directory } = this.#staged;
      if (path !== undefined) {
        this.#names = this.#root.parse(path);
        this.#path = this.#root.shownPath(this.#names);
        refuseNames(this.#names, this.#path);
      }
      throwIfCancelled(this.#options.signal);
      await this.#claim?.take(this.#growth(this.bytes));
      await handle.sync();
      const { shown, replaced } = await this.#appear();
      this.#state = 'committed';
      await this.#claim?.settle({
        bytes: this.bytes - Number(replaced?.size ?? 0),
        files: replaced ? 0 : this.#before.files,
      });
      await handle.close().catch(() => undefined); // sync has already reported any error
      directory.close();
      return {
        path: shown.join('/'),
        mounted: this.#root.mounted(shown),
        bytes: this.bytes,
        sha256: this.#hash.digest('hex'),
        replaced: replaced !== undefined,
      };
    });
  }

  async discard(): Promise<void> {
    if (this.#state !== 'open') return;
    this.#state = 'discarded';
    const { handle, directory, name } = this.#staged;
    await handle.close().catch(() => undefined);
    await directory.unlink(name).catch(() => undefined); // a later sweep removes it
    await this.#claim?.release();
    directory.close();
  }

  async #orDiscard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#state !== 'open') throw new Error(`The file is ${this.#state}.`);
    try {
      return await work();
    } catch (error) {
      if (!isTaken(error)) await this.discard();
      throw pathError(error, this.#path, 'change');
    }
  }

  #growth(bytes: Bytes): Growth {
    return { bytes: bytes - this.#before.bytes, files: this.#before.files };
  }

  async #appear(): Promise<{
    readonly shown: readonly string[];
    readonly replaced: BigIntStats | undefined;
  }> {
    const made = new MadeFolders();
    let directory: Directory | undefined;
    try {
      const place = await this.#root.walk(this.#names, { end: 'target', create: true, onMade: made.onMade });
      directory = place.directory;
      const { name, shown } = place;
      if (name === undefined) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
      const there = directory;
      const replaced = await inTurn(there, name, () => this.#put(there, name));
      await there.sync();
      return { shown, replaced };
    } catch (error) {
      await made.remove(this.#root);
      throw errnoOf(error) === 'ENOENT' ? changedMeanwhile(this.#path) : error;
    } finally {
      directory?.close();
    }
  }

  async #put(to: Directory, name: Buffer): Promise<BigIntStats | undefined> {
    const place = { directory: to, name, stats: await statOf(to, name) };
    const replaced = await refuseReplacing(place, this.#path, this.#options);
    const { directory, name: from, handle } = this.#staged;
    // Others can reach the staging file beside its target: verify that the committed file is the one that was written.
    if (inodeOf(await directory.stat(from)) !== inodeOf(await handle.stat({ bigint: true })))
      throw changedMeanwhile(this.#path);
    if (replaced) {
      // Another process may write without our lock, so check as late as possible.
      const now = await to.stat(name);
      if (
        inodeOf(now) !== inodeOf(replaced) ||
        now.mtimeNs !== replaced.mtimeNs ||
        now.size !== replaced.size
      )
        throw changedMeanwhile(this.#path);
    }
    const { overwrite = false, ifSha256 } = this.#options;
    const put = overwrite || ifSha256 !== undefined ? replace : add;
    try {
      await put(directory, from, to, name);
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') throw taken(this.#path);
      if (errnoOf(error) !== 'EXDEV') throw error;
      await this.#copyBeside(to, (copy) => put(to, copy, to, name));
    }
    return replaced;
  }

  /** For a target on another file system than the staging folder. */
  async #copyBeside(to: Directory, put: (copy: Buffer) => Promise<void>): Promise<void> {
    const { directory, name } = this.#staged;
    const copy = stagingName();
    const { stats, handle } = await directory.find(name);
    if (!handle) throw changedMeanwhile(this.#path);
    try {
      const target = await to.create(copy, 0o666);
      try {
        await target.chmod(Number(stats.mode & 0o777n));
        for await (const chunk of bytesOfFile({ handle })) {
          throwIfCancelled(this.#options.signal);
          await writeAll(target, chunk);
        }
        await target.sync();
      } finally {
        await target.close();
      }
      await put(copy);
      await directory.unlink(name);
    } catch (error) {
      await to.unlink(copy).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  }
}

async function statOf(directory: Directory, name: Buffer): Promise<BigIntStats | undefined> {
  try {
    return await directory.stat(name);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function changedMeanwhile(path: string): ReaderError {
  return new ReaderError(
    'CONFLICT',
    `${quoted(path)} or a folder above it changed during this write.`,
    'Read the file again, then write.',
  );
}

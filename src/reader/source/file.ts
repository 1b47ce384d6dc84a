// A file of this host, read by its open descriptor.

import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { type Bytes, systemError } from '../../contract/index.ts';
import { pathOf } from '../../disk/index.ts';
import { HASHED_BYTES, type Label, RandomAccess } from './random-access.ts';

/** An open file; whoever opened the handle closes it. */
export class FileSource extends RandomAccess {
  readonly size: Bytes;
  readonly modified: Date;
  /** Open as long as the source is. */
  readonly handle: FileHandle;
  readonly #stats: BigIntStats;

  constructor(label: Label, handle: FileHandle, stats: BigIntStats) {
    super(label);
    this.handle = handle;
    this.#stats = stats;
    this.size = Number(stats.size);
    this.modified = stats.mtime;
  }

  /** The file's current path; undefined if the system does not provide it or the file was deleted. */
  path(): Promise<string | undefined> {
    return pathOf(this.handle);
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    let filled = 0;
    const wanted = Math.min(target.length, Math.max(0, this.size - position));
    while (filled < wanted) {
      const { bytesRead } = await this.handle
        .read(target, filled, wanted - filled, position + filled)
        .catch((error: unknown) => Promise.reject(systemError(error, this.name, 'read')));
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return filled;
  }

  protected override async fingerprint(): Promise<string> {
    if (this.size <= HASHED_BYTES) return super.fingerprint();
    const { size, mtimeNs, ino, dev } = this.#stats;
    return `stat:${size}:${mtimeNs}:${ino}:${dev}`;
  }

  /** True when the file on disk changed since it was opened. */
  async changed(): Promise<boolean> {
    const now = await this.handle.stat({ bigint: true });
    return now.size !== this.#stats.size || now.mtimeNs !== this.#stats.mtimeNs;
  }
}

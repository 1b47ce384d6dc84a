// A file held open by another process.

import type { Bytes } from '../../contract/index.ts';
import { MemorySource } from './memory.ts';
import { CHUNK_BYTES, HASHED_BYTES, type Label, RandomAccess } from './random-access.ts';

/** A file held open by another process, which answers reads. */
export class RemoteSource extends RandomAccess {
  readonly size: Bytes;
  readonly remote: boolean;
  readonly #far: FarFile;

  constructor(label: Label, size: Bytes, far: FarFile, remote: boolean) {
    super(label);
    this.size = size;
    this.remote = remote;
    this.#far = far;
  }

  async readInto(target: Uint8Array, position: Bytes): Promise<number> {
    const wanted = Math.min(target.length, Math.max(0, this.size - position));
    let filled = 0;
    while (filled < wanted) {
      const length = Math.min(CHUNK_BYTES, wanted - filled);
      const piece = await this.#far.read(position + filled, length);
      if (piece.length === 0) break;
      target.set(piece, filled);
      filled += piece.length;
    }
    return filled;
  }

  protected override fingerprint(): Promise<string> {
    return this.#far.identity();
  }
}

/** The complete bytes of a file held open by another process; only a large one's identity must be requested. */
export class SentSource extends MemorySource {
  readonly #identity: () => Promise<string>;

  constructor(label: Label, bytes: Uint8Array, identity: () => Promise<string>) {
    super(label, bytes);
    this.#identity = identity;
  }

  protected override fingerprint(): Promise<string> {
    return this.size <= HASHED_BYTES ? super.fingerprint() : this.#identity();
  }
}

/** Requests to the process that holds the file open. */
export interface FarFile {
  /** Up to `length` bytes, fewer only at the end. */
  read(position: Bytes, length: Bytes): Promise<Uint8Array>;
  identity(): Promise<string>;
}

// Buffers and hashes received bytes: in memory up to a small size, then in a temporary file.

import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { throwIfAborted } from '../../../contract/index.ts';
import { type Bytes, ReaderError } from '../../../index.ts';
import type { MemoryBudget } from './memory.ts';

/** A received file. Its owner must call `discard`. */
export interface Spooled {
  readonly size: Bytes;
  /** Hex. */
  readonly sha256: string;
  /** The bytes, as a path or in memory; a reader accepts both. */
  readonly held: { readonly bytes: Uint8Array } | { readonly path: string };
  discard(): Promise<void>;
}

export interface SpoolOptions {
  readonly folder: string;
  readonly memory: MemoryBudget;
  readonly signal: AbortSignal;
}

/** Smaller files stay in memory, because writing them to disk takes longer than reading most of them. */
const MEMORY_BYTES = 256 * 1024;

/** @throws {ReaderError} ABORTED, QUOTA_EXCEEDED (disk full), BUSY (no descriptors left), and errors of `chunks` */
export async function spool(
  chunks: AsyncIterable<Uint8Array>,
  { folder, memory, signal }: SpoolOptions,
): Promise<Spooled> {
  const hash = createHash('sha256');
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  let size = 0;
  let file: { readonly path: string; readonly handle: Awaited<ReturnType<typeof open>> } | undefined;
  const release = (): void => {
    memory.give(heldBytes);
    heldBytes = 0;
  };
  const discard = async (): Promise<void> => {
    release();
    if (file) await rm(file.path, { force: true });
  };
  try {
    for await (const chunk of chunks) {
      throwIfAborted(signal);
      size += chunk.length;
      hash.update(chunk);
      if (!file && size <= MEMORY_BYTES && memory.take(chunk.length)) {
        held.push(chunk);
        heldBytes += chunk.length;
        continue;
      }
      if (!file) {
        const path = join(folder, randomUUID());
        file = { path, handle: await open(path, 'wx', 0o600) };
        for (const earlier of held.splice(0)) await file.handle.writeFile(earlier);
        release();
      }
      await file.handle.writeFile(chunk);
    }
    await file?.handle.close();
  } catch (error) {
    await file?.handle.close().catch(() => undefined); // may be closed already; report the first error
    await discard();
    throw spoolError(error);
  }
  return {
    size,
    sha256: hash.digest('hex'),
    held: file ? { path: file.path } : { bytes: Buffer.concat(held) },
    discard,
  };
}

function spoolError(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ReaderError(
      'QUOTA_EXCEEDED',
      'The disk of the service is full.',
      'Try again later, or send less.',
      error,
    );
  if (code === 'EMFILE' || code === 'ENFILE')
    return new ReaderError(
      'BUSY',
      'The service has too many files open.',
      'Try again in a few seconds.',
      error,
    );
  return error;
}

// Wraps a storage for the archive: applies a timeout, reads back what is written, and converts errors to ones that
// reveal nothing about the host.

import { type ErrorCode, errnoOf, quoted, ReaderError, within } from '../../contract/index.ts';
import { refuseAborted } from '../problem.ts';
import type { HistoryStorage } from './storage.ts';

export class CheckedStorage {
  readonly #storage: HistoryStorage;
  readonly #timeoutMs: number;

  /** `timeoutMs` applies to each operation. */
  constructor(storage: HistoryStorage, timeoutMs: number) {
    this.#storage = storage;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Writes `text` and reads it back; skips a file that already contains it. `isOther` tells whether the content of an
   * existing file is a different original.
   * @throws {ReaderError} see `storageError`; INTERNAL if the storage returns something else; ABORTED
   */
  async write(
    path: string,
    text: string,
    isOther: (found: string) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const before = await this.read(path, signal);
    if (before === text) return;
    if (before !== null && isOther(before))
      throw new ReaderError(
        'INTERNAL',
        `${quoted(path)} holds another original with the same name.`,
        'Give the compactor its own storage.',
      );
    await this.#ask(`${quoted(path)} could not be written`, () => this.#storage.write(path, text), signal);
    const after = await this.read(path, signal);
    if (after === text) return;
    throw new ReaderError(
      'INTERNAL',
      after === null
        ? `${quoted(path)} was written but is missing when read back.`
        : `${quoted(path)} differs when read back (${after.length} of ${text.length} characters).`,
      'Check that the storage stores texts unchanged.',
    );
  }

  /** The text at `path`; null if there is none. */
  async read(path: string, signal?: AbortSignal): Promise<string | null> {
    const text: unknown = await this.#ask(
      `${quoted(path)} could not be read`,
      () => this.#storage.read(path),
      signal,
    );
    if (text === null || text === undefined) return null;
    if (typeof text === 'string') return text;
    throw new ReaderError(
      'INTERNAL',
      `The storage returned ${typeof text} for ${quoted(path)}; expected a string or null.`,
      'Decode files as UTF-8 in `read`.',
    );
  }

  /**
   * `path` as the model's tools see it.
   * @throws {ReaderError} INTERNAL if the storage's `shownAs` throws or does not return a string
   */
  shown(path: string): string {
    if (!this.#storage.shownAs) return path;
    let shown: unknown;
    try {
      shown = this.#storage.shownAs(path);
    } catch (error) {
      throw storageError(error, `\`shownAs\` failed for ${quoted(path)}`);
    }
    if (typeof shown === 'string') return shown;
    throw new ReaderError(
      'INTERNAL',
      `\`shownAs\` of the storage returned ${typeof shown} for ${quoted(path)}; expected a path.`,
      'Return the path at which the model can read the file.',
    );
  }

  /**
   * Runs one storage operation with the timeout.
   * @throws {ReaderError} see `storageError`; ABORTED
   */
  async #ask<T>(
    failing: string,
    work: () => T | PromiseLike<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    try {
      return await within(work, { signal, timeoutMs: this.#timeoutMs });
    } catch (error) {
      refuseAborted(signal);
      throw storageError(error, failing);
    }
  }
}

type StorageFault = Extract<ErrorCode, 'QUOTA_EXCEEDED' | 'ACCESS_DENIED' | 'TIMED_OUT' | 'INTERNAL'>;

const FAULTS: Readonly<Record<string, StorageFault>> = {
  ENOSPC: 'QUOTA_EXCEEDED',
  EDQUOT: 'QUOTA_EXCEEDED',
  EFBIG: 'QUOTA_EXCEEDED',
  EROFS: 'ACCESS_DENIED',
  EACCES: 'ACCESS_DENIED',
  EPERM: 'ACCESS_DENIED',
  QUOTA_EXCEEDED: 'QUOTA_EXCEEDED',
  LIMIT_EXCEEDED: 'QUOTA_EXCEEDED',
  ACCESS_DENIED: 'ACCESS_DENIED',
  PATH_ESCAPES_WORKSPACE: 'ACCESS_DENIED',
  TIMED_OUT: 'TIMED_OUT',
  ETIMEDOUT: 'TIMED_OUT',
};

const REASONS: Readonly<Record<StorageFault, readonly [reason: string, hint: string]>> = {
  QUOTA_EXCEEDED: ['the storage is full', 'Remove files from the storage, or raise its quota.'],
  ACCESS_DENIED: ['the storage denied access', 'Give the compactor a writable storage.'],
  TIMED_OUT: ['the storage did not answer in time', 'Check the storage, or raise `timeoutMs`.'],
  INTERNAL: ['the storage failed', 'Check the storage; the cause is attached to this error.'],
};

/** Converts any storage error, without its message, which may reveal host paths. */
function storageError(error: unknown, what: string): ReaderError {
  const code = FAULTS[(error instanceof ReaderError ? error.code : errnoOf(error)) ?? ''] ?? 'INTERNAL';
  const [reason, hint] = REASONS[code];
  return new ReaderError(code, `${what}: ${reason}.`, hint, error);
}

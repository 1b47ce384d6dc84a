// A storage as the archive uses it: every operation ends in time, what is written is read back, and what a storage throws
// becomes an error that names nothing of the host.

import { type ErrorCode, errnoOf, quoted, ReaderError, within } from '../../contract/index.ts';
import { refuseAborted } from '../problem.ts';
import type { HistoryStorage } from './storage.ts';

/** A read that several restores wait for. The last of them to leave ends it. */
interface SharedRead {
  readonly text: Promise<string | null>;
  readonly unwanted: AbortController;
  waiting: number;
}

export class CheckedStorage {
  readonly #storage: HistoryStorage;
  readonly #timeoutMs: number;
  /** Files being read: many pointers restored at once into one file read it once. */
  readonly #reading = new Map<string, SharedRead>();
  /** Removals that have not ended: one that ends late must not take what was written since. */
  readonly #removing = new Map<string, Promise<void>>();

  /** `timeoutMs` is for one operation. */
  constructor(storage: HistoryStorage, timeoutMs: number) {
    this.#storage = storage;
    this.#timeoutMs = timeoutMs;
  }

  /** A storage may show a path as something that does not hold it. */
  get isRenaming(): boolean {
    return this.#storage.shownAs !== undefined;
  }

  /**
   * Writes `text` and reads it back; a file that holds it already is left as it is. `isOther` tells whether a file of that
   * name holds another original.
   * @throws {ReaderError} as `storageError`; INTERNAL where the storage gives back something else; ABORTED
   */
  async write(
    path: string,
    text: string,
    isOther: (found: string) => boolean,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const removal = this.#removing.get(path);
    if (removal) await this.#ask(`${quoted(path)} is still being removed`, () => removal, signal);
    const before = await this.read(path, signal);
    if (before === text) return;
    if (before !== null && isOther(before))
      throw new ReaderError(
        'INTERNAL',
        `${quoted(path)} holds another original whose name is the same.`,
        'Give the compactor a storage of its own.',
      );
    await this.#ask(`${quoted(path)} could not be written`, () => this.#storage.write(path, text), signal);
    const after = await this.read(path, signal);
    if (after === text) return;
    throw new ReaderError(
      'INTERNAL',
      after === null
        ? `${quoted(path)} was written, and is not there when read back.`
        : `${quoted(path)} reads back as another text than was written (${after.length} of ${text.length} characters).`,
      'Check the storage: it must keep texts as they are.',
    );
  }

  /** As `read`; calls at a time for one file read it once. */
  async readOnce(path: string, signal: AbortSignal | undefined): Promise<string | null> {
    const shared = this.#reading.get(path) ?? this.#startReading(path);
    shared.waiting += 1;
    try {
      // Others may wait for the same file: the signal of one ends its own wait alone.
      return await within(() => shared.text, { signal });
    } catch (error) {
      refuseAborted(signal);
      throw error;
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        if (this.#reading.get(path) === shared) this.#reading.delete(path);
        shared.unwanted.abort();
      }
    }
  }

  #startReading(path: string): SharedRead {
    const unwanted = new AbortController();
    const shared = { text: this.read(path, unwanted.signal), unwanted, waiting: 0 };
    this.#reading.set(path, shared);
    return shared;
  }

  /** The text under `path`; null for none. */
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
      `The storage gives ${quoted(path)} as ${typeof text}; expected a text or null.`,
      'Decode files as UTF-8 in `read`.',
    );
  }

  /** Paths of the files in `folder`. */
  list(folder: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
    return this.#ask(`${quoted(folder)} could not be listed`, () => this.#storage.list(folder), signal);
  }

  /** @throws {ReaderError} as `storageError`; ABORTED */
  remove(path: string, signal: AbortSignal | undefined): Promise<void> {
    return this.#ask(`${quoted(path)} could not be removed`, () => this.#removed(path), signal);
  }

  async #removed(path: string): Promise<void> {
    const removal = (async () => this.#storage.remove(path))();
    const ended = removal
      .catch(() => undefined)
      .finally(() => {
        if (this.#removing.get(path) === ended) this.#removing.delete(path);
      });
    this.#removing.set(path, ended);
    return removal;
  }

  /**
   * `path` as a model's own tools name it.
   * @throws {ReaderError} INTERNAL where the storage's `shownAs` fails, or gives no text
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
      'Return the path under which the model can read the file.',
    );
  }

  /**
   * One operation of the storage, waited for as long as it may take.
   * @throws {ReaderError} as `storageError`; ABORTED
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
  QUOTA_EXCEEDED: ['there is no room left', 'Remove files from the storage, or raise its quota.'],
  ACCESS_DENIED: ['the storage does not allow it', 'Give the compactor a storage it may write to.'],
  TIMED_OUT: ['the storage did not answer in time', 'Check the storage, or raise `timeoutMs`.'],
  INTERNAL: ['the storage failed', 'Check the storage; the cause is attached to this error.'],
};

/** Whatever a storage threw, without its words: they may name places of the host. */
function storageError(error: unknown, what: string): ReaderError {
  const code = FAULTS[(error instanceof ReaderError ? error.code : errnoOf(error)) ?? ''] ?? 'INTERNAL';
  const [reason, hint] = REASONS[code];
  return new ReaderError(code, `${what}: ${reason}.`, hint, error);
}

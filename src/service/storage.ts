// The storage that several nodes share: workspaces, uploads of jobs, converted documents.

import { type Blobs, openBlobs } from '../blobs/index.ts';
import { type Environment, settingOf } from '../contract/index.ts';
import { type ErrorCode, ReaderError } from '../index.ts';

/** The URL of the storage for all nodes. */
const STORAGE_URL = { variable: 'LECTERN_STORAGE_URL' } as const;

/** The storage does not answer, or refuses the service: nothing that a client could change. */
export class StorageUnavailable extends ReaderError {
  constructor(cause: unknown) {
    super(
      'BUSY',
      'The storage of the service cannot be reached.',
      'Try again later. If it persists, report it to the operator of the service.',
      cause,
    );
  }
}

const UNAVAILABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ACCESS_DENIED',
  'BUSY',
  'INTERNAL',
  'TIMED_OUT',
]);

/**
 * Connects to nothing yet. Its errors of the storage itself are StorageUnavailable.
 * @param url default: LECTERN_STORAGE_URL
 * @param onFailure called with the cause
 * @returns undefined without a URL
 * @throws {ReaderError} BAD_INPUT
 */
export async function openStorage(
  url: string | undefined,
  environment: Environment,
  onFailure: (error: unknown) => void,
): Promise<Blobs | undefined> {
  const address = url ?? settingOf(environment, STORAGE_URL);
  if (address === undefined) return undefined;
  const blobs = await openBlobs(address, { environment });
  const shown = (error: unknown): unknown => {
    if (!(error instanceof ReaderError) || !UNAVAILABLE.has(error.code)) return error;
    onFailure(error);
    return new StorageUnavailable(error);
  };
  const orShown = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw shown(error);
    }
  };
  async function* eachOrShown<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* items;
    } catch (error) {
      throw shown(error);
    }
  }
  return {
    name: blobs.name,
    stat: (key, signal) => orShown(blobs.stat(key, signal)),
    read: (key, range) => orShown(blobs.read(key, range)),
    stream: (key, range) => eachOrShown(blobs.stream(key, range)),
    put: async (key, content, options) => {
      const given = new Given(content);
      try {
        return await blobs.put(key, given.content, options);
      } catch (error) {
        throw given.failed ? error : shown(error);
      }
    },
    remove: (key, options) => orShown(blobs.remove(key, options)),
    list: (prefix, options) => eachOrShown(blobs.list(prefix, options)),
    isEmpty: (signal) => orShown(blobs.isEmpty(signal)),
    close: () => blobs.close(),
  };
}

/** Content of a caller, whose errors are not the storage's. */
class Given {
  failed = false;
  readonly content: Uint8Array | AsyncIterable<Uint8Array>;

  constructor(content: Uint8Array | AsyncIterable<Uint8Array>) {
    this.content = content instanceof Uint8Array ? content : this.#watched(content);
  }

  async *#watched(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* content;
    } catch (error) {
      this.failed = true;
      throw error;
    }
  }
}

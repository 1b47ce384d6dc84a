// Where the documents of a batch come from: a store, or a list of locations in any stores.

import { lstat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Blobs, isBucket, isKey, type ListBlobs, openBlobs } from '../blobs/index.ts';
import { type Environment, quoted, refuseOther, throwIfAborted, withoutEnd } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import { type BatchDocument, MISSING } from './document.ts';
import { type Patience, patientList, patiently } from './patience.ts';

/** What a batch uses of a store. */
export interface BatchSource extends Pick<Blobs, 'stream' | 'close'> {
  /** Absolute, so that it is the same in every process. */
  readonly location: string;
  /** Sorted by key as UTF-8; each key once. */
  documents(listing: Listing): AsyncIterable<BatchDocument>;
  /** Whether the store, for a list that of `key`, holds nothing, such as a folder that is not mounted. */
  isEmpty(signal: AbortSignal, key?: string): Promise<boolean>;
}

/** `onSkipped` is called for what has no outcome because it cannot be listed. */
export interface Listing extends Patience, Pick<ListBlobs, 'onSkipped'> {}

/** As a location: the keys of the documents are their locations. */
export const LIST = 'list:';

/** @throws {ReaderError} BAD_INPUT */
export async function openSource(location: string, environment: Environment): Promise<BatchSource> {
  return location === LIST
    ? new ListSource([], environment)
    : storeSource(await openBlobs(location, { environment }), absolute(location));
}

function absolute(location: string): string {
  if (location.startsWith('file:')) return resolve(fileURLToPath(location));
  return isAddress(location) ? withoutEnd(location, '/') : resolve(location);
}

export const storeSource = (store: Blobs, location: string): BatchSource => ({
  location,
  isEmpty: (signal) => store.isEmpty(signal),
  stream: (key, range) => store.stream(key, range),
  close: () => store.close(),
  async *documents(listing) {
    for await (const { key, bytes, version } of patientList(store, '', listing))
      yield { key, bytes, version };
  },
});

const MAX_LOCATION_BYTES = 4096;
/** Requests at the same time for the sizes of documents. */
const STATS = 16;

/**
 * The documents at `lines`: paths or `s3://bucket/key`, in any order. Empty lines are ignored. Anything else in a line is
 * a document that fails.
 * @throws {ReaderError} BAD_INPUT for what is not a list
 */
export function listSource(lines: readonly string[], environment: Environment): BatchSource {
  const locations = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (line === '') continue;
    if (Buffer.byteLength(line) > MAX_LOCATION_BYTES)
      throw new ReaderError(
        'BAD_INPUT',
        `Line ${at + 1} of the list has more than ${MAX_LOCATION_BYTES} bytes.`,
        'Write one path or `s3://bucket/key` per line.',
      );
    locations.add(line);
  }
  const byBytes = [...locations].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return new ListSource(byBytes, environment);
}

/** @throws {ReaderError} BAD_INPUT for a path that other processes cannot resolve */
export function checkAbsolute(location: string): void {
  if (isAddress(location) || isAbsolute(location)) return;
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(location)} is a relative path, which other workers cannot resolve.`,
    'Use `s3://bucket/prefix`, or an absolute path that every worker has.',
  );
}

const isAddress = (location: string): boolean => location.includes('://');

class ListSource implements BatchSource {
  readonly location: string = LIST;
  readonly #locations: readonly string[];
  readonly #environment: Environment;
  /** By bucket or folder. */
  readonly #stores = new Map<string, Promise<Blobs>>();

  constructor(locations: readonly string[], environment: Environment) {
    this.#locations = locations;
    this.#environment = environment;
  }

  async *documents(listing: Listing): AsyncGenerator<BatchDocument> {
    for (let at = 0; at < this.#locations.length; at += STATS) {
      throwIfAborted(listing.signal);
      const some = this.#locations.slice(at, at + STATS);
      yield* await Promise.all(
        some.map((location) => patiently(() => this.#document(location, listing.signal), listing)),
      );
    }
  }

  async *stream(location: string, range: Parameters<Blobs['stream']>[1]): AsyncGenerator<Uint8Array> {
    const place = placeOf(location);
    if (!place) return await refuseMissing(location);
    yield* (await this.#store(place)).stream(place.key, range);
  }

  async isEmpty(signal: AbortSignal, key?: string): Promise<boolean> {
    const place = key === undefined ? undefined : placeOf(key);
    return place !== undefined && (await (await this.#store(place)).isEmpty(signal));
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#stores.values());
    for (const store of opened) if (store.status === 'fulfilled') await store.value.close();
  }

  /** A missing one is a document too: it fails when it is read, and has an outcome. */
  async #document(location: string, signal: AbortSignal): Promise<BatchDocument> {
    const place = placeOf(location);
    const facts = place && (await (await this.#store(place)).stat(place.key, signal));
    return { key: location, bytes: facts?.bytes ?? 0, version: facts?.version ?? MISSING };
  }

  #store({ at }: Place): Promise<Blobs> {
    let store = this.#stores.get(at);
    if (!store) {
      store = openBlobs(at, { environment: this.#environment });
      // Folders hold nothing open, so only buckets are kept.
      if (isAddress(at)) this.#stores.set(at, store);
    }
    return store;
  }
}

/** A location of a list: its bucket or folder, and the key there. */
interface Place {
  readonly at: string;
  readonly key: string;
}

/** Undefined if it cannot be the location of a document. */
function placeOf(location: string): Place | undefined {
  const path = isAddress(location) ? undefined : resolve(location);
  const [, bucket = '', rest = ''] = /^s3:\/\/([^/]*)\/(.*)$/s.exec(location) ?? [];
  const place =
    path === undefined ? { at: `s3://${bucket}`, key: rest } : { at: dirname(path), key: basename(path) };
  return isKey(place.key) && (path === undefined ? isBucket(bucket) : !path.includes('\0'))
    ? place
    : undefined;
}

/** Why there was no document at a location of a list. @throws {ReaderError} BAD_INPUT, NOT_A_FILE, FILE_NOT_FOUND */
export async function refuseMissing(location: string): Promise<never> {
  if (!placeOf(location))
    throw new ReaderError(
      'BAD_INPUT',
      `${quoted(location)} is not the location of a document.`,
      'Use a path or `s3://bucket/key`, without control characters.',
    );
  if (!isAddress(location)) {
    const stats = await lstat(resolve(location), { bigint: true }).catch(() => undefined);
    if (stats) refuseOther(stats, location);
  }
  throw new ReaderError(
    'FILE_NOT_FOUND',
    `There was no document at ${quoted(location)} when the list was read.`,
    'Check the list, and run the batch again.',
  );
}

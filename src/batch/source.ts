// Where the documents of a batch come from: a store, or a list of locations in any stores.

import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { type Blobs, openBlobs } from '../blobs/index.ts';
import { type Environment, quoted, throwIfAborted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import { type BatchDocument, MISSING } from './document.ts';
import { patientList, patiently } from './patience.ts';

/** What a batch uses of a store. */
export interface BatchSource extends Pick<Blobs, 'stream' | 'close'> {
  /** Sorted by key as UTF-8; each key once. */
  documents(signal: AbortSignal): AsyncIterable<BatchDocument>;
}

/** As a location: the keys of the documents are their locations. */
export const LIST = 'list:';

/** @throws {ReaderError} BAD_INPUT */
export async function openSource(location: string, environment: Environment): Promise<BatchSource> {
  return location === LIST
    ? new ListSource([], environment)
    : storeSource(await openBlobs(location, { environment }));
}

export const storeSource = (store: Blobs): BatchSource => ({
  stream: (key, range) => store.stream(key, range),
  close: () => store.close(),
  async *documents(signal) {
    for await (const { key, bytes, version } of patientList(store, '', signal)) yield { key, bytes, version };
  },
});

const MAX_LOCATION_BYTES = 4096;
/** Requests at the same time for the sizes of documents. */
const STATS = 16;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * The documents at `lines`: paths or `s3://bucket/key`, in any order. Empty lines are ignored.
 * @throws {ReaderError} BAD_INPUT
 */
export function listSource(lines: readonly string[], environment: Environment): BatchSource {
  const locations = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (line === '') continue;
    if (Buffer.byteLength(line) > MAX_LOCATION_BYTES || CONTROL.test(line))
      throw new ReaderError(
        'BAD_INPUT',
        `Line ${at + 1} of the list is not a path or an \`s3://\` URL.`,
        'Write one location per line.',
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
  readonly #locations: readonly string[];
  readonly #environment: Environment;
  /** By bucket or folder. */
  readonly #stores = new Map<string, Promise<Blobs>>();

  constructor(locations: readonly string[], environment: Environment) {
    this.#locations = locations;
    this.#environment = environment;
  }

  async *documents(signal: AbortSignal): AsyncGenerator<BatchDocument> {
    for (let at = 0; at < this.#locations.length; at += STATS) {
      throwIfAborted(signal);
      const some = this.#locations.slice(at, at + STATS);
      yield* await Promise.all(
        some.map((location) => patiently(() => this.#document(location, signal), signal)),
      );
    }
  }

  async *stream(location: string, range: Parameters<Blobs['stream']>[1]): AsyncGenerator<Uint8Array> {
    const { store, key } = await this.#place(location);
    yield* store.stream(key, range);
  }

  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#stores.values());
    for (const store of opened) if (store.status === 'fulfilled') await store.value.close();
  }

  /** A missing one is a document too: it fails when it is read, and has an outcome. */
  async #document(location: string, signal: AbortSignal): Promise<BatchDocument> {
    const { store, key } = await this.#place(location);
    const facts = await store.stat(key, signal);
    return { key: location, bytes: facts?.bytes ?? 0, version: facts?.version ?? MISSING };
  }

  async #place(location: string): Promise<{ readonly store: Blobs; readonly key: string }> {
    const [place, key] = placeOf(location);
    let store = this.#stores.get(place);
    if (!store) {
      store = openBlobs(place, { environment: this.#environment });
      // Folders hold nothing open, so only buckets are kept.
      if (isAddress(place)) this.#stores.set(place, store);
    }
    return { store: await store, key };
  }
}

/** The store of a location, and the key in it. @throws {ReaderError} BAD_INPUT */
function placeOf(location: string): readonly [place: string, key: string] {
  if (!isAddress(location)) {
    const path = resolve(location);
    return [dirname(path), basename(path)];
  }
  const [, bucket, key] = /^(s3:\/\/[^/?#@]+)\/(.+)$/.exec(location) ?? [];
  if (bucket !== undefined && key !== undefined) return [bucket, key];
  throw new ReaderError(
    'BAD_INPUT',
    `${quoted(location)} is not the location of a document.`,
    'Use a path or `s3://bucket/key`.',
  );
}

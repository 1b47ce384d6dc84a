// A processor's view of the conversion cache: its own entries for one content, keyed by the SHA-256 of the bytes, the
// user, the converter version and the package version. A user gets no entry of another: even a faster answer would show
// that the other has read the content.

import { createHash } from 'node:crypto';
import type { ConversionCache } from '../cache/index.ts';
import { type Conversion, ReaderError, type Source, throwIfAborted, within } from '../contract/index.ts';
import { PACKAGE_VERSION } from '../version.ts';
import type { Engine } from './engine.ts';
import type { Password } from './password.ts';

/** Converting a document again takes about as long. */
const CACHE_TIMEOUT_MS = 5_000;
/** A cache that timed out is skipped for this long. */
const REST_MS = 60_000;
/** Caches that timed out, and until when they are skipped, by `performance.now()`. */
const resting = new WeakMap<ConversionCache, number>();

const NOTHING: Conversion = {
  get: () => Promise.resolve(undefined),
  put: () => Promise.resolve(),
};

/** The cached conversion of `source` by `processor` in `version`; always empty without a cache. */
export async function conversionOf(
  { cache, user }: Pick<Engine, 'cache' | 'user'>,
  source: Source,
  processor: string,
  version: string,
  signal: AbortSignal,
): Promise<Conversion> {
  if (!cache) return NOTHING;
  const digest = await digestOf(source, user, signal);
  const options = createHash('sha256').update(`${PACKAGE_VERSION} ${version}`).digest('hex').slice(0, 16);
  const key = (name: string): string => `${digest}.${processor}-${options}.${name}`;
  return {
    get: async (name) => {
      const bytes: unknown = await ask(cache, () => cache.get(key(name)), signal);
      return bytes instanceof Uint8Array ? bytes : undefined;
    },
    put: async (name, bytes) => {
      await ask(cache, () => cache.put(key(name), bytes), signal);
    },
  };
}

/** Keeps nothing that a password opened: kept conversions are served to requests without one. */
export function unlessTaken({ get, put }: Conversion, password: Password): Conversion {
  return {
    get,
    put: async (name, bytes) => {
      if (!password.taken) await put(name, bytes);
    },
  };
}

/** The cache's answer; undefined if it fails or times out. @throws {ReaderError} ABORTED */
async function ask(
  cache: ConversionCache,
  work: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  if ((resting.get(cache) ?? 0) > performance.now()) return undefined;
  try {
    return await within(work, { signal, timeoutMs: CACHE_TIMEOUT_MS });
  } catch (error) {
    throwIfAborted(signal);
    if (error instanceof ReaderError && error.code === 'TIMED_OUT')
      resting.set(cache, performance.now() + REST_MS);
    return undefined;
  }
}

/** What the keys of this content of this user begin with. Readers without a user share one set of keys. */
async function digestOf(source: Source, user: string, signal: AbortSignal): Promise<string> {
  const digest = await sha256Of(source, signal);
  return user === '' ? digest : createHash('sha256').update(`${digest} ${user}`).digest('hex');
}

async function sha256Of(source: Source, signal: AbortSignal): Promise<string> {
  const identity = await source.identity();
  if (identity.startsWith('sha256:')) return identity.slice('sha256:'.length);
  const hash = createHash('sha256');
  for await (const chunk of source.chunks()) {
    throwIfAborted(signal);
    hash.update(chunk);
  }
  return hash.digest('hex');
}

/**
 * The cache for an untrusted process that converts `source`: it reaches only the entries of this content and of files
 * inside it, regardless of the keys it sends.
 */
export function contentCache(
  { cache, user }: Pick<Engine, 'cache' | 'user'>,
  source: Source,
  signal: AbortSignal,
): ConversionCache {
  let digest: Promise<string> | undefined;
  const scoped = async (key: string): Promise<string> => {
    digest ??= digestOf(source, user, signal);
    const own = await digest;
    return key.startsWith(`${own}.`) ? key : `${own}.${createHash('sha256').update(key).digest('hex')}`;
  };
  return {
    get: async (key) => cache?.get(await scoped(key)),
    put: async (key, bytes) => cache?.put(await scoped(key), bytes),
  };
}

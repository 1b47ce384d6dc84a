// Rate limits that several nodes share, in Redis or PostgreSQL: exact over all of them. Counts in windows of whole
// seconds, because one statement then decides; a window holds one burst. When the store does not answer, each node
// limits alone: a limit protects the service, and must not end it.

import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { loadOptional } from '../../../contract/index.ts';
import { connectTo } from '../../../database/connections.ts';
import { SCHEMA } from '../../../database/index.ts';
import { ReaderError } from '../../../index.ts';
import type { Migration, ServiceDatabase } from '../../database.ts';
import { createMemoryRates, type RateOptions, type RateStore } from './rates.ts';

export interface SharedRates extends RateStore {
  close(): Promise<void>;
}

interface SharedRatesOptions extends RateOptions {
  /** Called when the store did not answer a request. */
  readonly onFailure: (error: unknown) => void;
}

/** A request waits for the store no longer than this. */
const WAIT_MS = 500;

/** Redis drops keys of ended windows by itself. */
const PREFIX = 'lectern-rate';

const TABLE = 'rates';

/** Not logged: what it holds is worth little after a crash, and a request need not wait for the disk. */
const MIGRATIONS: readonly Migration[] = [
  {
    up: `CREATE UNLOGGED TABLE ${TABLE} (key varchar(255) PRIMARY KEY, points integer NOT NULL DEFAULT 0, expire bigint)`,
    down: `DROP TABLE ${TABLE}`,
  },
];

/** @throws {ReaderError} BAD_INPUT, MISSING_DEPENDENCY */
export async function createRedisRates(url: string, options: SharedRatesOptions): Promise<SharedRates> {
  if (!/^rediss?:\/\//i.test(url) || !URL.canParse(url))
    throw new ReaderError(
      'BAD_INPUT',
      'LECTERN_REDIS_URL is not a URL of Redis.',
      'Write it as `redis://USER:PASSWORD@HOST:6379`, or `rediss://` for TLS.',
    );
  const { RateLimiterRedis } = await limiters();
  const { Redis } = await loadOptional('redis', 'Redis', () => import('ioredis'));
  const client = new Redis(url, {
    connectTimeout: 2000,
    commandTimeout: WAIT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (times) => Math.min(2000, 100 * times),
  });
  // Every request reports that it got no answer.
  client.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    client.once('ready', resolve);
    client.once('error', () => resolve());
  });
  const limiter = new RateLimiterRedis({ storeClient: client, keyPrefix: PREFIX, ...windowOf(options) });
  return {
    ...overLimiter(limiter, options),
    close: () => {
      client.disconnect();
      return Promise.resolve();
    },
  };
}

/** @throws {DatabaseUnavailable}; {ReaderError} INTERNAL */
export async function createPostgresRates(
  database: ServiceDatabase,
  url: string,
  options: SharedRatesOptions,
): Promise<SharedRates> {
  const { RateLimiterPostgres } = await limiters();
  await database.migrate('rates', MIGRATIONS);
  const pool = await connectTo(url, {
    of: 'service',
    max: 2,
    connectionTimeoutMillis: WAIT_MS,
    query_timeout: WAIT_MS,
  });
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    schemaName: SCHEMA,
    tableName: TABLE,
    tableCreated: true,
    keyPrefix: '',
    ...windowOf(options),
  });
  return { ...overLimiter(limiter, options), close: () => pool.end() };
}

/** One burst per window, as often as the rate allows. A window of whole seconds, at least one. */
export function windowOf({ perMinute, burst }: RateOptions): {
  readonly points: number;
  readonly duration: number;
} {
  const duration = Math.max(1, Math.ceil((burst * 60) / perMinute));
  return { points: Math.max(1, Math.floor((perMinute * duration) / 60)), duration };
}

function overLimiter(
  limiter: Pick<RateLimiterAbstract, 'consume' | 'reward'>,
  options: SharedRatesOptions,
): RateStore {
  const alone = createMemoryRates(options);
  return {
    take: async (names) => {
      // One after the other, so that the last token of a bucket is not held by a request that another bucket refuses.
      const taken: string[] = [];
      for (const name of names) {
        const refusal: unknown = await limiter.consume(name).then(
          () => undefined,
          (reason: unknown) => reason,
        );
        if (refusal === undefined) {
          taken.push(name);
          continue;
        }
        if (refusal instanceof Error) {
          options.onFailure(refusal);
          return alone.take(names);
        }
        await Promise.all(taken.map((before) => limiter.reward(before))).catch(options.onFailure);
        return { allowed: false, waitMs: waitOf(refusal) };
      }
      return { allowed: true, waitMs: 0 };
    },
  };
}

/** A refusal is a plain object with the time until the next window. */
function waitOf(reason: unknown): number {
  const wait: unknown =
    typeof reason === 'object' && reason !== null && 'msBeforeNext' in reason
      ? reason.msBeforeNext
      : undefined;
  return typeof wait === 'number' ? Math.max(1, wait) : 1000;
}

const limiters = (): Promise<typeof import('rate-limiter-flexible')> =>
  loadOptional('sharedRates', 'A rate limit that nodes share', () => import('rate-limiter-flexible'));

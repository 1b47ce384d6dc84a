// Stores answers under the `Idempotency-Key` of their request, so that a client can repeat it without repeating its
// effect. Jobs keep keys of their own.

import { createHash } from 'node:crypto';
import { ReaderError } from '../index.ts';
import type { Migration, ServiceDatabase, Sql } from './database.ts';
import { HttpError } from './http/problem.ts';

/** A stored answer. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Identifies one request of one user. */
export interface IdempotentRequest {
  readonly user: string;
  /** Everything the answer depends on, besides the body. */
  readonly target: string;
  readonly key: string;
}

export type Begun =
  /** First request with this key: do the work, then `finish` or `drop`. */
  | { readonly state: 'new' }
  | { readonly state: 'under way' }
  | {
      readonly state: 'done';
      readonly target: string;
      readonly bodyHash: string;
      readonly answer: KeptAnswer;
    };

export interface IdempotencyStore {
  begin(request: IdempotentRequest): Promise<Begun>;
  /** Keeps another process from starting it for one more lease. */
  renew(request: IdempotentRequest): Promise<void>;
  finish(request: IdempotentRequest, bodyHash: string, answer: KeptAnswer): Promise<void>;
  /** The work was not done, and may be retried. */
  drop(request: IdempotentRequest): Promise<void>;
}

const DAY_MS = 24 * 60 * 60 * 1000;
/** A request not renewed for this long died with its process. */
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;

const MIGRATIONS: readonly Migration[] = [
  {
    up: `CREATE TABLE idempotency (
    user TEXT NOT NULL,
    key TEXT NOT NULL,
    target TEXT NOT NULL,
    body_hash TEXT,
    answer TEXT,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (user, key)
  ) STRICT;
  CREATE INDEX idempotency_expiry ON idempotency (expires_at);`,
    down: 'DROP TABLE idempotency',
  },
];

/** `now` in milliseconds since 1970; default: the clock of the database. @throws {ReaderError} INTERNAL, BUSY */
export async function createIdempotencyStore(
  database: ServiceDatabase,
  now?: () => number,
): Promise<IdempotencyStore> {
  await database.migrate('idempotency', MIGRATIONS);
  const at = (sql: Sql): number => now?.() ?? sql.now;
  const under = ({ user, key }: IdempotentRequest): [string, string] => [user, key];
  return {
    begin: (request) =>
      database.write(
        async (sql): Promise<Begun> => {
          await sql.run('DELETE FROM idempotency WHERE expires_at <= ?', [at(sql)]);
          const row = await sql.first('SELECT * FROM idempotency WHERE user = ? AND key = ?', under(request));
          if (!row) {
            await sql.run('INSERT INTO idempotency (user, key, target, expires_at) VALUES (?, ?, ?, ?)', [
              ...under(request),
              request.target,
              at(sql) + LEASE_MS,
            ]);
            return { state: 'new' };
          }
          const answer = row.optionalText('answer');
          if (answer === undefined) return { state: 'under way' };
          return {
            state: 'done',
            target: row.text('target'),
            bodyHash: row.text('body_hash'),
            answer: JSON.parse(answer) as KeptAnswer, // as `finish` wrote it
          };
        },
        { lock: `idempotency ${under(request).join(' ')}` },
      ),
    renew: async (request) => {
      await database.write((sql) =>
        sql.run('UPDATE idempotency SET expires_at = ? WHERE user = ? AND key = ? AND answer IS NULL', [
          at(sql) + LEASE_MS,
          ...under(request),
        ]),
      );
    },
    finish: async (request, bodyHash, answer) => {
      await database.write((sql) =>
        sql.run(
          'UPDATE idempotency SET body_hash = ?, answer = ?, expires_at = ? WHERE user = ? AND key = ?',
          [bodyHash, JSON.stringify(answer), at(sql) + DAY_MS, ...under(request)],
        ),
      );
    },
    drop: async (request) => {
      await database.write((sql) =>
        sql.run('DELETE FROM idempotency WHERE user = ? AND key = ? AND answer IS NULL', under(request)),
      );
    },
  };
}

/**
 * Does `work` once per key: a repeat within 24 hours gets the same answer, with `Idempotency-Replayed`. A failure is
 * not stored. A process that dies halfway may have done the work.
 * @throws {HttpError} 409 while it is in progress, 422 for a key of another request; errors of `work`
 */
export async function onceFor(
  store: IdempotencyStore,
  request: IdempotentRequest,
  body: AsyncIterable<Uint8Array>,
  work: (body: AsyncIterable<Uint8Array>) => Promise<KeptAnswer>,
): Promise<KeptAnswer> {
  checkKey(request.key);
  const begun = await store.begin(request);
  if (begun.state === 'under way') throw underWay();
  const hash = createHash('sha256');
  const hashed = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      hash.update(chunk);
      yield chunk;
    }
  };
  if (begun.state === 'done') {
    for await (const _ of hashed()); // only its hash is needed
    if (begun.target !== request.target || hash.digest('hex') !== begun.bodyHash) throw keyReused();
    return { ...begun.answer, headers: { ...begun.answer.headers, 'idempotency-replayed': 'true' } };
  }
  // A failed renewal is repeated at the next interval; a lease lasts three.
  const timer = setInterval(() => void store.renew(request).catch(() => undefined), RENEW_MS);
  timer.unref();
  try {
    const answer = await work(hashed());
    await store.finish(request, hash.digest('hex'), answer);
    return answer;
  } catch (error) {
    await store.drop(request);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

function checkKey(key: string): void {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return;
  throw new ReaderError(
    'BAD_INPUT',
    'The `Idempotency-Key` is not 1 to 255 visible ASCII characters.',
    'Send a UUID.',
  );
}

const underWay = (): HttpError =>
  new HttpError(
    409,
    'BUSY',
    'A request with this `Idempotency-Key` is in progress.',
    'Wait for its answer, or send it again later.',
    { 'retry-after': '1' },
  );

const keyReused = (): HttpError =>
  new HttpError(
    422,
    'BAD_INPUT',
    'This `Idempotency-Key` belongs to another request of the last 24 hours.',
    'Use a new key for each request.',
  );

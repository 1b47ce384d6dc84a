// The queue of shards on BullMQ 6, which runs on Redis, Valkey and PostgreSQL with the same interface. `bullmq` and the
// driver of the server are optional packages.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { quoted } from '../../contract/index.ts';
import { ReaderError } from '../../index.ts';
import type { QueueCounts, ShardJob, ShardQueue, ShardWorker, WorkOptions, WorkSignals } from './queue.ts';

const QUEUE = 'lectern-shards';

/** A worker that is gone is noticed after this time; a living one renews its hold twice in it. */
const LOCK_MS = 10_000;
const STALLED_EVERY_MS = 5000;
/** A shard may lose its worker this often, such as to rolling deployments, before it counts as failed. */
const MAX_STALLED = 50;
/** Time for current documents of a worker that stops; orchestrators usually kill it after 30 seconds. */
const DRAIN_MS = 20_000;
/** Time to connect at first. Later, operations wait for a server that restarts. */
const CONNECT_MS = 10_000;
const ATTEMPTS = 8;
const FIRST_PAUSE_MS = 2000;
/** The store remembers what is done, the queue what failed. */
const KEEP = { removeOnComplete: true, removeOnFail: { count: 100_000 } } as const;
const MOST_FAILED = 1000;

const PACKAGES = { redis: 'ioredis', postgres: 'pg' } as const;

/** @throws {ReaderError} BAD_INPUT, MISSING_DEPENDENCY, TIMED_OUT or ACCESS_DENIED if the server cannot be reached */
export async function openShardQueue(url: string): Promise<ShardQueue> {
  const kind = kindOf(url);
  const bullmq = await import('bullmq').catch((error: unknown) => {
    throw missing('bullmq', PACKAGES[kind], error);
  });
  if (kind === 'redis') await tryRedis(url);
  else
    await import('pg').catch((error: unknown) => {
      throw missing(PACKAGES[kind], PACKAGES[kind], error);
    });
  const queue = new BullQueue(bullmq, kind, url);
  await queue.connect();
  return queue;
}

/** Connects once. BullMQ would try for ever, without a word, and could not be closed meanwhile. */
async function tryRedis(url: string): Promise<void> {
  const { Redis } = await import('ioredis').catch((error: unknown) => {
    throw missing(PACKAGES.redis, PACKAGES.redis, error);
  });
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let cause: unknown;
  client.on('error', (error) => {
    cause ??= error;
  });
  try {
    await inTime(client.connect().then(() => client.ping()));
  } catch (error) {
    throw error instanceof ReaderError ? error : unreachable('ACCESS_DENIED', cause ?? error);
  } finally {
    client.disconnect();
  }
}

/** @throws {ReaderError} TIMED_OUT; errors of `connecting` */
async function inTime(connecting: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unreachable('TIMED_OUT')), CONNECT_MS);
  });
  try {
    await Promise.race([connecting, late]);
  } finally {
    clearTimeout(timer);
  }
}

function kindOf(url: string): Kind {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol === 'redis:' || protocol === 'rediss:') return 'redis';
  if (protocol === 'postgres:' || protocol === 'postgresql:') return 'postgres';
  // The URL may hold a password, so only its scheme is shown.
  throw new ReaderError(
    'BAD_INPUT',
    `The queue is ${protocol === '' ? 'not a URL' : `a URL with the scheme ${quoted(protocol)}`}.`,
    'Use `redis://HOST:PORT`, `rediss://...` or `postgres://USER@HOST/DATABASE`.',
  );
}

const missing = (name: string, driver: string, cause: unknown): ReaderError =>
  new ReaderError(
    'MISSING_DEPENDENCY',
    `A queue needs the package \`${name}\`, which is not installed.`,
    `Install it with \`npm install bullmq ${driver}\`.`,
    cause,
  );

/** Without the cause's message, which may hold a password. */
const unreachable = (code: 'TIMED_OUT' | 'ACCESS_DENIED', cause?: unknown): ReaderError =>
  new ReaderError(
    code,
    code === 'TIMED_OUT'
      ? `The queue did not answer within ${CONNECT_MS / 1000} seconds.`
      : 'The queue refused the connection.',
    'Check the address and the credentials of the queue, and that its server is running.',
    cause,
  );

type BullMq = typeof import('bullmq');
type JobsOptions = import('bullmq').JobsOptions;
type Job = import('bullmq').Job<unknown>;

/** What is used of a queue; its type differs by server. */
interface Queue {
  getJob(id: string): Promise<{ isFailed(): Promise<boolean>; remove(): Promise<void> } | undefined>;
  add(name: string, data: ShardJob, options: JobsOptions): Promise<unknown>;
  getJobCounts(...states: ('waiting' | 'active' | 'delayed' | 'failed')[]): Promise<Record<string, number>>;
  getFailed(from: number, to: number): Promise<readonly { readonly data: unknown }[]>;
  on(event: 'error', listener: () => void): unknown;
  waitUntilReady(): Promise<unknown>;
  disconnect(): Promise<void>;
  close(): Promise<void>;
}
type Kind = keyof typeof PACKAGES;

/** A shard in one place; the same shard of another batch is other work. */
const jobIdOf = ({ id, source, destination }: ShardJob): string =>
  createHash('sha256')
    .update(JSON.stringify([id, source, destination]))
    .digest('hex');

class BullQueue implements ShardQueue {
  readonly #bullmq: BullMq;
  readonly #kind: Kind;
  readonly #url: string;
  readonly #queue: Queue;

  constructor(bullmq: BullMq, kind: Kind, url: string) {
    this.#bullmq = bullmq;
    this.#kind = kind;
    this.#url = url;
    this.#queue = queueOf(bullmq, kind, url);
    // Reported by the operation that fails; without a listener, Node.js would end the process.
    this.#queue.on('error', () => undefined);
  }

  async connect(): Promise<void> {
    try {
      await inTime(this.#queue.waitUntilReady());
    } catch (error) {
      // It may be reconnecting forever.
      await this.#queue.disconnect().catch(() => undefined);
      throw error instanceof ReaderError ? error : unreachable('ACCESS_DENIED', error);
    }
  }

  async add(job: ShardJob): Promise<void> {
    const jobId = jobIdOf(job);
    const known = await this.#queue.getJob(jobId);
    if (known && (await known.isFailed())) await known.remove();
    await this.#queue.add('shard', job, {
      jobId,
      attempts: ATTEMPTS,
      backoff: { type: 'exponential', delay: FIRST_PAUSE_MS, jitter: 0.5 },
      ...KEEP,
    });
  }

  async counts(): Promise<QueueCounts> {
    const counts = await this.#queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
    return { waiting, active, delayed, failed };
  }

  async failed(): Promise<readonly ShardJob[]> {
    const jobs = await this.#queue.getFailed(0, MOST_FAILED - 1);
    return jobs.flatMap(({ data }) => JOB.safeParse(data).data ?? []);
  }

  async holds(job: ShardJob): Promise<boolean> {
    return (await this.#queue.getJob(jobIdOf(job))) !== undefined;
  }

  async work(
    run: (job: ShardJob, signals: WorkSignals) => Promise<void>,
    { concurrency, onError }: WorkOptions,
  ): Promise<ShardWorker> {
    const { DelayedError } = this.#bullmq;
    const closing = new AbortController();
    const late = new AbortController();
    const worker = workerOf(
      this.#bullmq,
      this.#kind,
      this.#url,
      async (job, token, signal) => {
        const stop = signal ? AbortSignal.any([signal, late.signal]) : late.signal;
        try {
          await run(checkedJob(job.data), { signal: stop, drain: closing.signal });
        } catch (error) {
          if (!closing.signal.aborted) throw error;
          // Returned unchanged: a worker that stops does not count as a failed attempt.
          await job.moveToDelayed(Date.now(), token);
          throw new DelayedError();
        }
      },
      concurrency,
    );
    worker.on('error', onError);
    worker.on('failed', (_job, error) => onError(error));
    await worker.waitUntilReady();
    return {
      close: async () => {
        closing.abort();
        const timer = setTimeout(() => late.abort(), DRAIN_MS);
        await worker.close();
        clearTimeout(timer);
      },
    };
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}

function queueOf(bullmq: BullMq, kind: Kind, url: string): Queue {
  const { Queue, createPostgresBackend } = bullmq;
  return kind === 'redis'
    ? new Queue(QUEUE, { connection: redisOf(url) })
    : new Queue(QUEUE, { connection: postgresOf(url) }, createPostgresBackend);
}

type Process = (job: Job, token?: string, signal?: AbortSignal) => Promise<void>;

function workerOf(bullmq: BullMq, kind: Kind, url: string, run: Process, concurrency: number) {
  const { Worker, createPostgresBackend } = bullmq;
  const options = {
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_EVERY_MS,
    maxStalledCount: MAX_STALLED,
  };
  return kind === 'redis'
    ? new Worker(QUEUE, run, { ...options, connection: redisOf(url) })
    : new Worker(QUEUE, run, { ...options, connection: postgresOf(url) }, createPostgresBackend);
}

/** Requests wait for a server that restarts. */
const redisOf = (url: string) => ({ url, maxRetriesPerRequest: null });
/** Creates the tables of BullMQ, or brings them up to date. */
const postgresOf = (url: string) => ({ connectionString: url, migrate: true });

const JOB = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{64}$/),
  source: z.string(),
  destination: z.string(),
});

/** Jobs come from a server that others may write to. */
function checkedJob(data: unknown): ShardJob {
  const job = JOB.safeParse(data);
  if (job.success) return job.data;
  throw new ReaderError(
    'BAD_INPUT',
    'The queue holds a job that is not a shard.',
    'Remove it from the queue.',
    job.error,
  );
}

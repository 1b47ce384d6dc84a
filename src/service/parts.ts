// The resources of a service: its data folder, stores, child processes and jobs.

import { setMaxListeners } from 'node:events';
import { join, resolve } from 'node:path';
import type { Blobs } from '../blobs/index.ts';
import { DATA_DIRECTORY, quoted, settingOf } from '../contract/index.ts';
import {
  type ConversionCache,
  cacheDirectory,
  createDiskCache,
  createReadPool,
  createStoredCache,
  type IsolationLimits,
  type Ocr,
  type Pool,
  ReaderError,
} from '../index.ts';
import type { OwnedFolder } from '../isolation/index.ts';
import { resolveLimitsOf } from '../limits/index.ts';
import { createQueryEngine, type QueryEngine } from '../query/index.ts';
import { PACKAGE_VERSION } from '../version.ts';
import { type Archives, createArchives } from './archives.ts';
import { dataFolder } from './data-folder.ts';
import { DATABASE_URL, openDatabase, REDIS_URL, type ServiceDatabase } from './database.ts';
import { isLoopback } from './http/access/origin.ts';
import { createMemoryRates } from './http/access/rates.ts';
import { createPostgresRates, createRedisRates, type SharedRates } from './http/access/shared-rates.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import type { AppLog } from './http/record.ts';
import { LOCAL } from './identity.ts';
import { createFolderBlobStore } from './jobs/blob-store.ts';
import { type Jobs, startJobs } from './jobs/jobs.ts';
import { createReadItem } from './jobs/read-item.ts';
import { createStoredBlobStore } from './jobs/stored-blob-store.ts';
import { createKeyStore, type KeyStore } from './keys/key-store.ts';
import { SERVICE_LIMIT_DEFINITIONS, type ServiceLimits } from './limits.ts';
import { createQuotas, type Quotas } from './quotas.ts';
import { createReaders, type Readers } from './readers.ts';
import { openStorage } from './storage.ts';
import { createTracing, type Tracing } from './tracing.ts';
import { uploadFolder } from './upload-folder.ts';

export interface ServiceOptions {
  /** Where everything is stored: workspaces, keys, jobs, current uploads. Default: LECTERN_DATA_DIR, else `./data`. */
  readonly dataDir?: string;
  /**
   * URL of a PostgreSQL database that nodes share: keys, jobs and idempotency records. Default: LECTERN_DATABASE_URL, else
   * a file in the data directory.
   */
  readonly database?: string;
  /**
   * `s3://bucket/prefix`, or a folder, that nodes share: workspaces, uploads of jobs and converted documents. Nodes that
   * share it must share the database too. Default: LECTERN_STORAGE_URL, else the data directory.
   */
  readonly storage?: string;
  /** Address to listen on. Default 127.0.0.1. Any address other than loopback requires a key. */
  readonly host?: string;
  /** 0 takes any free port. Default 8080. */
  readonly port?: number;
  /** Names by which browsers reach it, besides `localhost` and addresses. */
  readonly publicHosts?: readonly string[];
  readonly limits?: Partial<ServiceLimits>;
  /** Limits of the reading processes. */
  readonly isolation?: Partial<IsolationLimits>;
  /** Reads the text of scanned pages and pictures. Default: none. */
  readonly ocr?: Ocr;
  /** Replaces secrets in every answer by placeholders; files are downloaded unchanged. Default false. */
  readonly redact?: boolean;
  /** Environment variables for limits. Default: those of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** One line per request, as accepted by `pino`. Default: nothing is logged. */
  readonly log?: AppLog;
}

/** The resources of a service. */
export interface Parts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly limits: ServiceLimits;
  readonly database: ServiceDatabase;
  readonly keys: KeyStore;
  readonly uploads: OwnedFolder;
  readonly tracing: Tracing;
  readonly metrics: Metrics;
  readonly rates: SharedRates;
  /** Aborts everything still running when the drain time is over. */
  readonly ending: AbortController;
  readonly pool: Pool;
  readonly quotas: Quotas;
  readonly readers: Readers;
  readonly queries: QueryEngine;
  readonly archives: Archives;
  readonly state: ServiceState;
  readonly jobs: Jobs;
  readonly storage: Blobs | undefined;
}

/** @throws {ReaderError} as `startService`, except for the port */
export async function openParts(options: ServiceOptions, host: string, log: AppLog): Promise<Parts> {
  const named = options.dataDir ?? settingOf(options.environment ?? {}, DATA_DIRECTORY) ?? './data';
  const dataDir = resolve(named);
  const environment: Parts['environment'] = {
    ...(options.environment ?? process.env),
    [DATA_DIRECTORY.variable]: dataDir,
  };
  const limits = resolveLimitsOf<ServiceLimits>(SERVICE_LIMIT_DEFINITIONS, options.limits ?? {}, environment);
  await dataFolder(dataDir, named);
  const storage = await openStorage(options.storage, environment, (err) => log.error({ err }, 'storage'));
  const url = options.database ?? settingOf(environment, DATABASE_URL);
  const database = await openDatabase(join(dataDir, 'service'), { url });
  const keys = await createKeyStore(database);
  if (!isLoopback(host)) await needKey(keys, host);
  const uploads = await uploadFolder(join(dataDir, 'service', 'uploads'));
  const tracing = await createTracing(environment);
  const metrics = createMetrics();
  const rates = await createRates({ environment, limits, database, url, metrics });
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // every running request listens
  const directory = cacheDirectory(environment);
  const cache = createCache(directory, storage, { signal: ending.signal, log });
  const pool = createReadPool({ environment, ...(options.isolation && { limits: options.isolation }) });
  levelsOf(pool, metrics);
  const quotas = await createQuotas(database, { onError: (err) => log.error({ err }, 'quotas') });
  const readers = createReaders({
    dataDir,
    storage,
    environment,
    cache,
    pool,
    ocr: options.ocr,
    redact: options.redact === true,
    ledger: quotas,
  });
  const state: ServiceState = {
    draining: false,
    metrics,
    keys,
    uploads: uploads.path,
    storage,
    readerStatus: readerStatus(readers),
  };
  // Starts the first process, so that the first caller does not wait for it.
  void state.readerStatus();
  const blobs = storage
    ? createStoredBlobStore(storage)
    : createFolderBlobStore(join(dataDir, 'service', 'blobs'), { isShared: database.isShared });
  const jobs = await startJobs({
    database,
    blobs,
    limits,
    read: createReadItem(readers, blobs.files),
    version: PACKAGE_VERSION,
    webhookAllow: listOf(environment['LECTERN_WEBHOOK_ALLOW']),
    onError: (err) => log.error({ err }, 'jobs'),
  });
  metrics.levels('job_files', 'Files of jobs that wait, run, or failed for good.', 'state', () =>
    jobs.queue.backlog(),
  );
  return {
    environment,
    limits,
    database,
    keys,
    uploads,
    tracing,
    metrics,
    rates,
    ending,
    pool,
    quotas,
    readers,
    queries: createQueryEngine({ environment }),
    archives: await createArchives(join(dataDir, 'service', 'recall'), database),
    state,
    jobs,
    storage,
  };
}

/** Every node lists the entries this often. */
const PRUNE_CACHE_MS = 24 * 60 * 60_000;

/** On disk, and for all nodes in the storage. */
function createCache(
  directory: string | undefined,
  storage: Blobs | undefined,
  { signal, log }: { readonly signal: AbortSignal; readonly log: AppLog },
): ConversionCache | false {
  const local = directory === undefined ? undefined : createDiskCache({ directory });
  if (!storage) return local ?? false;
  const stored = createStoredCache({ storage, local });
  const prune = (): void => {
    stored.prune(signal).catch((err: unknown) => {
      if (!signal.aborted) log.error({ err }, 'cache');
    });
  };
  prune();
  const timer = setInterval(prune, PRUNE_CACHE_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return stored;
}

interface RatesOptions extends Pick<Parts, 'environment' | 'limits' | 'database' | 'metrics'> {
  readonly url: string | undefined;
}

/** In Redis, else in PostgreSQL, else in this process. */
async function createRates(options: RatesOptions): Promise<SharedRates> {
  const { environment, limits, database, url, metrics } = options;
  const rate = { perMinute: limits.requestsPerMinute, burst: limits.requestBurst };
  const redis = settingOf(environment, REDIS_URL);
  if (redis === undefined && url === undefined)
    return { ...createMemoryRates(rate), close: () => Promise.resolve() };
  const failed = metrics.counter(
    'rate_store_failures',
    'Requests limited by this node alone, because the store of the rates did not answer.',
  );
  const shared = { ...rate, onFailure: failed };
  if (redis !== undefined) return createRedisRates(redis, shared);
  return createPostgresRates(database, url ?? '', shared);
}

/** Closes everything. */
export async function release({
  jobs,
  ending,
  pool,
  quotas,
  rates,
  queries,
  uploads,
  tracing,
  database,
  storage,
}: Parts): Promise<void> {
  await jobs.close(ending.signal);
  ending.abort(); // what is left runs in the background
  await queries.close();
  await pool.close();
  await uploads.remove();
  quotas.close();
  await rates.close();
  await tracing.close();
  await database.close();
  await storage?.close();
}

/** Status of the service for operations. */
export interface ServiceState {
  draining: boolean;
  readonly metrics: Metrics;
  readonly keys: KeyStore;
  /** Folder of current uploads. */
  readonly uploads: string;
  /** Undefined where the data folder holds everything. */
  readonly storage: Blobs | undefined;
  /** `ok` once a process has read something, else what prevents it. */
  readerStatus(): Promise<string>;
}

/** Whether files can be read in a child process; checked until they can. */
function readerStatus(readers: Readers): () => Promise<string> {
  const trial = async (): Promise<string> => {
    const answer = await readers.of(LOCAL.user).read({ name: 'trial.txt', bytes: Buffer.from('trial') });
    if (answer.success || answer.error.code === 'BUSY') return 'ok';
    asked = undefined;
    return `no process can read: ${answer.error.code}`;
  };
  let asked: Promise<string> | undefined;
  return () => {
    asked ??= trial();
    return asked;
  };
}

/** Gauges of the pool, for alerts. */
function levelsOf(pool: Pool, metrics: Metrics): void {
  metrics.levels('processes', 'Reading child processes, by activity.', 'state', () => {
    const { busy, idle } = pool.status;
    return { busy, idle };
  });
  metrics.level('reads_queued', 'Reads waiting for a child process.', () => pool.status.queued);
  metrics.level('processes_started', 'Child processes started so far.', () => pool.status.started);
  metrics.levels(
    'processes_ended',
    'Child processes killed by a file so far, by cause.',
    'ending',
    () => pool.status.ended,
  );
}

/** Entries between commas. */
const listOf = (text = ''): string[] => text.split(',').filter((entry) => entry.trim() !== '');

async function needKey(keys: KeyStore, host: string): Promise<void> {
  if (await keys.any()) return;
  throw new ReaderError(
    'BAD_INPUT',
    `The service would listen on ${quoted(host)} without a key, open to everyone who can reach it.`,
    'Create a key with `lectern keys add --user NAME`, or listen on 127.0.0.1.',
  );
}

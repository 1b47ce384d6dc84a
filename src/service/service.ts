// The service put together: its data folder, stores, readers and application, from start to the end of the last request.

import { setMaxListeners } from 'node:events';
import { access, constants } from 'node:fs/promises';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import {
  cacheDirectory,
  createDiskCache,
  createReadPool,
  errnoOf,
  type IsolationLimits,
  makeFolder,
  type Pool,
  quoted,
  ReaderError,
  resolveHistoryLimits,
  resolveIsolationLimits,
  resolveLimits,
  resolveLimitsOf,
  resolveWorkspaceLimits,
} from '../index.ts';
import { openDatabase } from './database.ts';
import { isLoopback } from './http/access/origin.ts';
import { createMemoryRates } from './http/access/rates.ts';
import { type AppPace, createApp, PACE } from './http/app.ts';
import { createMemoryBudget } from './http/body/memory.ts';
import { version } from './http/document/openapi.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import type { Operation } from './http/operation.ts';
import type { AppLog } from './http/record.ts';
import { createWork } from './http/work.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { LOCAL } from './identity.ts';
import { startJobs } from './jobs/jobs.ts';
import { createReadItem } from './jobs/read-item.ts';
import { createKeyStore, type KeyStore } from './keys/key-store.ts';
import { SERVICE_LIMIT_DEFINITIONS, type ServiceLimits } from './limits.ts';
import { mountMcp } from './mcp.ts';
import { attachmentOperations } from './operations/attachments.ts';
import { compactOperations } from './operations/compact.ts';
import { fileOperations } from './operations/files.ts';
import { healthOperations } from './operations/health.ts';
import { infoOperations } from './operations/info.ts';
import { jobOperations } from './operations/jobs.ts';
import { playgroundOperations } from './operations/playground.ts';
import { readOperations } from './operations/read.ts';
import { resultOperations } from './operations/results.ts';
import { workspaceOperations } from './operations/workspace.ts';
import { createReaders, type Readers } from './readers.ts';
import { createTracing } from './tracing.ts';
import { uploadFolder } from './upload-folder.ts';

export interface ServiceOptions {
  /** Where everything is kept: workspaces, keys, jobs, uploads under way. Default: DATA_DIR, else `./data`. */
  readonly dataDir?: string;
  /** Address to listen on. Default 127.0.0.1. Another than loopback needs a key. */
  readonly host?: string;
  /** 0 takes any free port. Default 8080. */
  readonly port?: number;
  /** Names by which browsers reach it, besides `localhost` and addresses. */
  readonly publicHosts?: readonly string[];
  readonly limits?: Partial<ServiceLimits>;
  /** Of the processes that read. */
  readonly isolation?: Partial<IsolationLimits>;
  /** Where limits are looked up by their variable. Default: the process's. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** One line for each request, as `pino` takes them. Default: nothing is logged. */
  readonly log?: AppLog;
}

const SILENT: AppLog = { info: () => undefined, error: () => undefined };

export interface Service {
  /** Where it listens, as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly server: Server;
  /** Takes no new requests, lets those under way end within limit `drainMilliseconds`, and closes everything. */
  close(): Promise<void>;
}

/**
 * Starts listening.
 * @throws {ReaderError} BAD_INPUT (options; an address other than loopback without a key), ACCESS_DENIED (the port or the
 * data folder)
 */
export async function startService(options: ServiceOptions = {}, pace: AppPace = PACE): Promise<Service> {
  const { host = '127.0.0.1', port = 8080, publicHosts = [], log = SILENT } = options;
  const dataDir = resolve(options.dataDir ?? options.environment?.['DATA_DIR'] ?? './data');
  const environment: Readonly<Record<string, string | undefined>> = {
    ...(options.environment ?? process.env),
    DATA_DIR: dataDir,
  };
  const limits = resolveLimitsOf<ServiceLimits>(SERVICE_LIMIT_DEFINITIONS, options.limits ?? {}, environment);
  await dataFolder(dataDir);
  const database = await openDatabase(join(dataDir, 'service'));
  const keys = await createKeyStore(database);
  if (!isLoopback(host)) await needKey(keys, host);
  const uploads = await uploadFolder(join(dataDir, 'service', 'uploads'));
  const tracing = await createTracing(environment);
  const metrics = createMetrics();
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // every request under way listens
  const directory = cacheDirectory(environment);
  const cache = directory === undefined ? false : createDiskCache({ directory });
  const pool = createReadPool({ environment, ...(options.isolation && { limits: options.isolation }) });
  levelsOf(pool, metrics);
  const readers = createReaders({ dataDir, environment, cache, pool });
  const state: ServiceState = {
    draining: false,
    metrics,
    keys,
    uploads: uploads.path,
    readerStatus: readerStatus(readers),
  };
  // Starts the first process, so that the first caller does not wait for it.
  void state.readerStatus();
  const jobs = await startJobs({
    database,
    blobFolder: join(dataDir, 'service', 'blobs'),
    limits,
    read: createReadItem(readers),
    version: version(),
    webhookAllow: listOf(environment['WEBHOOK_ALLOW']),
    onError: (err) => log.error({ err }, 'jobs'),
  });
  metrics.levels('job_files', 'Files of jobs that wait, run, or failed for good.', 'state', () =>
    jobs.queue.backlog(),
  );
  const names = publicHosts.map((name) => name.toLowerCase());
  const mcp = mountMcp({ readers, hosts: [host, ...names] });
  const operations: readonly Operation[] = [
    ...readOperations(readers),
    ...workspaceOperations(readers),
    ...fileOperations(readers),
    ...resultOperations(readers, await createIdempotencyStore(database)),
    ...attachmentOperations(readers),
    ...compactOperations(readers),
    ...jobOperations(jobs, limits),
    ...infoOperations(() => operations, mcp.mounts, {
      ...resolveLimits({}, environment),
      ...resolveWorkspaceLimits({}, environment),
      ...resolveHistoryLimits({}, environment),
      ...resolveIsolationLimits(options.isolation ?? {}, environment),
      ...limits,
    }),
    ...(await playgroundOperations()),
    ...healthOperations(state),
  ];
  const work = createWork();
  const app = createApp({
    operations,
    mounts: mcp.mounts,
    keys,
    rates: createMemoryRates({ perMinute: limits.requestsPerMinute, burst: limits.requestBurst }),
    limits,
    metrics,
    uploadFolder: uploads.path,
    host,
    publicHosts: names,
    ending: ending.signal,
    draining: () => state.draining,
    memory: createMemoryBudget(limits.maxBodyMemory),
    pace,
    work,
    tracing,
    log,
  });
  const release = async (): Promise<void> => {
    await jobs.close(ending.signal);
    await pool.close();
    await uploads.remove();
    await tracing.close();
    await database.close();
  };
  try {
    await listen(app, host, port);
  } catch (error) {
    await release();
    throw error;
  }
  // Connections are still accepted, and told that this instance ends; it does as soon as nothing is under way.
  const drain = async (): Promise<void> => {
    state.draining = true;
    app.server.closeIdleConnections();
    const late = setTimeout(() => {
      ending.abort();
      void mcp.close();
      app.server.closeAllConnections();
    }, limits.drainMilliseconds);
    const drained = jobs.close(ending.signal);
    await work.idle();
    await app.close();
    await drained;
    clearTimeout(late);
    await release();
  };
  let closed: Promise<void> | undefined;
  return {
    url: urlOf(app, host),
    server: app.server,
    close: () => {
      closed ??= drain();
      return closed;
    },
  };
}

/** What operations ask about the service itself. */
export interface ServiceState {
  draining: boolean;
  readonly metrics: Metrics;
  readonly keys: KeyStore;
  /** Folder of uploads under way. */
  readonly uploads: string;
  /** `ok` once a process has read something, else what is in the way. */
  readerStatus(): Promise<string>;
}

/** Whether files can be read in a child process; asked again until they can. */
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

/** Levels of the pool, for alerts. */
function levelsOf(pool: Pool, metrics: Metrics): void {
  metrics.levels('processes', 'Child processes that read, by what they do.', 'state', () => {
    const { busy, idle } = pool.status;
    return { busy, idle };
  });
  metrics.level('reads_queued', 'Reads that wait for a child process.', () => pool.status.queued);
  metrics.level('processes_started', 'Child processes started so far.', () => pool.status.started);
  metrics.levels(
    'processes_ended',
    'Child processes that a file ended so far, by how.',
    'ending',
    () => pool.status.ended,
  );
}

/** Entries between commas. */
const listOf = (text = ''): string[] => text.split(',').filter((entry) => entry.trim() !== '');

/** @throws {ReaderError} ACCESS_DENIED */
async function dataFolder(path: string): Promise<void> {
  try {
    await makeFolder(path, 0o700);
    await access(path, constants.W_OK);
  } catch (cause) {
    throw new ReaderError(
      'ACCESS_DENIED',
      `The data directory ${quoted(path)} cannot be written: ${errnoOf(cause) ?? 'it failed'}.`,
      'Choose another with `--data-dir`, or give the user of the service the right to write there.',
      cause,
    );
  }
}

async function needKey(keys: KeyStore, host: string): Promise<void> {
  if (await keys.any()) return;
  throw new ReaderError(
    'BAD_INPUT',
    `The service would listen on ${quoted(host)} without a key, open to everyone who reaches it.`,
    'Make a key with `lectern keys add --user NAME`, or listen on 127.0.0.1.',
  );
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    throw new ReaderError(
      'ACCESS_DENIED',
      `The service cannot listen on ${quoted(`${host}:${port}`)}: ${cause instanceof Error && 'code' in cause ? String(cause.code) : 'it failed'}.`,
      'Choose another `--port`, or 0 for any that is free.',
      cause,
    );
  }
}

function urlOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo; // it listens on a port
  return `http://${host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host}:${port}`;
}

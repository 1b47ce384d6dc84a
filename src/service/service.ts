// Assembles the service from its parts, operations and application, and manages it from start to the end of the last
// request.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { quoted } from '../contract/index.ts';
import { ReaderError } from '../index.ts';
import {
  resolveHistoryLimits,
  resolveIsolationLimits,
  resolveLimits,
  resolveQueryLimits,
  resolveWorkspaceLimits,
} from '../limits/index.ts';
import { hasDuckDb } from '../query/index.ts';
import { type AppPace, createApp, PACE } from './http/app.ts';
import { createMemoryBudget } from './http/body/memory.ts';
import type { Mount } from './http/mount.ts';
import type { Operation } from './http/operation.ts';
import type { AppLog } from './http/record.ts';
import { createWork } from './http/work.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { mountMcp } from './mcp.ts';
import { attachmentOperations } from './operations/attachments.ts';
import { compactOperations } from './operations/compact.ts';
import { fileOperations } from './operations/files.ts';
import { healthOperations } from './operations/health.ts';
import { infoOperations } from './operations/info.ts';
import { jobOperations } from './operations/jobs.ts';
import { playgroundOperations } from './operations/playground.ts';
import { queryOperations } from './operations/query.ts';
import { readOperations } from './operations/read.ts';
import { recallOperations } from './operations/recall.ts';
import { resultOperations } from './operations/results.ts';
import { workspaceOperations } from './operations/workspace.ts';
import { openParts, type Parts, release, type ServiceOptions } from './parts.ts';

const SILENT: AppLog = { info: () => undefined, error: () => undefined };

export interface Service {
  /** Its URL, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly server: Server;
  /** Accepts no new requests, lets running ones end within limit `drainMilliseconds`, and closes everything. */
  close(): Promise<void>;
}

/**
 * Starts listening.
 * @throws {ReaderError} BAD_INPUT (options; an address other than loopback without a key), ACCESS_DENIED (the port or the
 * data folder), NOT_A_FOLDER (the data folder)
 */
export async function startService(options: ServiceOptions = {}, pace: AppPace = PACE): Promise<Service> {
  const { host = '127.0.0.1', port = 8080, log = SILENT } = options;
  const publicHosts = (options.publicHosts ?? []).map((name) => name.toLowerCase());
  const parts = await openParts(options, host, log);
  const { keys, limits, metrics, state, uploads, tracing, ending } = parts;
  const mcp = mountMcp({
    readers: parts.readers,
    archives: parts.archives,
    queries: hasDuckDb({ environment: parts.environment }) ? parts.queries : undefined,
    hosts: [host, ...publicHosts],
    log,
  });
  const work = createWork();
  const app = createApp({
    operations: await operationsOf(parts, mcp.mounts, options),
    mounts: mcp.mounts,
    keys,
    rates: parts.rates,
    limits,
    metrics,
    uploadFolder: uploads.path,
    host,
    publicHosts,
    ending: ending.signal,
    draining: () => state.draining,
    memory: createMemoryBudget(limits.maxBodyMemory),
    pace,
    work,
    tracing,
    log,
  });
  try {
    await listen(app, host, port);
  } catch (error) {
    await release(parts);
    throw error;
  }
  // Still accepts connections and tells them that this instance is shutting down; ends as soon as nothing is running.
  const drain = async (): Promise<void> => {
    state.draining = true;
    app.server.closeIdleConnections();
    const late = setTimeout(() => {
      ending.abort();
      void mcp.close();
      app.server.closeAllConnections();
    }, limits.drainMilliseconds);
    const drained = parts.jobs.close(ending.signal);
    await work.idle();
    await app.close();
    await drained;
    clearTimeout(late);
    await release(parts);
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

async function operationsOf(
  { readers, uploads, queries, archives, database, jobs, limits, environment, state }: Parts,
  mounts: readonly Mount[],
  { isolation = {} }: ServiceOptions,
): Promise<readonly Operation[]> {
  const operations: readonly Operation[] = [
    ...readOperations(readers, uploads.path),
    ...workspaceOperations(readers),
    ...fileOperations(readers),
    ...resultOperations(readers, await createIdempotencyStore(database)),
    ...queryOperations(readers, queries),
    ...attachmentOperations(readers),
    ...compactOperations(readers),
    ...recallOperations(archives),
    ...jobOperations(jobs, limits),
    ...infoOperations(() => operations, mounts, {
      ...resolveLimits({}, environment),
      ...resolveWorkspaceLimits({}, environment),
      ...resolveHistoryLimits({}, environment),
      ...resolveIsolationLimits(isolation, environment),
      ...resolveQueryLimits({}, environment),
      ...limits,
    }),
    ...(await playgroundOperations()),
    ...healthOperations(state),
  ];
  return operations;
}

async function listen(app: FastifyInstance, host: string, port: number): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (cause) {
    throw new ReaderError(
      'ACCESS_DENIED',
      `The service cannot listen on ${quoted(`${host}:${port}`)}: ${cause instanceof Error && 'code' in cause ? String(cause.code) : 'it failed'}.`,
      'Choose another `--port`, or 0 for any free one.',
      cause,
    );
  }
}

function urlOf(app: FastifyInstance, host: string): string {
  const { port } = app.server.address() as AddressInfo; // it listens on a port
  return `http://${host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host}:${port}`;
}

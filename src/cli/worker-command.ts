// `lectern worker`: works on the shards of a queue until it is stopped.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Counter, Registry } from 'prom-client';
import { openShardQueue, type QueueCounts, type ShardQueue, startShardWorker } from '../batch/index.ts';
import { loadOptional, quoted, settingOf } from '../contract/index.ts';
import { createReadPool, type Pool, ReaderError } from '../index.ts';
import { LIMIT_DEFINITIONS } from '../limits/index.ts';
import type { Command } from './command.ts';
import { integerFrom, isolationLimitsFrom } from './limit-flags.ts';
import { COMMON_OPTIONS, ISOLATION_LIMIT_OPTIONS, type Option, type Values } from './options.ts';
import type { Terminal } from './terminal.ts';
import { untilStopped } from './until-stopped.ts';

const WORKER_OPTIONS: readonly Option[] = [
  {
    name: 'queue',
    value: 'URL',
    help: 'redis://..., rediss://... or postgres://... (default: LECTERN_QUEUE_URL)',
  },
  {
    name: 'concurrency',
    value: 'N',
    help: 'shards at the same time, which share the processes (default: 1)',
  },
  {
    name: 'metrics-port',
    value: 'N',
    help: 'serve `/metrics` for Prometheus and `/livez` on this port of 127.0.0.1; 0 for any free port',
  },
  { name: 'metrics-host', value: 'ADDRESS', help: 'address for `--metrics-port` (default: 127.0.0.1)' },
];

const MAX_CONCURRENCY = 64;

export const worker: Command = {
  options: [
    ...WORKER_OPTIONS,
    ...ISOLATION_LIMIT_OPTIONS,
    ...COMMON_OPTIONS.filter(({ name }) => name !== 'json'),
  ],
  variables: LIMIT_DEFINITIONS,
  async run(words, values, terminal) {
    if (words.length > 0)
      throw new ReaderError(
        'BAD_INPUT',
        `\`lectern worker\` does not accept the argument ${quoted(words.join(' '))}.`,
        'Example: `lectern worker --queue redis://127.0.0.1:6379`.',
      );
    const { environment } = terminal;
    const url = queueUrlFrom(values, environment);
    const concurrency = integerFrom(values, 'concurrency', { least: 1, most: MAX_CONCURRENCY }) ?? 1;
    const port = integerFrom(values, 'metrics-port', { least: 0, most: 65_535 });
    const limits = isolationLimitsFrom(values);
    const queue = await openShardQueue(url);
    const pool = createReadPool({ environment, limits });
    let server: Server | undefined;
    try {
      const metrics = port === undefined ? undefined : await metricsOf(queue, pool);
      server = metrics && (await metricsServer(port ?? 0, values, metrics.registry));
      const running = await startShardWorker({
        queue,
        pool,
        environment,
        concurrency,
        onDocument: ({ status }) => metrics?.documents.inc({ status }),
        onError: (error) => terminal.err(`lectern worker: ${wordsOf(error)}\n`),
      });
      const address = server ? `, metrics on port ${(server.address() as AddressInfo).port}` : ''; // it listens on a port
      terminal.err(`lectern worker: waiting for shards${address}\n`);
      await untilStopped(terminal.signal);
      terminal.err('lectern worker: stopping; unfinished shards go back to the queue\n');
      await running.close();
    } finally {
      server?.closeAllConnections();
      server?.close();
      await pool.close();
      await queue.close();
    }
    return 0;
  },
};

function queueUrlFrom(values: Values, environment: Terminal['environment']): string {
  const url =
    typeof values['queue'] === 'string'
      ? values['queue']
      : settingOf(environment, { variable: 'LECTERN_QUEUE_URL' });
  if (url !== undefined) return url;
  throw new ReaderError(
    'BAD_INPUT',
    'A worker needs a queue.',
    'Use `--queue redis://HOST:PORT` or `--queue postgres://USER@HOST/DATABASE`, or set LECTERN_QUEUE_URL.',
  );
}

interface WorkerMetrics {
  readonly registry: Registry;
  readonly documents: Counter<'status'>;
}

async function metricsOf(queue: ShardQueue, pool: Pool): Promise<WorkerMetrics> {
  const { Counter, Gauge, Registry } = await loadOptional(
    'metrics',
    '`--metrics-port`',
    () => import('prom-client'),
  );
  const registry = new Registry();
  const registers = [registry];
  const documents = new Counter({
    name: 'lectern_batch_documents_total',
    help: 'Documents of shards with an outcome, by status.',
    labelNames: ['status'],
    registers,
  });
  const levels = (name: string, help: string, read: () => Promise<Record<string, number>>): void => {
    new Gauge({
      name,
      help,
      labelNames: ['state'],
      registers,
      async collect() {
        for (const [state, value] of Object.entries(await read())) this.set({ state }, value);
      },
    });
  };
  levels('lectern_batch_shards', 'Shards in the queue, by state.', async () => ({
    ...((await queue.counts()) satisfies QueueCounts),
  }));
  levels('lectern_processes', 'Reading child processes, by activity.', () => {
    const { busy, idle } = pool.status;
    return Promise.resolve({ busy, idle });
  });
  return { registry, documents };
}

async function metricsServer(port: number, values: Values, registry: Registry): Promise<Server> {
  const host = typeof values['metrics-host'] === 'string' ? values['metrics-host'] : '127.0.0.1';
  const server = createServer((request, response) => {
    void answer(request.url ?? '', registry).then(({ status, type, text }) => {
      response.writeHead(status, { 'content-type': type });
      response.end(text);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new ReaderError(
          'ACCESS_DENIED',
          `The worker cannot listen on ${quoted(`${host}:${port}`)}.`,
          'Choose another `--metrics-port`, or 0 for any free one.',
          cause,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  return server;
}

async function answer(
  url: string,
  registry: Registry,
): Promise<{ readonly status: number; readonly type: string; readonly text: string }> {
  const plain = 'text/plain; charset=utf-8';
  if (url === '/livez') return { status: 200, type: plain, text: 'ok\n' };
  if (url !== '/metrics') return { status: 404, type: plain, text: 'There are `/metrics` and `/livez`.\n' };
  try {
    return { status: 200, type: registry.contentType, text: await registry.metrics() };
  } catch {
    return { status: 503, type: plain, text: 'The queue does not answer.\n' };
  }
}

/** Without the URL of the queue, which may hold a password. */
function wordsOf(error: unknown): string {
  if (error instanceof ReaderError) return `${error.code}: ${error.message}`;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return `the queue failed: ${error.code}`;
  return 'the queue failed';
}

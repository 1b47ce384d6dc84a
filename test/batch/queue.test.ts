// The queue of shards on real servers: Redis and PostgreSQL.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openShardQueue } from '../../src/batch/queue/bullmq.ts';
import type { ShardQueue } from '../../src/batch/queue/queue.ts';
import { openBlobs } from '../../src/blobs/index.ts';
import { startS3Server } from '../support/s3-server.ts';
import { startRedis } from '../support/servers.mjs';
import { emptyPostgres, NO_POSTGRES, NO_REDIS, redisUrl } from '../support/servers.ts';

const COMMAND = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

interface Ended {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

function run(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [COMMAND, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
}

async function ended(child: ChildProcess): Promise<Ended> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (text: Buffer) => {
    out += text.toString();
  });
  child.stderr?.on('data', (text: Buffer) => {
    err += text.toString();
  });
  const [status] = await once(child, 'close');
  return { status, out, err };
}

/** Resolves once the worker takes shards. */
async function worker(url: string): Promise<ChildProcess> {
  const child = run('worker', '--queue', url, '--max-processes', '1');
  await new Promise<void>((resolve, reject) => {
    child.stderr?.on('data', (text: Buffer) => {
      if (text.toString().includes('waiting for shards')) resolve();
    });
    child.once('close', () => reject(new Error('The worker ended.')));
  });
  return child;
}

const DOCUMENTS = 60;
let base: string;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'lectern-queue-'));
  const source = await openBlobs(join(base, 'in'), {});
  for (let n = 0; n < DOCUMENTS; n += 1) await source.put(`${n}.csv`, Buffer.from(`id,name\n${n},x\n`));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Keys with an outcome, as often as they have one. */
function outcomeKeys(folder: string): string[] {
  return readdirSync(join(folder, 'outcomes'))
    .flatMap((name) =>
      readFileSync(join(folder, 'outcomes', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line) => (JSON.parse(line) as { key: string }).key)
    .sort();
}

const ALL = Array.from({ length: DOCUMENTS }, (_, n) => `${n}.csv`).sort();

describe('a worker that cannot begin ends', () => {
  it('without a server', async () => {
    const { status, err } = await ended(run('worker', '--queue', 'redis://127.0.0.1:1'));
    expect(status).toBe(5);
    expect(err).toContain('ACCESS_DENIED: The queue refused the connection.');
  });

  it('with wrong credentials', async (context) => {
    context.skip(NO_REDIS !== undefined, NO_REDIS);
    const url = new URL(await redisUrl());
    url.username = 'nobody';
    url.password = 'wrong';
    const { status, err } = await ended(run('worker', '--queue', url.href));
    expect(status).toBe(5);
    expect(err).not.toContain('wrong');
  });

  it('with a port in use, and with a bad option', async (context) => {
    context.skip(NO_REDIS !== undefined, NO_REDIS);
    const url = await redisUrl();
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    // A server on a TCP port has an address of this kind.
    const { port } = taken.address() as AddressInfo;
    const inUse = await ended(run('worker', '--queue', url, '--metrics-port', String(port)));
    taken.close();
    expect(inUse.status).toBe(5);
    expect(inUse.err).toContain('cannot listen');
    expect((await ended(run('worker', '--queue', url, '--concurrency', '0'))).status).toBe(2);
  });
});

describe.each([
  ['Redis', NO_REDIS, redisUrl],
  ['PostgreSQL', NO_POSTGRES, emptyPostgres],
] as const)('a queue on %s', (_name, missing, urlOf) => {
  it('hands every shard to workers, also when one is killed', { timeout: 180_000 }, async (context) => {
    context.skip(missing !== undefined, missing);
    const url = await urlOf();
    const out = mkdtempSync(join(base, 'out-'));
    const first = await worker(url);
    const batch = ended(run('batch', '--queue', url, '--shard-size', '5', '--json', join(base, 'in'), out));
    await atLeast(1, () => outcomesIn(out));
    first.kill('SIGKILL');
    const second = await worker(url);
    const { status, out: printed, err } = await batch;
    second.kill('SIGTERM');
    const stopped = await ended(second);
    expect(err).toBe('');
    expect(status).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({ documents: DOCUMENTS, succeeded: DOCUMENTS });
    expect(outcomeKeys(out)).toEqual(ALL);
    expect(stopped.status).toBe(0);
  });

  it('reports the number of shards to Prometheus', async (context) => {
    context.skip(missing !== undefined, missing);
    const url = await urlOf();
    const queue = await openShardQueue(url);
    const before = await queue.counts();
    await queue.close();
    const child = run('worker', '--queue', url, '--max-processes', '1', '--metrics-port', '0');
    let said = '';
    child.stderr?.on('data', (text: Buffer) => {
      said += text.toString();
    });
    const port = () => Number(/metrics on port (\d+)/.exec(said)?.[1] ?? 0);
    await atLeast(1, port);
    const fetched = async (path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${port()}${path}`)).text();
    expect(await fetched('/livez')).toBe('ok\n');
    const metrics = await fetched('/metrics');
    for (const state of ['waiting', 'active', 'delayed', 'failed'])
      expect(metrics).toMatch(new RegExp(`^lectern_batch_shards\\{state="${state}"\\} \\d+$`, 'm'));
    expect(metrics).toContain(`lectern_batch_shards{state="failed"} ${before.failed}\n`);
    expect(metrics).toMatch(/^lectern_processes\{state="busy"\} \d+$/m);
    child.kill('SIGTERM');
    expect((await ended(child)).status).toBe(0);
  });

  it('knows a shard that is added twice, and counts it', async (context) => {
    context.skip(missing !== undefined, missing);
    const queue: ShardQueue = await openShardQueue(await urlOf());
    try {
      const before = await queue.counts();
      const job = { id: 'a'.repeat(64), source: '/none', destination: `/none-${process.pid}` };
      await queue.add(job);
      await queue.add(job);
      expect((await queue.counts()).waiting).toBe(before.waiting + 1);
      const errors: unknown[] = [];
      const failing = await queue.work(() => Promise.reject(new Error('no')), {
        concurrency: 1,
        onError: (error) => errors.push(error),
      });
      await atLeast(1, () => errors.length);
      await failing.close();
      expect((await queue.counts()).delayed).toBeGreaterThanOrEqual(1);
    } finally {
      await queue.close();
    }
  });

  it('gets a shard back from a worker that stops', async (context) => {
    context.skip(missing !== undefined, missing);
    const queue: ShardQueue = await openShardQueue(await urlOf());
    try {
      const id = 'b'.repeat(64);
      await queue.add({ id, source: '/none', destination: `/back-${process.pid}` });
      let begun = 0;
      const options = { concurrency: 1, onError: () => undefined };
      const hanging = await queue.work(
        (job, { drain }) =>
          new Promise((_, reject) => {
            if (job.id === id) begun += 1;
            drain.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
          }),
        options,
      );
      await atLeast(1, () => begun);
      await hanging.close();
      const seen: string[] = [];
      const next = await queue.work((job) => {
        seen.push(job.id);
        return Promise.resolve();
      }, options);
      await atLeast(1, () => seen.filter((one) => one === id).length);
      await next.close();
    } finally {
      await queue.close();
    }
  });
});

describe('a Redis server that keeps nothing', () => {
  it('is restarted, and every shard is queued again', { timeout: 180_000 }, async (context) => {
    context.skip(NO_REDIS !== undefined, NO_REDIS);
    const server = await startRedis();
    try {
      const out = mkdtempSync(join(base, 'out-'));
      const batch = ended(
        run('batch', '--queue', server.url, '--shard-size', '5', '--json', join(base, 'in'), out),
      );
      const queue = await openShardQueue(server.url);
      await atLeast(DOCUMENTS / 10, async () => (await queue.counts()).waiting);
      await queue.close();
      await server.stop();
      await server.start();
      const one = await worker(server.url);
      const { status, out: printed } = await batch;
      one.kill('SIGTERM');
      await ended(one);
      expect(status).toBe(0);
      expect(JSON.parse(printed)).toMatchObject({ documents: DOCUMENTS, succeeded: DOCUMENTS });
      expect(outcomeKeys(out)).toEqual(ALL);
    } finally {
      await server.end();
    }
  });
});

describe('a batch in object storage', () => {
  it('reads and writes through S3, with a request or two for each document', async () => {
    const server = await startS3Server();
    try {
      const source = await openBlobs('s3://bucket/in', { environment: server.environment });
      for (let n = 0; n < 19; n += 1) await source.put(`${n}.md`, Buffer.from(`# Title ${n}\n`));
      await source.put('empty.md', Buffer.from(''));
      server.reset();
      const child = spawn(
        process.execPath,
        [COMMAND, 'batch', 's3://bucket/in', 's3://bucket/out', '--json', '--max-processes', '1'],
        { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...server.environment } },
      );
      const { status, out, err } = await ended(child);
      expect(err).toBe('');
      expect(status).toBe(0);
      expect(JSON.parse(out)).toMatchObject({ documents: 20, succeeded: 20 });
      expect(server.requests.length).toBeLessThanOrEqual(20 * 2 + 15);
    } finally {
      await server.close();
    }
  });
});

describe('the location of a queue', () => {
  it.each(['', 'redis', 'http://host', 'ftp://user:secret@host'])('is refused: %j', async (url) => {
    const error = await openShardQueue(url).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'BAD_INPUT' });
    expect(String(error)).not.toContain('secret');
  });
});

const outcomesIn = (folder: string): number => {
  try {
    return readdirSync(join(folder, 'outcomes')).filter((name) => name.endsWith('.jsonl')).length;
  } catch {
    return 0;
  }
};

/** Looks again until there are enough; the test's timeout ends it. */
async function atLeast(count: number, look: () => number | Promise<number>): Promise<void> {
  while ((await look()) < count) await new Promise((resolve) => setTimeout(resolve, 20));
}

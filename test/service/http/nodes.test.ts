import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ask } from '../../hostile/service/client.mjs';
import { type RunningProcess, startProcess } from '../../hostile/service/process.mjs';
import { startPostgres } from '../../support/servers.mjs';
import { emptyPostgres, NO_POSTGRES } from '../../support/servers.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

/** Short, so that a test need not wait for long. */
const LEASE_MS = 1500;

let dataDir: string;
let running: RunningProcess[] = [];
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'lectern-nodes-'));
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((node) => node.end()));
  rmSync(dataDir, { recursive: true, force: true });
});

async function nodes(
  count: number,
  limits: Readonly<Record<string, number>> = {},
): Promise<RunningProcess[]> {
  const environment = { LECTERN_DATABASE_URL: await emptyPostgres() };
  const start = () =>
    startProcess({ dataDir, limits: { jobLeaseMilliseconds: LEASE_MS, ...limits }, environment });
  running = await Promise.all(Array.from({ length: count }, start));
  return running;
}

async function submit(node: RunningProcess | undefined, files: number): Promise<string> {
  const paths = Array.from({ length: files }, (_, at) => `${at}.txt`);
  for (const path of paths)
    await ask(node, { method: 'PUT', path: `/v1/workspaces/s/files/${path}`, body: `file ${path}` });
  const answer = await ask(node, {
    method: 'POST',
    path: '/v1/jobs',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ session: 's', files: paths }),
  });
  expect(answer.status).toBe(202);
  return JSON.parse(answer.text).id;
}

async function ended(node: RunningProcess | undefined, id: string) {
  for (;;) {
    const { status, text } = await ask(node, { path: `/v1/jobs/${id}` });
    expect(status).toBe(200);
    const job = JSON.parse(text);
    if (job.endedAt !== undefined) return job;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe.skipIf(NO_POSTGRES)('services on one PostgreSQL database', () => {
  it('answer for the jobs of each other', async () => {
    const [one, two] = await nodes(2);
    const id = await submit(one, 6);
    expect(await ended(two, id)).toMatchObject({ status: 'done', counts: { total: 6, succeeded: 6 } });
    const results = async (node: RunningProcess | undefined) =>
      (await ask(node, { path: `/v1/jobs/${id}/results` })).text;
    expect(await results(one)).toBe(await results(two));
  });

  it('take over the work of one that is killed', async () => {
    const [one, two] = await nodes(2, { jobWorkers: 1 });
    const id = await submit(one, 30);
    one?.signal('SIGKILL');
    const { counts } = await ended(two, id);
    expect(counts).toMatchObject({ total: 30, succeeded: 30 });
    const { text } = await ask(two, { path: `/v1/jobs/${id}/results` });
    const indexes = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).index);
    expect(new Set(indexes).size).toBe(30);
    expect(indexes).toHaveLength(30);
  });

  it('answer 503 while the database is away, and go on when it is back', async () => {
    const server = await startPostgres();
    try {
      const environment = { LECTERN_DATABASE_URL: server.url };
      const node = await startProcess({ dataDir, environment });
      running = [node];
      const id = await submit(node, 2);
      await ended(node, id);
      await server.stop();
      const [job, ready] = await Promise.all([
        ask(node, { path: `/v1/jobs/${id}` }),
        ask(node, { path: '/readyz' }),
      ]);
      expect([job.status, job.headers['retry-after']]).toEqual([503, '2']);
      expect(JSON.parse(job.text)).toMatchObject({
        code: 'BUSY',
        detail: 'The database of the service cannot be reached.',
      });
      expect(ready.status).toBe(503);
      await server.start();
      expect((await ask(node, { path: `/v1/jobs/${id}` })).status).toBe(200);
      expect(await ended(node, await submit(node, 2))).toMatchObject({ counts: { succeeded: 2 } });
    } finally {
      await server.end();
    }
  });

  it('report the same figures, and share keys, archives and the rates of a user', async () => {
    const [one, two] = await nodes(2, { requestBurst: 60, requestsPerMinute: 1, jobWorkers: 1 });
    const json = { 'content-type': 'application/json' };
    const add = { entries: [{ text: 'a heron stands in the river', kind: 'message', source: 'user' }] };
    await ask(one, {
      method: 'POST',
      path: '/v1/recall/s/entries',
      headers: json,
      body: JSON.stringify(add),
    });
    const search = { method: 'POST', path: '/v1/recall/s/search', headers: json, body: '{"query":"heron"}' };
    expect(JSON.parse((await ask(two, search)).text).hits).toHaveLength(1);
    const level = async (node: RunningProcess | undefined) =>
      /^lectern_job_files\{state="dead"\} (\d+)$/m.exec((await ask(node, { path: '/metrics' })).text)?.[1];
    expect([await level(one), await level(two)]).toEqual(['0', '0']);
    const statuses: number[] = [];
    for (let at = 0; at < 70; at += 1)
      statuses.push((await ask(at % 2 === 0 ? one : two, { path: '/v1/jobs' })).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(58);
    expect(statuses.filter((status) => status === 429)).toHaveLength(12);
  });
});

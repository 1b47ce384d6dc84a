import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { createWorkspace } from '../../../src/index.ts';
import { createKeyStore, makeKey, openDatabase, startService } from '../../../src/service/index.ts';
import { gate, temporaryFolder } from './trial.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

const ACCEPTED = z.looseObject({ id: z.string(), status: z.string(), webhookSecret: z.string().optional() });
const LINE = z.looseObject({
  seq: z.number(),
  index: z.number(),
  name: z.string(),
  state: z.string(),
  result: z.looseObject({}),
});

interface Running {
  readonly dataDir: string;
  call(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

async function service(dataDir?: string, environment: Record<string, string> = {}): Promise<Running> {
  const folder = dataDir ?? (await temporaryFolder());
  const running = await startService({
    dataDir: folder,
    port: 0,
    environment: { CACHE_DIR: '', ...environment },
  });
  onTestFinished(() => running.close());
  return {
    dataDir: folder,
    call: (path, init) => fetch(`${running.url}${path}`, init),
    close: () => running.close(),
  };
}

function form(
  files: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, unknown>> = {},
): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.append(name, JSON.stringify(value));
  for (const [name, content] of Object.entries(files)) data.append('file', new Blob([content]), name);
  return data;
}

async function submit({ call }: Running, body: string | FormData, headers: Record<string, string> = {}) {
  const answer = await call('/v1/jobs', { method: 'POST', body, headers });
  expect(answer.status).toBe(202);
  const job = ACCEPTED.parse(await answer.json());
  expect(answer.headers.get('location')).toBe(`/v1/jobs/${job.id}`);
  return job;
}

/** The events of a job until its stream ends. */
async function events({ call }: Running, id: string, headers: Record<string, string> = {}) {
  const answer = await call(`/v1/jobs/${id}/events`, { headers });
  const blocks = (await answer.text()).split('\n\n').filter((block) => block !== '');
  return {
    answer,
    events: blocks.map((block) => ({
      type: /^event: (.*)$/m.exec(block)?.[1],
      id: /^id: (.*)$/m.exec(block)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
    })),
  };
}

async function results({ call }: Running, id: string, after = 0) {
  const answer = await call(`/v1/jobs/${id}/results?after=${after}`);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  return (await answer.text())
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => LINE.parse(JSON.parse(line)));
}

test('a refused job holds none of its files open', async () => {
  const running = await service();
  const large = 'x'.repeat(300_000);
  const refused = await running.call('/v1/jobs', {
    method: 'POST',
    body: form({ 'a.txt': large, 'b.txt': large }),
    headers: { 'idempotency-key': 'k'.repeat(300) },
  });
  expect(refused.status).toBe(400);
  expect(openIn(running.dataDir)).toEqual([]);
});

/** Paths of open uploads below `folder`. */
function openIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) && path.includes('/uploads/') ? [path] : [];
    } catch {
      return []; // the descriptor of the listing
    }
  });
}

test('files of a form are read in the background, and their results fetched twice', async () => {
  const running = await service();
  const job = await submit(
    running,
    form({ 'a.csv': 'x,y\n1,2\n', 'b.xlsx': 'PK\u0003\u0004 broken' }, { request: { format: 'markdown' } }),
  );
  const watched = await events(running, job.id);
  expect(watched.answer.headers.get('content-type')).toMatch('text/event-stream');
  expect(watched.events.filter(({ type }) => type !== 'progress').map(({ type, id }) => [type, id])).toEqual([
    ['item', '1'],
    ['item', '2'],
    ['done', '3'],
  ]);
  expect(watched.events.at(-1)?.data).toMatchObject({
    id: job.id,
    status: 'done',
    counts: { succeeded: 1, failed: 1 },
  });
  const first = await results(running, job.id);
  expect(await results(running, job.id)).toEqual(first);
  expect(first.find(({ name }) => name === 'a.csv')).toMatchObject({
    index: 0,
    state: 'succeeded',
    result: { success: true, text: expect.stringContaining('| x | y |') },
  });
  expect(first.find(({ name }) => name === 'b.xlsx')).toMatchObject({
    state: 'failed',
    result: { success: false, error: { code: 'CORRUPT_FILE' } },
  });
  expect(JSON.stringify(first)).not.toContain(running.dataDir);
  expect(await results(running, job.id, 1)).toEqual(first.slice(1));
  expect(await readdir(join(running.dataDir, 'service', 'uploads'), { recursive: true })).not.toContain(
    'a.csv',
  );
});

test('events resume after the last received one, and the stream states its end', async () => {
  const running = await service();
  const job = await submit(running, form({ 'a.csv': 'x\n1\n', 'b.csv': 'x\n2\n' }));
  await events(running, job.id);
  const resumed = await events(running, job.id, { 'last-event-id': '1' });
  expect(resumed.events.map(({ id }) => id).filter((id) => id !== undefined)).toEqual(['2', '3']);
  const over = await running.call(`/v1/jobs/${job.id}/events`, { headers: { 'last-event-id': '3' } });
  expect(over.status).toBe(204);
  const odd = await running.call(`/v1/jobs/${job.id}/events`, { headers: { 'last-event-id': 'x' } });
  expect(odd.status).toBe(400);
});

test('workspace paths are read as that user', async () => {
  const running = await service();
  const workspace = createWorkspace({ dataDir: running.dataDir, user: 'local', session: 's1' });
  await workspace.write('orders.csv', 'a,b\n1,2\n');
  const job = await submit(running, JSON.stringify({ session: 's1', files: ['orders.csv', 'none.csv'] }), {
    'content-type': 'application/json',
  });
  await events(running, job.id);
  const read = await results(running, job.id);
  expect(read.find(({ index }) => index === 0)).toMatchObject({ state: 'succeeded' });
  expect(read.find(({ index }) => index === 1)).toMatchObject({
    result: { error: { code: 'FILE_NOT_FOUND' } },
  });
});

test('a webhook reports the end of a job', async () => {
  const received = gate<{ readonly body: string; readonly signature: string }>();
  const receiver = createServer(async (message, answer) => {
    received.open({ body: await text(message), signature: String(message.headers['webhook-signature']) });
    answer.end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  onTestFinished(() => void receiver.close());
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`; // it listens on a port
  const running = await service(undefined, { LECTERN_WEBHOOK_ALLOW: '127.0.0.0/8' });
  const job = await submit(running, form({ 'a.csv': 'x\n1\n' }, { options: { webhook: { url } } }));
  expect(job.webhookSecret).toMatch(/^whsec_/);
  const { body, signature } = await received.opened;
  expect(JSON.parse(body)).toMatchObject({ id: job.id, status: 'done', counts: { succeeded: 1 } });
  expect(signature).toMatch(/^v1,/);
  const shown = await (await running.call(`/v1/jobs/${job.id}`)).text();
  expect(shown).not.toContain('whsec_');
});

test.each([
  ['a private webhook', { options: { webhook: { url: 'http://127.0.0.1/' } } }, 400],
  ['too long a time', { options: { keepSeconds: 1e9 } }, 400],
  ['no time', { options: { keepSeconds: 0 } }, 400],
  ['an unknown option', { options: { keep: 1 } }, 400],
])('%s is rejected, and nothing is stored', async (_what, fields, status) => {
  const running = await service();
  const answer = await running.call('/v1/jobs', { method: 'POST', body: form({ 'a.csv': 'x' }, fields) });
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ code: 'BAD_INPUT' });
  expect(await (await running.call('/v1/jobs')).json()).toEqual({ jobs: [], next: null });
  expect(await readdir(join(running.dataDir, 'service', 'blobs')).catch(() => [])).toEqual([]);
});

test('a repeated submission returns the first job; a different one with the same key returns 422', async () => {
  const running = await service();
  const key = { 'idempotency-key': 'k1' };
  const first = await submit(running, form({ 'a.csv': 'x\n1\n' }), key);
  const second = await submit(running, form({ 'a.csv': 'x\n1\n' }), key);
  expect(second.id).toBe(first.id);
  const other = await running.call('/v1/jobs', {
    method: 'POST',
    body: form({ 'a.csv': 'y' }),
    headers: key,
  });
  expect(other.status).toBe(422);
  const [user] = await readdir(join(running.dataDir, 'service', 'blobs'));
  expect(await readdir(join(running.dataDir, 'service', 'blobs', user ?? ''))).toHaveLength(1);
});

test('a job and its results survive a restart', async () => {
  const first = await service();
  const job = await submit(first, form({ 'a.csv': 'x\n1\n' }));
  await events(first, job.id);
  await first.close();
  const second = await service(first.dataDir);
  expect(await results(second, job.id)).toHaveLength(1);
});

test('jobs are cancelled, listed in pages, and belong to their user', async () => {
  const dataDir = await temporaryFolder();
  const database = await openDatabase(join(dataDir, 'service'));
  const keys = await createKeyStore(database);
  const headersOf = async (user: string) => {
    const { key, id, hash } = makeKey();
    const createdAt = new Date().toISOString();
    const record = {
      id,
      hash,
      user,
      scopes: ['jobs'],
      label: '',
      createdAt,
      expiresAt: null,
      revokedAt: null,
    };
    await keys.add(record);
    return { authorization: `Bearer ${key}` };
  };
  const [ada, bob] = [await headersOf('ada'), await headersOf('bob')];
  await database.close();
  const running = await service(dataDir);
  const jobs = [];
  for (const name of ['a.csv', 'b.csv', 'c.csv'])
    jobs.unshift(await submit(running, form({ [name]: 'x\n1\n' }), ada));
  const [latest] = jobs;
  const page = await running.call('/v1/jobs?limit=2', { headers: ada });
  expect(await page.json()).toMatchObject({
    jobs: [{ id: jobs[0]?.id }, { id: jobs[1]?.id }],
    next: jobs[1]?.id,
  });
  const cancelled = await running.call(`/v1/jobs/${latest?.id}`, { method: 'DELETE', headers: ada });
  expect(cancelled.status).toBe(200);
  expect(await (await running.call('/v1/jobs/dead', { headers: ada })).json()).toEqual({ items: [] });
  const retried = await running.call(`/v1/jobs/${latest?.id}/retry`, { method: 'POST', headers: ada });
  expect(await retried.json()).toEqual({ retried: 0 });

  expect(await (await running.call('/v1/jobs', { headers: bob })).json()).toEqual({
    jobs: [],
    next: null,
  });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/results'],
    ['GET', '/events'],
    ['DELETE', ''],
    ['POST', '/retry'],
  ]) {
    const answer = await running.call(`/v1/jobs/${latest?.id}${path}`, {
      method: method ?? '',
      headers: bob,
    });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({
      code: 'FILE_NOT_FOUND',
      detail: `There is no job \`${latest?.id}\`: it never existed, or its results have expired.`,
    });
  }
});

test('a stream of events ends when the service stops', async () => {
  const running = await service(undefined, { LECTERN_JOB_WORKERS: '0' });
  const job = await submit(running, form({ 'a.csv': 'x\n1\n' }));
  const answer = await running.call(`/v1/jobs/${job.id}/events`);
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  expect(Buffer.from(first?.value ?? []).toString()).toMatch(/^event: progress\ndata: \{"status":"queued"/);
  await running.close();
  expect(await reader?.read()).toMatchObject({ done: true });
});

test('expired results are not found', async () => {
  const running = await service();
  const job = await submit(running, form({ 'a.csv': 'x\n1\n' }, { options: { keepSeconds: 1 } }));
  await events(running, job.id);
  const { dataDir } = running;
  await running.close();
  const database = await openDatabase(join(dataDir, 'service'));
  await database.write((sql) => sql.run('UPDATE jobs SET expires_at = 0'));
  await database.close();
  const later = await service(dataDir);
  expect((await later.call(`/v1/jobs/${job.id}/results`)).status).toBe(404);
  expect(await readdir(join(dataDir, 'service', 'blobs'))).toEqual([]);
});

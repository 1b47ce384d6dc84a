// Two nodes that share object storage: any of them serves the files, uploads and conversions of the other.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Blobs, openBlobs } from '../../src/blobs/index.ts';
import { createWorkspace, pruneWorkspaces, removeWorkspace } from '../../src/index.ts';
import {
  createKeyStore,
  makeKey,
  openDatabase,
  type Service,
  startService,
} from '../../src/service/index.ts';
import { createStoredBlobStore } from '../../src/service/jobs/stored-blob-store.ts';
import { modern } from '../mcp/http-server.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { emptyPostgres, NO_POSTGRES } from '../support/servers.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let server: S3Server;
let storage: Blobs;
/** What the nodes store. */
let storageOfNodes: Blobs;
let folder: string;
beforeAll(async () => {
  server = await startS3Server();
  storage = await openBlobs('s3://bucket/direct', { environment: server.environment });
  storageOfNodes = await openBlobs('s3://bucket/nodes', { environment: server.environment });
  folder = await mkdtemp(join(tmpdir(), 'lectern-nodes-'));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  for (const blobs of [storage, storageOfNodes])
    for (const key of await keys(blobs, '')) await blobs.remove(key);
  server.reset();
});

async function startNode(
  name: string,
  database?: string,
  environment: Readonly<Record<string, string>> = {},
  place = 's3://bucket/nodes',
): Promise<Service> {
  return await startService({
    dataDir: join(folder, name),
    port: 0,
    storage: place,
    environment: { ...server.environment, ...environment },
    ...(database !== undefined && { database }),
  });
}

interface Sent {
  readonly key?: string;
  readonly json?: object;
  readonly body?: string | Uint8Array<ArrayBuffer> | FormData;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function call(
  node: Service,
  method: string,
  path: string,
  { key, json, body, headers }: Sent = {},
): Promise<Answered> {
  const response = await fetch(`${node.url}${path}`, {
    method,
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(json && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(json ? { body: JSON.stringify(json) } : body !== undefined && { body }),
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A key of `user`. */
async function keyOf(user: string, url: string): Promise<string> {
  const database = await openDatabase(join(folder, 'keys'), { url });
  try {
    const { key, id, hash } = makeKey();
    const dates = { createdAt: new Date().toISOString(), expiresAt: null, revokedAt: null };
    const scopes = ['read', 'files', 'jobs', 'mcp'] as const;
    await (await createKeyStore(database)).add({ id, hash, user, scopes: [...scopes], label: '', ...dates });
    return key;
  } finally {
    await database.close();
  }
}

async function keys(blobs: Blobs, prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of blobs.list(prefix)) found.push(key);
  return found;
}

test('any node serves the files of a session', async () => {
  const [a, b] = [await startNode('a'), await startNode('b')];
  try {
    const at = (node: Service, path: string): string => `${node.url}/v1/workspaces/s/${path}`;
    const put = await fetch(at(a, 'files/d/t.csv'), { method: 'PUT', body: 'a,b\n1,2\n3,4\n' });
    expect(put.status).toBe(201);
    const etag = put.headers.get('etag') ?? '';
    const got = await fetch(at(b, 'files/d/t.csv'), { headers: { range: 'bytes=4-6' } });
    expect([got.status, got.headers.get('etag'), await got.text()]).toEqual([206, etag, '1,2']);
    const stale = { method: 'PUT', body: 'x', headers: { 'if-match': `"${'0'.repeat(64)}"` } };
    expect((await fetch(at(b, 'files/d/t.csv'), stale)).status).toBe(412);
    const bound = { method: 'PUT', body: 'a\n9\n', headers: { 'if-match': etag } };
    expect((await fetch(at(b, 'files/d/t.csv'), bound)).status).toBe(200);
    const read = await fetch(`${a.url}/v1/read`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session: 's', path: 'd/t.csv' }),
    });
    expect(await read.text()).toContain('9');
    expect((await fetch(at(a, 'files/d/t.csv'), { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(at(b, 'files/d/t.csv'))).status).toBe(404);
    // No file of a session is on a disk.
    for (const name of ['a', 'b']) expect(await readdir(join(folder, name))).not.toContain('workspaces');
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
});

test('a range of a large object costs that range', async () => {
  const bytes = 50 * 1024 ** 3;
  server.generate('bucket', 'nodes/workspaces/local/s/large.csv', {
    bytes,
    read: (position, length) => Buffer.alloc(length, `${position % 10}`),
  });
  const node = await startNode('range');
  try {
    const got = await fetch(`${node.url}/v1/workspaces/s/files/large.csv`, {
      headers: { range: `bytes=${bytes - 100}-` },
    });
    expect([got.status, (await got.arrayBuffer()).byteLength]).toEqual([206, 100]);
    const etag = got.headers.get('etag') ?? '';
    const same = await fetch(`${node.url}/v1/workspaces/s/files/large.csv`, {
      headers: { 'if-none-match': etag },
    });
    expect(same.status).toBe(304);
    expect(server.sent).toBe(100);
  } finally {
    await node.close();
  }
});

test.skipIf(NO_POSTGRES)('any node works on the uploads of a job', async () => {
  const database = await emptyPostgres();
  const [a, b] = [await startNode('ja', database), await startNode('jb', database)];
  try {
    const form = new FormData();
    for (let number = 0; number < 6; number += 1)
      form.append('files', new Blob([`content ${number}`]), `${number}.txt`);
    const submitted = await call(a, 'POST', '/v1/jobs', { body: form });
    expect(submitted.status, submitted.text).toBe(202);
    const { id }: { readonly id: string } = JSON.parse(submitted.text);
    await expect
      .poll(async () => (await call(b, 'GET', `/v1/jobs/${id}`)).text, { timeout: 30_000 })
      .toContain('"status":"done"');
    const results = (await call(b, 'GET', `/v1/jobs/${id}/results`)).text;
    for (let number = 0; number < 6; number += 1) expect(results).toContain(`content ${number}`);
    expect(await keys(storageOfNodes, 'jobs/')).toHaveLength(6);
    expect((await call(b, 'DELETE', `/v1/jobs/${id}`)).status).toBeLessThan(300);
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
});

test.skipIf(NO_POSTGRES)('nodes share sessions, cursors, MCP and quotas, and keep users apart', async () => {
  const database = await emptyPostgres();
  const [ana, bob] = [await keyOf('ana', database), await keyOf('bob', database)];
  const limits = { LECTERN_WORKSPACE_MAX_FILES: '3' };
  const [a, b] = [await startNode('sa', database, limits), await startNode('sb', database, limits)];
  try {
    const lines = Array.from({ length: 400 }, (_, line) => `line ${line + 1} of ana`).join('\n');
    const file = '/v1/workspaces/s/files/notes/long.txt';
    expect((await call(a, 'PUT', file, { key: ana, body: lines })).status).toBe(201);
    // Listing and searching on the other node.
    expect((await call(b, 'GET', '/v1/workspaces/s/files?depth=3', { key: ana })).text).toContain('long.txt');
    const search = { key: ana, json: { query: 'line 399' } };
    expect((await call(b, 'POST', '/v1/workspaces/s/search', search)).text).toContain('notes/long.txt');
    // A cursor of one node continues on the other.
    const read = { session: 's', path: 'notes/long.txt', maxTokens: 300 };
    const first = JSON.parse((await call(a, 'POST', '/v1/read', { key: ana, json: read })).text);
    expect(first.text).toContain('line 1 of ana');
    const next = { ...read, cursor: first.truncation.next.cursor };
    const second = await call(b, 'POST', '/v1/read', { key: ana, json: next });
    expect(second.status, second.text).toBe(200);
    const at = Number(/lines 1-(\d+) of 400/.exec(first.text)?.[1]) + 1;
    expect(JSON.parse(second.text).text.startsWith(`line ${at} of ana\n`), second.text).toBe(true);
    // MCP without sessions: a call on each node.
    for (const node of [b, a]) {
      const { body, headers } = modern('tools/call', {
        name: 'read_file',
        arguments: { path: 'notes/long.txt' },
      });
      const accept = 'application/json, text/event-stream';
      const sent = { ...headers, 'content-type': 'application/json', accept };
      const answer = await call(node, 'POST', '/mcp/s', { key: ana, body, headers: sent });
      expect(answer.text).toContain('line 1 of ana');
    }
    // The quota of files counts on both nodes; folders do not exist in object storage.
    const put = (node: Service, name: string) =>
      call(node, 'PUT', `/v1/workspaces/s/files/${name}`, { key: ana, body: name });
    const statuses = await Promise.all([put(a, '1'), put(b, '2'), put(a, '3'), put(b, '4')]);
    expect(statuses.map(({ status }) => status).sort()).toEqual([201, 201, 507, 507]);
    expect(await keys(storageOfNodes, 'workspaces/ana/s/')).toHaveLength(3);
    // Nothing of it is visible to another user.
    for (const node of [a, b]) {
      expect((await call(node, 'GET', file, { key: bob })).status).toBe(404);
      expect((await call(node, 'POST', '/v1/read', { key: bob, json: next })).status).toBe(404);
      const list = await call(node, 'GET', '/v1/workspaces/s/files?depth=3', { key: bob });
      expect(list.text).not.toContain('long.txt');
      const out = { session: 's', path: '../../ana/s/notes/long.txt' };
      const escaped = await call(node, 'POST', '/v1/read', { key: bob, json: out });
      expect([400, 403], escaped.text).toContain(escaped.status);
    }
    // The end of a session removes its keys, and room is free on both nodes.
    expect((await call(b, 'DELETE', '/v1/workspaces/s', { key: ana })).status).toBe(204);
    expect(await keys(storageOfNodes, 'workspaces/')).toEqual([]);
    expect((await call(a, 'GET', file, { key: ana })).status).toBe(404);
    // A count of the files is trusted for half a second.
    await expect.poll(async () => (await put(a, '5')).status, { timeout: 10_000 }).toBe(201);
  } finally {
    await Promise.all([a.close(), b.close()]);
  }
});

test('a folder can be the storage', async () => {
  const node = await startNode('folder', undefined, {}, join(folder, 'shared'));
  try {
    const file = '/v1/workspaces/s/files/d/a.txt';
    expect((await call(node, 'PUT', file, { body: 'text' })).status).toBe(201);
    const read = await call(node, 'POST', '/v1/read', { json: { session: 's', path: 'd/a.txt' } });
    expect(JSON.parse(read.text).text).toBe('text');
    expect(await readFile(join(folder, 'shared/workspaces/local/s/d/a.txt'), 'utf8')).toBe('text');
    expect((await call(node, 'DELETE', '/v1/workspaces/s')).status).toBe(204);
    expect(await readdir(join(folder, 'shared'))).not.toContain('workspaces');
  } finally {
    await node.close();
  }
});

test('expired sessions lose their keys', async () => {
  const place = { storage, user: 'u' };
  await createWorkspace({ ...place, session: 'idle' }).write('d/a', 'a');
  await createWorkspace({ ...place, session: 'idle' }).write('b', 'b');
  await createWorkspace({ ...place, session: 'used' }).write('a', 'a');
  await createWorkspace({ ...place, session: 'used' }).write('b', 'b');
  const old = new Date(Date.now() - 9 * 24 * 60 * 60_000);
  for (const key of ['idle/d/a', 'idle/b', 'used/a'])
    server.date('bucket', `direct/workspaces/u/${key}`, old);
  const dataDir = join(folder, 'expired');
  expect(await pruneWorkspaces({ storage, dataDir, days: 7 })).toEqual([{ user: 'u', session: 'idle' }]);
  expect(await keys(storage, 'workspaces/')).toEqual(['workspaces/u/used/a', 'workspaces/u/used/b']);
  expect(await removeWorkspace({ storage, dataDir, user: 'u', session: 'used' })).toBe(true);
  expect(await removeWorkspace({ storage, dataDir, user: 'u', session: 'used' })).toBe(false);
  expect(await keys(storage, 'workspaces/')).toEqual([]);
});

test('without storage a node answers 503, and goes on when it is back', async () => {
  const node = await startNode('away');
  try {
    const file = '/v1/workspaces/s/files/a.txt';
    expect((await call(node, 'PUT', file, { body: 'kept' })).status).toBe(201);
    const refusal = { status: 403, code: 'AccessDenied' } as const;
    server.fail(refusal, { times: 1000 });
    const form = new FormData();
    form.append('files', new Blob(['x']), 'x.txt');
    const refused = [
      await call(node, 'GET', file),
      await call(node, 'PUT', `${file}2`, { body: 'x' }),
      await call(node, 'POST', '/v1/jobs', { body: form }),
    ];
    for (const { status, text } of refused) {
      expect(status, text).toBe(503);
      expect(JSON.parse(text)).toMatchObject({
        code: 'BUSY',
        detail: 'The storage of the service cannot be reached.',
        hint: expect.stringContaining('Try again later.'),
      });
    }
    const read = await call(node, 'POST', '/v1/read', { json: { session: 's', path: 'a.txt' } });
    expect([read.status, JSON.parse(read.text).code], read.text).toEqual([429, 'BUSY']);
    const ready = await call(node, 'GET', '/readyz');
    expect([ready.status, JSON.parse(ready.text).checks.storage]).toEqual([503, 'does not answer']);
    // Files that come with the request need no storage.
    const uploaded = new FormData();
    uploaded.append('files', new Blob(['direct']), 'x.txt');
    expect((await call(node, 'POST', '/v1/read', { body: uploaded })).text).toContain('direct');
    server.recover();
    expect((await call(node, 'GET', file)).text).toBe('kept');
    expect((await call(node, 'GET', '/readyz')).text).toContain('"storage":"ok"');
  } finally {
    server.recover();
    await node.close();
  }
});

test('a writer of a large file can replace it by the ETag it got', async () => {
  const node = await startNode('large');
  try {
    const file = '/v1/workspaces/s/files/large.bin';
    const put = await call(node, 'PUT', file, { body: Buffer.alloc(65 * 1024 * 1024, 'a') });
    const head = await call(node, 'HEAD', file);
    expect(head.headers.get('etag')).not.toBe(put.headers.get('etag'));
    const stale = await call(node, 'PUT', file, { body: 'x', headers: { 'if-match': '"none"' } });
    expect(stale.status).toBe(412);
    const bound = { body: 'y', headers: { 'if-match': put.headers.get('etag') ?? '' } };
    expect((await call(node, 'PUT', file, bound)).status).toBe(200);
  } finally {
    await node.close();
  }
});

test('uploads of jobs are kept, bounded and swept', async () => {
  const store = createStoredBlobStore(storage);
  const { signal } = new AbortController();
  async function* content(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  const { blob, bytes } = await store.put('u', content('hello'), { maxBytes: 5, signal });
  expect(bytes).toBe(5);
  const path = await store.path('u', blob);
  expect(await store.files?.kind(path)).toBe('file');
  await expect(store.put('u', content('hello!'), { maxBytes: 5, signal })).rejects.toMatchObject({
    code: 'LIMIT_EXCEEDED',
  });
  // A file that is new stays, whether a job refers to it or not.
  expect(await store.sweep(async () => false)).toBe(0);
  server.date('bucket', `direct/${path}`, new Date(0));
  expect(await store.sweep(async () => true)).toBe(0);
  expect(await store.sweep(async () => false)).toBe(1);
  expect(await store.files?.kind(path)).toBeUndefined();
  await expect(store.files?.open(path)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  await expect(store.remove('u', '../v/x')).rejects.toThrow('Not a blob id.');
  await store.remove('u', blob);
});

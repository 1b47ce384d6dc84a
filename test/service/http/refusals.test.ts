import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { formOf } from './client.ts';
import { type Running, running } from './running.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

const run = promisify(execFile);
const CLI = resolve('dist/src/cli/main.js');

let service: Running;
beforeAll(async () => {
  service = await running();
});
afterAll(() => service.close());

async function keysCommand(target: Running, ...words: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [CLI, 'keys', ...words, '--data-dir', target.dataDir]);
  return stdout;
}

describe('paths and methods', () => {
  it.each([
    ['GET', '/nothing', 404],
    ['GET', '/v1/workspaces//files', 400],
    ['GET', '/v1/nothing/%ff', 400],
    ['GET', '/%zz', 400],
    ['PROPFIND', '/v1/read', 404],
    ['GET', '/v1/read', 405],
    ['PUT', '/v1/tokens', 405],
    ['OPTIONS', '/v1/read', 405],
    ['POST', '/livez', 405],
  ])('refuses %s %s with %i', async (method, path, status) => {
    const answer = await service.call({ method, path });
    expect(answer.status).toBe(status);
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    if (status === 405) expect(answer.headers.allow).toMatch(/^[A-Z, ]+$/);
  });

  it('counts requests that match no operation', async () => {
    await service.call({ path: '/nothing' });
    await service.call({ method: 'PUT', path: '/v1/tokens' });
    const { text } = await service.call({ path: '/metrics' });
    expect(text).toMatch(/^lectern_requests_total\{operation="none",status="404",.*\} [1-9]/m);
    expect(text).toMatch(/^lectern_requests_total\{operation="none",status="405",.*\} [1-9]/m);
  });

  it('distinguishes a missing body from an empty file', async () => {
    const forgotten = await service.call({ method: 'POST', path: '/v1/read' });
    expect(forgotten.status).toBe(400);
    expect(forgotten.json()).toMatchObject({ detail: 'The request has no body.' });
    const headers = { 'content-type': 'text/plain' };
    const empty = await service.call({ method: 'POST', path: '/v1/read?name=a.txt', headers, body: '' });
    expect(empty.json()).toMatchObject({ success: true, warnings: [{ code: 'EMPTY_FILE' }] });
  });

  it('states that a key requires a user', async () => {
    const refused = await keysCommand(service, 'add').catch((error: unknown) => error);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The option `--user` is missing.'),
    });
  });

  it('answers HEAD wherever GET is supported', async () => {
    for (const path of ['/livez', '/readyz', '/openapi.json', '/v1/formats', '/docs', '/metrics']) {
      const head = await service.call({ method: 'HEAD', path });
      expect([path, head.status, head.bytes.length]).toEqual([path, 200, 0]);
    }
    const refused = await service.call({ method: 'POST', path: '/livez' });
    expect(refused.headers.allow).toBe('GET, HEAD');
  });

  it('echoes a valid request id, and replaces an invalid one', async () => {
    const given = await service.call({ path: '/livez', headers: { 'x-request-id': 'a-1.b_2' } });
    expect(given.headers['x-request-id']).toBe('a-1.b_2');
    const odd = await service.call({ path: '/nothing', headers: { 'x-request-id': 'a b"<script>' } });
    expect(odd.json()['requestId']).toBe(odd.headers['x-request-id']);
    expect(odd.text).not.toContain('script');
  });
});

describe('fields', () => {
  it.each([
    ['POST', '/v1/read?name=a.txt&nonsense=1', 'body', 'query', 'nonsense'],
    ['POST', '/v1/tokens', { text: 'a', nonsense: 1 }, 'body', 'nonsense'],
    ['POST', '/v1/tokens', '{"text": "a", "__proto__": 1}', 'body', '__proto__'],
    ['GET', '/v1/workspaces/s/files?nonsense=1', undefined, 'query', 'nonsense'],
  ])('names the unknown field of %s %s', async (method, path, body, place, field) => {
    const answer = await service.call({
      method,
      path,
      ...(body !== undefined && { body }),
      ...(path === '/v1/tokens' && { headers: { 'content-type': 'application/json' } }),
    });
    expect(answer.status).toBe(400);
    expect(answer.json()['detail']).toBe(`The ${place} has an unknown field \`${field}\`.`);
  });

  it('names an unknown field of a form', async () => {
    for (const name of ['nonsense', '__proto__', 'constructor']) {
      const answer = await service.call({
        method: 'POST',
        path: '/v1/read',
        ...formOf([
          { name, content: '1' },
          { name: 'a', filename: 'a.txt', content: 'text' },
        ]),
      });
      expect([answer.status, answer.json()['detail']]).toEqual([
        400,
        `The form has an unknown field \`${name}\`.`,
      ]);
    }
  });

  it('rejects a duplicate field', async () => {
    const query = await service.call({ method: 'POST', path: '/v1/read?rows=1&rows=2', body: 'a' });
    expect(query.status).toBe(400);
    const form = await service.call({
      method: 'POST',
      path: '/v1/read',
      ...formOf([
        { name: 'rows', content: '1' },
        { name: 'rows', content: '2' },
        { name: 'a', filename: 'a.csv', content: 'a\n1\n' },
      ]),
    });
    expect(form.status).toBe(400);
    expect(service.uploads()).toEqual([]);
  });

  it.each(['{', 'nul', '[]', '"text"', '', '{"text": 1}', `${'['.repeat(100_000)}`])(
    'refuses the JSON body %s',
    async (body) => {
      const answer = await service.call({
        method: 'POST',
        path: '/v1/tokens',
        headers: { 'content-type': 'application/json' },
        body,
      });
      expect(answer.status).toBe(400);
    },
  );

  it('refuses bytes that are not UTF-8', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/tokens',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([0x7b, 0xff, 0x7d]),
    });
    expect(answer.json()['detail']).toBe('The body is not UTF-8.');
  });
});

describe('media types and sizes', () => {
  it('answers 415 with the accepted types', async () => {
    const answer = await service.call({
      method: 'POST',
      path: '/v1/compact',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'messages=1',
    });
    expect([answer.status, answer.headers.accept]).toEqual([415, 'application/json']);
  });

  it('answers 413 to a body that is too large, announced or not', async () => {
    const small = await running({ limits: { maxUploadBytes: 10_000, maxJsonBytes: 10_000 } });
    const large = Buffer.alloc(5_000_000, 'a');
    const pieces = async function* () {
      for (let sent = 0; sent < 100; sent++) yield large.subarray(0, 50_000);
    };
    try {
      for (const path of ['/v1/read?name=a.txt', '/v1/tokens', '/v1/workspaces/s/results?name=a.txt'])
        for (const body of [large, pieces()]) {
          const headers = { 'content-type': path === '/v1/tokens' ? 'application/json' : 'text/plain' };
          const answer = await small.call({ method: 'POST', path, headers, body });
          expect([path, answer.status, answer.headers.connection]).toEqual([path, 413, 'close']);
        }
      expect(small.uploads()).toEqual([]);
    } finally {
      await small.close();
    }
  });

  it('refuses more files than a request may have', async () => {
    const files = Array.from({ length: 30 }, (_, index) => ({
      name: 'f',
      filename: `${index}.txt`,
      content: 'x'.repeat(300_000),
    }));
    const answer = await service.call({ method: 'POST', path: '/v1/read', ...formOf(files) });
    expect(answer.status).toBe(413);
    expect(service.uploads()).toEqual([]);
  });

  it('spools a file to disk if the memory for bodies is used up, and rejects JSON', async () => {
    const tight = await running({ limits: { maxBodyMemory: 100 } });
    try {
      const read = await tight.call({
        method: 'POST',
        path: '/v1/read?name=a.txt',
        body: 'a line\n'.repeat(100),
      });
      expect(read.status).toBe(200);
      const json = await tight.call({ method: 'POST', path: '/v1/tokens', body: { text: 'a'.repeat(200) } });
      expect([json.status, json.headers['retry-after']]).toEqual([429, '2']);
      const fits = await tight.call({ method: 'POST', path: '/v1/tokens', body: { text: 'a' } });
      expect(fits.status).toBe(200);
      expect(tight.uploads()).toEqual([]);
    } finally {
      await tight.close();
    }
  });
});

describe('rates', () => {
  it('answers 429 with the time to wait', async () => {
    const slow = await running({ limits: { requestBurst: 2, requestsPerMinute: 1 } });
    try {
      const path = '/v1/formats';
      expect((await slow.call({ path })).status).toBe(200);
      expect((await slow.call({ path })).status).toBe(200);
      const answer = await slow.call({ path });
      expect([answer.status, answer.headers['retry-after'], answer.json()['code']]).toEqual([
        429,
        '60',
        'BUSY',
      ]);
      expect((await slow.call({ path: '/livez' })).status).toBe(200);
    } finally {
      await slow.close();
    }
  });
});

describe('origins', () => {
  it.each([
    [{ host: 'evil.example' }],
    [{ origin: 'http://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://127.0.0.1:1' }],
    [{ host: '127.0.0.1.evil.example' }],
    [{ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }],
    [{ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
  ])('refuses %o', async (headers) => {
    const answer = await service.call({ path: '/v1/formats', headers });
    expect([answer.status, answer.json()['code']]).toEqual([403, 'ACCESS_DENIED']);
  });

  it.each([{ origin: '' }, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }])(
    'serves its own page, and addresses that are typed: %o',
    async (headers) => {
      const own = 'origin' in headers ? { origin: service.url } : headers;
      const answer = await service.call({ path: '/v1/formats', headers: own });
      expect(answer.status).toBe(200);
    },
  );

  it.each(['/', '/livez', '/v1/formats', '/v1/nothing', '/openapi.json'])(
    'gives %s to no page of another',
    async (path) => {
      const answer = await service.call({ path });
      expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
    },
  );
});

describe('keys', () => {
  it('are added, listed and revoked while the service runs', async () => {
    const keyed = await running();
    try {
      const path = '/v1/formats';
      expect((await keyed.call({ path })).status).toBe(200);
      const key = (await keysCommand(keyed, 'add', '--user', 'ada', '--scopes', 'read')).trim();
      const open = await keyed.call({ path });
      expect([open.status, open.headers['www-authenticate']]).toEqual([401, 'Bearer realm="lectern"']);
      const headers = { authorization: `Bearer ${key}` };
      expect((await keyed.call({ path, headers })).status).toBe(200);
      const scope = await keyed.call({ path: '/v1/workspaces/s/files', headers });
      expect([scope.status, scope.json()['detail']]).toEqual([
        403,
        'The key does not have the scope `files`.',
      ]);

      const [listed] = JSON.parse(await keysCommand(keyed, 'list', '--json')) as { id: string }[];
      expect(JSON.stringify(listed)).not.toContain(key.slice(-20));
      await keysCommand(keyed, 'revoke', listed?.id ?? '');
      expect((await keyed.call({ path, headers })).status).toBe(401);
      expect((await keyed.call({ path })).status).toBe(401);
      expect(JSON.stringify(keyed.lines)).not.toContain(key.slice(-20));
    } finally {
      await keyed.close();
    }
  });

  it.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer x',
    'Basic YTpi',
    `Bearer ${'k'.repeat(5000)}`,
    'Bearer lk_aaaaaaaaaaaa_',
  ])('refuses `%s`', async (authorization) => {
    const answer = await service.call({ path: '/v1/formats', headers: { authorization } });
    expect(answer.status).toBe(401);
  });

  it('never mix two users', async () => {
    const shared = await running();
    try {
      const [ada, bob] = await Promise.all(
        ['ada', 'bob'].map(async (user) => ({
          authorization: `Bearer ${(await keysCommand(shared, 'add', '--user', user)).trim()}`,
        })),
      );
      const path = '/v1/workspaces/s/files/secret.txt';
      await shared.call({ method: 'PUT', path, headers: ada ?? {}, body: 'of ada' });
      expect((await shared.call({ path, headers: ada ?? {} })).text).toBe('of ada');
      expect((await shared.call({ path, headers: bob ?? {} })).status).toBe(404);
      const read = await shared.call({
        method: 'POST',
        path: '/v1/read',
        headers: bob ?? {},
        body: { session: 's', path: 'secret.txt' },
      });
      expect(read.status).toBe(404);
      for (const away of ['../../ada/s/secret.txt', '/etc/passwd', '..%2f..%2fada/s/secret.txt']) {
        const found = await shared.call({ path: `/v1/workspaces/s/files/${away}`, headers: bob ?? {} });
        expect([400, 403, 404]).toContain(found.status);
      }
    } finally {
      await shared.close();
    }
  });
});

describe('data of another user', () => {
  it('cannot be reached by ids and cursors', async () => {
    const shared = await running();
    try {
      const headersOf = async (user: string) => ({
        authorization: `Bearer ${(await keysCommand(shared, 'add', '--user', user)).trim()}`,
      });
      const ada = await headersOf('ada');
      const bob = await headersOf('bob');
      for (const name of ['a-secret', 'b-secret'])
        await shared.call({ method: 'PUT', path: `/v1/workspaces/s/files/${name}`, headers: ada, body: 'x' });
      const listed = await shared.call({ path: '/v1/workspaces/s/files?limit=1', headers: ada });
      const cursor = encodeURIComponent(String(listed.json()['next']));
      const stolen = await shared.call({ path: `/v1/workspaces/s/files?cursor=${cursor}`, headers: bob });
      expect(stolen.text).not.toContain('secret');

      const submitted = await shared.call({
        method: 'POST',
        path: '/v1/jobs',
        headers: { ...formOf([]).headers, ...ada },
        body: formOf([{ name: 'f', filename: 'a.txt', content: 'of ada' }]).body,
      });
      expect(submitted.status).toBe(202);
      const id = String(submitted.json()['id']);
      for (const [method, path] of [
        ['GET', `/v1/jobs/${id}`],
        ['GET', `/v1/jobs/${id}/results`],
        ['GET', `/v1/jobs/${id}/events`],
        ['DELETE', `/v1/jobs/${id}`],
      ] as const)
        expect([path, (await shared.call({ method, path, headers: bob })).status]).toEqual([path, 404]);
      expect((await shared.call({ path: `/v1/jobs/${id}`, headers: ada })).status).toBe(200);
    } finally {
      await shared.close();
    }
  });
});

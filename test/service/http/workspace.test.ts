import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Running, running } from './running.ts';

let service: Running;
beforeAll(async () => {
  service = await running();
});
afterAll(() => service.close());

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const put = (path: string, body: string, headers: Record<string, string> = {}) =>
  service.call({ method: 'PUT', path: `/v1/workspaces/${path}`, headers, body });
const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  service.call({ method, path: `/v1/workspaces/${path}`, headers });

describe('files', () => {
  it('are created once, and replaced only on request', async () => {
    const path = 'w1/files/notes/a.txt';
    const made = await put(path, 'one');
    expect(made.status).toBe(201);
    expect(made.json()).toEqual({
      path: 'notes/a.txt',
      mounted: '/workspace/notes/a.txt',
      bytes: 3,
      sha256: sha256('one'),
      replaced: false,
    });
    expect(made.headers.etag).toBe(`"${sha256('one')}"`);
    expect((await put(path, 'two')).status).toBe(409);
    const createOnly = await put(path, 'two', { 'if-none-match': '*' });
    expect(createOnly.status).toBe(412);
    expect(createOnly.json()['hint']).toBe(
      'Leave `If-None-Match` out and send `If-Match` with its ETag, or `?overwrite=true`.',
    );
    expect((await put(`${path}?overwrite=true`, 'two', { 'if-none-match': '*' })).status).toBe(412);
    expect((await get(path)).text).toBe('one');
    expect((await put(`${path}?overwrite=true`, 'two')).status).toBe(200);
    expect((await get(path)).text).toBe('two');
  });

  it('are replaced only if unchanged since the client read them', async () => {
    const path = 'w2/files/a.txt';
    const { etag = '' } = (await put(path, 'one')).headers;
    expect((await put(path, 'two', { 'if-match': etag })).status).toBe(200);
    const stale = await put(path, 'three', { 'if-match': etag });
    expect([stale.status, stale.json()['code']]).toEqual([412, 'CONFLICT']);
    expect((await put(path, 'three', { 'if-match': '*' })).status).toBe(200);
    expect((await put('w2/files/none.txt', 'x', { 'if-match': '*' })).status).toBe(412);
    expect((await put('w2/files/none.txt', 'x', { 'if-match': etag })).status).toBe(412);
    expect((await put(path, 'x', { 'if-match': 'W/"1"' })).status).toBe(412);
    expect((await put(path, 'x', { 'if-match': 'nonsense' })).status).toBe(400);
    expect((await put(path, 'x', { 'if-none-match': etag })).status).toBe(400);
    expect((await get(path)).text).toBe('three');
  });

  it('are served as a download with an ETag', async () => {
    await put('w3/files/page.html', '<script>1</script>');
    const { headers, text } = await get('w3/files/page.html');
    expect(text).toBe('<script>1</script>');
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '18',
      'content-disposition': "attachment; filename*=UTF-8''page.html",
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag: `"${sha256('<script>1</script>')}"`,
    });
    const head = await get('w3/files/page.html', {}, 'HEAD');
    expect(head.status).toBe(200);
    expect(head.headers['content-length']).toBe('18');
    expect(head.headers.etag).toBe(headers.etag);
  });

  it('are not sent again to a client that has them', async () => {
    const { etag = '' } = (await put('w4/files/a.txt', 'one')).headers;
    for (const given of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const same = await get('w4/files/a.txt', { 'if-none-match': given });
      expect([given, same.status, same.headers.etag]).toEqual([given, 304, etag]);
    }
    expect((await get('w4/files/a.txt', { 'if-none-match': '"x"' })).status).toBe(200);
    expect((await get('w4/files/a.txt', { 'if-match': '"x"' })).status).toBe(412);
    expect((await get('w4/files/a.txt', { 'if-match': etag })).status).toBe(200);
    await put('w4/files/a.txt?overwrite=true', 'two');
    const changed = await get('w4/files/a.txt', { 'if-none-match': etag });
    expect([changed.status, changed.text, changed.headers.etag]).toEqual([200, 'two', `"${sha256('two')}"`]);
  });

  it.each([
    ['bytes=0-2', 206, '012', 'bytes 0-2/10'],
    ['bytes=7-', 206, '789', 'bytes 7-9/10'],
    ['bytes=-4', 206, '6789', 'bytes 6-9/10'],
    ['bytes=5-100', 206, '56789', 'bytes 5-9/10'],
    ['bytes=-100', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=5-2', 200, '0123456789', undefined],
    ['bytes=0-1,3-4', 200, '0123456789', undefined],
    ['lines=1-2', 200, '0123456789', undefined],
    ['bytes=-', 200, '0123456789', undefined],
  ])('answer range %s with %i', async (range, status, text, contentRange) => {
    await put('w5/files/a.txt?overwrite=true', '0123456789');
    const answer = await get('w5/files/a.txt', { range });
    expect([answer.status, answer.text, answer.headers['content-range']]).toEqual([
      status,
      text,
      contentRange,
    ]);
  });

  it('reject a range outside the file, and serve an empty file', async () => {
    await put('w5/files/a.txt?overwrite=true', '0123456789');
    for (const range of ['bytes=10-', 'bytes=99-100', 'bytes=-0']) {
      const answer = await get('w5/files/a.txt', { range });
      expect([answer.status, answer.headers['content-range']]).toEqual([416, 'bytes */10']);
    }
    await put('w5/files/empty', '');
    expect(await get('w5/files/empty')).toMatchObject({ status: 200, text: '' });
    expect((await get('w5/files/empty', { range: 'bytes=0-' })).status).toBe(416);
  });

  it('continue a download only of the same content', async () => {
    const { etag = '' } = (await put('w6/files/a.txt', '0123456789')).headers;
    const same = await get('w6/files/a.txt', { range: 'bytes=5-', 'if-range': etag });
    expect([same.status, same.text]).toEqual([206, '56789']);
    const other = await get('w6/files/a.txt', { range: 'bytes=5-', 'if-range': '"x"' });
    expect([other.status, other.text]).toEqual([200, '0123456789']);
  });

  it('are removed, with If-Match only if unchanged', async () => {
    const { etag = '' } = (await put('w7/files/in/a.txt', 'one')).headers;
    const remove = (path: string, headers = {}) =>
      service.call({ method: 'DELETE', path: `/v1/workspaces/w7/files/${path}`, headers });
    expect((await remove('in/a.txt', { 'if-match': '"x"' })).status).toBe(412);
    expect((await remove('in/a.txt', { 'if-match': etag })).status).toBe(204);
    expect((await remove('in/a.txt')).status).toBe(404);
    await put('w7/files/in/b.txt', 'two');
    expect((await remove('in')).status).toBe(400);
    expect((await remove('in?recursive=true')).status).toBe(204);
    expect((await get('w7/files')).json()['entries']).toEqual([]);
  });

  it.each([
    ['../a', [400, 403]],
    ['..%2f..%2fetc/passwd', [400, 403]],
    ['%2e%2e/%2e%2e/x', [400, 403]],
    ['a%00b', [400]],
    ['a%0d%0aSet-Cookie:x=1', [200, 201, 400]],
    ['/etc/passwd', [400, 403, 404]],
    [`${'a'.repeat(300)}`, [400]],
    [`${'a/'.repeat(3000)}b`, [400, 413]],
    ['%ef%bc%8e%ef%bc%8e%ef%bc%8fx', [200, 201, 400]],
    ['.lectern/x', [200, 201, 400, 403]],
    ['con', [201, 400]],
    ['%ed%a0%80', [400]],
  ])('resolve the path %s only inside their workspace', async (path, statuses) => {
    const answer = await put(`w8/files/${path}`, 'x');
    expect(statuses).toContain(answer.status);
    expect(answer.headers['set-cookie']).toBeUndefined();
    if (answer.status < 300) {
      const back = await get(`w8/files/${path}`);
      expect([back.status, back.text, back.headers['set-cookie']]).toEqual([200, 'x', undefined]);
    }
  });

  it.each(['..', '.', '_x', 'a b', 'con', 'x'.repeat(129), '%2e%2e', 'a%2fb', 'a%00'])(
    'reject the session %s',
    async (session) => {
      const answer = await service.call({ path: `/v1/workspaces/${session.replaceAll(' ', '%20')}/files` });
      expect([400, 404]).toContain(answer.status);
    },
  );
});

describe('listing and usage', () => {
  it('start empty', async () => {
    expect((await get('never/files')).json()).toMatchObject({ entries: [], total: 0, next: null });
    expect((await get('never')).json()).toEqual({ bytes: 0, files: 0 });
    expect((await get('never/files?glob=**')).json()).toMatchObject({ entries: [] });
    expect((await get('never/files?path=folder')).status).toBe(404);
  });

  it('continue with a cursor, and match a glob', async () => {
    for (const name of ['a.csv', 'b.txt', 'in/c.csv']) await put(`w9/files/${name}`, 'x');
    const first = (await get('w9/files?depth=5&limit=2')).json();
    expect(first).toMatchObject({ entries: [{ path: 'a.csv' }, { path: 'b.txt' }], total: 4 });
    const rest = await get(`w9/files?depth=5&cursor=${encodeURIComponent(String(first['next']))}`);
    expect(rest.json()).toMatchObject({ entries: [{ path: 'in' }, { path: 'in/c.csv' }], next: null });
    expect((await get('w9/files?glob=**/*.csv')).json()).toMatchObject({
      entries: [{ path: 'a.csv' }, { path: 'in/c.csv' }],
    });
    expect((await get('w9/files?glob=*&path=in')).status).toBe(400);
    expect((await get('w9/files?cursor=nonsense')).status).toBe(400);
    expect((await get('w9')).json()).toEqual({ bytes: 3, files: 4 });
  });

  it('accept digits where text is expected', async () => {
    await put('123/files/2024/1.txt', 'x');
    expect((await get('123/files?path=2024')).json()).toMatchObject({ entries: [{ path: '2024/1.txt' }] });
    expect((await get('123/files?limit=%221%22')).status).toBe(400);
  });
});

describe('search', () => {
  const search = (session: string, body: object) =>
    service.call({ method: 'POST', path: `/v1/workspaces/${session}/search`, body });

  it('returns one match per line, then a summary', async () => {
    await put('w10/files/a.txt', 'one\ntwo\none\n');
    const answer = await search('w10', { query: 'one', limit: 1 });
    expect(answer.headers['content-type']).toMatch(/^application\/x-ndjson/);
    const [match, last] = answer.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(match).toMatchObject({ path: 'a.txt', line: 1, text: 'one' });
    const { end } = last as { end: { next: string } };
    const rest = await search('w10', { query: 'one', cursor: end.next });
    expect(rest.text.split('\n')[0]).toContain('"line":3');
    expect((await search('never', { query: 'x' })).text).toContain('"end"');
    expect((await search('w10', { query: '(', regex: true })).status).toBe(400);
  });
});

describe('results', () => {
  const save = (path: string, body: string | AsyncIterable<Uint8Array>, type: string, headers = {}) =>
    service.call({
      method: 'POST',
      path: `/v1/workspaces/w11/results${path}`,
      headers: { 'content-type': type, ...headers },
      body,
    });

  it('accept rows as NDJSON, split anywhere into chunks', async () => {
    const text = Array.from({ length: 1000 }, (_, id) => `{"id":${id},"name":"é ${id}"}\n`).join('');
    const pieces = async function* () {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 777) yield bytes.subarray(at, at + 777);
    };
    const saved = await save('?name=rows.csv', pieces(), 'application/x-ndjson');
    expect(saved.status).toBe(201);
    expect(saved.json()).toMatchObject({
      format: 'csv',
      rows: 1000,
      columns: [{ name: 'id' }, { name: 'name' }],
    });
    const back = await get(`w11/files/${String(saved.json()['path'])}`);
    expect(back.text.split('\n')[1000]).toBe('999,é 999');
    expect(back.headers.etag).toBe(saved.headers.etag);
  });

  it('are saved once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'key-1' };
    const send = (body: string, path = '?name=once.csv', key = headers) =>
      save(path, body, 'application/x-ndjson', key);
    const bad = await send('nonsense');
    expect(bad.status).toBe(400);
    const first = await send('{"a":1}\n');
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
    const again = await send('{"a":1}\n');
    expect([again.status, again.text, again.headers.etag]).toEqual([201, first.text, first.headers.etag]);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect((await send('{"a":2}\n')).status).toBe(422);
    expect((await send('{"a":1}\n', '?name=other.csv')).status).toBe(422);
    expect((await send('{"a":1}\n', '?name=x.csv', { 'idempotency-key': 'é' })).status).toBe(400);
    expect((await get('w11/files?glob=**/once*')).json()['total']).toBe(1);
  });

  it('accept text, JSON and bytes', async () => {
    expect((await save('?name=a.txt', 'plain', 'text/plain')).json()).toMatchObject({ format: 'text' });
    const json = await save('?name=a.json', '{"a": 1}', 'application/json');
    expect(json.json()).toMatchObject({ format: 'json' });
  });

  it('report the line that is not a row', async () => {
    const answer = await save('?name=bad.csv', '{"a":1}\n3\n', 'application/x-ndjson');
    expect(answer.status).toBe(400);
    expect(answer.json()['detail']).toContain('Line 2 is not a JSON object or array.');
    expect((await get('w11/files?glob=**/bad*')).json()['entries']).toEqual([]);
    expect((await save('?name=x.csv', 'a', 'image/png')).status).toBe(415);
  });

  it.each(['rows.csv', 'rows.jsonl'])('are returned from %s unchanged', async (name) => {
    const rows = Array.from({ length: 500 }, (_, index) => ({
      id: `${index}`,
      note: `a "quoted", line\n[${index}]`,
    }));
    const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const saved = await service.call({
      method: 'POST',
      path: `/v1/workspaces/w13/results?name=${name}`,
      headers: { 'content-type': 'application/x-ndjson' },
      body,
    });
    expect(saved.status).toBe(201);
    const answer = await get(`w13/results/${String(saved.json()['path'])}`);
    expect(answer.headers['content-type']).toBe('application/x-ndjson');
    expect(
      answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows);
  });

  it('have rows only in tables', async () => {
    await put('w13/files/a.md', '# A');
    const answer = await get('w13/results/a.md');
    expect(answer.json()).toMatchObject({ status: 415, code: 'UNSUPPORTED_FORMAT' });
    expect((await get('w13/results/none.csv')).status).toBe(404);
  });
});

it('removes a file only if it has the ETag', async () => {
  const path = '/v1/workspaces/gone/files/a.txt';
  const { headers } = await service.call({ method: 'PUT', path, body: 'one' });
  await service.call({ method: 'PUT', path: `${path}?overwrite=true`, body: 'two' });
  const stale = await service.call({ method: 'DELETE', path, headers: { 'if-match': String(headers.etag) } });
  expect([stale.status, stale.json()['code']]).toEqual([412, 'CONFLICT']);
  const { headers: now } = await service.call({ path });
  const removed = await service.call({ method: 'DELETE', path, headers: { 'if-match': String(now.etag) } });
  expect(removed.status).toBe(204);
  expect((await service.call({ path })).status).toBe(404);
});

it('removes a whole workspace, and nothing of another', async () => {
  for (const session of ['first', 'second'])
    await service.call({ method: 'PUT', path: `/v1/workspaces/${session}/files/d/a.txt`, body: session });
  expect((await service.call({ method: 'DELETE', path: '/v1/workspaces/first' })).status).toBe(204);
  expect((await service.call({ method: 'DELETE', path: '/v1/workspaces/first' })).status).toBe(404);
  expect((await service.call({ path: '/v1/workspaces/first' })).json()).toEqual({ bytes: 0, files: 0 });
  expect((await service.call({ path: '/v1/workspaces/second/files/d/a.txt' })).text).toBe('second');
  const again = await service.call({ method: 'PUT', path: '/v1/workspaces/first/files/d/a.txt', body: 'x' });
  expect(again.status).toBe(201);
});

// The HTTP handler against requests that no official client sends: which are refused, with which status, and that a good
// request still succeeds afterwards.

import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { fakeTool, text } from './fake-tools.ts';
import { type HttpServed, legacy, modern, type Raw, raw, serveHttp, serverOver } from './http-server.ts';
import { temporaryFolder } from './session.ts';

const folder = temporaryFolder();
const tools = [fakeTool('read_file', async () => text('read'))];
let served: HttpServed;

beforeAll(async () => {
  served = await serveHttp((_identity, lanes) => serverOver(folder.path, lanes, tools), {
    allowedHosts: ['Files.example.com', 'exact.example.com:8443'],
    allowedOrigins: ['https://app.example.com'],
  });
});

afterAll(async () => {
  await served?.close();
  folder.remove();
});

const LIST = modern('tools/list');
const list = (headers: Record<string, string | string[]> = {}): Promise<Raw> =>
  raw(served.url, { body: LIST.body, headers: { ...LIST.headers, ...headers } });
const errorOf = ({ messages }: Raw): { code: number; message: string } =>
  messages[0]?.['error'] as { code: number; message: string };

/** Bytes over a socket of their own, and all that comes back until the server closes. */
async function overSocket(write: (socket: ReturnType<typeof connect>) => void): Promise<string> {
  const socket = connect(served.port, '127.0.0.1');
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
  });
  // The server may reset a connection that it refused.
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  write(socket);
  await once(socket, 'close');
  return answer;
}

describe('Host and Origin', () => {
  test.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    'localhost:80:80',
    'user@localhost',
    '127.1',
    '2130706433',
    '[::1',
    'localhost.',
    'exact.example.com',
    'exact.example.com:9',
  ])('refuses the host %j', async (host) => {
    const answer = await list({ host });
    expect(answer.status).toBe(403);
    expect(errorOf(answer).message).toContain('`Host`');
    expect(answer.headers['connection']).toBe('close');
  });

  test.each([
    'localhost',
    'LOCALHOST:1234',
    '127.0.0.1:9',
    '[::1]:80',
    'files.example.com',
    'files.example.com:8443',
    'exact.example.com:8443',
  ])('answers for the host %j', async (host) => {
    expect((await list({ host })).status).toBe(200);
  });

  test.each([
    'null',
    'http://evil.example',
    'https://localhost.evil.example',
    'http://localhost@evil.example',
    'http://localhost/path',
    'file://localhost',
    'chrome-extension://localhost',
    'https://app.example.com:444',
    'http://app.example.com',
    '',
  ])('refuses the origin %j', async (origin) => {
    const answer = await list({ origin });
    expect(answer.status).toBe(403);
    expect(errorOf(answer).message).toContain('`Origin`');
  });

  test.each([
    'http://localhost:3000',
    'http://127.0.0.1',
    'https://app.example.com',
    'https://files.example.com',
  ])('answers for the origin %j', async (origin) => {
    expect((await list({ origin })).status).toBe(200);
  });

  test('refuses two hosts and two origins, of which one is good', async () => {
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost\r\n`;
    const tail = `content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`;
    expect(await overSocket((socket) => socket.write(`${head}host: evil.example\r\n${tail}`))).toMatch(
      /^HTTP\/1\.1 40[03] /,
    );
    const origins = 'origin: http://localhost\r\norigin: http://evil.example\r\n';
    expect(await overSocket((socket) => socket.write(`${head}${origins}${tail}`))).toMatch(
      /^HTTP\/1\.1 403 /,
    );
  });

  test('refuses an empty host', async () => {
    const request = 'POST /mcp HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n';
    expect(await overSocket((socket) => socket.write(request))).toMatch(/^HTTP\/1\.1 403 /);
  });

  test('is checked before the body and the method', async () => {
    expect((await raw(served.url, { method: 'GET', headers: { host: 'evil.example' } })).status).toBe(403);
    const body = 'not JSON';
    expect((await raw(served.url, { body, headers: { origin: 'null' } })).status).toBe(403);
  });
});

describe('method, content type and body', () => {
  test.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])('refuses %s', async (method) => {
    const answer = await raw(served.url, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST');
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'text/json;application/json',
    '',
  ])('refuses the content type %j', async (type) => {
    expect((await list({ 'content-type': type })).status).toBe(415);
  });

  test.each(['application/json; charset=utf-8', 'Application/JSON'])(
    'accepts the content type %j',
    async (type) => {
      expect((await list({ 'content-type': type })).status).toBe(200);
    },
  );

  test('refuses a compressed body', async () => {
    expect((await list({ 'content-encoding': 'gzip' })).status).toBe(415);
  });

  test.each<[string, string | Buffer, number, RegExp]>([
    ['bad JSON', '{"jsonrpc"', -32700, /not JSON/],
    ['no body', '', -32700, /not JSON/],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), -32700, /UTF-8/],
    ['201 levels', `${'['.repeat(201)}${']'.repeat(201)}`, -32700, /200 levels/],
    ['100 000 levels', '['.repeat(100_000), -32700, /200 levels/],
    ['a batch of 101', JSON.stringify(Array(101).fill(JSON.parse(LIST.body))), -32600, /batch/],
    ['a batch of 1', `[${LIST.body}]`, -32600, /batch/],
    ['an empty batch', '[]', -32600, /batch/],
    ['a number', '1', -32600, /not an object/],
    ['another version', '{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, /jsonrpc/],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, /id/],
  ])('refuses %s', async (_name, body, code, message) => {
    const answer = await raw(served.url, { body, headers: LIST.headers });
    expect(answer.status).toBe(400);
    expect(errorOf(answer)).toMatchObject({ code, message: expect.stringMatching(message) });
    expect((await list()).status).toBe(200);
  });

  test('refuses 5 MB with a stated length before it reads them', async () => {
    const answer = await overSocket((socket) =>
      socket.write(
        `POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 5000000\r\n\r\n`,
      ),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('4194304 bytes');
  });

  test('refuses 5 MB in chunks as soon as they are too many', async () => {
    const answer = await overSocket((socket) => {
      socket.write(
        'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
      );
      // The body never ends: only the server can end this.
      const piece = 'x'.repeat(2 ** 16);
      for (let i = 0; i < 65; i += 1) socket.write(`10000\r\n${piece}\r\n`);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('reads a body of almost 4 MiB', async () => {
    const call = modern('tools/call', { name: 'read_file', arguments: { path: 'x'.repeat(4_190_000) } });
    expect((await raw(served.url, call)).status).toBe(200);
  });
});

describe('revision 2026-07-28', () => {
  test('keeps shared caches from storing what one user sees', async () => {
    const answer = await list();
    expect(answer.messages[0]?.['result']).toMatchObject({ cacheScope: 'private', ttlMs: 300_000 });
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
  });

  test('answers 404 for unknown and removed methods', async () => {
    for (const method of ['no/such', 'initialize', 'ping', 'logging/setLevel']) {
      const answer = await raw(served.url, modern(method));
      expect(answer.status).toBe(404);
      expect(errorOf(answer).code).toBe(-32601);
    }
  });

  test.each<[string, Record<string, string | undefined>, number]>([
    ['without a version', { 'mcp-protocol-version': undefined }, -32020],
    ['without a method', { 'mcp-method': undefined }, -32020],
    ['without a name', { 'mcp-name': undefined }, -32020],
    ['of another version', { 'mcp-protocol-version': '2025-11-25' }, -32020],
    ['of another method', { 'mcp-method': 'tools/list' }, -32020],
    ['of another name', { 'mcp-name': 'write_file' }, -32020],
  ])('refuses headers %s', async (_name, changed, code) => {
    const call = modern('tools/call', { name: 'read_file', arguments: { path: 'a' } });
    const headers = Object.fromEntries(
      Object.entries({ ...call.headers, ...changed }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]],
      ),
    );
    const answer = await raw(served.url, { body: call.body, headers });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).code).toBe(code);
    expect((await raw(served.url, call)).status).toBe(200);
  });

  test('refuses an unknown version and names the supported ones', async () => {
    const body = LIST.body.replaceAll('2026-07-28', '2099-01-01');
    const answer = await raw(served.url, {
      body,
      headers: { ...LIST.headers, 'mcp-protocol-version': '2099-01-01' },
    });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('"supported":["2026-07-28"]');
  });

  test('ends a subscription at once, as lectern announces no changes', async () => {
    const answer = await raw(
      served.url,
      modern('subscriptions/listen', {
        notifications: { toolsListChanged: true, resourceSubscriptions: ['workspace:///a'] },
      }),
    );
    expect(answer.messages.map(({ method, result }) => method ?? result)).toMatchObject([
      'notifications/subscriptions/acknowledged',
      { resultType: 'complete' },
    ]);
  });
});

describe('revision 2025-11-25', () => {
  test('requires no session and creates none', async () => {
    const answer = await raw(
      served.url,
      legacy('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'raw', version: '0' },
      }),
    );
    expect(answer.messages[0]).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    expect(answer.headers).not.toHaveProperty('mcp-session-id');
    const call = legacy('tools/list');
    const headers = { ...call.headers, 'mcp-session-id': 'made-up' };
    expect((await raw(served.url, { body: call.body, headers })).status).toBe(200);
  });

  test('answers -32601 for an unknown method, and accepts a notification', async () => {
    expect(errorOf(await raw(served.url, legacy('no/such'))).code).toBe(-32601);
    const body = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect((await raw(served.url, { body })).status).toBe(202);
  });

  test('refuses an unknown version', async () => {
    const { body } = legacy('tools/list');
    expect((await raw(served.url, { body, headers: { 'mcp-protocol-version': '1999-01-01' } })).status).toBe(
      400,
    );
  });

  test('refuses a client that does not accept streams', async () => {
    const { body, headers } = legacy('tools/list');
    const answer = await raw(served.url, { body, headers: { ...headers, accept: 'application/json' } });
    expect(answer.status).toBe(406);
  });
});

test('no message of a refusal repeats what the client sent', async () => {
  const answers = [
    await list({ host: 'evil-SECRET.example' }),
    await list({ origin: 'http://evil-SECRET.example' }),
    await list({ 'content-type': 'text/SECRET' }),
    await raw(served.url, { body: 'SECRET' }),
  ];
  for (const { text } of answers) expect(text).not.toContain('SECRET');
});

// Concurrent requests over HTTP: each has its own progress, cancellation and user, and no user delays another.

import { once } from 'node:events';
import { type ClientRequest, createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createMcpHttpHandler } from '../../src/mcp/index.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { fakeTool, text } from './fake-tools.ts';
import { type HttpServed, legacy, modern, raw, serveHttp, serverOver } from './http-server.ts';
import { temporaryFolder } from './session.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

interface Running {
  readonly path: string;
  readonly context: ToolContext;
  readonly finish: () => void;
}

interface Held {
  readonly served: HttpServed;
  /** Calls that run, in the order they began. */
  readonly running: Running[];
  /** Resolves once `count` calls have begun. */
  begun(count: number): Promise<void>;
}

/** A server whose tool reports its argument as progress at once, and answers with it when the test says so. */
async function held(): Promise<Held> {
  const running: Running[] = [];
  let noticed: () => void = () => undefined;
  const tool = fakeTool('read_file', (args, context) => {
    const path = String((args as { path: unknown }).path);
    context.onProgress?.({ progress: Number(path), unit: 'lines' });
    return new Promise((resolve, reject) => {
      context.signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      running.push({ path, context, finish: () => resolve(text(`answer ${path}`)) });
      noticed();
    });
  });
  const served = await serveHttp((_identity, lanes) => serverOver(folder.path, lanes, [tool]));
  onTestFinished(() => served.close());
  return {
    served,
    running,
    async begun(count) {
      while (running.length < count)
        await new Promise<void>((resolve) => {
          noticed = resolve;
        });
    },
  };
}

type Make = typeof modern;

/** The same id and the same progress token in every request: nothing but the exchange tells them apart. */
const call = (make: Make, path: number): { body: string; headers: Record<string, string> } =>
  make(
    'tools/call',
    { name: 'read_file', arguments: { path: `${path}` }, _meta: { progressToken: 'same' } },
    7,
  );

const as = (
  user: string,
  { body, headers }: ReturnType<Make>,
): { body: string; headers: Record<string, string> } => ({
  body,
  headers: { ...headers, authorization: `Bearer ${user}` },
});

/** Sends a request without waiting for its answer. */
function open(served: HttpServed, { body, headers }: ReturnType<Make>): ClientRequest {
  const request = httpRequest(served.url, {
    method: 'POST',
    agent: false,
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
  });
  // Emitted when either side destroys the connection.
  request.on('error', () => undefined);
  request.end(body);
  return request;
}

const aborted = async ({ context: { signal } }: Running): Promise<void> => {
  if (signal && !signal.aborted) await once(signal, 'abort');
};

const REVISIONS: readonly [string, Make][] = [
  ['2026-07-28', modern],
  ['2025-11-25', legacy],
];

test.each(REVISIONS)(
  '50 calls of two users with one id each get their own progress and answer (%s)',
  async (_name, make) => {
    const { served, running, begun } = await held();
    const asked = Array.from({ length: 50 }, (_, i) => i + 1);
    const answers = asked.map((path) => raw(served.url, as(path % 2 ? 'ann' : 'bob', call(make, path))));
    // Each finishes one that runs, which lets the next begin.
    for (const done of asked.keys()) {
      await begun(done + 1);
      running[done]?.finish();
    }
    for (const [i, answer] of (await Promise.all(answers)).entries()) {
      expect(answer.status).toBe(200);
      expect(answer.messages).toMatchObject([
        { method: 'notifications/progress', params: { progressToken: 'same', progress: i + 1 } },
        { id: 7, result: { content: [{ text: `answer ${i + 1}` }] } },
      ]);
    }
  },
);

test.each(REVISIONS)(
  'a client that closes the response aborts its call and no other (%s)',
  async (_name, make) => {
    const { served, running, begun } = await held();
    const first = open(served, as('ann', call(make, 1)));
    const second = raw(served.url, as('ann', call(make, 2)));
    const third = raw(served.url, as('bob', call(make, 3)));
    await begun(3);
    const of = (path: string): Running => running.find((one) => one.path === path) as Running;
    first.destroy();
    await aborted(of('1'));
    expect(of('2').context.signal?.aborted).toBe(false);
    of('2').finish();
    of('3').finish();
    expect((await second).text).toContain('answer 2');
    expect((await third).text).toContain('answer 3');
  },
);

test('a cancellation that another client sends with the same id changes nothing', async () => {
  const { served, running, begun } = await held();
  const answer = raw(served.url, as('ann', call(legacy, 1)));
  await begun(1);
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
  for (const user of ['ann', 'bob']) {
    const taken = await raw(served.url, as(user, { body: JSON.stringify(cancel), headers: {} }));
    expect(taken.status).toBe(202);
  }
  expect(running[0]?.context.signal?.aborted).toBe(false);
  running[0]?.finish();
  expect((await answer).text).toContain('answer 1');
});

test('a user has at most four calls running and does not delay another user', async () => {
  const { served, running, begun } = await held();
  const answers = [1, 2, 3, 4, 5, 6].map((path) => raw(served.url, as('ann', call(modern, path))));
  await begun(4);
  const other = raw(served.url, as('bob', call(modern, 7)));
  await begun(5);
  expect(running.filter(({ path }) => path !== '7')).toHaveLength(4);
  for (let done = 0; done < 7; done += 1) {
    await begun(done + 1);
    running[done]?.finish();
  }
  for (const answer of await Promise.all([...answers, other])) expect(answer.status).toBe(200);
});

test('a user with 256 open requests is refused more, another is not', async () => {
  const { served, running, begun } = await held();
  const requests = Array.from({ length: 256 }, (_, i) => open(served, as('ann', call(modern, i + 1))));
  // Waiting calls do not begin; that they are open is known once the server has counted them.
  await begun(4);
  while (served.open() < 256) await raw(served.url, as('bob', modern('tools/list')));
  const refused = await raw(served.url, as('ann', modern('tools/list')));
  expect(refused.status).toBe(429);
  expect(refused.headers['retry-after']).toBe('1');
  expect((await raw(served.url, as('bob', modern('tools/list')))).status).toBe(200);
  for (const request of requests) request.destroy();
  for (const one of running) await aborted(one);
  while (served.open() > 0) await raw(served.url, as('bob', modern('tools/list')));
  expect((await raw(served.url, as('ann', modern('tools/list')))).status).toBe(200);
});

test('bodies that a user has under way are bounded together', async () => {
  const { served } = await held();
  const piece = 'x'.repeat(4_000_000);
  const head =
    'POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ann\r\ncontent-type: application/json\r\ncontent-length: 4100000\r\n\r\n';
  const sockets = Array.from({ length: 9 }, () => {
    const socket = connect(served.port, '127.0.0.1');
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.write(head + piece);
    return socket;
  });
  // One of the nine is over 32 MiB and is answered; the others wait for the rest of their bodies.
  const [answer] = await Promise.race(sockets.map((socket) => once(socket, 'data')));
  expect(String(answer)).toMatch(/^HTTP\/1\.1 429 /);
  for (const socket of sockets) socket.destroy();
  while (served.open() > 0) await raw(served.url, as('bob', modern('tools/list')));
  const big = modern('tools/list', { padding: piece });
  expect((await raw(served.url, as('ann', big))).status).toBe(200);
});

test('a client that half-closes its socket after or during a request leaves nothing open', async () => {
  const { served } = await held();
  const { body, headers } = modern('tools/list');
  const lines = Object.entries({ ...headers, host: 'localhost', 'content-type': 'application/json' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `POST /mcp HTTP/1.1\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n`;
  for (const sent of [head + body, head + body.slice(0, 20), head.slice(0, 30)]) {
    const socket = connect({ port: served.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    socket.end(sent);
    await once(socket, 'close');
  }
  while (served.open() > 0) await raw(served.url, modern('tools/list'));
  expect((await raw(served.url, modern('tools/list'))).status).toBe(200);
});

test('a client that disconnects without reading its stream leaves nothing open', async () => {
  const { served, running, begun } = await held();
  const request = open(served, as('ann', call(modern, 1)));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.pause();
  await begun(1);
  request.destroy();
  for (const one of running) await aborted(one);
  while (served.open() > 0) await raw(served.url, modern('tools/list'));
});

test('closing ends an upload that stalls', async () => {
  const { served } = await held();
  const socket = connect(served.port, '127.0.0.1');
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.write(
    'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
  );
  while (served.open() === 0) await raw(served.url, modern('tools/list'));
  const closed = once(socket, 'close');
  await served.closeHandler();
  await closed;
});

test('closing aborts what is under way and refuses the rest', async () => {
  const { served, running, begun } = await held();
  const request = open(served, as('ann', call(modern, 1)));
  await begun(1);
  await served.closeHandler();
  expect(running[0]?.context.signal?.aborted).toBe(true);
  const refused = await raw(served.url, modern('tools/list'));
  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBe('1');
  request.destroy();
});

test.each(REVISIONS)('a failing `serve` is answered with 500 and no details (%s)', async (_name, make) => {
  const served = await serveHttp(() => {
    throw new Error('/srv/secret');
  });
  onTestFinished(() => served.close());
  const answer = await raw(served.url, make('tools/list'));
  expect(answer.status).toBe(500);
  expect(answer.text).not.toContain('secret');
  expect(served.problems.join()).toContain('secret');
});

test('an internal error is answered with 500 and reported', async () => {
  const faults: unknown[] = [];
  const handler = createMcpHttpHandler({
    serve: () => serverOver(folder.path, undefined as never),
    onProblem: (_message, fault) => faults.push(fault),
  });
  // Without an identity, as a caller in JavaScript may pass it.
  const server = createServer((request, response) => void handler.handle(request, response, null as never));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  // A listening TCP server has an address of this kind.
  const { port } = server.address() as AddressInfo;
  const answer = await raw(`http://127.0.0.1:${port}/mcp`, modern('tools/list'));
  expect(answer.status).toBe(500);
  expect(answer.text).toContain('An internal error in lectern');
  expect(faults).toEqual([expect.any(TypeError)]);
});

test('an unknown option is named', async () => {
  await expect(
    serveHttp(() => serverOver(folder.path, undefined as never), { allowedHost: [] } as object),
  ).rejects.toThrow(/no option `allowedHost`/);
});

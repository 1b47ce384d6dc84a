import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { LineTransport } from '../../src/mcp/line-transport.ts';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'i',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '0' } },
};

interface Line {
  readonly input: PassThrough;
  readonly transport: LineTransport;
  readonly received: unknown[];
  /** What was written, parsed. */
  written(): { id?: unknown; error?: { code: number; message: string } }[];
  say(...lines: (string | object)[]): Promise<void>;
}

const open: LineTransport[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const transport of open.splice(0)) await transport.close();
});

async function line(): Promise<Line> {
  const input = new PassThrough();
  const output = new PassThrough();
  const received: unknown[] = [];
  let text = '';
  output.on('data', (chunk) => {
    text += chunk;
  });
  const transport = new LineTransport(input, output);
  open.push(transport);
  transport.onmessage = (message) => received.push(message);
  await transport.start();
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  return {
    input,
    transport,
    received,
    written: () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((each) => JSON.parse(each)),
    say: async (...lines) => {
      for (const each of lines) input.write(`${typeof each === 'string' ? each : JSON.stringify(each)}\n`);
      await settle();
    },
  };
}

test.each<[string, string | object, string | number | null, number, string]>([
  ['no JSON', '{"jsonrpc":"2.0","id":1,', null, -32700, 'not JSON'],
  ['an empty object', '{}', null, -32600, '`jsonrpc` is not `2.0`'],
  ['a number', '7', null, -32600, 'not an object'],
  ['null', 'null', null, -32600, 'not an object'],
  ['a batch', JSON.stringify([INITIALIZE, INITIALIZE]), null, -32600, 'a batch'],
  ['an empty batch', '[]', null, -32600, 'a batch'],
  ['another version', { jsonrpc: '1.0', id: 4, method: 'ping' }, 4, -32600, '`jsonrpc` is not `2.0`'],
  ['no method', { jsonrpc: '2.0', id: 5 }, 5, -32600, 'no `method`'],
  ['a method that is no text', { jsonrpc: '2.0', id: 6, method: 7 }, 6, -32600, 'no `method`'],
  ['an id that is null', { jsonrpc: '2.0', id: null, method: 'ping' }, null, -32600, '`id` is neither'],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, null, -32600, '`id` is neither'],
  [
    'params that are a list',
    { jsonrpc: '2.0', id: 8, method: 'ping', params: [1] },
    8,
    -32602,
    '`params` is no',
  ],
  [
    'params that are text',
    { jsonrpc: '2.0', id: 9, method: 'ping', params: 'x' },
    9,
    -32602,
    '`params` is no',
  ],
  [
    'nesting',
    `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}`,
    null,
    -32700,
    'more than 200 levels',
  ],
  [
    'a call before initialize',
    { jsonrpc: '2.0', id: 10, method: 'tools/list' },
    10,
    -32600,
    '`initialize` first',
  ],
])(
  '%s is answered with what is wrong, and the next message is read',
  async (_what, message, id, code, words) => {
    const { say, written, received } = await line();
    await say(message, INITIALIZE);
    expect(written()).toEqual([
      { jsonrpc: '2.0', id, error: { code, message: expect.stringContaining(words) } },
    ]);
    expect(received).toEqual([INITIALIZE]);
  },
);

test('bytes that are no UTF-8 and a line without an end are answered too', async () => {
  const { input, say, written, received } = await line();
  input.write(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}\n', 'latin1'));
  for (let i = 0; i < 9; i += 1) input.write(Buffer.alloc(2 ** 20, 0x20));
  await say('', INITIALIZE);
  expect(written().map(({ error }) => error?.code)).toEqual([-32700, -32600]);
  expect(received).toEqual([INITIALIZE]);
});

test('empty lines, carriage returns, a byte order mark and a message in pieces are no matter', async () => {
  const { input, say, written, received } = await line();
  const text = `\n\r\n\uFEFF${JSON.stringify({ ...INITIALIZE, id: 'é' })}\r\n`;
  for (const byte of Buffer.from(text)) input.write(Buffer.of(byte));
  await say();
  expect(written()).toEqual([]);
  expect(received).toEqual([{ ...INITIALIZE, id: 'é' }]);
});

test('nesting inside a string is no nesting', async () => {
  const { say, received } = await line();
  const message = { ...INITIALIZE, params: { ...INITIALIZE.params, x: '\\"['.repeat(1000) } };
  await say(message);
  expect(received).toEqual([message]);
});

test('an id of a request under way is not taken twice', async () => {
  const { say, written, received, transport } = await line();
  await say(INITIALIZE, { jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(received).toHaveLength(2);
  expect(written()).toMatchObject([{ id: 1, error: { code: -32600 } }]);
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
  await say({ jsonrpc: '2.0', id: 1, method: 'ping' });
  expect(received).toHaveLength(3);
});

test('a request that names its revision needs no initialize', async () => {
  const { say, received } = await line();
  await say({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
    params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
  });
  expect(received).toHaveLength(1);
});

test('at the end of input what is under way is answered first', async () => {
  const { input, say, transport, written } = await line();
  await say(INITIALIZE);
  input.end();
  await say();
  let closed = false;
  void transport.closed.then(() => {
    closed = true;
  });
  await say();
  expect(closed).toBe(false);
  await transport.send({ jsonrpc: '2.0', id: 'i', result: {} });
  await transport.closed;
  expect(written()).toEqual([{ jsonrpc: '2.0', id: 'i', result: {} }]);
});

test('at the end of input a cancelled request is not waited for', async () => {
  const { input, say, transport } = await line();
  await say(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'i' } });
  // The moment that is left for answers never ends.
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  input.end();
  await transport.closed;
});

test('a client that does not read is read from no more, until it does', async () => {
  const input = new PassThrough();
  let drain: () => void = () => undefined;
  const transport = new LineTransport(input, {
    write: () => false,
    on: (event, listener) => {
      if (event === 'drain') drain = listener;
    },
  });
  open.push(transport);
  transport.onmessage = () => undefined;
  await transport.start();
  const text = 'x'.repeat(2 ** 20);
  for (let i = 0; i < 17; i += 1)
    await transport.send({ jsonrpc: '2.0', method: 'notifications/message', params: { text } });
  expect(input.isPaused()).toBe(true);
  drain();
  expect(input.isPaused()).toBe(false);
});

test('output that breaks ends the session', async () => {
  const output = new PassThrough();
  const transport = new LineTransport(new PassThrough(), output);
  open.push(transport);
  await transport.start();
  output.destroy(new Error('EPIPE'));
  await transport.closed;
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
});

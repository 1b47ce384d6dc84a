// `lectern mcp` as a process: its streams, its statuses, its end.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { MAIN, temporaryFolder, writeOrders } from './session.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

const NOISE = fileURLToPath(new URL('noise.mjs', import.meta.url));
const folder = temporaryFolder();
beforeAll(() => {
  writeOrders(folder.path, 100);
  writeFileSync(
    join(folder.path, 'large.txt'),
    'the same line over and over, to be searched at length\n'.repeat(3e6),
  );
});
afterAll(() => folder.remove());

interface Served {
  readonly child: ChildProcessWithoutNullStreams;
  readonly lines: Record<string, unknown>[];
  readonly stderr: () => string;
  send(message: unknown): void;
  /** The answer with this id. */
  answer(id: unknown): Promise<Record<string, unknown>>;
  ended(): Promise<{ code: number | null; signal: string | null }>;
}

const children: ChildProcessWithoutNullStreams[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function start(
  args: readonly string[] = ['--root', folder.path],
  options: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Served {
  const env = { ...process.env, ...variables };
  const child = spawn(process.execPath, [...options, MAIN, 'mcp', ...args], { env });
  children.push(child);
  const lines: Record<string, unknown>[] = [];
  let rest = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    // A line that is no JSON throws here and fails the test.
    lines.push(...parts.map((part) => JSON.parse(part)));
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  // Not `exit`: what it wrote may arrive after that.
  const exited = once(child, 'close');
  return {
    child,
    lines,
    stderr: () => stderr,
    send: (message) =>
      child.stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    answer: async (id) => {
      for (;;) {
        const found = lines.find((line) => line['id'] === id && !('method' in line));
        if (found) return found;
        await Promise.race([
          once(child.stdout, 'data'),
          exited.then(() => Promise.reject(new Error(stderr))),
        ]);
      }
    },
    ended: async () => {
      const [code, signal] = await exited;
      expect(rest).toBe('');
      return { code, signal };
    },
  };
}

const request = (id: unknown, method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const INITIALIZE = request(0, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 't', version: '0' },
});
const SEARCH = {
  name: 'search_files',
  arguments: { query: '[aeiou][b-y]{3,9}[0-9]', regex: true, path: 'large.txt' },
};

async function initialized(served: Served): Promise<Served> {
  served.send(INITIALIZE);
  await served.answer(0);
  served.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return served;
}

test('standard output carries only protocol messages, regardless of prints and input', async () => {
  const served = await initialized(start(['--root', folder.path], ['--import', NOISE]));
  served.child.kill('SIGUSR2');
  served.send('{');
  served.send('[]');
  served.send({ jsonrpc: '2.0', method: 'notifications/unheard' });
  served.send({ jsonrpc: '2.0', id: 77, result: {} });
  served.send(request(1, 'no/such/method'));
  served.send(request(2, 'tools/call', { name: 'read_file', arguments: 'path' }));
  served.send(request(3, 'tools/call', {}));
  served.send(request(4, 'resources/read', {}));
  served.send(request(5, 'resources/read', { uri: 5 }));
  served.send(request(6, 'resources/list', { cursor: 'made up' }));
  served.send(
    request(7, 'tools/call', { name: 'read_file', arguments: { path: 'orders.csv', max_tokens: -1 } }),
  );
  served.send(request(8, 'resources/read', { uri: 'workspace:///gone.txt' }));
  served.send(`{"jsonrpc":"2.0","id":9,"method":"ping","params":{"x":"${'y'.repeat(9 * 2 ** 20)}"}}`);
  served.send(request(10, 'tools/call', { name: 'read_file', arguments: { path: 'orders.csv' } }));
  served.send(request(11, 'initialize', { protocolVersion: 5 }));
  const last = await served.answer(10);
  served.child.stdin.end();
  expect(await served.ended()).toEqual({ code: 0, signal: null });
  expect(JSON.stringify(last)).toContain('Smith');
  for (const line of served.lines) expect(line).toMatchObject({ jsonrpc: '2.0' });
  const code = (id: unknown): unknown => served.lines.find((line) => line['id'] === id)?.['error'];
  expect(code(1)).toMatchObject({ code: -32601 });
  for (const id of [2, 3, 4, 5, 6]) expect(code(id)).toMatchObject({ code: -32602 });
  expect(served.lines.find((line) => line['id'] === 7)).toMatchObject({ result: { isError: true } });
  expect(code(8)).toMatchObject({ code: -32002, data: { uri: 'workspace:///gone.txt' } });
  expect(code(11)).toBeDefined();
  expect(served.lines.filter((line) => line['id'] === null)).toMatchObject([
    { error: { code: -32700 } },
    { error: { code: -32600 } },
    { error: { code: -32600 } },
  ]);
  expect(served.stderr()).toContain('noise of a log');
  expect(served.stderr()).toContain('noise without a line end');
});

test('everything at once, then the end of input: every request is answered and the process is gone', async () => {
  const served = start();
  served.child.stdin.end(
    `${[INITIALIZE, request(1, 'tools/list'), request(2, 'ping')]
      .map((message) => JSON.stringify(message))
      .join('\n')}\n`,
  );
  expect(await served.ended()).toEqual({ code: 0, signal: null });
  expect(served.lines.map((line) => line['id'])).toEqual([0, 1, 2]);
});

test('the end of input right after a call: it is answered and the process is gone', async () => {
  const served = await initialized(start());
  const call = { name: 'read_file', arguments: { path: 'orders.csv' } };
  // What it needs is loaded with the first: only a moment is left for the second, on a slow machine too.
  served.send(request(1, 'tools/call', call));
  await served.answer(1);
  served.child.stdin.end(`${JSON.stringify(request(2, 'tools/call', call))}\n`);
  expect(await served.ended()).toEqual({ code: 0, signal: null });
  expect(served.lines.map((line) => line['id'])).toEqual([0, 1, 2]);
});

test('empty input ends it', async () => {
  const served = start();
  served.child.stdin.end();
  expect(await served.ended()).toEqual({ code: 0, signal: null });
  expect(served.lines).toEqual([]);
});

test.each(['SIGTERM', 'SIGINT'] as const)('%s during a call ends it cleanly', async (signal) => {
  const served = await initialized(start());
  served.send(request(1, 'tools/call', SEARCH));
  served.send(request(2, 'ping'));
  await served.answer(2);
  served.child.kill(signal);
  expect(await served.ended()).toEqual({ code: 0, signal: null });
  expect(served.lines.some((line) => line['id'] === 1)).toBe(false);
});

test('a client that disconnects during a call ends it', async () => {
  const served = await initialized(start());
  served.send(request(1, 'tools/call', SEARCH));
  served.child.stdout.destroy();
  for (let id = 2; id < 50; id += 1) served.send(request(id, 'tools/list'));
  expect(await served.ended()).toEqual({ code: 0, signal: null });
  expect(served.stderr()).not.toMatch(/EPIPE|at .*\.js/);
});

test('a cancelled call is not answered and its work ends', async () => {
  const served = await initialized(start());
  served.send(request(1, 'tools/call', { ...SEARCH, _meta: { progressToken: 'p' } }));
  while (!served.lines.some((line) => line['method'] === 'notifications/progress'))
    await once(served.child.stdout, 'data');
  served.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  served.send(request(2, 'tools/list'));
  await served.answer(2);
  served.child.stdin.end();
  expect(await served.ended()).toEqual({ code: 0, signal: null });
  expect(served.lines.some((line) => line['id'] === 1)).toBe(false);
  expect(readdirSync(folder.path).sort()).toEqual(['large.txt', 'orders.csv']);
});

/** What each of these says. */
const refusals: string[] = [];

test.each<[string, string[], number, RegExp]>([
  ['a folder that is not there', ['--root', 'no/such/folder'], 3, /FILE_NOT_FOUND/],
  ['a file as folder', ['--root', 'package.json'], 19, /NOT_A_FOLDER/],
  ['a folder and a stored workspace', ['--root', '.', '--user', 'a', '--session', 'b'], 2, /--root/],
  ['a user without a session', ['--user', 'a'], 2, /--session/],
  ['a place for data alone', ['--data-dir', '.'], 2, /--user/],
  ['an id that leads out', ['--user', '..', '--session', 'b'], 2, /BAD_INPUT/],
  ['an id with a slash', ['--user', 'a', '--session', 'b/c'], 2, /BAD_INPUT/],
  ['a limit that is not a number', ['--max-lines', 'many'], 2, /--max-lines/],
  ['a word', ['here'], 2, /--root DIR/],
  ['an unknown option', ['--wrong'], 2, /--help/],
])('%s ends with its status before any protocol', async (what, args, status, message) => {
  const served = start(args);
  expect(await served.ended()).toEqual({ code: status, signal: null });
  expect(served.lines).toEqual([]);
  expect(served.stderr()).toMatch(message);
  expect(served.stderr()).not.toMatch(/^ +at /m);
  refusals.push(`${what}: ${served.stderr()}`);
});

test('pins the messages for invalid arguments', async () => {
  expect(refusals).toHaveLength(10);
  await expect(refusals.join('')).toMatchFileSnapshot('refusals.expected.txt');
});

test('LECTERN_PASSWORD opens protected files of calls without a password, and is never shown', async () => {
  cpSync(
    fileURLToPath(new URL('../../fixtures/protected/gauges-aes256.pdf', import.meta.url)),
    join(folder.path, 'gauges.pdf'),
  );
  const path = 'gauges.pdf';
  const calls = [
    { name: 'read_file', arguments: { path } },
    { name: 'read_file', arguments: { paths: [path, 'orders.csv'] } },
    { name: 'file_info', arguments: { path } },
    { name: 'read_file', arguments: { path, password: 'of the call' } },
  ];
  const answersUnder = async (variables: Readonly<Record<string, string>>): Promise<string[]> => {
    const served = await initialized(start(['--root', folder.path], [], variables));
    const answers: string[] = [];
    for (const [index, call] of calls.entries()) {
      served.send(request(index + 1, 'tools/call', call));
      answers.push(JSON.stringify(await served.answer(index + 1)));
    }
    served.child.stdin.end();
    await served.ended();
    const { LECTERN_PASSWORD: password = 'of the call' } = variables;
    expect(served.stderr()).not.toContain(password);
    expect(served.lines.map((line) => JSON.stringify(line)).join('')).not.toContain(password);
    return answers;
  };
  const [one, several, info, own] = await answersUnder({ LECTERN_PASSWORD: 'reader' });
  expect(one).toContain('River gauges');
  expect(several).toContain('River gauges');
  expect(info).not.toContain('isError":true');
  expect(own).toContain('does not open');
  const wrong = await answersUnder({ LECTERN_PASSWORD: 'not the password 5173' });
  expect(wrong[0]).toContain('does not open');
  expect((await answersUnder({}))[0]).toContain('encrypted');
});

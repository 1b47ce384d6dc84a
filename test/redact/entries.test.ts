// The switch in child processes, over MCP, over HTTP and on the command line.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';
import { uriOf } from '../../src/mcp/resources.ts';
import { createMcpServer } from '../../src/mcp/server.ts';
import { createTools } from '../../src/tools/index.ts';
import { running } from '../service/http/running.ts';
import { lectern } from '../support/command-line.ts';
import { leakIn, PLANTED, SECRET_FILES } from './secret-files.ts';

const names = Object.keys(SECRET_FILES);
let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lectern-redact-'));
  for (const [name, content] of Object.entries(SECRET_FILES)) await writeFile(join(root, name), content);
});
afterAll(() => rm(root, { recursive: true, force: true }));

it('redacts what child processes read, with the same placeholders', async () => {
  const here = createReader({ redact: true, cache: false, environment: {} });
  const reader = createReader({ redact: true, cache: false, environment: {}, isolation: 'process' });
  try {
    for (const name of names) {
      const input = join(root, name);
      for (const request of [{}, { maxTokens: 200 }, { overflow: 'outline' }] as const) {
        const answer = await reader.read(input, request);
        expect(leakIn(JSON.stringify(answer)), name).toBeUndefined();
        expect(answer).toHaveProperty('success', true);
        const other = await here.read(input, request);
        expect(answer.success && answer.text).toBe(other.success && other.text);
      }
    }
  } finally {
    await reader.close();
  }
}, 120_000);

it('redacts on the command line', async () => {
  const run = async (...words: string[]): Promise<void> => {
    const { out, err } = await lectern([...words, '--redact'], '', { LECTERN_CACHE_DIR: '' });
    expect(leakIn(out + err), words.join(' ')).toBeUndefined();
    expect(out, words.join(' ') + err).not.toBe('');
  };
  for (const name of names) {
    const file = join(root, name);
    await run('read', file);
    await run('read', file, '--all');
    await run('read', file, '--json');
    await run('inspect', file);
    await run('chunks', file);
  }
  await run('search', '[A-Za-z0-9]{8,}', root, '-C', '2');
  await run('search', '[A-Za-z0-9+/]{8,}', root, '--groups');
  await run('search', '[A-Za-z0-9]{8,}', root, '--json');
  await run('pack', root, '--max-tokens', '20000');
  await run('query', `SELECT * FROM "${join(root, 'data.csv')}"`);
  await run('query', `SELECT * FROM "${join(root, 'data.csv')}"`, '--all');
}, 240_000);

it('redacts tools and resources over MCP', async () => {
  const workspace = createWorkspace({ root });
  const reader = createReader({ workspace, redact: true, cache: false, environment: {} });
  const server = createMcpServer({ reader, tools: createTools({ reader }) });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await server.connect(ours);
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(theirs);
  try {
    for (const name of names) {
      expect(leakIn(JSON.stringify(await client.readResource({ uri: uriOf(name) }))), name).toBeUndefined();
      const read = await client.callTool({ name: 'read_file', arguments: { path: name } });
      expect(leakIn(JSON.stringify(read)), name).toBeUndefined();
    }
    const found = await client.callTool({
      name: 'search_files',
      arguments: { query: '[A-Za-z0-9]{9,}', regex: true },
    });
    expect(leakIn(JSON.stringify(found))).toBeUndefined();
  } finally {
    await client.close();
    await server.close();
  }
}, 120_000);

it('redacts over HTTP, and gives the host its files unchanged', async () => {
  const service = await running({ redact: true });
  try {
    for (const name of names) {
      const body = Buffer.from(SECRET_FILES[name] ?? '');
      await service.call({ method: 'PUT', path: `/v1/workspaces/s/files/${name}`, body });
      const file = await service.call({ path: `/v1/workspaces/s/files/${name}` });
      expect(file.bytes.equals(body)).toBe(true);
      for (const asked of [
        { method: 'POST', path: `/v1/read?name=${name}`, body },
        { method: 'POST', path: `/v1/read?name=${name}&all=true`, body },
        { method: 'POST', path: `/v1/inspect?name=${name}&maxTokens=900`, body },
        { method: 'POST', path: `/v1/tokens?name=${name}`, body },
      ]) {
        const answer = await service.call(asked);
        expect(leakIn(answer.text), asked.path).toBeUndefined();
      }
    }
    const [{ secret } = { secret: '' }] = PLANTED;
    for (const query of ['KEY', secret.slice(0, 12)]) {
      const answer = await service.call({
        method: 'POST',
        path: '/v1/workspaces/s/search',
        body: { query, context: 3 },
      });
      expect(leakIn(answer.text)).toBeUndefined();
    }
  } finally {
    await service.close();
  }
}, 240_000);

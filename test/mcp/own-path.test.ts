// A client that works in the folder a server was started for names files by their own absolute paths.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';
import { createMcpServer } from '../../src/mcp/server.ts';
import { createTools } from '../../src/tools/index.ts';

test('files of a plain folder are read, found and searched by the absolute paths they have', async () => {
  const base = mkdtempSync(join(tmpdir(), 'lectern-own-path-'));
  const root = join(base, 'proj (1)');
  mkdirSync(join(root, 'data'), { recursive: true });
  writeFileSync(join(root, 'data/x.csv'), 'name,count\nneedle,1\n');
  writeFileSync(join(base, 'secret.csv'), 'SECRET');
  const workspace = createWorkspace({ root });
  const reader = createReader({ workspace, cache: false });
  const server = createMcpServer({ reader, tools: createTools({ reader }) });
  const client = new Client({ name: 'test', version: '0' });
  try {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    await server.connect(ours);
    await client.connect(theirs);
    const ask = async (name: string, args: Record<string, unknown>): Promise<string> =>
      JSON.stringify((await client.callTool({ name, arguments: args })).content);
    expect(await ask('read_file', { path: `${root}/data/x.csv` })).toContain('needle');
    expect(await ask('list_files', { path: root })).toContain('data/');
    expect(await ask('find_files', { pattern: '*.csv', path: root })).toContain('data/x.csv');
    expect(await ask('find_files', { pattern: `${root}/**/*.csv` })).toContain('data/x.csv');
    expect(await ask('search_files', { query: 'needle', path: `${root}/data` })).toContain('data/x.csv');
    for (const path of [`${base}/secret.csv`, `${root}/../secret.csv`, `${root}2/x`])
      expect(await ask('read_file', { path })).toContain('leads outside the workspace');
  } finally {
    await client.close();
    await server.close();
    rmSync(base, { recursive: true });
  }
});

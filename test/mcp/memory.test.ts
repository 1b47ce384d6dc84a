// `lectern mcp` with a folder for its state: a goal, loops and an archive that the next session finds again.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { MAIN } from './session.ts';

// Starts processes.
vi.setConfig({ testTimeout: 180_000 });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-mcp-memory-'));
  writeFileSync(join(folder, 'notes.txt'), 'The port of the parser is 4137.\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function session<T>(
  args: readonly string[],
  work: (
    call: (name: string, given: Record<string, unknown>) => Promise<string>,
    client: Client,
  ) => Promise<T>,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [MAIN, 'mcp', '--root', folder, ...args] }),
  );
  try {
    return await work(async (name, given) => {
      const { content } = await client.callTool({ name, arguments: given });
      return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    }, client);
  } finally {
    await client.close();
  }
}

it('keeps a plan and an archive over sessions', async () => {
  const args = ['--context-dir', join(folder, '.agent_context')];
  await session(args, async (call) => {
    await call('plan', { action: 'goal', text: 'Find the port' });
    await call('plan', { action: 'add', tasks: ['Read the notes', 'Answer'] });
    expect(await call('read_file', { path: 'notes.txt' })).toContain('4137');
    expect(await call('plan', { action: 'complete' })).toContain('Now: 2.1 Answer');
  });
  await session(args, async (call, client) => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).slice(-2)).toEqual(['plan', 'recall']);
    expect(await call('plan', {})).toContain('[>] 2.1 Answer');
    expect(await call('recall', { query: 'parser port' })).toMatch(
      /^==> document read_file notes\.txt, \w+ from line 1 <==\nThe port of the parser is 4137\./,
    );
  });
});

it('warns of loops, and refuses them by option', async () => {
  const thrice = (args: readonly string[]) =>
    session(args, async (call) => {
      const answers: string[] = [];
      for (let count = 0; count < 4; count += 1) answers.push(await call('read_file', { path: 'notes.txt' }));
      return answers;
    });
  const warned = await thrice([]);
  expect(warned[1]).not.toContain('[Note:');
  expect(warned[2]).toContain('[Note: `read_file` returned the same result 3 times in a row');
  expect((await thrice(['--block-loops'])).at(-1)).toMatch(/^Not run: /);
});

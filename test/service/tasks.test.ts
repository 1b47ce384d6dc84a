// Work that the service hands to its processes: long inputs pass, and originals are kept before the answer names them.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createReader,
  createReadPool,
  createTokenCounter,
  createWorkspace,
  type Pool,
} from '../../src/index.ts';
import { compactIn, countTokens } from '../../src/service/tasks.ts';

let pool: Pool;
let folder: string;
beforeAll(() => {
  pool = createReadPool();
  folder = mkdtempSync(join(tmpdir(), 'lectern-tasks-'));
});
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true, force: true });
});

const caller = { user: 'ana', signal: new AbortController().signal };

it('compacts a conversation of many megabytes, and keeps its originals', async () => {
  const messages = [
    { role: 'user', content: 'Read every file.' },
    ...Array.from({ length: 120 }, (_, index) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: `c${index}`, type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: `c${index}`, content: `line ${index} of a file\n`.repeat(5000) },
    ]).flat(),
  ];
  const workspace = createWorkspace({ root: folder });
  const ask = async (request: object) => {
    const bytes = Buffer.from(JSON.stringify({ ...request, window: 50_000, session: 's1' }));
    const given = await compactIn(pool, bytes, () => workspace, caller);
    return JSON.parse(Buffer.from(given).toString('utf8'));
  };
  const answer = await ask({ messages });
  expect(answer.messages.length).toBeLessThan(messages.length);
  const pointers = JSON.stringify(answer).match(/(?:conversation_history|tool_outputs)\/[\w./-]+/g) ?? [];
  expect(pointers.length).toBeGreaterThan(0);
  const reader = createReader({ workspace, cache: false });
  for (const pointer of new Set(pointers))
    expect(await reader.inspect(pointer)).toMatchObject({ success: true });
  // The state goes on where it was.
  const again = await ask({ messages: answer.messages, state: answer.state });
  expect(again.messages).toEqual(answer.messages);
});

it('counts a text of megabytes like this process', async () => {
  const text = 'Überall lag Papier; façade, naïve, coöperate.\n'.repeat(100_000);
  const counter = createTokenCounter('o200k_base');
  expect(await countTokens(pool, text, counter, caller)).toBe(counter.count(text));
});

it.each([
  ['not JSON', '{"messages": ['],
  ['an unknown field', '{"messages": [], "windows": 1}'],
  ['no messages', '{}'],
])('refuses %s as bad input', async (_what, text) => {
  const work = compactIn(pool, Buffer.from(text), () => createWorkspace({ root: folder }), caller);
  await expect(work).rejects.toMatchObject({ code: 'BAD_INPUT' });
});

it('refuses messages that are nested too deeply', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const text = `{"window": 100000, "messages": [{"role": "user", "content": "hi", "extra": ${deep}}]}`;
  const work = compactIn(pool, Buffer.from(text), () => createWorkspace({ root: folder }), caller);
  await expect(work).rejects.toMatchObject({ code: 'BAD_INPUT' });
});

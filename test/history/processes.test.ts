// The same messages and options in another process produce the same bytes and files, and everything can be restored
// there.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loop } from '../support/histories.ts';

const run = promisify(execFile);
const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-processes-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function filesOf(root: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[path.slice(root.length + 1)] = await readFile(path, 'utf8');
  }
  return files;
}

describe.each(['lectern', 'valis', 'duragent', 'aixtools'] as const)('%s', (preset) => {
  it('produces the same in two processes, and a third restores it', async () => {
    const { messages } = loop('openai-chat', 60, 1500);
    const file = join(folder, `${preset}.json`);
    await writeFile(file, JSON.stringify(messages));
    const options = JSON.stringify({
      window: 12_000,
      preset,
      threshold: { at: 8000, to: 4000 },
      conversationId: 'thread-1',
    });
    const root = (name: string): string => join(folder, `${preset}-${name}`);
    const compacted = async (name: string): Promise<string> => {
      const env = {
        ...process.env,
        TZ: name === 'one' ? 'UTC' : 'Asia/Tokyo',
        LANG: name === 'one' ? 'C' : 'de_DE.UTF-8',
      };
      const { stdout } = await run(
        process.execPath,
        [script('compact-in-process.mjs'), file, root(name), options],
        {
          maxBuffer: 1 << 28,
          env,
        },
      );
      return stdout;
    };
    const [one, two] = await Promise.all([compacted('one'), compacted('two')]);
    expect(two).toBe(one);
    const files = await filesOf(root('one'));
    expect(await filesOf(root('two'))).toEqual(files);
    const { pointers } = JSON.parse(one);
    expect(pointers.length).toBeGreaterThan(0);
    const { stdout } = await run(
      process.execPath,
      [script('restore-in-process.mjs'), root('two'), ...pointers],
      {
        maxBuffer: 1 << 28,
      },
    );
    const known = new Set([
      ...messages.map((message) => JSON.stringify(message)),
      ...messages.map((message) => (message as { content?: unknown }).content),
    ]);
    for (const text of JSON.parse(stdout))
      if (!text.includes('[history: ')) expect(known.has(text)).toBe(true);
  });
});

it('gives each of two processes on one storage its own files', async () => {
  const root = join(folder, 'shared');
  const states = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const file = join(folder, `shared-${name}.json`);
      await writeFile(file, JSON.stringify(loop('openai-chat', 60, 1500).messages));
      const args = [script('compact-in-process.mjs'), file, root, JSON.stringify({ window: 12_000 })];
      const { stdout } = await run(process.execPath, args, { maxBuffer: 1 << 28 });
      return JSON.parse(stdout).state;
    }),
  );
  const [one, two] = states.map(({ conversationId }) => conversationId);
  expect(one).not.toBe(two);
  const files = async (id: string) => (await readdir(join(root, 'conversation_history', id))).length;
  expect(await files(one)).toBeGreaterThan(1);
  expect(await files(two)).toBeGreaterThan(1);
});

// What models may hand to the tools of a workspace to get out of it: every tool answers, and tells and changes nothing.

import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';
import { createTools, type Tool } from '../../src/tools/index.ts';

const SECRET = 'SECRET\n';
let base = '';
let tools: readonly Tool[] = [];

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-tools-'));
  for (const folder of ['root/a', 'outside']) mkdirSync(join(base, folder), { recursive: true });
  writeFileSync(join(base, 'outside/s'), SECRET);
  writeFileSync(join(base, 'root/a/f'), 'GOOD\n');
  symlinkSync('../outside', join(base, 'root/folder'));
  symlinkSync(join(base, 'outside/s'), join(base, 'root/file'));
  symlinkSync('../outside/new', join(base, 'root/new'));
  symlinkSync('loop', join(base, 'root/loop'));
  execFileSync('mkfifo', [join(base, 'root/pipe')]);
  const workspace = createWorkspace({ root: join(base, 'root') });
  tools = createTools({ reader: createReader({ workspace, cache: false }) });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Arguments that make the most of a path, for each tool. */
const ARGUMENTS: Readonly<Record<string, (path: string) => object>> = {
  read_file: (path) => ({ path }),
  list_files: (path) => ({ path, depth: 5 }),
  find_files: (path) => ({ pattern: '**', path, include_ignored: true }),
  search_files: (path) => ({ query: 'SEC', path, include_ignored: true }),
  file_info: (path) => ({ path }),
  write_file: (path) => ({ path, content: 'mine\n', overwrite: true }),
  edit_file: (path) => ({ path, old_text: 'SECRET', new_text: 'mine' }),
  query_result: (path) => ({ sql: 'SELECT 1', files: [path] }),
  save_result: (path) => ({ text: 'mine\n', name: path.includes('/') ? path : `${path}/r.txt` }),
};

it.each([
  '../outside/s',
  '/etc/passwd',
  '/workspace/../outside/s',
  'a/../../outside/s',
  'folder/s',
  'folder',
  'file',
  'new',
  'loop',
  'pipe',
  'a\0b',
  '/proc/self/environ',
  'file:///etc/passwd',
  '~/.ssh/id_rsa',
])('%j leads no tool outside', async (path) => {
  expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(ARGUMENTS).sort());
  for (const { name, run } of tools) {
    const { parts, isError } = await run(ARGUMENTS[name]?.(path));
    const told = parts.map((part) => (part.kind === 'text' ? part.text : part.name)).join('\n');
    const own = told.replaceAll(path, '');
    expect(own).not.toMatch(/SECRET|root:x:|\n {4}at /);
    expect(own).not.toContain(base);
    expect(told).not.toBe('');
    if (['read_file', 'edit_file'].includes(name)) expect([name, isError]).toEqual([name, true]);
  }
  expect(readFileSync(join(base, 'outside/s'), 'utf8')).toBe(SECRET);
  expect(readdirSync(join(base, 'outside'))).toEqual(['s']);
  expect(readdirSync(base).sort()).toEqual(['outside', 'root']);
  const read = tools.find(({ name }) => name === 'read_file');
  expect((await read?.run({ path: 'a/f' }))?.isError).toBe(false);
});

it('a pattern leads no tool outside', async () => {
  for (const pattern of [
    '../**',
    '/etc/**',
    '**/../../outside/*',
    'folder/**',
    '{..,a}/**',
    '/workspace/../outside/*',
  ])
    for (const given of [
      { pattern, include_ignored: true },
      { query: 'SEC', glob: pattern, include_ignored: true },
    ]) {
      const name = 'query' in given ? 'search_files' : 'find_files';
      const answer = await tools.find((tool) => tool.name === name)?.run(given);
      expect(JSON.stringify(answer)).not.toMatch(/SECRET|outside\/s\b.*bytes/);
    }
});

// Whatever a model sends to whatever tool: an answer, within the budget, and nothing changed outside the workspace.

import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createReader, createWorkspace, type Reader } from '../../src/index.ts';
import { createTools, inputSchemaOf, type Tool, textOf } from '../../src/tools/index.ts';
import { draws } from '../support/draws.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

let outside: string;
let root: string;
let reader: Reader;
let tools: Tool[];
beforeAll(async () => {
  outside = await mkdtemp(join(tmpdir(), 'lectern-any-'));
  root = join(outside, 'user', 'session');
  await mkdir(root, { recursive: true });
  await writeFile(join(outside, 'secret.txt'), 'SECRET');
  await mkdir(join(outside, 'user', 'session2'));
  await writeFile(join(outside, 'user', 'session2', 'secret.txt'), 'SECRET');
  await writeFile(join(root, 'a.txt'), 'one\ntwo\n');
  await writeFile(join(root, 'a.csv'), 'id,name\n1,x\n');
  await mkdir(join(root, 'b'));
  await symlink('../../secret.txt', join(root, 'out'));
  await symlink('../..', join(root, 'up'));
  const workspace = createWorkspace({ root });
  reader = createReader({ workspace, environment: {}, cache: false, limits: { maxTokensPerFile: 800 } });
  tools = createTools({ reader, maxTokens: 800 });
});
afterAll(() => rm(outside, { recursive: true, force: true }));

/** Everything outside the workspace, with what it holds. */
async function surroundings(): Promise<string[]> {
  const entries = await readdir(outside, { recursive: true, withFileTypes: true });
  const lines = entries
    .map((entry) => ({ path: join(entry.parentPath, entry.name), file: entry.isFile() }))
    .filter(({ path }) => !path.startsWith(`${root}/`))
    .map(async ({ path, file }) => `${path} ${file ? await readFile(path, 'utf8') : ''}`);
  return (await Promise.all(lines)).sort();
}

const paths = fc.constantFrom(
  'a.txt',
  'a.csv',
  'b',
  'b/new.txt',
  'out',
  'up',
  'up/secret.txt',
  'up/user/session2/secret.txt',
  '../session2/secret.txt',
  '../../secret.txt',
  '../../new.txt',
  '/workspace/a.txt',
  '/workspace/../../secret.txt',
  '/workspacex/a',
  '/etc/passwd',
  '/',
  '',
  '.',
  '..',
  'a\u0000b',
  'a.csv!/x',
  '~/x',
  'C:\\x',
  'x'.repeat(300),
  '*',
);
const names = fc.constantFrom(
  ...[
    'path',
    'file_path',
    'pattern',
    'query',
    'glob',
    'lines',
    'rows',
    'offset',
    'limit',
    'head',
    'tail',
    'start_line',
  ],
  ...[
    'end_line',
    'view_range',
    'columns',
    'sheet',
    'pages',
    'pointer',
    'region',
    'detail',
    'cursor',
    'max_tokens',
  ],
  ...[
    'format',
    'outline',
    'numbered',
    'encoding',
    'changes',
    'depth',
    'recursive',
    'regex',
    'case_sensitive',
    'context',
  ],
  ...[
    'include_ignored',
    'content',
    'overwrite',
    'old_text',
    'new_text',
    'replace_all',
    'edits',
    'rows',
    'text',
    'name',
  ],
  ...[
    'data',
    'page_range',
    'columns',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'arguments',
    'args',
  ],
);
const values = fc.oneof(
  paths,
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    '',
    null,
    0,
    -1,
    1,
    1e9,
    1e300,
    true,
    'true',
    '1-2',
    '-5',
    '9-1',
    '[1,2]',
    '{',
    '(a+)+$',
    '**/*',
  ),
);
const args = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(names, values, { maxKeys: 6 }),
  fc.tuple(paths, fc.dictionary(names, values, { maxKeys: 4 })).map(([path, more]) => ({ ...more, path })),
  fc.dictionary(names, values, { maxKeys: 4 }).map((object) => JSON.stringify(object)),
);

it('answers any arguments', async () => {
  const before = await surroundings();
  await fc.assert(
    fc.asyncProperty(fc.nat(tools.length - 1), args, async (index, given) => {
      const tool = tools[index];
      const answer = await tool?.run(given);
      const text = answer ? textOf(answer) : '';
      expect(text).not.toBe(undefined);
      expect(text).not.toContain('SECRET');
      expect(text).not.toContain(outside);
      expect(text).not.toContain('because of a fault');
      if (!answer?.isError) expect(reader.count(text)).toBeLessThanOrEqual(800);
    }),
    { numRuns: draws(3000) },
  );
  expect(await surroundings()).toEqual(before);
});

it('answers arguments that are no JSON', async () => {
  const loop: Record<string, unknown> = {};
  loop['path'] = loop;
  const trap = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('trap');
      },
    },
  );
  for (const tool of tools)
    for (const given of [
      loop,
      trap,
      10n,
      Symbol('x'),
      () => 1,
      new Map(),
      Number.NaN,
      { path: 10n },
      { path: loop },
    ]) {
      const answer = await tool.run(given);
      expect(answer.parts.length).toBeGreaterThan(0);
    }
});

it('takes what fits its own schema', async () => {
  // Nothing that the model is shown is refused as unknown or mistyped.
  for (const tool of tools) {
    const { properties } = inputSchemaOf(tool);
    const given = Object.fromEntries(
      Object.entries(properties).map(([name, { type, items, enum: choices }]) => [
        name,
        choices?.[0] ??
          {
            string: '1',
            integer: 1,
            boolean: false,
            array: [items?.type === 'string' ? '1' : { a: 1 }],
            object: {},
          }[type],
      ]),
    );
    expect(Object.keys(tool.canonical(given) as object)).toEqual(Object.keys(properties));
    expect(tool.canonical(given)).toEqual(given);
    expect(tool.input.safeParse(given).success).toBe(true);
  }
});

// Arguments as models write them, brought to what the tools take; and what cannot be, answered with a next step.

import { describe, expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';
import { createTools, inputSchemaOf, type Tool, type ToolName, textOf } from '../../src/tools/index.ts';
import { ARGUMENT_CASES } from './argument-cases.ts';

// Arguments are looked at before anything is opened: no test here comes that far.
const NOTHING = createWorkspace({ root: 'no-such-folder' });
const tools = createTools({
  reader: createReader({ workspace: NOTHING, environment: {}, cache: false }),
  queries: false,
});
function tool(name: ToolName): Tool {
  const found = tools.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
}

describe.each(ARGUMENT_CASES)('%s', (name, cases) => {
  it.each(cases)('takes %j', (given, canonical) => {
    expect(tool(name).canonical(given)).toEqual(canonical);
  });
});

const REFUSED: readonly (readonly [what: string, name: ToolName, given: unknown])[] = [
  ['what is missing', 'read_file', {}],
  ['no object', 'read_file', 5],
  ['broken JSON', 'read_file', '{"path": "a'],
  ['several calls in one', 'read_file', [{ path: 'a' }, { path: 'b' }]],
  ['a cursor of several files', 'read_file', { paths: ['a', 'b'], cursor: 'x' }],
  ['two names for a path', 'read_file', { path: 'a', file_path: 'b' }],
  ['lines and offset', 'read_file', { path: 'a', lines: '1-2', offset: 3 }],
  ['head and tail', 'read_file', { path: 'a', head: 1, tail: 2 }],
  ['an end and a count that differ', 'read_file', { path: 'a', start_line: 1, end_line: 5, limit: 9 }],
  ['a count of nothing', 'read_file', { path: 'a', offset: 1, limit: 0 }],
  ['an offset that is not a number', 'read_file', { path: 'a', offset: 'NaN' }],
  ['a stretch that ends before the end', 'read_file', { path: 'a', offset: -100, limit: 20 }],
  ['a budget of nothing', 'read_file', { path: 'a', max_tokens: 0 }],
  ['a budget that is not a number', 'read_file', { path: 'a', max_tokens: 'many' }],
  ['a format there is not', 'read_file', { path: 'a', format: 'html' }],
  ['an object for a text', 'read_file', { path: { a: 1 } }],
  ['a near name', 'read_file', { path: 'a', curser: 'x' }],
  ['a near alias', 'read_file', { fil_path: 'a' }],
  ['too deep', 'list_files', { depth: 1000 }],
  ['an empty query', 'search_files', { query: '' }],
  ['what a write does not know', 'write_file', { path: 'a', content: 'x', append: true }],
  ['an empty text to replace', 'edit_file', { path: 'a', old_text: '', new_text: 'x' }],
  ['several edits', 'edit_file', { path: 'a', edits: [{}, {}] }],
  ['neither rows nor text', 'save_result', { name: 'a' }],
  ['both rows and text', 'save_result', { rows: [], text: 'a' }],
  ['rows that are none', 'save_result', { rows: 'a' }],
  [
    'a hundred arguments',
    'list_files',
    Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x${i}`, i])),
  ],
];

it('refuses what it cannot understand, with a next step', async () => {
  const said: string[] = [];
  for (const [what, name, given] of REFUSED) {
    const answer = await tool(name).run(given);
    said.push(`${what}: ${answer.isError ? textOf(answer) : 'NO ERROR'}\n`);
  }
  expect(said.join('\n')).not.toContain('NO ERROR');
  await expect(said.join('\n')).toMatchFileSnapshot('arguments.expected.txt');
});

it('names what it ignored in a reading call', async () => {
  const answers: string[] = [];
  const [reading] = createTools({
    reader: {
      ...createReader({ workspace: NOTHING, environment: {} }),
      read: () =>
        Promise.resolve({
          success: true,
          fileType: 'text',
          processor: 'text',
          text: 'content\n',
          content: [],
          truncation: null,
          metadata: { name: 'a' },
          warnings: [],
        }),
    },
    only: ['read_file'],
  });
  answers.push(
    textOf((await reading?.run({ path: 'a', chat_input: 'x', reason: 'y' })) ?? { isError: true, parts: [] }),
  );
  answers.push(textOf((await reading?.run({ path: 'a', max_tokens: 1e9 })) ?? { isError: true, parts: [] }));
  expect(answers).toMatchInlineSnapshot(`
    [
      "Error FILE_NOT_FOUND: The root folder of the workspace does not exist. Create the folder, or pass an existing one as the root.",
      "Error FILE_NOT_FOUND: The root folder of the workspace does not exist. Create the folder, or pass an existing one as the root.",
    ]
  `);
});

it('keeps names, descriptions and schemas of all tools under 1500 tokens', () => {
  const { count } = createReader({ workspace: NOTHING, environment: {} });
  const shown = tools.map(({ name, description, input }) => ({
    name,
    description,
    parameters: inputSchemaOf({ input }),
  }));
  expect(tools).toHaveLength(8);
  expect(count(JSON.stringify(shown))).toBeLessThan(1500);
  // What Gemini's schemas have no words for.
  expect(JSON.stringify(shown)).not.toMatch(
    /\$schema|additionalProperties|anyOf|oneOf|"const"|propertyNames/,
  );
});

it('names only tools that are there', () => {
  const reader = createReader({ workspace: NOTHING, environment: {} });
  const names = tools.map(({ name }) => name);
  const sets = [
    ...names.map((name) => createTools({ reader, only: [name] })),
    createTools({ reader, readOnly: true }),
    createTools({ reader, only: ['read_file', 'write_file'] }),
    tools,
  ];
  for (const set of sets) {
    const there = new Set(set.map(({ name }) => name));
    for (const { description, input } of set) {
      const shown = description + JSON.stringify(inputSchemaOf({ input }));
      for (const name of names) if (!there.has(name)) expect(shown).not.toContain(name);
    }
  }
  expect(createTools({ reader, readOnly: true }).every(({ readOnly }) => readOnly)).toBe(true);
});

it('says at once what it is made wrong with', () => {
  const reader = createReader({ workspace: NOTHING, environment: {} });
  expect(() => createTools({ reader, only: ['read' as ToolName] })).toThrow(/Unknown tool `read`/);
  expect(() => createTools({ reader: createReader() })).toThrow(
    'needs a `reader` that was created with a workspace',
  );
  expect(() => createTools({ reader, maxTokens: 0 })).toThrow(/`maxTokens` is `0`/);
});

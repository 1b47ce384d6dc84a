// Arguments as models write them, brought to what the tools take; and what cannot be, answered with a next step.

import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { createTools, inputSchemaOf, type Tool, type ToolName, textOf } from '../../src/tools/index.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';

// Arguments are looked at before anything is opened: no test here comes that far.
const NOTHING = {} as Workspace;
const tools = createTools({
  workspace: NOTHING,
  reader: createReader({ environment: {}, cache: false }),
});
function tool(name: ToolName): Tool {
  const found = tools.find((one) => one.name === name);
  if (!found) throw new Error(name);
  return found;
}

type Case = readonly [given: unknown, canonical: unknown];

const READ: readonly Case[] = [
  [{ path: 'a' }, { path: 'a' }],
  ...[
    'file_path',
    'filePath',
    'FilePath',
    'file-path',
    'filename',
    'fileName',
    'file',
    'target_file',
    'absolute_path',
  ].map((name): Case => [{ [name]: 'a' }, { path: 'a' }]),
  [{ path: ['a'] }, { path: 'a' }],
  [{ paths: ['a'] }, { path: 'a' }],
  ['a', { path: 'a' }],
  ['{"path": "a", "lines": "1-2"}', { path: 'a', lines: '1-2' }],
  ['"{\\"path\\": \\"a\\"}"', { path: 'a' }],
  [[{ path: 'a' }], { path: 'a' }],
  [['a'], { path: 'a' }],
  [{ arguments: { path: 'a' } }, { path: 'a' }],
  [{ input: '{"path": "a"}' }, { path: 'a' }],
  [{ path: 'a', cursor: null, lines: '', sheet: undefined }, { path: 'a' }],
  [{ path: 'a', file_path: 'a' }, { path: 'a' }],
  // Lines.
  [
    { path: 'a', offset: 201, limit: 200 },
    { path: 'a', lines: '201-400' },
  ],
  [
    { path: 'a', offset: '201', limit: '200' },
    { path: 'a', lines: '201-400' },
  ],
  [
    { path: 'a', offset: 0, limit: 10 },
    { path: 'a', lines: '1-10' },
  ],
  [
    { path: 'a', offset: 7 },
    { path: 'a', lines: '7-' },
  ],
  [
    { path: 'a', limit: 20 },
    { path: 'a', lines: '1-20' },
  ],
  [
    { path: 'a', offset: -100 },
    { path: 'a', lines: '-100' },
  ],
  [
    { path: 'a', offset: -100, limit: 100 },
    { path: 'a', lines: '-100' },
  ],
  [
    { path: 'a', line_offset: 5, n_lines: 2 },
    { path: 'a', lines: '5-6' },
  ],
  [
    { path: 'a', start_line: 3, end_line: 9 },
    { path: 'a', lines: '3-9' },
  ],
  [
    { path: 'a', startLine: 3, endLine: -1 },
    { path: 'a', lines: '3-' },
  ],
  [
    { path: 'a', line_start: 3, line_end: 9 },
    { path: 'a', lines: '3-9' },
  ],
  [
    { path: 'a', end_line: 9 },
    { path: 'a', lines: '1-9' },
  ],
  [
    { path: 'a', start_line: 3, limit: 2 },
    { path: 'a', lines: '3-4' },
  ],
  [
    { path: 'a', start_line: 3, end_line: 4, limit: 2 },
    { path: 'a', lines: '3-4' },
  ],
  [
    { path: 'a', view_range: [3, 9] },
    { path: 'a', lines: '3-9' },
  ],
  [
    { path: 'a', view_range: [3, -1] },
    { path: 'a', lines: '3-' },
  ],
  [
    { path: 'a', view_range: '[3, 9]' },
    { path: 'a', lines: '3-9' },
  ],
  [
    { path: 'a', lines: [3, 9] },
    { path: 'a', lines: '3-9' },
  ],
  [
    { path: 'a', lines: ['3-9'] },
    { path: 'a', lines: '3-9' },
  ],
  [
    { path: 'a', lines: '3:9' },
    { path: 'a', lines: '3-9' },
  ],
  [
    { path: 'a', lines: 7 },
    { path: 'a', lines: '7' },
  ],
  [
    { path: 'a', lines: -50 },
    { path: 'a', lines: '-50' },
  ],
  [
    { path: 'a', line: 7 },
    { path: 'a', lines: '7' },
  ],
  [
    { path: 'a', head: 5 },
    { path: 'a', lines: '1-5' },
  ],
  [
    { path: 'a', tail: '5' },
    { path: 'a', lines: '-5' },
  ],
  // Rows, pages, columns.
  [
    { path: 'a', start_row: 2, end_row: 5 },
    { path: 'a', rows: '2-5' },
  ],
  [
    { path: 'a', rows: [2, 5] },
    { path: 'a', rows: '2-5' },
  ],
  [
    { path: 'a', row: 2 },
    { path: 'a', rows: '2' },
  ],
  [
    { path: 'a', n_rows: 5 },
    { path: 'a', rows: '1-5' },
  ],
  [
    { path: 'a', page: 3 },
    { path: 'a', pages: '3' },
  ],
  [
    { path: 'a', pages: [1, 3, 7] },
    { path: 'a', pages: '1,3,7' },
  ],
  [
    { path: 'a', pages: [1, 3] },
    { path: 'a', pages: '1,3' },
  ],
  [
    { path: 'a', page_range: [1, 3] },
    { path: 'a', pages: '1-3' },
  ],
  [
    { path: 'a', page_range: '1-3' },
    { path: 'a', pages: '1-3' },
  ],
  [
    { path: 'a', start_page: 2, end_page: 4 },
    { path: 'a', pages: '2-4' },
  ],
  [
    { path: 'a', columns: ['id', 'a,b', 'c"d'] },
    { path: 'a', columns: 'id,"a,b","c""d"' },
  ],
  [
    { path: 'a', cols: 'A-C' },
    { path: 'a', columns: 'A-C' },
  ],
  [
    { path: 'a', sheet: 2 },
    { path: 'a', sheet: '2' },
  ],
  [
    { path: 'a', sheetName: 'Data' },
    { path: 'a', sheet: 'Data' },
  ],
  // Pictures.
  [
    { path: 'a', region: [0, 0, 8, 6] },
    { path: 'a', region: '0,0,8,6' },
  ],
  [
    { path: 'a', crop: { x: 1, y: 2, width: 8, height: 6 } },
    { path: 'a', region: '1,2,8,6' },
  ],
  [
    { path: 'a', detail: 'FULL' },
    { path: 'a', detail: 'full' },
  ],
  // Types.
  [
    { path: 'a', maxTokens: '200' },
    { path: 'a', max_tokens: 200 },
  ],
  [
    { path: 'a', max_tokens: 200.0 },
    { path: 'a', max_tokens: 200 },
  ],
  [
    { path: 'a', numbered: 'true', outline: 0 },
    { path: 'a', numbered: true, outline: false },
  ],
  [
    { path: 'a', line_numbers: 'no' },
    { path: 'a', numbered: false },
  ],
  [{ path: 12 }, { path: '12' }],
  [
    { path: 'a', next_cursor: 'c' },
    { path: 'a', cursor: 'c' },
  ],
];
const LIST: readonly Case[] = [
  [{}, {}],
  [null, {}],
  [undefined, {}],
  ['', {}],
  [{ path: '' }, {}],
  [
    { directory: 'a', maxDepth: '2' },
    { path: 'a', depth: 2 },
  ],
  [
    { dir_path: 'a', recursive: true },
    { path: 'a', depth: 100 },
  ],
  [{ path: 'a', recursive: 'false' }, { path: 'a' }],
  [
    { max_results: 5, page_token: 'c' },
    { limit: 5, cursor: 'c' },
  ],
];
const FIND: readonly Case[] = [
  ['*.csv', { pattern: '*.csv' }],
  [{ glob: '*.csv' }, { pattern: '*.csv' }],
  [
    { query: '*.csv', folder: 'a' },
    { pattern: '*.csv', path: 'a' },
  ],
  [
    { pattern: '*.csv', no_ignore: 'true' },
    { pattern: '*.csv', include_ignored: true },
  ],
];
const SEARCH: readonly Case[] = [
  ...['query', 'pattern', 'text', 'q', 'search_term'].map((name): Case => [{ [name]: 'x' }, { query: 'x' }]),
  [{ regex: 'a+b' }, { query: 'a+b', regex: true }],
  [{ regexp: 'a+b' }, { query: 'a+b', regex: true }],
  [
    { query: 'a+b', regex: 'true' },
    { query: 'a+b', regex: true },
  ],
  [
    { query: 'a+b', is_regex: true },
    { query: 'a+b', regex: true },
  ],
  [
    { query: 'x', ignore_case: true },
    { query: 'x', case_sensitive: false },
  ],
  [
    { query: 'x', caseSensitive: false },
    { query: 'x', case_sensitive: false },
  ],
  [
    { query: 'x', include: '*.md', directory: 'a' },
    { query: 'x', glob: '*.md', path: 'a' },
  ],
  [
    { query: 'x', context_lines: '3', max_matches: 5 },
    { query: 'x', context: 3, limit: 5 },
  ],
  [{ query: 12 }, { query: '12' }],
];
const WRITE: readonly Case[] = [
  ...['content', 'contents', 'text', 'file_text', 'fileContent'].map(
    (name): Case => [
      { path: 'a', [name]: 'x' },
      { path: 'a', content: 'x' },
    ],
  ),
  [
    { path: 'a', content: '' },
    { path: 'a', content: '' },
  ],
  [
    { path: 'a.json', content: { b: [1] } },
    { path: 'a.json', content: '{\n  "b": [\n    1\n  ]\n}\n' },
  ],
  [
    { path: 'a', content: 5, overwrite: 'True' },
    { path: 'a', content: '5', overwrite: true },
  ],
  [
    { path: 'a', content: 'x', description: 'why' },
    { path: 'a', content: 'x' },
  ],
];
const EDIT: readonly Case[] = [
  ...[
    ['old_text', 'new_text'],
    ['old_string', 'new_string'],
    ['oldString', 'newString'],
    ['old_str', 'new_str'],
    ['search', 'replace'],
    ['find', 'replacement'],
  ].map(
    ([from = '', to = '']): Case => [
      { path: 'a', [from]: 'x', [to]: 'y' },
      { path: 'a', old_text: 'x', new_text: 'y' },
    ],
  ),
  [
    { path: 'a', old_text: 'x', new_text: '' },
    { path: 'a', old_text: 'x', new_text: '' },
  ],
  [
    { path: 'a', old_text: 'x', new_text: 'y', replaceAll: 'true' },
    { path: 'a', old_text: 'x', new_text: 'y', replace_all: true },
  ],
  [
    { path: 'a', edits: [{ oldText: 'x', newText: 'y' }] },
    { path: 'a', old_text: 'x', new_text: 'y' },
  ],
];
const SAVE: readonly Case[] = [
  [{ rows: [{ a: 1 }] }, { rows: [{ a: 1 }] }],
  [{ data: [[1, 2]] }, { rows: [[1, 2]] }],
  [{ data: '[{"a": 1}]' }, { rows: [{ a: 1 }] }],
  [
    { rows: '[{"a": 1}]', filename: 'a.csv' },
    { rows: [{ a: 1 }], name: 'a.csv' },
  ],
  [{ data: 'plain' }, { text: 'plain' }],
  [
    { content: 'a,b\n1,2\n', path: 'x/a.csv' },
    { text: 'a,b\n1,2\n', name: 'x/a.csv' },
  ],
  [{ content: [{ a: 1 }] }, { rows: [{ a: 1 }] }],
  [{ text: { a: 1 } }, { text: '{\n  "a": 1\n}\n' }],
];

describe.each([
  ['read_file', READ],
  ['list_files', LIST],
  ['find_files', FIND],
  ['search_files', SEARCH],
  ['write_file', WRITE],
  ['edit_file', EDIT],
  ['save_result', SAVE],
] as const)('%s', (name, cases) => {
  it.each(cases)('takes %j', (given, canonical) => {
    expect(tool(name).canonical(given)).toEqual(canonical);
  });
});

const REFUSED: readonly (readonly [what: string, name: ToolName, given: unknown])[] = [
  ['what is missing', 'read_file', {}],
  ['no object', 'read_file', 5],
  ['broken JSON', 'read_file', '{"path": "a'],
  ['several calls in one', 'read_file', [{ path: 'a' }, { path: 'b' }]],
  ['several files in one call', 'read_file', { paths: ['a', 'b'] }],
  ['two names for a path', 'read_file', { path: 'a', file_path: 'b' }],
  ['lines and offset', 'read_file', { path: 'a', lines: '1-2', offset: 3 }],
  ['head and tail', 'read_file', { path: 'a', head: 1, tail: 2 }],
  ['an end and a count that differ', 'read_file', { path: 'a', start_line: 1, end_line: 5, limit: 9 }],
  ['a count of nothing', 'read_file', { path: 'a', offset: 1, limit: 0 }],
  ['an offset that is no number', 'read_file', { path: 'a', offset: 'NaN' }],
  ['a stretch that ends before the end', 'read_file', { path: 'a', offset: -100, limit: 20 }],
  ['a budget of nothing', 'read_file', { path: 'a', max_tokens: 0 }],
  ['a budget that is no number', 'read_file', { path: 'a', max_tokens: 'many' }],
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
    workspace: NOTHING,
    reader: {
      ...createReader({ environment: {} }),
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
      "content
    [Note: \`chat_input\`: no argument of this tool, and of no effect.]
    ",
      "content
    [Note: \`max_tokens\` was 1000000000; the most that can be had is 20000.]
    ",
    ]
  `);
});

it('keeps names, descriptions and schemas of all tools under 1500 tokens', () => {
  const { count } = createReader({ environment: {} });
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
  const reader = createReader({ environment: {} });
  const names = tools.map(({ name }) => name);
  const sets = [
    ...names.map((name) => createTools({ workspace: NOTHING, reader, only: [name] })),
    createTools({ workspace: NOTHING, reader, readOnly: true }),
    createTools({ workspace: NOTHING, reader, only: ['read_file', 'write_file'] }),
    tools,
  ];
  for (const set of sets) {
    const there = new Set(set.map(({ name }) => name));
    for (const { description, input } of set) {
      const shown = description + JSON.stringify(inputSchemaOf({ input }));
      for (const name of names) if (!there.has(name)) expect(shown).not.toContain(name);
    }
  }
  expect(createTools({ workspace: NOTHING, reader, readOnly: true }).every(({ readOnly }) => readOnly)).toBe(
    true,
  );
});

it('says at once what it is made wrong with', () => {
  const reader = createReader({ environment: {} });
  expect(() => createTools({ workspace: NOTHING, reader, only: ['read' as ToolName] })).toThrow(
    /no tool `read`/,
  );
  expect(() => createTools({ workspace: NOTHING, reader, maxTokens: 0 })).toThrow(/`maxTokens` is `0`/);
});

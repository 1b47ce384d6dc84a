// What models write as arguments, tool by tool, and what it means. `a` is a file of 500 lines wherever there are files.

import type { ToolName } from '../../src/tools/index.ts';

export type Case = readonly [given: unknown, canonical: unknown];

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
  [{ path: '/' }, {}],
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
  [{ glob: '*.csv', path: '/' }, { pattern: '*.csv' }],
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
  [{ query: 12, directory: '/' }, { query: '12' }],
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

/** Each tool with its cases. */
export const ARGUMENT_CASES: readonly (readonly [tool: ToolName, cases: readonly Case[]])[] = [
  ['read_file', READ],
  ['list_files', LIST],
  ['find_files', FIND],
  ['search_files', SEARCH],
  ['write_file', WRITE],
  ['edit_file', EDIT],
  ['save_result', SAVE],
];

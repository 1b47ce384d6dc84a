// A backticked word that looks like an option is an argument of the tool that says it, or of a tool that the sentence
// names: in every answer provoked here, and in every message of the code that can become one.

import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LIMIT_DEFINITIONS, WORKSPACE_LIMIT_DEFINITIONS } from '../../src/limits/index.ts';
import { createPlanMemory, openPlan } from '../../src/plan/index.ts';
import { createQueryEngine } from '../../src/query/index.ts';
import {
  inputSchemaOf,
  planTool,
  recallTool,
  type Tool,
  type ToolName,
  textOf,
} from '../../src/tools/index.ts';
import { inToolWords } from '../../src/tools/words.ts';
import { makePlace, type Place } from './place.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const LIMITS = new Set<string>([...LIMIT_DEFINITIONS, ...WORKSPACE_LIMIT_DEFINITIONS].map(({ key }) => key));
const OPTION = /(limit )?`([a-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+)*)`/g;
/** Options that `text` names and that are not called limits. */
const optionsIn = (text: string): string[] =>
  [...text.matchAll(OPTION)].flatMap(([, limit, word = '']) =>
    limit !== undefined && LIMITS.has(word) ? [] : [word],
  );
const sentences = (text: string): string[] => text.split(/(?<=[.;\]])\s+|\n/);

let place: Place;
beforeAll(async () => {
  place = await makePlace(
    {
      '.gitignore': 'hidden.txt\n',
      'hidden.txt': 'needle\n',
      'a.txt': 'one\ntwo\nthree\n',
      'twice.txt': 'same\nsame\n',
      'long.txt': 'a line of the file\n'.repeat(2000),
      'guess.txt': Buffer.from('Grenade\nG\x8eorgie\nGhana\n', 'latin1'),
      'a.csv': 'id,name\n1,x\n',
      'a.json': '{"a": [1, 2], "b": {"c": 1}}\n',
      'broken.json': '{"a": [1, 2',
      'a.yaml': 'a: 1\n',
      'a.xml': '<a><b/></a>\n',
      'unknown.bin': new Uint8Array([0, 1, 2, 3, 0, 255, 254, 0]),
      'old.rar': new Uint8Array([0x52, 0x61, 0x72, 0x21, 0x1a, 7, 0]),
      'folder/x.txt': 'x\n',
      ...Object.fromEntries(
        ['documents/survey.docx', 'documents/scan.pdf', 'documents/gates.pptx', 'tabular/stations.xlsx']
          .filter((path) => readdirSync(`fixtures/${path.split('/')[0]}`).includes(path.split('/')[1] ?? ''))
          .map((path) => [path.split('/')[1], readFileSync(`fixtures/${path}`)]),
      ),
    },
    { queries: createQueryEngine({ from: '/nowhere' }) },
  );
});
afterAll(() => place.remove());

const PATHS = ['a.txt', 'long.txt', 'guess.txt', 'a.csv', 'a.json', 'broken.json', 'a.yaml', 'a.xml'].concat([
  'unknown.bin',
  'old.rar',
  'folder',
  'missing.txt',
  'survey.docx',
  'scan.pdf',
  'gates.pptx',
]);
const SELECTIONS = [
  '{}',
  '{"lines":"x"}',
  '{"lines":"1-2"}',
  '{"rows":"1"}',
  '{"columns":"9"}',
  '{"sheet":"z"}',
]
  .concat(['{"pages":"99"}', '{"pointer":"a"}', '{"pointer":"/z"}', '{"region":"1"}', '{"detail":"low"}'])
  .concat(['{"cursor":"x"}', '{"cursor":"x","outline":true}', '{"outline":true}', '{"format":"json"}'])
  .concat(['{"encoding":"none"}', '{"max_tokens":1}', '{"max_tokens":99999999}', '{"overflow":"error"}'])
  .map((text): object => JSON.parse(text));

function calls(): (readonly [ToolName, Record<string, unknown>])[] {
  return [
    ...PATHS.flatMap((path) => SELECTIONS.map((rest) => ['read_file', { path, ...rest }] as const)),
    ...PATHS.flatMap((path) => [
      ['file_info', { path }] as const,
      ['file_info', { path, sheet: 'z' }] as const,
      ['edit_file', { path, old_text: 'needle', new_text: 'x' }] as const,
      ['search_files', { query: 'needle', path }] as const,
      ['list_files', { path }] as const,
    ]),
    ['find_files', { pattern: '*.txt' }],
    ['find_files', { pattern: '*.none' }],
    ['find_files', { pattern: '' }],
    ['find_files', { pattern: '../*', limit: 0 }],
    ['find_files', { pattern: '*', cursor: 'x' }],
    ['list_files', { depth: 0 }],
    ['list_files', { cursor: 'x' }],
    ['search_files', { query: 'needle' }],
    ['search_files', { query: 'nee.*' }],
    ['search_files', { query: '(', regex: true }],
    ['search_files', { query: 'a\\n', regex: true }],
    ['search_files', { query: 'a', context: 99 }],
    ['search_files', { query: 'a', cursor: 'x' }],
    ['search_files', { query: 'a', ignore: false }],
    ['write_file', { path: 'a.txt', content: 'x' }],
    ['write_file', { path: 'folder', content: 'x' }],
    ['write_file', { path: '../x', content: 'x' }],
    ['edit_file', { path: 'twice.txt', old_text: 'same', new_text: 'x' }],
    ['edit_file', { path: 'twice.txt', old_text: 'same', new_text: 'same' }],
    ['edit_file', { path: 'a.txt', old_text: 'one\n two', new_text: 'x' }],
    ['edit_file', { path: 'a.txt', edits: [{}, {}] }],
    ['save_result', {}],
    ['save_result', { rows: [], text: 'x' }],
    ['save_result', { rows: [1, { a: Number.NaN }], format: 'csv' }],
    ['save_result', { rows: [{ a: { b: 1 } }, { a: 2 }], format: 'xlsx' }],
    ['save_result', { text: 'x', format: 'xlsx' }],
    ['save_result', { text: 'x', name: 'a/b', format: 'exe' }],
    ['query_result', {}],
    ['query_result', { sql: 'SELECT 1' }],
    ['query_result', { sql: 'SELECT 1', files: ['a.csv'] }],
  ];
}

/** What a word may be besides: what the call itself said, and what a program or an encoding is called. */
const NAMES = new Set(
  ['csv', 'text', 'markdown', 'json', 'low', 'auto', 'full', 'gb18030', 'shift_jis', 'left', 'top']
    .concat(['width', 'height', 'jsonl', 'xlsx', 'twice.txt', 'child'])
    // Columns and keys of the files.
    .concat(['id', 'name', 'a', 'b']),
);

/** Also those that are passed in `options`. */
function argumentsOf(tool: Tool): string[] {
  const { properties } = inputSchemaOf(tool);
  return [...Object.keys(properties), ...(properties['options']?.description?.match(/[a-z]+/g) ?? [])];
}

function unknownWords(said: string, tool: Tool, given: object, tools: readonly Tool[]): string[] {
  const own = argumentsOf(tool);
  const values = JSON.stringify(given);
  return sentences(said).flatMap((sentence) => {
    const named = tools.filter(({ name }) => sentence.includes(`\`${name}\``));
    const known = new Set([...own, ...named.flatMap(argumentsOf)]);
    return optionsIn(sentence)
      .filter((word) => !known.has(word) && !NAMES.has(word) && !values.includes(word))
      .filter(
        (word) => !tools.some(({ name }) => name === word) && !PATHS.includes(word) && word !== 'hidden.txt',
      )
      .map((word) => `${tool.name}: \`${word}\` in ${sentence}`);
  });
}

describe('a tool names arguments of its own', () => {
  it('in what it answers', async () => {
    const found: string[] = [];
    let said = '';
    for (const [name, given] of calls()) {
      const tool = place.tools.find((one) => one.name === name) ?? expect.fail(name);
      const answer = await tool.run(given);
      const text = textOf(answer);
      // Of an answer, what is not content of a file.
      const own = answer.isError || name !== 'read_file' ? text : (text.match(/^\[.*\]$/gm) ?? []).join('\n');
      said += own;
      found.push(...unknownWords(own, tool, given, place.tools));
    }
    expect([...new Set(found)]).toEqual([]);
    // What must have been among it.
    expect(said).toContain(
      'Ignore files exclude `hidden.txt`. Set `include_ignored` to true to include them.',
    );
    expect(said).toContain('With `read_file`, ask again with `encoding`');
    expect(said).toContain('Omit `sheet`.');
  });

  it('in its description', () => {
    for (const tool of place.tools) {
      const fields = Object.values(inputSchemaOf(tool).properties).map(
        ({ description }) => description ?? '',
      );
      expect(
        [tool.description, ...fields].flatMap((text) => unknownWords(text, tool, {}, place.tools)),
      ).toEqual([]);
    }
  });

  it('once what ignore files leave out is asked for as the answer says', async () => {
    expect(textOf(await place.run('search_files', { query: 'needle', include_ignored: true }))).toContain(
      'hidden.txt:1: needle',
    );
  });
});

/** Options of the library that no call of a tool leads to, with what does. */
const LIBRARY: Readonly<Record<string, string>> = {
  all: 'overflow "error" and streams, which no tool asks for',
  overflow: 'overflow "error"',
  maxTotalOutput: 'overflow "error"',
  signal: 'a request of the library',
  onProgress: 'a request of the library',
  said: 'a request of the library',
  boxes: 'a request of the library',
  reader: 'createTools, createMcpServer',
  workspace: 'createTools',
  bytes: 'an input that is no path',
  stream: 'an input that is no path',
  ifSha256: 'Workspace.write',
  sha256: 'Workspace.write',
  days: 'Workspace.removeOld',
  root: 'createWorkspace',
  storage: 'createWorkspace',
  dataDir: 'createWorkspace',
  openBlobs: 'createWorkspace',
  mount: 'createWorkspace',
  only: 'createTools',
  queries: 'createTools',
  maxProcessBytes: 'createReadPool',
  previewTokens: 'Workspace.saveResult',
  context: 'Workspace.search with more lines than the tools take',
  count: 'Workspace.search',
  files: 'Workspace.search',
  groups: 'Workspace.search',
};
/** Values, programs, parts of files, and names that models write for arguments. */
const VALUES = new Set(
  'pdftotext bunzip2 unxz unzstd unlz4 gunzip cabextract gb18030 shift_jis left top width height altChunk content.xml child xml csv json markdown text null undefined aixtools edits expected_replacements'.split(
    ' ',
  ),
);

it('every message that may become an answer names arguments', async () => {
  const used = new Set<string>();
  const unknown: string[] = [];
  const plan = planTool(await openPlan({ storage: createPlanMemory() }));
  const args = new Set(
    [...place.tools, plan, recallTool({ search: async () => [] })].flatMap((tool) => [
      tool.name,
      ...argumentsOf(tool),
    ]),
  );
  for (const action of inputSchemaOf(plan).properties['action']?.enum ?? []) args.add(action);
  const bundles = new Set(['maxWorkspaceBytes', 'maxWorkspaceFiles', 'maxUserBytes']);
  for (const folder of [
    'src/tools',
    'src/workspace',
    'src/reader',
    'src/contract',
    'src/package',
    'src/encoding',
    'src/zip',
    'processors',
  ])
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    ))
      for (const text of textsOf(`${folder}/${file}`))
        for (const word of optionsIn(file === 'words.ts' ? '' : inToolWords(text))) {
          used.add(word);
          // The quota is named by the limits themselves, each with its variable.
          if (args.has(word) || VALUES.has(word) || bundles.has(word)) continue;
          if (!Object.hasOwn(LIBRARY, word)) unknown.push(`${folder}/${file}: \`${word}\` in ${text}`);
        }
  expect(unknown).toEqual([]);
  expect(Object.keys(LIBRARY).filter((word) => !used.has(word))).toEqual([]);
});

/** The texts of a file's code, with `${}` for what is put into them. */
function textsOf(path: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) texts.push(node.text);
    if (ts.isTemplateExpression(node))
      texts.push(node.head.text + node.templateSpans.map(({ literal }) => `\${}${literal.text}`).join(''));
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2023, true));
  return texts;
}

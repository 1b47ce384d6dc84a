// A misspelled option is told wherever options are taken, and a reader of another place is refused.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReader, createWorkspace, prepareAttachments, type Workspace } from '../src/index.ts';
import { createMcpServer } from '../src/mcp/index.ts';
import { createTools } from '../src/tools/index.ts';

let folder: string;
let workspace: Workspace;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-options-'));
  workspace = createWorkspace({ root: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a caller without types may pass. */
const loose = (value: unknown): never => value as never;

describe('options', () => {
  it.each<[string, () => unknown, string]>([
    ['createReader', () => createReader(loose({ workspce: workspace })), '`workspace`'],
    ['limits of a read', () => createReader({ limits: loose({ maxLine: 1 }) }), '`maxLines`'],
    ['createWorkspace', () => createWorkspace({ root: folder }, loose({ limit: {} })), '`limits`'],
    ['the place of a workspace', () => createWorkspace(loose({ root: '.', user: 'a' })), '`root`'],
    ['no maker of a reader', () => createWorkspace({ root: folder }, loose({ reader: 5 })), '`reader`'],
    ['no place', () => createWorkspace(loose(undefined)), '`{ user, session }`'],
    ['list', () => workspace.list('', loose({ dept: 2 })), '`depth`'],
    ['glob', () => workspace.glob('*', loose({ depth: 2 })), '`ignore`'],
    ['search', () => workspace.search('a', loose({ globs: '*' })), '`glob`'],
    ['search in another case', () => workspace.search('a', loose({ ignoreCase: true })), '`caseSensitive`'],
    ['write', () => workspace.write('a', 'b', loose({ replace: true })), '`overwrite`'],
    ['remove', () => workspace.remove('a', loose({ recursiv: true })), '`recursive`'],
    ['move', () => workspace.move('a', 'b', loose({ force: true })), '`overwrite`'],
    ['saveResult', () => workspace.saveResult([], loose({ filename: 'a' })), '`name`'],
    [
      'createTools',
      () => createTools(loose({ workspace, reader: createReader({ workspace }), readonly: true })),
      '`readOnly`',
    ],
    [
      'prepareAttachments',
      () => prepareAttachments([], loose({ target: 'anthropic', maxTokens: 1 })),
      '`budget`',
    ],
    ['a workspace that is null', () => createReader(loose({ workspace: null })), '`workspace`'],
    ['a workspace that is none', () => createReader(loose({ workspace: {} })), '`workspace`'],
    ['a workspace that is a path', () => createReader(loose({ workspace: '/tmp' })), '`workspace`'],
    ['a limit that is text', () => createReader({ limits: loose({ maxLines: '5' }) }), '`maxLines`'],
    ['a mount that is a number', () => createWorkspace({ root: '.' }, loose({ mount: 5 })), '`mount`'],
    ['a mount that is relative', () => createWorkspace({ root: '.' }, { mount: 'rel' }), '`mount`'],
    ['no options of tools', () => createTools(loose(undefined)), '`reader`'],
    [
      'a tool and no list',
      () => createTools(loose({ reader: createReader({ workspace }), only: 'read_file' })),
      '`only`',
    ],
    ['no options at all', () => prepareAttachments([], loose(undefined)), '`target`'],
    [
      'a model that is a number',
      () => prepareAttachments([], loose({ target: 'anthropic', model: 5 })),
      '`model`',
    ],
    [
      'limits that are null',
      () => prepareAttachments([], loose({ target: 'anthropic', limits: null })),
      '`limits`',
    ],
    [
      'a rule that is a number',
      () => prepareAttachments([], loose({ target: 'anthropic', limits: { imageTokens: 5 } })),
      '`limits.imageTokens`',
    ],
    [
      'a short name like no other',
      () => prepareAttachments([], loose({ target: 'anthropic', foo: 1 })),
      'The options are `target`',
    ],
    ['no options of attachments', () => prepareAttachments([], loose(null)), 'an object'],
  ])('that there are not are told: %s', async (_what, work, named) => {
    const error: unknown = await (async () => work())().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'BAD_INPUT' });
    const { message, hint } = error as { readonly message: string; readonly hint: string };
    expect(`${message} ${hint}`).toContain(named);
  });
});

describe('a reader without the workspace', () => {
  it('makes no tools, no server and no attachments', async () => {
    expect(() => createTools({ reader: createReader() })).toThrow('created with a workspace');
    expect(() => createMcpServer({ reader: createReader(), tools: [] })).toThrow('created with a workspace');
    for (const reader of [createReader(), createReader({ workspace: createWorkspace({ root: folder }) })]) {
      await expect(prepareAttachments([], { target: 'anthropic', workspace, reader })).rejects.toMatchObject({
        code: 'BAD_INPUT',
      });
    }
    expect(() => createTools(loose({ readOnly: true }))).toThrow('created with a workspace');
  });
});

describe('a maker of a reader that is wrong', () => {
  it.each<[string, (workspace: Workspace) => never, string]>([
    [
      'with an option there is not',
      (workspace) => loose(createReader({ workspace, limits: loose({ defaultRowsHead: 1 }) })),
      '`defaultRowsHead`',
    ],
    ['of other files', () => loose(createReader()), 'not created with this `workspace`'],
    ['that makes no reader', () => loose(5), 'is not a reader'],
    [
      'that throws',
      () => {
        throw new TypeError('own');
      },
      '`reader` of `createWorkspace` failed',
    ],
  ])('fails the first use, and nothing is saved: %s', async (_what, reader, why) => {
    const made = createWorkspace({ root: folder }, { reader });
    await made.write('given.txt', 'text', { overwrite: true });
    for (const work of [() => made.saveResult([{ a: 1 }], { name: 'x.csv' }), () => made.search('text')])
      await expect(work()).rejects.toMatchObject({
        code: 'BAD_INPUT',
        message: expect.stringContaining(why),
      });
    expect(await made.kind('x.csv')).toBeUndefined();
  });
});

it.each<[string, unknown]>([
  ['name', { name: 5, bytes: Buffer.from('x') }],
  ['mimeType', { name: 'a', mimeType: 5, bytes: Buffer.from('x') }],
  ['entry', { bytes: Buffer.from('x'), entry: 5 }],
  ['bytes', { name: 'a', bytes: [1, 2] }],
  ['stream', { name: 'a', stream: 5 }],
  ['path', { path: 5 }],
])('an input with an odd `%s` is told so', async (field, input) => {
  for (const answer of [createReader().read(loose(input)), createReader().inspect(loose(input))])
    expect(await answer).toMatchObject({
      success: false,
      error: { code: 'BAD_INPUT', message: expect.stringContaining(`\`${field}\``) },
    });
});

it('an input with a field that throws is told so', async () => {
  const input = {
    get name(): string {
      throw new Error('secret');
    },
    bytes: Buffer.from('x'),
  };
  const answer = await createReader().read(input);
  expect(answer).toMatchObject({ success: false, error: { code: 'BAD_INPUT' } });
  expect(JSON.stringify(answer)).not.toContain('secret');
});

it('an ArrayBuffer is bytes', async () => {
  const bytes = new TextEncoder().encode('hello\n').buffer;
  for (const input of [bytes, { name: 'a.txt', bytes }])
    expect(await createReader().read(input)).toMatchObject({ success: true, text: 'hello\n' });
});

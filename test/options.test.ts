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
    expect(() => createTools({ reader: createReader() })).toThrow('made with a workspace');
    expect(() => createMcpServer({ reader: createReader(), tools: [] })).toThrow('made with a workspace');
    for (const reader of [createReader(), createReader({ workspace: createWorkspace({ root: folder }) })]) {
      await expect(prepareAttachments([], { target: 'anthropic', workspace, reader })).rejects.toMatchObject({
        code: 'BAD_INPUT',
      });
    }
    expect(() => createTools(loose({ readOnly: true }))).toThrow('made with a workspace');
  });
});

describe('a maker of a reader that is wrong', () => {
  it.each<[string, (workspace: Workspace) => never, string]>([
    [
      'with an option there is not',
      (workspace) => loose(createReader({ workspace, limits: loose({ defaultRowsHead: 1 }) })),
      '`defaultRowsHead`',
    ],
    ['of other files', () => loose(createReader()), 'not made with this `workspace`'],
    ['that makes no reader', () => loose(5), 'is none'],
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

it('an ArrayBuffer is bytes', async () => {
  const bytes = new TextEncoder().encode('hello\n').buffer;
  for (const input of [bytes, { name: 'a.txt', bytes }])
    expect(await createReader().read(input)).toMatchObject({ success: true, text: 'hello\n' });
});

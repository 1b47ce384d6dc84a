import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../src/index.ts';
import { createTools, type Tool, textOf } from '../../src/tools/index.ts';

let root: string;
let tools: readonly Tool[];
const TEXT = 'one\r\ntwo  \r\nthree\r\n\r\none\r\nfour';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lectern-edits-'));
  writeFileSync(join(root, 'a.txt'), TEXT);
  tools = createTools({
    reader: createReader({ workspace: createWorkspace({ root }), environment: {}, cache: false }),
  });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function call(name: string, args: object): Promise<string> {
  return textOf((await tools.find((tool) => tool.name === name)?.run(args)) ?? { isError: true, parts: [] });
}
const content = (): string => readFileSync(join(root, 'a.txt'), 'utf8');

describe('several edits', () => {
  it('are made one after the other, and line breaks stay', async () => {
    const edits = [
      { old_text: 'three', new_text: '3\nand more' },
      { old_text: 'and more', new_text: 'then' },
    ];
    expect(await call('edit_file', { path: 'a.txt', edits })).toContain('in 2 places, first at line 3');
    expect(content()).toBe('one\r\ntwo  \r\n3\r\nthen\r\n\r\none\r\nfour');
  });

  it('replace all where the call says so for all of them', async () => {
    const edits = [
      { old_text: 'one', new_text: '1' },
      { old_text: 'o', new_text: '0' },
    ];
    await call('edit_file', { path: 'a.txt', edits, replace_all: true });
    expect(content()).toBe('1\r\ntw0  \r\nthree\r\n\r\n1\r\nf0ur');
  });

  it('change nothing when one of them fails, and say which', async () => {
    for (const second of [
      { old_text: 'absent', new_text: 'x' },
      { old_text: 'one', new_text: 'x' },
      { old_text: '', new_text: 'x' },
    ]) {
      const edits = [{ old_text: 'two', new_text: '2' }, second];
      expect(await call('edit_file', { path: 'a.txt', edits })).toMatch(
        /^Error BAD_INPUT: (?:In edit|Edit) 2\b/,
      );
    }
    expect(content()).toBe(TEXT);
  });

  it.each([
    [{ old_text: 'two', edits: [{ old_text: 'a', new_text: 'b' }, {}] }, '`old_text` and `edits` contradict'],
    [
      { old_text: 'two', new_text: '2', edits: [{ old_text: 'three', new_text: '3' }] },
      '`old_text` and `edits` contradict',
    ],
    [{ new_text: '2', edits: [{ old_text: 'three', new_text: '3' }] }, '`new_text` and `edits` contradict'],
    [
      { edits: [{ old_text: 'two', find: 'three', new_text: '3' }] },
      'Edit 1 of `edits` has `old_text` twice',
    ],
    [{ new_text: '2', patch: '@@\n-two\n+2\n' }, '`new_text` and `patch` contradict'],
    [{ replace_all: true, patch: '@@\n-two\n+2\n' }, '`replace_all` and `patch` contradict'],
    [{ insert_line: 1, new_text: 'x', edits: [{ old_text: 'two' }] }, '`insert_line` and `edits` contradict'],
    [
      { edits: [{ old_text: 'two' }, { old_text: 'three' }], expected_replacements: 2 },
      '`expected_replacements` and `edits` contradict',
    ],
    [
      { patch: '--- a/notes.txt\n+++ b/notes.txt\n@@ -2 +2 @@\n-two  \n+2\n' },
      '`path` is `a.txt`, but `patch` changes `notes.txt`; nothing was changed. Omit `path`',
    ],
    [{ patch: '--- a/notes.txt\n@@ -2 +2 @@\n-two  \n+2\n' }, '`patch` changes `notes.txt`'],
    [
      { patch: '*** Begin Patch\n*** Update File: src/b.txt\n@@\n-two  \n+2\n*** End Patch' },
      '`patch` changes `src/b.txt`',
    ],
    [
      { old_string: '', new_string: 'x' },
      '`old_text` is empty; nothing was changed. To add text, use `insert_line` (0: at the start). For a new file, use `write_file` with `content`.',
    ],
    [
      { path: 'new.txt', old_string: '', new_string: 'x' },
      'For a new file, use `write_file` with `content`.',
    ],
    [{ insert_line: 99, new_text: 'x' }, 'the file has 6 lines'],
    [{ insert_line: 1 }, '`new_text` is missing'],
    [{ patch: 'no diff' }, '`patch` contains no change'],
    [
      { patch: '*** Begin Patch\n*** Add File: b.txt\n+x\n*** End Patch' },
      'with `Add File` is not supported',
    ],
    [{ patch: '--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n' }, 'adds or deletes a file'],
    [{ patch: '@@\n-one\n+1\n' }, 'occur 2 times in `a.txt` (from lines 1, 5)'],
    [{ patch: '@@\n-nine\n+9\n' }, 'A part of the diff is not in `a.txt`'],
    [{}, '`old_text` is missing'],
  ])('refuse %j', async (args, message) => {
    expect(await call('edit_file', { path: 'a.txt', ...args })).toContain(message);
    expect(content()).toBe(TEXT);
  });
});

describe('a diff', () => {
  it.each([
    'a.txt',
    'b/a.txt',
    'some/where/a.txt',
    'w/a.txt',
    '../a.txt',
    'a.txt\t2026-01-01',
    '"b/\\141.txt"',
  ])('of %s changes the file that its name ends alike', async (name) => {
    const patch = `--- ${name}\n+++ ${name}\n@@ -2 +2 @@\n-two\n+2\n`;
    expect(await call('edit_file', { path: './a.txt', patch })).toContain('Edited `a.txt`');
  });

  it('names a file beyond ASCII as Git does', async () => {
    writeFileSync(join(root, 'café.txt'), 'two\n');
    const patch = '--- "a/caf\\303\\251.txt"\n+++ "b/caf\\303\\251.txt"\n@@ -1 +1 @@\n-two\n+2\n';
    expect(await call('edit_file', { patch })).toContain('Edited `café.txt`');
  });

  it('finds its lines by number where they stand more than once', async () => {
    await call('edit_file', { path: 'a.txt', patch: '@@ -5,2 +5,2 @@\n-one\n+1\n four\n' });
    expect(content()).toBe('one\r\ntwo  \r\nthree\r\n\r\n1\r\nfour');
  });

  it('finds them below a line, keeps the context as it is, and adds at the end of a file', async () => {
    const patch =
      '*** Begin Patch\n*** Update File: a.txt\n@@ three\n-one\n+1\n@@ one\n two\n+2.5\n*** End Patch';
    expect(await call('edit_file', { patch })).toContain('Edited `a.txt`');
    expect(content()).toBe('one\r\ntwo  \r\n2.5\r\nthree\r\n\r\n1\r\nfour');
    await call('edit_file', { path: 'a.txt', patch: '@@\n four\n+five\n' });
    expect(content().endsWith('\r\nfour\r\nfive')).toBe(true);
  });
});

describe('search', () => {
  it('over line ends shows every line of a match, exact in long files', async () => {
    const text = `${'filler line\n'.repeat(30_000)}begin\nmiddle\nend\n${'filler line\n'.repeat(30_000)}begin\nend\n`;
    writeFileSync(join(root, 'long.txt'), text);
    const answer = await call('search_files', { query: 'begin[\\s\\S]*?end', multiline: true });
    expect(answer).toContain('long.txt\n30001: begin\n30002: middle\n30003: end\n--\n');
    expect(answer).toContain('\n60004: begin\n60005: end\n');
    expect(answer).toContain('[2 matching lines in 2 files searched.]');
    expect(await call('search_files', { query: 'one\ntwo', multiline: true })).toContain(
      'a.txt\n1: one\n2: two',
    );
  });

  it('as an expression goes on by its cursor', async () => {
    writeFileSync(join(root, 'b.txt'), 'match 1\nmatch 2\nmatch 3\n');
    const first = await call('search_files', { query: 'match \\d', limit: 2 });
    expect(first).toContain('[2 of 3 matching lines in');
    const [, cursor] = /cursor "([^"]+)"/.exec(first) ?? [];
    expect(await call('search_files', { query: 'match \\d', limit: 2, cursor })).toMatch(
      /^b\.txt:3: match 3\n\[1 matching line/,
    );
  });

  it('counts by file', async () => {
    expect(await call('search_files', { query: 'one', output_mode: 'count' })).toBe(
      'a.txt:2\n[1 file, 2 matching lines.]\n',
    );
  });
});

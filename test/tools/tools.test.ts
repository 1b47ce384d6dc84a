// The tools over a real folder and a real reader: what a model is told, and what is on disk afterwards.

import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ReaderError } from '../../src/index.ts';
import { type ToolAnswer, type ToolProgress, textOf } from '../../src/tools/index.ts';
import { ARGUMENT_CASES } from './argument-cases.ts';
import { makePlace, type Place } from './place.ts';

let place: Place | undefined;
afterEach(async () => {
  await place?.remove();
  place = undefined;
});
async function made(...args: Parameters<typeof makePlace>): Promise<Place> {
  place = await makePlace(...args);
  return place;
}
const bytesOf = (at: Place, path: string): Promise<Buffer> => readFile(join(at.root, path));
const LINES = Array.from({ length: 500 }, (_, index) => `line ${index + 1}\n`).join('');
const TABLE = `id,name\n${Array.from({ length: 5000 }, (_, index) => `${index + 1},name ${index + 1}\n`).join('')}`;

describe.each(ARGUMENT_CASES)('%s answers alike', (name, cases) => {
  it.each(cases)('%j and its canonical form', async (given, canonical) => {
    const files = { a: name === 'edit_file' ? 'x\n' : LINES, 'a.csv': TABLE, 'b/a': 'x marks the spot\n' };
    const at = await made(files);
    const first = await at.run(name, given);
    // What writes starts afresh; what reads does not, since cursors know the file.
    const again = at.tools.find((one) => one.name === name)?.readOnly ? at : await makePlace(files);
    const second = await again.run(name, canonical);
    await again.remove();
    expect(first).toEqual(second);
  });
});

describe('read_file', () => {
  it('shows a part, says what is left, and goes on by what it names', async () => {
    const at = await made({ 'data/orders.csv': TABLE });
    const first = textOf(await at.run('read_file', { path: 'data/orders.csv' }));
    expect(first).toContain('[Truncated to rows 1-');
    const next = /Continue with rows "([^"]+)"/.exec(first)?.[1] ?? '';
    const second = textOf(await at.run('read_file', { path: '/workspace/data/orders.csv', rows: next }));
    const [row = ''] = next.split('-');
    expect(second).toContain(`\n${row},name ${row}\n`);
  });

  it.each([
    ['workspace:///a/b%20c.csv', 'a/b c.csv'],
    ['workspace:///a/b c.csv', 'a/b c.csv'],
    ['WORKSPACE:///a%2fb%20c.csv', 'a/b c.csv'],
    ['workspace:///100%.csv', '100%.csv'],
    ['a/b%20c.csv', 'a/b%20c.csv'],
    ['file:///100%25.csv', 'file:///100%25.csv'],
  ])('takes %j for %j', async (path, meant) => {
    const files = { 'a/b c.csv': 'id\n1\n', '100%.csv': 'id\n2\n', 'a/b%20c.csv': 'id\n3\n' };
    const at = await made({ ...files, 'file:/100%25.csv': 'id\n4\n' });
    const [given, canonical] = [await at.run('read_file', path), await at.run('read_file', { path: meant })];
    expect(canonical.isError).toBe(false);
    expect(given).toEqual(canonical);
  });

  it.each(['workspace:///..%2f..%2fetc%2fpasswd', 'workspace:////etc/passwd', 'workspace:///%2e%2e/x'])(
    'is not led out by %j',
    async (path) => {
      const at = await made({ 'a.txt': '' });
      expect(textOf(await at.run('read_file', { path }))).toMatch(/^Error PATH_ESCAPES_WORKSPACE: /);
    },
  );

  it.each([
    ['read_file', 'a'],
    ['list_files', '.'],
    ['search_files', '.'],
  ] as const)('says to %s which cursor it takes', async (name, path) => {
    const at = await made({ a: LINES });
    const answer = textOf(await at.run(name, { path, query: 'x', cursor: 'made up' }));
    expect(answer).toContain('Pass the cursor of the previous answer unchanged, or omit `cursor`');
  });

  it('gives a picture as it is', async () => {
    const picture = await readFile('fixtures/image/fields.png');
    const at = await made({ 'p.png': picture });
    const { parts, isError } = await at.run('read_file', { path: 'p.png' });
    expect(isError).toBe(false);
    expect(parts[0]?.kind).toBe('text');
    expect(parts[1]).toMatchObject({ kind: 'media', mimeType: 'image/png', name: 'p.png' });
  });

  it.each([
    ['a near name', { path: 'raports/q3.md' }],
    ['nothing near', { path: 'zzzzzzzzzz' }],
    ['a way out', { path: '../../etc/passwd' }],
    ['another root', { path: '/etc/passwd' }],
    ['rows past the end', { path: 't.csv', rows: '7-9' }],
    ['a range that is none', { path: 't.csv', lines: 'x' }],
  ])('answers %s with a next step', async (_what, args) => {
    const at = await made({ 'reports/q3.md': '# Q3\n', 't.csv': 'a,b\n1,2\n' });
    const answer = await at.run('read_file', args);
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).not.toContain(at.root);
    expect(textOf(answer)).toMatchSnapshot();
  });

  it('keeps to the most a model may ask for, and says so', async () => {
    const at = await made({ 'a.txt': LINES }, { maxTokens: 300 });
    const text = textOf(await at.run('read_file', { path: 'a.txt', max_tokens: 100_000 }));
    expect(text).toContain('[Note: `max_tokens` was 100000; the maximum is 300.]');
    expect(at.reader.count(text)).toBeLessThanOrEqual(300);
    expect(at.reader.count(textOf(await at.run('read_file', { path: 'a.txt' })))).toBeLessThanOrEqual(300);
  });

  it('stops when it is told to, and tells how far it is', async () => {
    const at = await made({ 'a.csv': TABLE });
    const stopped = await at.run('read_file', { path: 'a.csv' }, { signal: AbortSignal.abort() });
    expect(textOf(stopped)).toMatch(/^Error ABORTED: /);
    const seen: ToolProgress[] = [];
    await at.run('read_file', { path: 'a.csv' }, { onProgress: (progress) => seen.push(progress) });
    for (const [index, { progress, total = 0 }] of seen.entries()) {
      expect(progress).toBeGreaterThan(seen[index - 1]?.progress ?? -1);
      expect(total).toBeGreaterThanOrEqual(progress);
    }
  });
});

describe('list_files and find_files', () => {
  it('lists by path, with sizes', async () => {
    const at = await made({ 'b/c.txt': 'x', 'a.txt': 'hello', 'evil\nname.txt': '' });
    await symlink('b', join(at.root, 'link'));
    expect(textOf(await at.run('list_files', {}))).toMatchInlineSnapshot(`
      "a.txt  5 bytes
      b/
      evil\\u{a}name.txt  0 bytes
      link/  (link)
      "
    `);
    expect(textOf(await at.run('list_files', { path: 'b' }))).toBe('b/c.txt  1 byte\n');
    expect(textOf(await at.run('list_files', { depth: 2 }))).toContain('b/c.txt  1 byte\n');
  });

  it('says that there is nothing', async () => {
    const at = await made({ 'a.txt': '' });
    await mkdir(join(at.root, 'empty'));
    expect(textOf(await at.run('list_files', { path: 'empty' }))).toBe('`empty` is empty.\n');
    expect(textOf(await at.run('find_files', { pattern: '*.csv' }))).toMatchInlineSnapshot(`
      "No file matches \`*.csv\`. Ignored files are excluded; set \`include_ignored\` to include them.
      "
    `);
    expect((await at.run('list_files', { path: 'none' })).isError).toBe(true);
    expect((await at.run('list_files', { path: '../..' })).isError).toBe(true);
    expect((await at.run('find_files', { pattern: '*', path: '/etc' })).isError).toBe(true);
  });

  it.each([
    ['a.csv', undefined, ['a.csv', 'x[1]/a.csv', 'x[1]/y/a.csv']],
    ['*.csv', 'x[1]', ['x[1]/a.csv', 'x[1]/y/a.csv']],
    ['*.csv', './x[1]/', ['x[1]/a.csv', 'x[1]/y/a.csv']],
    ['*.csv', '/workspace/x[1]', ['x[1]/a.csv', 'x[1]/y/a.csv']],
    ['*/*.csv', 'x[1]', ['x[1]/y/a.csv']],
    ['*.csv', '.', ['a.csv', 'x[1]/a.csv', 'x[1]/y/a.csv']],
    ['*.csv', '/workspace', ['a.csv', 'x[1]/a.csv', 'x[1]/y/a.csv']],
  ])('finds %j below %j', async (pattern, path, found) => {
    const at = await made({ 'a.csv': '', 'x[1]/a.csv': '', 'x[1]/y/a.csv': '', 'x1/a.txt': '' });
    const text = textOf(await at.run('find_files', { pattern, ...(path !== undefined && { path }) }));
    expect(text.split('\n').filter((line) => line !== '')).toEqual(found.map((name) => `${name}  0 bytes`));
  });

  it.each([120, 200, 1000])('gives every entry once, within %i tokens an answer', async (budget) => {
    const names = Array.from({ length: 150 }, (_, index) => `folder/some file with a name ${index}.txt`);
    const at = await made(Object.fromEntries(names.map((name) => [name, ''])), { maxTokensPerFile: budget });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const text = textOf(await at.run('list_files', { path: 'folder', ...(cursor && { cursor }) }));
      expect(at.reader.count(text)).toBeLessThanOrEqual(budget);
      seen.push(
        ...text
          .split('\n')
          .filter((line) => line.startsWith('folder/'))
          .map((line) => line.replace(/ {2}0 bytes$/, '')),
      );
      cursor = /cursor "([^"]+)"/.exec(text)?.[1];
    } while (cursor !== undefined && seen.length < 500);
    expect(seen.sort()).toEqual(names.sort());
  });
});

it('says when a budget holds no page at all', async () => {
  const at = await made({ 'a.txt': LINES, 'b.txt': LINES }, { maxTokensPerFile: 20 });
  for (const [name, args] of [
    ['list_files', {}],
    ['search_files', { query: '7' }],
  ] as const)
    expect(textOf(await at.run(name, args))).toMatch(/^Error OVER_BUDGET: One (entry|match) and the cursor/);
});

describe('search_files', () => {
  it('shows matches as data', async () => {
    const at = await made({ 'a.txt': 'one\n\u001b[31mtwo\u202e x\nthree\n', 'b.bin': new Uint8Array(100) });
    expect(textOf(await at.run('search_files', { query: 'two', context: 1 }))).toMatchInlineSnapshot(`
      "a.txt
      1- one
      2: ␛[31mtwo\\u{202e} x
      3- three
      [1 matching line in 1 file searched. 1 file not searched: \`b.bin\` (binary).]
      "
    `);
    expect(textOf(await at.run('search_files', { query: 't.o' }))).toMatchInlineSnapshot(`
      "[Note: \`t.o\` was not found literally; it was searched as a regular expression.]
      a.txt:2: ␛[31mtwo\\u{202e} x
      [1 matching line in 1 file searched. 1 file not searched: \`b.bin\` (binary).]
      "
    `);
    expect(textOf(await at.run('search_files', { query: 't.o', regex: true }))).toContain('a.txt:2: ');
    const bad = await at.run('search_files', { query: '(', regex: true });
    expect(bad.isError).toBe(true);
  });

  it.each([160, 400])('gives every match once, within %i tokens an answer', async (budget) => {
    const at = await made({ 'a.txt': LINES, 'b/c.txt': LINES }, { maxTokensPerFile: budget });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const text = textOf(await at.run('search_files', { query: '7\n'.trim(), ...(cursor && { cursor }) }));
      expect(at.reader.count(text)).toBeLessThanOrEqual(budget);
      let path = '';
      for (const [, file = path, line] of text.matchAll(/^(?:(\S+\.txt)(?::|$))?(\d+(?=: ))?/gm)) {
        path = file;
        if (line !== undefined) seen.push(`${path}:${line}`);
      }
      cursor = /cursor "([^"]+)"/.exec(text)?.[1];
    } while (cursor !== undefined && seen.length < 1000);
    const expected = LINES.split('\n').flatMap((line, index) => (line.includes('7') ? [index + 1] : []));
    expect(seen).toEqual(['a.txt', 'b/c.txt'].flatMap((name) => expected.map((line) => `${name}:${line}`)));
  });
});

describe('file_info', () => {
  it('tells facts', async () => {
    const at = await made({ 'a.csv': TABLE, 'd/x': '', 'b.json': '{"a": 1}' });
    const text = textOf(await at.run('file_info', { path: 'a.csv' }));
    expect(text.replace(/modified: .*/, 'modified: ...')).toMatchInlineSnapshot(`
      "path: a.csv
      type: csv (text/csv)
      bytes: 72794
      modified: ...
      encoding: utf-8
      rows: 5000
      columns: 2
      delimiter: ,
      quote: "
      header: true
      tokens: 33005
      contents:
      5000 rows, 2 columns
      1. \`id\`: integer
      2. \`name\`: text
      "
    `);
    expect(
      textOf(await at.run('file_info', { path: 'd' })).replace(/changed \S+/, 'changed ...'),
    ).toMatchInlineSnapshot(`
      "\`d\` is a folder, changed ... List its entries with \`list_files\`.
      "
    `);
    expect((await at.run('file_info', { path: 'none' })).isError).toBe(true);
  });
});

describe('write_file', () => {
  it('writes anew, and over what is there only when told', async () => {
    const at = await made({});
    expect(textOf(await at.run('write_file', { path: 'x/y.md', content: '# A\n' }))).toBe(
      'Wrote `x/y.md`: 4 bytes, new.\n',
    );
    const refused = await at.run('write_file', { path: 'x/y.md', content: 'B' });
    expect(textOf(refused)).toMatchInlineSnapshot(
      `"Error ALREADY_EXISTS: \`x/y.md\` already exists; nothing was written. Set \`overwrite\` to true to replace all of it, or change part of it with \`edit_file\`."`,
    );
    expect(await bytesOf(at, 'x/y.md')).toEqual(Buffer.from('# A\n'));
    const over = await at.run('write_file', { path: 'x/y.md', content: 'B', overwrite: true });
    expect(textOf(over)).toBe('Wrote `x/y.md`: 1 byte, replacing the previous content.\n');
    expect((await at.run('write_file', { path: '../y.md', content: 'B' })).isError).toBe(true);
  });

  it.each(['x', 'x/', '.'])('asks for a file name in place of the folder %j', async (path) => {
    const at = await made({ 'x/y.md': '' });
    const answer = await at.run('write_file', { path, content: 'B' });
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toMatchSnapshot();
  });

  it('says that someone else wrote meanwhile', async () => {
    const at = await made({ 'a.txt': 'one' });
    const workspace = {
      ...at.workspace,
      write: () => Promise.reject(new ReaderError('CONFLICT', 'Another sha256.', 'Read again.')),
    };
    const other = await makePlace({}, { reader: { ...at.reader, workspace } });
    const answer = await other.run('write_file', { path: 'a.txt', content: 'x', overwrite: true });
    await other.remove();
    expect(textOf(answer)).toBe(
      'Error BUSY: `a.txt` was changed by someone else during the call; this call changed nothing. Read it again, then write it.',
    );
  });
});

describe('edit_file', () => {
  const edit = async (
    content: string | Uint8Array,
    args: Record<string, unknown>,
  ): Promise<{ answer: ToolAnswer; after: Buffer }> => {
    const at = await made({ 'a.txt': content });
    const answer = await at.run('edit_file', { path: 'a.txt', ...args });
    return { answer, after: await bytesOf(at, 'a.txt') };
  };

  it.each([
    ['plain text', 'one\ntwo\nthree\n', 'two', 'zwei', 'one\nzwei\nthree\n'],
    ['CR LF by LF', 'one\r\ntwo\r\nthree\r\n', 'one\ntwo', 'eins\nzwei\n', 'eins\r\nzwei\r\n\r\nthree\r\n'],
    ['CR alone', 'one\rtwo\r', 'one\ntwo', 'eins\nzwei', 'eins\rzwei\r'],
    ['mixed breaks', 'a\r\nb\nc\nd\r\n', 'b\nc', 'B\nC', 'a\r\nB\nC\nd\r\n'],
    ['a mark', '\ufeffone\ntwo\n', 'one', 'eins', '\ufeffeins\ntwo\n'],
    ['nothing in its place', 'one\ntwo\n', 'one\n', '', 'two\n'],
    ['dollars and backslashes', 'price\n', 'price', '$& $$ $1 \\n', '$& $$ $1 \\n\n'],
    ['astral characters', 'a😀b\n', '😀', '😁😂', 'a😁😂b\n'],
  ])('replaces in %s', async (_what, before, old, next, after) => {
    const { answer, after: found } = await edit(before, { old_text: old, new_text: next });
    expect(textOf(answer)).toMatch(/^Edited `a\.txt` at line 1|^Edited `a\.txt` at line 2/);
    expect(found.toString('utf8')).toBe(after);
  });

  it.each([
    [
      'UTF-16',
      Buffer.from('\ufeffone\r\ntwo\r\n', 'utf16le'),
      Buffer.from('\ufeffone\r\nzw\u00f6lf\r\n', 'utf16le'),
    ],
  ])('keeps %s', async (_what, before, after) => {
    const { answer, after: found } = await edit(before, { old_text: 'two', new_text: 'zw\u00f6lf' });
    expect(textOf(answer)).toContain('Edited');
    expect(found).toEqual(after);
  });

  it.each([
    ['half a character', 'two\n', 'two', '\ud83d'],
    ['no text', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'IHDR', 'x'],
    ['what is there twice', 'two\ntwo\n', 'two', 'x'],
    ['what is not there', 'one\ntwo\n', 'TWO', 'x'],
    ['the same text', 'two\n', 'two', 'two'],
  ])('leaves the file alone for %s', async (_what, before, old, next) => {
    const { answer, after } = await edit(before, { old_text: old, new_text: next });
    expect(answer.isError).toBe(true);
    expect(after).toEqual(Buffer.from(before as string));
    expect(textOf(answer)).toMatchSnapshot();
  });

  it('replaces every place when told', async () => {
    const { answer, after } = await edit('a\r\na\nba\n', {
      old_text: 'a',
      new_text: 'xy',
      replace_all: true,
    });
    expect(textOf(answer)).toBe('Edited `a.txt` in 3 places, first at line 1; it now has 11 bytes.\n');
    expect(after.toString()).toBe('xy\r\nxy\nbxy\n');
  });

  it('does not write over what someone else wrote meanwhile', async () => {
    const at = await made({ 'a.txt': 'one\n' });
    const { open } = at.workspace;
    // Between the tool's read and its write.
    const workspace = {
      ...at.workspace,
      write: async (...args: Parameters<typeof at.workspace.write>) => {
        await writeFile(join(at.root, 'a.txt'), 'two\n');
        return at.workspace.write(...args);
      },
      open,
    };
    const other = await makePlace({}, { reader: { ...at.reader, workspace } });
    const answer = await other.run('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'x' });
    await other.remove();
    expect(textOf(answer)).toMatch(/^Error BAD_INPUT: `old_text` is not in `a\.txt`; nothing was changed\. /);
    expect((await bytesOf(at, 'a.txt')).toString()).toBe('two\n');
  });

  it.each([
    ['now and then', 4],
    ['all the time', 5],
  ])('edits what is there when others write %s', async (_what, others) => {
    const at = await made({ 'a.txt': 'one\n' });
    let writes = 0;
    const workspace = {
      ...at.workspace,
      write: async (...args: Parameters<typeof at.workspace.write>) => {
        writes += 1;
        if (writes <= others) await writeFile(join(at.root, 'a.txt'), `${writes}\none\n`);
        return at.workspace.write(...args);
      },
    };
    const other = await makePlace({}, { reader: { ...at.reader, workspace } });
    const answer = await other.run('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'x' });
    await other.remove();
    expect(writes).toBe(5);
    expect(textOf(answer)).toBe(
      others < 5
        ? 'Edited `a.txt` at line 2; it now has 4 bytes.\n'
        : 'Error BUSY: `a.txt` was changed by someone else during the call; this call changed nothing. Read it again, then edit it.',
    );
    expect((await bytesOf(at, 'a.txt')).toString()).toBe(others < 5 ? '4\nx\n' : '5\none\n');
  });

  it('makes all edits of one turn, by whatever path, whatever fails among them', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index};\n`);
    const at = await made({ 'b/a.txt': lines.join('') });
    await symlink('a.txt', join(at.root, 'b/link'));
    const paths = ['b/a.txt', './b//a.txt', '/workspace/b/a.txt', 'b/../b/a.txt', 'workspace:///b/a.txt'];
    const edits = lines.map((_, index) => ({
      path: paths[index % paths.length],
      old_text: `line ${index};`,
      new_text: `new ${index};`,
    }));
    const answers = await Promise.all([
      ...edits.map((args) => at.run('edit_file', args)),
      at.run('edit_file', { path: 'b/link', old_text: 'line 3;', new_text: 'linked' }),
      at.run('edit_file', { path: 'b/a.txt', old_text: 'none', new_text: 'x' }),
      at.run('edit_file', { path: 'b/a.txt', old_text: 'new 0;', new_text: 'last' }),
    ]);
    const failed = answers.flatMap((answer, index) => (answer.isError && index < 30 ? [textOf(answer)] : []));
    expect(failed.filter((text) => !text.includes('`old_text` is not in'))).toEqual([]);
    expect(answers.at(-2)?.isError).toBe(true);
    const after = (await bytesOf(at, 'b/a.txt')).toString();
    expect(after.replace('linked', 'new 3;')).toBe(
      lines.map((_, index) => (index === 0 ? 'last\n' : `new ${index};\n`)).join(''),
    );
  });

  it('edits what the call before writes in the same turn', async () => {
    const at = await made({});
    const [wrote, edited] = await Promise.all([
      at.run('write_file', { path: 'new/a.txt', content: 'one\n' }),
      at.run('edit_file', { path: './new/a.txt', old_text: 'one', new_text: 'two' }),
    ]);
    expect([wrote.isError, edited.isError]).toEqual([false, false]);
    expect((await bytesOf(at, 'new/a.txt')).toString()).toBe('two\n');
  });

  it('does not make an edit that was called off while it waited', async () => {
    const at = await made({ 'a.txt': 'one\ntwo\n' });
    const calledOff = new AbortController();
    const first = at.run('edit_file', { path: 'a.txt', old_text: 'one', new_text: '1' });
    const second = at.run(
      'edit_file',
      { path: 'a.txt', old_text: 'two', new_text: '2' },
      { signal: calledOff.signal },
    );
    calledOff.abort();
    expect((await first).isError).toBe(false);
    expect(textOf(await second)).toMatch(/^Error ABORTED: /);
    expect((await bytesOf(at, 'a.txt')).toString()).toBe('1\ntwo\n');
  });

  it.each([
    ['a.csv', 'id;name\n1;x\n2;y\n', '2,y', '2;y'],
    ['q.csv', '"id","name"\n"1","x"\n', '1,x', '"1","x"'],
    ['a.tsv', 'id\tname\n1\tx\n', '1,x', '1\tx'],
    ['a.json', '{"a":{"b":[1,2]},"c":"long text"}', '{\n  "d": 1\n}', '{"a":{"b":[1,2]},"c":"long text"}'],
    ['a.yaml', "a:   'x'\nb: [1,   2]\n", '  - 1\n  - 2', 'b: [1,   2]'],
    ['a.xml', '<a><b>x</b></a>\n', '/a/b: x', '<b>x</b>'],
    ['a.html', '<h1>Head</h1>\n<p>A <b>bold</b> text</p>\n', 'A **bold** text', 'A <b>bold</b> text'],
  ])('leads to the text of %s where it is shown in another form', async (path, content, shown, text) => {
    const at = await made({ [path]: content });
    const answer = textOf(await at.run('edit_file', { path, old_text: shown, new_text: 'z' }));
    expect(answer).toContain('`read_file` with `format` "text"');
    expect(textOf(await at.run('read_file', { path, format: 'text' }))).toContain(text);
    const edited = await at.run('edit_file', { path, old_text: text, new_text: 'z' });
    expect(textOf(edited)).toContain('Edited');
  });

  it('names no tool that is not there when nothing is like the text', async () => {
    const at = await made({ 'a.csv': 'id;name\n' }, { only: ['edit_file'] });
    expect(
      textOf(await at.run('edit_file', { path: 'a.csv', old_text: 'zzz', new_text: 'z' })),
    ).toMatchInlineSnapshot(
      `"Error BAD_INPUT: \`old_text\` is not in \`a.csv\`; nothing was changed. Nothing in the file resembles it. \`old_text\` must match the file itself, not how it is shown elsewhere."`,
    );
  });

  it('refuses to make a file too large before it is made', async () => {
    const at = await made({ 'a.txt': 'a'.repeat(1_000_000) });
    const answer = await at.run('edit_file', {
      path: 'a.txt',
      old_text: 'a',
      new_text: 'b'.repeat(1000),
      replace_all: true,
    });
    expect(textOf(answer)).toMatch(/^Error LIMIT_EXCEEDED: /);
  });
});

describe('save_result', () => {
  it('saves rows, and shows how they begin', async () => {
    const at = await made({});
    const rows = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, name: `n${index}` }));
    const text = textOf(await at.run('save_result', { rows, name: 'orders' }));
    expect(text).toContain('Saved `results/orders.csv`: 100 rows, ');
    expect(text).toContain('Columns: id integer, name string.\nPreview:\nid,name\n1,n0\n');
    expect((await bytesOf(at, 'results/orders.csv')).toString()).toContain('\n100,n99');
  });

  it('takes a list written as JSON for rows where the format has rows', async () => {
    const at = await made({});
    await at.run('save_result', { text: '[{"a": 1}]', name: 'x.csv' });
    await at.run('save_result', { text: '{"big": 12345678901234567890}', name: 'x.json' });
    await at.run('save_result', { text: 'a,b\n1,2\n', name: 'y.csv' });
    expect((await bytesOf(at, 'results/x.csv')).toString().replaceAll('\r', '')).toBe('a\n1\n');
    expect((await bytesOf(at, 'results/x.json')).toString()).toBe('{"big": 12345678901234567890}');
    expect((await bytesOf(at, 'results/y.csv')).toString()).toBe('a,b\n1,2\n');
  });

  it('keeps to the budget', async () => {
    const row = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`a column with a long name ${index}`, index]),
    );
    const at = await made({}, { maxTokensPerFile: 200 });
    const text = textOf(await at.run('save_result', { rows: [row], name: 'wide' }));
    expect(text).toContain('Saved `results/wide.csv`: 1 row');
    expect(at.reader.count(text)).toBeLessThanOrEqual(200);
  });
});

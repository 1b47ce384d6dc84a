// `read_file` with several paths: one budget, every file named, small ones whole, large ones by what they hold.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/tools/index.ts';
import { makePlace, type Place } from './place.ts';

const code = (name: string): string =>
  `// What ${name} does.\n${Array.from({ length: 120 }, (_, at) => `export function ${name}${at}(): number {\n  return ${at};\n}\n`).join('')}`;

let place: Place;
beforeAll(async () => {
  place = await makePlace({
    'a.txt': 'alpha\n',
    'b.txt': 'beta\n',
    'src/one.ts': code('one'),
    'src/two.ts': code('two'),
    'src/three.ts': code('three'),
    'dot.png': Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    ),
  });
});
afterAll(() => place.remove());

const read = async (args: unknown): Promise<string> => textOf(await place.run('read_file', args));

describe('several paths', () => {
  it.each([
    [{ paths: ['a.txt', 'b.txt'] }],
    [{ path: ['a.txt', 'b.txt'] }],
    [{ files: ['a.txt', 'b.txt'] }],
    [{ paths: '["a.txt","b.txt"]' }],
    [{ path: '["a.txt", "b.txt"]' }],
    [{ paths: ['workspace:///a.txt', 'b.txt'] }],
    [{ files: [{ path: 'a.txt' }, { path: 'b.txt' }] }],
    [{ files: [{ file_path: 'a.txt' }, 'b.txt'] }],
    [{ paths: '[{"path": "a.txt"}, {"path": "b.txt", "lines": null}]' }],
  ])('%j is two files', async (args) => {
    expect(await read(args)).toBe('==> a.txt <==\nalpha\n==> b.txt <==\nbeta\n');
  });

  it.each([[{ paths: ['a.txt'] }], [{ paths: 'a.txt' }], [{ file_paths: ['a.txt'] }]])(
    '%j is one',
    async (args) => {
      expect(await read(args)).toBe('alpha\n');
    },
  );

  it.each([
    [{ options: '{"format": "text", "numbered": true}' }],
    [{ options: { format: 'text', showLineNumbers: 'true' } }],
    [{ format: 'text', numbered: true, options: '{}' }],
  ])('%j are the rare arguments', async (rare) => {
    expect(await read({ path: 'a.txt', ...rare })).toBe('1: alpha\n');
  });

  it.each([
    [{ options: 'text' }, '`options` is not a JSON object.'],
    [{ options: '{"format": "html"}' }, '`format` is `html`; expected one of'],
    [{ options: '{"format": "text"}', format: 'csv' }, '`format` and `format` contradict each other.'],
    [{ options: '{"formt": "text"}' }, 'Unknown argument `formt`. Did you mean `format`?'],
  ])('%j is refused', async (rare, message) => {
    expect(await read({ path: 'a.txt', ...rare })).toContain(message);
  });

  it('keeps a budget that gives small files whole and large ones their outline', async () => {
    const paths = ['src/one.ts', 'src/two.ts', 'a.txt', 'src/three.ts', 'b.txt'];
    for (const max_tokens of [40, 150, 600, 2000]) {
      const text = await read({ paths, max_tokens });
      expect(place.reader.count(text)).toBeLessThanOrEqual(max_tokens);
      if (max_tokens < 150) continue;
      for (const path of paths) expect(text).toContain(`==> ${path} <==\n`);
      expect(text).toContain('==> a.txt <==\nalpha\n');
      if (max_tokens >= 600) expect(text.match(/\[Outline/g)).toHaveLength(3);
      if (max_tokens === 600) expect(place.reader.count(text)).toBeGreaterThan(450);
    }
  });

  it('names what fails in its place, and is an error only when all do', async () => {
    const some = await place.run('read_file', { paths: ['a.txt', 'no.txt'] });
    expect(some.isError).toBe(false);
    expect(textOf(some)).toMatch(/^==> a\.txt <==\nalpha\n==> no\.txt <==\nError FILE_NOT_FOUND: .+\n$/);
    expect((await place.run('read_file', { paths: ['no.txt', 'nor.txt'] })).isError).toBe(true);
  });

  it('takes folders among them', async () => {
    for (const max_tokens of [20, 60, 200, 2000]) {
      const text = await read({ paths: ['a.txt', 'src'], max_tokens });
      expect(place.reader.count(text)).toBeLessThanOrEqual(max_tokens);
      if (max_tokens >= 60)
        expect(text).toMatch(/^==> a\.txt <==\nalpha\n==> src <==\n\[Folder `src`: 3 files, 0 folders, /);
    }
    const many = await read({ paths: ['src', 'a.txt', 'b.txt'] });
    expect(many.endsWith('==> a.txt <==\nalpha\n==> b.txt <==\nbeta\n')).toBe(true);
  });

  it('puts a picture behind the text that names it', async () => {
    const { parts } = await place.run('read_file', { paths: ['a.txt', 'dot.png', 'b.txt'] });
    expect(parts.map(({ kind }) => kind)).toEqual(['text', 'media', 'text']);
  });

  it('says what cannot be', async () => {
    expect(await read({ paths: ['a.txt', 'b.txt'], cursor: 'x' })).toContain('A cursor continues one file');
    expect(await read({ path: 'a.txt', paths: ['a.txt', 'b.txt'] })).toContain('contradict each other');
    expect(await read({})).toContain('`path` is missing');
    expect(await read({ paths: [] })).toContain('Error BAD_INPUT');
    expect(await read({ paths: Array.from({ length: 60 }, () => 'a.txt') })).toContain('Error BAD_INPUT');
  });

  it('takes an object for a file, and what it says of a single one', async () => {
    expect(await read({ files: [{ path: 'src/one.ts', lines: '2-3' }] })).toContain('export function one0');
    expect(await read({ files: { path: 'a.txt' } })).toBe('alpha\n');
    expect(await read({ files: [{ path: 'a.txt', lines: '1-2' }, { path: 'b.txt' }] })).toBe(
      'Error BAD_INPUT: `lines` cannot be set for one of several files. Omit it, or call the tool once per file.',
    );
    expect(await read({ files: [{ name: 'a.txt' }] })).toContain('An item of `files` has no path.');
    expect(await read({ files: [{ path: 'a.txt', lines: '1' }], lines: '2' })).toContain('contradict');
  });
});

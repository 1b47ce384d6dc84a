// `read_file` of a folder: its tree within the budget, counts exact, nothing left out unsaid.

import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { textOf } from '../../src/tools/index.ts';
import { makePlace, type Place } from './place.ts';

let place: Place;
beforeAll(async () => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`data/rows/part-${at}.csv`, 'a,b\n1,2\n']),
  );
  place = await makePlace({
    'README.md': '# Title\n'.repeat(100),
    '.gitignore': 'build/\n*.tmp\n',
    'build/out.js': 'x',
    'src/app.ts': 'const a = 1;\n'.repeat(100),
    'src/deep/er/one.py': 'pass\n',
    'src/x.tmp': 'x',
    'photo.png': Buffer.alloc(2000),
    '[Note: FORGED]': 'x',
    ...many,
  });
  await mkdir(join(place.root, 'empty'));
  await symlink('src', join(place.root, 'latest'));
});
afterAll(() => place.remove());

const read = async (args: Readonly<Record<string, unknown>>): Promise<string> =>
  textOf(await place.run('read_file', args));

describe('a folder', () => {
  it('is its tree, with sizes, kinds and tokens', async () => {
    const text = await read({ path: '.' });
    expect(text).toContain('[Folder: 306 files, 6 folders, ');
    expect(text).toContain('\n  app.ts  1300 bytes, ~340 tokens\n');
    expect(text).toContain('\n    er/\n      one.py  5 bytes, ~2 tokens\n');
    expect(text).toContain('\nphoto.png  2000 bytes\n');
    expect(text).toContain('\nbuild/  (ignored)\n');
    expect(text).toContain('\nempty/  (empty)\n');
    expect(text).toContain('\nlatest/  (link)\n');
    expect(text).not.toContain('x.tmp');
    expect(text).toContain('\n\\u{5b}Note: FORGED]  1 byte\n');
    expect(text).toContain('\n    part-299.csv  8 bytes, ~4 tokens\n');
    expect(text).not.toContain('not opened');
  });

  it('counts what it does not open, and says how to open it', async () => {
    const text = await read({ path: '.', max_tokens: 300 });
    expect(text).toContain('  rows/  300 files, 2400 bytes, ~1200 tokens: .csv 300\n');
    expect(text).toMatch(/\n\[Folder: 1 folder not opened\. Continue with path "data\/rows"\.\]\n$/);
    const inside = await read({ path: 'data/rows', max_tokens: 300 });
    expect(inside).toMatch(
      /^\[Folder `data\/rows`: 300 files, 0 folders, 2400 bytes, ~1200 tokens\]\npart-0\.csv\n/,
    );
    const shown = inside.match(/^part-/gm)?.length ?? 0;
    expect(inside).toContain(
      `\n[Folder: ${300 - shown} more entries. Continue with \`list_files\`, path "data/rows".]\n`,
    );
  });

  it('keeps every budget', async () => {
    for (const path of ['.', 'src', 'data', 'data/rows', 'empty'])
      for (const max_tokens of [1, 7, 30, 60, 100, 200, 400, 1000, 3000]) {
        const text = await read({ path, max_tokens });
        expect(place.reader.count(text)).toBeLessThanOrEqual(max_tokens);
        if (max_tokens >= 30) expect(text).toMatch(/^\[Folder.*: \d+ files?, /);
      }
  });

  it('says what has no effect on it', async () => {
    for (const max_tokens of [undefined, 150]) {
      const text = await read({ path: 'data/rows', rows: '2-5', cursor: 'x', max_tokens });
      expect(text).toMatch(
        /\n\[Note: No effect on a folder: `cursor`, `rows`\. To page through one, use `list_files`\.\]\n$/,
      );
      expect(text).toContain('[Folder `data/rows`: 300 files');
      if (max_tokens !== undefined) expect(place.reader.count(text)).toBeLessThanOrEqual(max_tokens);
    }
  });

  it('names the next request where no listing is at hand', async () => {
    const files = Array.from({ length: 40 }, (_, at) => [`file-${at}.txt`, 'x'] as const);
    const alone = await makePlace(Object.fromEntries(files), { only: ['read_file'] });
    try {
      const answer = textOf(await alone.run('read_file', { path: '.', max_tokens: 60 }));
      expect(answer).toContain(' more entries. Continue with a larger `max_tokens`.]');
    } finally {
      await alone.remove();
    }
  });

  it('says that an empty one is', async () => {
    expect(await read({ path: 'empty' })).toBe('[Folder `empty`: 0 files, 0 folders, 0 bytes]\n');
  });
});

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { resolveWorkspaceLimits } from '../../../src/limits/index.ts';
import { globFiles, listFolder } from '../../../src/workspace/find/listing.ts';
import { Root } from '../../../src/workspace/paths/root.ts';
import type { Listing, ListOptions } from '../../../src/workspace/workspace.ts';
import { draws } from '../../support/draws.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

const LIMITS = resolveWorkspaceLimits();
/** For making and removing 100 000 files on a busy machine. */
const HUGE_MILLISECONDS = 180_000;
/** Folders that are huge are made in memory where there is a file system in it. */
const HUGE_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) {
    execFileSync('chmod', ['-R', 'u+rwx', folder]);
    rmSync(folder, { recursive: true, force: true });
  }
}, HUGE_MILLISECONDS);

/** A workspace with these files; a path that ends in a slash is a folder. */
function workspace(...paths: readonly string[]): { readonly base: string; readonly root: Root } {
  const base = mkdtempSync(join(tmpdir(), 'lectern-listing-'));
  made.push(base);
  for (const path of paths) add(base, path);
  return { base, root: new Root({ base }) };
}

function add(base: string, path: string, text: string = path): void {
  if (path.endsWith('/')) mkdirSync(join(base, path), { recursive: true });
  else {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
}

const paths = ({ entries }: Listing): string[] => entries.map(({ path }) => path);

/** All pages of a listing, and what is done between them. */
async function pages(
  page: (options: Pick<ListOptions, 'cursor'>) => Promise<Listing>,
  between: () => void = () => {},
): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null | undefined;
  do {
    const listing = await page(cursor === undefined || cursor === null ? {} : { cursor });
    found.push(...paths(listing));
    cursor = listing.next;
    between();
  } while (cursor !== null);
  return found;
}

/** What this process holds open there. */
function openBelow(base: string): string[] {
  return readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        return ''; // that of the listing itself
      }
    })
    .filter((path) => path.startsWith(base));
}

describe('listFolder', () => {
  it('lists what lies in a folder, with facts', async () => {
    const { root } = workspace('b.txt', 'a/x.txt', 'C.md');
    const listing = await listFolder(root, '', {}, LIMITS);
    expect(listing).toMatchObject({ total: 3, next: null, notes: [] });
    expect(listing.entries).toEqual([
      { path: 'C.md', kind: 'file', bytes: 4, modified: expect.stringMatching(/^\d{4}-.*Z$/) },
      { path: 'a', kind: 'directory', modified: expect.any(String) },
      { path: 'b.txt', kind: 'file', bytes: 5, modified: expect.any(String) },
    ]);
  });

  it('orders whole paths by their bytes', async () => {
    const names = ['a/b', 'a/b/c', 'a-b', 'a.txt', 'a', 'ab', 'é', 'z', 'a/b-c', 'a0/x', 'Z'];
    const { root } = workspace('a/b/c', 'a-b', 'a.txt', 'ab', 'é', 'z', 'a/b-c', 'a0/x', 'Z');
    const listing = await listFolder(root, '', { depth: 9 }, LIMITS);
    const inBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
    expect(paths(listing)).toEqual([...names, 'a0'].sort(inBytes));
  });

  it('goes down as far as asked, and starts where asked', async () => {
    const { root } = workspace('a/b/c/d.txt', 'x.txt');
    expect(paths(await listFolder(root, '', { depth: 2 }, LIMITS))).toEqual(['a', 'a/b', 'x.txt']);
    expect(paths(await listFolder(root, '/workspace/a', { depth: 2 }, LIMITS))).toEqual(['a/b', 'a/b/c']);
    await expect(listFolder(root, 'x.txt', {}, LIMITS)).rejects.toMatchObject({ code: 'NOT_A_FOLDER' });
    await expect(listFolder(root, 'none', {}, LIMITS)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(listFolder(root, '../x', {}, LIMITS)).rejects.toMatchObject({
      code: 'PATH_ESCAPES_WORKSPACE',
    });
  });

  it.each([{ depth: 0 }, { depth: -1 }, { depth: 1.5 }, { limit: 0 }, { limit: Number.NaN }])(
    'refuses %j',
    async (options) => {
      const { root } = workspace('a');
      await expect(listFolder(root, '', options, LIMITS)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    },
  );

  it('gives pages that make the whole, whatever the size', async () => {
    const { root } = workspace('a/1', 'a/2/x', 'a-b', 'b/', 'c/d/e/f', 'c.txt', 'z');
    const whole = paths(await listFolder(root, '', { depth: 9 }, LIMITS));
    expect(whole).toHaveLength(12);
    for (let limit = 1; limit <= 13; limit += 1) {
      expect(await pages((page) => listFolder(root, '', { depth: 9, limit, ...page }, LIMITS))).toEqual(
        whole,
      );
    }
  });

  it('neither repeats nor skips when names come and go between pages', async () => {
    const { root, base } = workspace('b/1', 'b/2', 'd', 'f/1', 'f/2', 'h');
    let turn = 0;
    const found = await pages(
      (page) => listFolder(root, '', { depth: 3, limit: 2, ...page }, LIMITS),
      () => {
        turn += 1;
        if (turn === 1) {
          add(base, 'a');
          add(base, 'b/11');
          add(base, 'c');
          rmSync(join(base, 'b/1'));
          rmSync(join(base, 'd'));
        }
      },
    );
    expect(found).toEqual(['b', 'b/1', 'b/11', 'b/2', 'c', 'f', 'f/1', 'f/2', 'h']);
  });

  it('keeps the total over pages', async () => {
    const { root } = workspace('a', 'b', 'c');
    const first = await listFolder(root, '', { limit: 1 }, LIMITS);
    expect(first.total).toBe(3);
    expect(await listFolder(root, '', { limit: 1, cursor: first.next ?? '' }, LIMITS)).toMatchObject({
      total: 3,
    });
  });

  it('takes a cursor for the same question only', async () => {
    const { root } = workspace('a', 'b', 'c/d');
    const { next } = await listFolder(root, '', { limit: 1 }, LIMITS);
    const cursor = next ?? '';
    await expect(listFolder(root, 'c', { cursor }, LIMITS)).rejects.toMatchObject({ code: 'STALE_CURSOR' });
    await expect(listFolder(root, '', { cursor, depth: 2 }, LIMITS)).rejects.toMatchObject({
      code: 'STALE_CURSOR',
    });
    const forged = `${cursor.slice(0, 8)}~n1~n1`;
    for (const wrong of [
      '',
      'x',
      `${cursor}.y`,
      `${cursor.slice(0, 9)}!!`,
      `${cursor.slice(0, 9)}AAAA`,
      forged,
    ])
      await expect(listFolder(root, '', { cursor: wrong }, LIMITS)).rejects.toMatchObject({
        code: 'BAD_INPUT',
      });
  });

  it('shows links as links, and what they lead to inside', async () => {
    const { root, base } = workspace('d/f');
    symlinkSync('d/f', join(base, 'to-file'));
    symlinkSync('/workspace/d', join(base, 'to-folder'));
    symlinkSync('/etc/passwd', join(base, 'outside'));
    symlinkSync('nowhere', join(base, 'dangling'));
    symlinkSync('.', join(base, 'self'));
    const { entries } = await listFolder(root, '', { depth: 5 }, LIMITS);
    expect(entries.map(({ path, kind, leadsTo }) => [path, kind, leadsTo])).toEqual([
      ['d', 'directory', undefined],
      ['d/f', 'file', undefined],
      ['dangling', 'link', undefined],
      ['outside', 'link', undefined],
      ['self', 'link', 'directory'],
      ['to-file', 'link', 'file'],
      ['to-folder', 'link', 'directory'],
    ]);
  });

  it('shows names that are no text so that they can be passed back', async () => {
    const { root, base } = workspace();
    execFileSync('python3', [
      '-c',
      'import os,sys\nos.chdir(sys.argv[1].encode())\nfor n in (b"\\xffa", b"new\\nline", b"\\x1b[31mred", b"a\\x09b"): open(n,"w").write("x")\nos.mkdir(b"\\xfed"); open(b"\\xfed/in","w").write("x")',
      base,
    ]);
    const { entries } = await listFolder(root, '', { depth: 2 }, LIMITS);
    expect(entries.map(({ path }) => path)).toEqual([
      String.raw`\u{1b}[31mred`,
      String.raw`a\u{9}b`,
      String.raw`new\u{a}line`,
      String.raw`\xfed`,
      String.raw`\xfed/in`,
      String.raw`\xffa`,
    ]);
    for (const { path, kind } of entries)
      if (kind === 'file') await (await root.openFile(path)).handle.close();
  });

  it('names folders that may not be entered', async () => {
    const { root, base } = workspace('open/a', 'shut/b');
    chmodSync(base, 0o755);
    chmodSync(join(base, 'shut'), 0);
    // No folder is shut to the superuser.
    const isSuperuser = process.geteuid?.() === 0;
    if (isSuperuser) process.seteuid?.(65_534);
    const listing = await listFolder(root, '', { depth: 3 }, LIMITS).finally(() => {
      if (isSuperuser) process.seteuid?.(0);
    });
    expect(paths(listing)).toEqual(['open', 'open/a', 'shut']);
    expect(listing.notes).toEqual(['1 folder could not be entered: `shut`.']);
  });

  it('ends at the bound of entries, says so, and goes on', async () => {
    const { root } = workspace('a/1', 'a/2', 'b/1', 'b/2', 'c/1', 'c/2');
    const limits = { ...LIMITS, maxWalkedEntries: 4 };
    const first = await listFolder(root, '', { depth: 2 }, limits);
    expect(paths(first)).toEqual(['a', 'a/1', 'a/2', 'b']);
    expect(first.total).toBeNull();
    expect(first.notes.join()).toContain('maxWalkedEntries');
    expect(await pages((page) => listFolder(root, '', { depth: 2, ...page }, limits))).toEqual(
      paths(await listFolder(root, '', { depth: 2 }, LIMITS)),
    );
  });

  it('says when one folder holds more than may be looked at', async () => {
    const { root } = workspace('1', '2', '3', '4', '5', '6');
    const listing = await listFolder(root, '', {}, { ...LIMITS, maxWalkedEntries: 3 });
    expect(listing.entries).toHaveLength(3);
    expect(listing).toMatchObject({ total: null });
    expect(listing.notes.join()).toContain('`/workspace` has more than 3 entries');
  });

  it('gets on, page by page, when there is no time at all', async () => {
    const { root } = workspace('a/1', 'a/2', 'b/c/d', 'e');
    const found = await pages((page) =>
      listFolder(root, '', { depth: 9, ...page }, { ...LIMITS, maxSearchMilliseconds: 0 }),
    );
    expect(found).toEqual(['a', 'a/1', 'a/2', 'b', 'b/c', 'b/c/d', 'e']);
  });

  it(
    'pages a folder of very many files',
    async () => {
      const files = draws(100_000, 20_000);
      const base = mkdtempSync(join(HUGE_FOLDER, 'lectern-listing-'));
      made.push(base);
      const root = new Root({ base });
      mkdirSync(join(base, 'many'));
      execFileSync('python3', [
        '-c',
        'import os,sys\nos.chdir(sys.argv[1])\nfor i in range(int(sys.argv[2])): os.close(os.open(f"{i:06}.txt", os.O_CREAT|os.O_WRONLY))',
        join(base, 'many'),
        String(files),
      ]);
      const first = await listFolder(root, 'many', {}, LIMITS);
      expect(first.entries).toHaveLength(LIMITS.maxListedEntries);
      expect(first).toMatchObject({ total: files, notes: [] });
      const second = await listFolder(root, 'many', { cursor: first.next ?? '' }, LIMITS);
      expect(second.entries[0]?.path).toBe('many/000500.txt');
      expect(second.total).toBe(files);
    },
    HUGE_MILLISECONDS,
  );

  it('ends a tree of 1000 levels where it says', async () => {
    const { root, base } = workspace();
    execFileSync('python3', [
      '-c',
      'import os,sys\nos.chdir(sys.argv[1])\nfor i in range(1000):\n os.mkdir("d"); os.chdir("d")',
      base,
    ]);
    const listing = await listFolder(root, '', { depth: 5000 }, LIMITS);
    expect(listing.entries).toHaveLength(128);
    expect(listing.notes).toHaveLength(1);
    expect(listing.notes[0]).toMatch(/^1 folder more than 128 levels down was not entered: `d\/d\//);
    const deeper = await listFolder(root, listing.entries.at(-1)?.path ?? '', { depth: 5000 }, LIMITS);
    expect(deeper.entries).toHaveLength(128);
  });

  it('stops when told to', async () => {
    const { root } = workspace('a');
    const signal = AbortSignal.abort();
    await expect(listFolder(root, '', { signal }, LIMITS)).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('leaves no descriptor open', async () => {
    const { root, base } = workspace('a/b/c/d', 'e');
    for (let turn = 0; turn < 20; turn += 1) {
      await listFolder(root, '', { depth: 9, limit: 1 }, LIMITS);
      await listFolder(root, '', { depth: 9 }, { ...LIMITS, maxWalkedEntries: 3 });
    }
    expect(openBelow(base)).toEqual([]);
  });

  it('gives the same pages for any tree and any page size', async () => {
    const name = fc.constantFrom('a', 'b', 'a-', 'a.b', 'ab', 'A');
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
    await fc.assert(
      fc.asyncProperty(
        fc.array(path, { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (all, limit) => {
          const { root, base } = workspace();
          for (const one of all) mkdirSync(join(base, one), { recursive: true });
          const found = execFileSync('find', ['.', '-mindepth', '1'], { cwd: base, encoding: 'latin1' });
          const expected = found
            .split('\n')
            .filter(Boolean)
            .map((line) => line.slice(2))
            .sort();
          expect(await pages((page) => listFolder(root, '', { depth: 9, limit, ...page }, LIMITS))).toEqual(
            expected,
          );
        },
      ),
      { numRuns: draws(30) },
    );
  });
});

describe('globFiles', () => {
  it('finds files by pattern', async () => {
    const { root } = workspace('a.csv', 'x/b.csv', 'x/y/c.csv', 'x/y/d.md', 'csv/');
    expect(paths(await globFiles(root, '*.csv', {}, LIMITS))).toEqual(['a.csv', 'x/b.csv', 'x/y/c.csv']);
    expect(paths(await globFiles(root, 'x/*.csv', {}, LIMITS))).toEqual(['x/b.csv']);
    expect(paths(await globFiles(root, 'x/**/*.{csv,md}', {}, LIMITS))).toEqual([
      'x/b.csv',
      'x/y/c.csv',
      'x/y/d.md',
    ]);
    expect(paths(await globFiles(root, 'csv', {}, LIMITS))).toEqual([]);
    expect(await globFiles(root, '*.none', {}, LIMITS)).toMatchObject({ entries: [], total: 0, next: null });
  });

  it('honours ignore files, says what they leave out, and shows it when asked', async () => {
    const { root, base } = workspace(
      'dist/a.js',
      'src/a.js',
      'src/gen/b.js',
      'src/keep.log',
      '.git/c.js',
      'x.log',
    );
    add(base, '.gitignore', 'dist/\n*.log\n');
    add(base, 'src/.gitignore', '!keep.log\n/gen/\n');
    const listing = await globFiles(root, '**/*.{js,log}', {}, LIMITS);
    expect(paths(listing)).toEqual(['src/a.js', 'src/keep.log']);
    expect(listing.notes).toEqual([
      'Ignore files exclude `dist/`, `x.log`, `src/gen/`. Set `ignore` to false to include them.',
    ]);
    expect(paths(await globFiles(root, '**/*.{js,log}', { ignore: false }, LIMITS))).toHaveLength(6);
    expect(paths(await listFolder(root, 'src', { ignore: true }, LIMITS))).toEqual([
      'src/.gitignore',
      'src/a.js',
      'src/keep.log',
    ]);
  });

  it('bounds ignore files and says so', async () => {
    const { root, base } = workspace('a.txt', 'b.txt');
    add(base, '.gitignore', `${'c\n'.repeat(2500)}a.txt\n`);
    const listing = await globFiles(root, '*.txt', {}, LIMITS);
    expect(paths(listing)).toEqual(['a.txt', 'b.txt']);
    expect(listing.notes).toEqual(['`.gitignore` has more rules than the limit; the last ones are ignored.']);
  });

  it('goes on where it was, over folders without a match too', async () => {
    const { root } = workspace(
      ...Array.from({ length: 30 }, (_, i) => `d${i}/f${i % 3 === 0 ? '.md' : '.txt'}`),
    );
    const whole = paths(await globFiles(root, '*.md', {}, LIMITS));
    expect(whole).toHaveLength(10);
    const limits = { ...LIMITS, maxWalkedEntries: 32 };
    expect(await pages((page) => globFiles(root, '*.md', { limit: 3, ...page }, limits))).toEqual(whole);
    const instant = { ...LIMITS, maxSearchMilliseconds: 0 };
    expect(await pages((page) => globFiles(root, '*.md', { ...page }, instant))).toEqual(whole);
  });

  it('does not enter what cannot match', async () => {
    const { root } = workspace('src/a.ts', 'other/deep/er/b.ts');
    const listing = await globFiles(root, 'src/*.ts', {}, { ...LIMITS, maxWalkedEntries: 4 });
    expect(listing).toMatchObject({ total: 1, notes: [] });
  });

  it('finds links by their names', async () => {
    const { root, base } = workspace('a.md');
    symlinkSync('a.md', join(base, 'b.md'));
    expect((await globFiles(root, '*.md', {}, LIMITS)).entries).toMatchObject([
      { path: 'a.md', kind: 'file' },
      { path: 'b.md', kind: 'link', leadsTo: 'file' },
    ]);
  });
});

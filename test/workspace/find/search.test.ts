import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ReaderError, type TextPart } from '../../../src/contract/index.ts';
import { createMemoryCache, createReader, createWorkspace } from '../../../src/index.ts';
import { resolveWorkspaceLimits } from '../../../src/limits/index.ts';
import type { SearchMeans } from '../../../src/workspace/find/file-search.ts';
import { searchFiles } from '../../../src/workspace/find/search.ts';
import { Root } from '../../../src/workspace/paths/root.ts';
import type { Match, SearchAnswer, SearchOptions } from '../../../src/workspace/workspace.ts';

const LIMITS = resolveWorkspaceLimits();
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function workspace(files: Readonly<Record<string, string | Uint8Array>>): { base: string; root: Root } {
  const base = mkdtempSync(join(tmpdir(), 'lectern-search-'));
  made.push(base);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), content);
  }
  return { base, root: new Root({ base }) };
}

const search = (
  root: Root,
  query: string,
  options: SearchOptions = {},
  limits = LIMITS,
): Promise<SearchAnswer> => searchFiles(root, query, options, { limits });

type Searchable = NonNullable<SearchMeans['searchable']>;
const part = (text: string): TextPart => ({ kind: 'text', text, shown: [] });

const places = (matches: readonly Match[]): string[] =>
  matches.map(({ path, line, column }) => `${path}:${line}:${column}`);

async function pages(
  page: (options: Pick<SearchOptions, 'cursor'>) => Promise<SearchAnswer>,
  between: (turn: number) => void = () => {},
): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let turn = 1; ; turn += 1) {
    const answer = await page(cursor === undefined ? {} : { cursor });
    found.push(...places(answer.matches));
    if (answer.next === null) return found;
    cursor = answer.next;
    between(turn);
  }
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

describe('searchFiles', () => {
  it('finds lines in the order of paths', async () => {
    const { root } = workspace({
      'b.txt': 'x\nneedle\n',
      'a/c.txt': 'a needle and a needle\r\nneedle',
      'a-b': 'none',
    });
    const { cursorAfter, cursorAtFile, ...answer } = await search(root, 'needle');
    expect([cursorAfter(3), cursorAtFile(2)]).toEqual([null, null]);
    expect(answer).toEqual({
      matches: [
        {
          path: 'a/c.txt',
          address: 'a/c.txt#L1',
          line: 1,
          column: 3,
          text: 'a needle and a needle',
          cut: false,
          spans: [
            [2, 8],
            [15, 21],
          ],
        },
        {
          path: 'a/c.txt',
          address: 'a/c.txt#L2',
          line: 2,
          column: 1,
          text: 'needle',
          cut: false,
          spans: [[0, 6]],
        },
        {
          path: 'b.txt',
          address: 'b.txt#L2',
          line: 2,
          column: 1,
          text: 'needle',
          cut: false,
          spans: [[0, 6]],
        },
      ],
      total: { matches: 3, files: 2, isExact: true },
      files: [
        { path: 'a/c.txt', matches: 2 },
        { path: 'b.txt', matches: 1 },
      ],
      searched: 3,
      skipped: [],
      skippedCount: 0,
      next: null,
      notes: [],
    });
  });

  it('is literal unless told otherwise, and hints where that may be wrong', async () => {
    const { root } = workspace({ a: 'a.*b\n$&\n(\n$1 \\d\n', b: 'axxb 1' });
    for (const [query, place] of [
      ['a.*b', 'a:1:1'],
      ['$&', 'a:2:1'],
      ['(', 'a:3:1'],
      ['\\d', 'a:4:4'],
    ] as const)
      expect(places((await search(root, query)).matches)).toEqual([place]);
    expect(places((await search(root, 'a.*b', { regex: true })).matches)).toEqual(['a:1:1', 'b:1:1']);
    expect((await search(root, 'fo+\\d')).notes).toEqual([
      '`fo+\\d` was searched literally; set `regex` to true to search for it as a regular expression.',
    ]);
    for (const [query, reason] of [
      ['(?<=foo)\\.bar', 'it uses look-around, which is not supported'],
      ['foo(?!bar)', 'it uses look-around, which is not supported'],
      ['(fo)+\\1', 'it uses a backreference, which is not supported'],
    ] as const)
      expect((await search(root, query)).notes).toEqual([
        `\`${query}\` is not a valid RE2 regular expression: ${reason}. It was searched literally.`,
      ]);
    expect((await search(root, 'plain')).notes).toEqual([]);
  });

  it('takes awkward terms for what they are', async () => {
    const terms = [
      'undefined',
      '\\',
      "';--",
      '<script>alert(1)</script>',
      '%s%n',
      `$\{x}`,
      '{{7*7}}',
      '../../..',
      '田中さん',
      'Ω≈ç√∫',
      '👨‍👩‍👧',
      'ﷺ',
      '\u202eabc',
      'e\u0301',
      '  ',
      '\t',
      '--help',
      '^$',
      '[',
      '\u0001',
      '$`',
      '__proto__',
      '🏳0🌈️',
    ];
    const { root } = workspace({ 'terms.txt': `${terms.join('\n')}\n` });
    for (const [i, term] of terms.entries()) {
      const answer = await search(root, term);
      expect([term, places(answer.matches)]).toEqual([
        term,
        expect.arrayContaining([`terms.txt:${i + 1}:1`]),
      ]);
      const folded = await search(root, term, { caseSensitive: false });
      expect([term, places(folded.matches)]).toEqual([
        term,
        expect.arrayContaining([`terms.txt:${i + 1}:1`]),
      ]);
    }
  });

  it.each([
    ['', {}],
    ['a\nb', {}],
    ['x'.repeat(1001), {}],
    ['(', { regex: true }],
    ['a', { context: 21 }],
    ['a', { context: -1 }],
    ['a', { limit: 0 }],
    ['a', { glob: '' }],
    ['a', { cursor: 'nonsense' }],
  ])('refuses %.10j with %j', async (query, options) => {
    const { root } = workspace({ a: 'a' });
    await expect(search(root, query, options)).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('searches where it is told', async () => {
    const { root, base } = workspace({
      'a/x.ts': 'hit',
      'a/y.md': 'hit',
      'b/x.ts': 'hit',
      'node_modules/x.ts': 'hit',
    });
    writeFileSync(join(base, '.gitignore'), 'node_modules/\n');
    symlinkSync('a/x.ts', join(base, 'link.ts'));
    expect(places((await search(root, 'hit', { path: 'a' })).matches)).toEqual(['a/x.ts:1:1', 'a/y.md:1:1']);
    expect(places((await search(root, 'hit', { path: '/workspace/a/x.ts' })).matches)).toEqual([
      'a/x.ts:1:1',
    ]);
    expect(places((await search(root, 'hit', { path: 'link.ts' })).matches)).toEqual(['link.ts:1:1']);
    const globbed = await search(root, 'hit', { glob: '*.ts' });
    expect(places(globbed.matches)).toEqual(['a/x.ts:1:1', 'b/x.ts:1:1']);
    expect(globbed.notes).toEqual([
      'Ignore files exclude `node_modules/`. Set `ignore` to false to include them.',
      '1 link not followed; pass one as the path to search its target.',
    ]);
    expect((await search(root, 'hit', { ignore: false })).matches).toHaveLength(4);
    expect((await search(root, 'hit', { path: 'node_modules' })).matches).toHaveLength(1);
    await expect(search(root, 'hit', { path: 'nowhere' })).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(search(root, 'hit', { path: '../x' })).rejects.toMatchObject({
      code: 'PATH_ESCAPES_WORKSPACE',
    });
  });

  it('reads UTF-8 and UTF-16 with their marks', async () => {
    const wide = Buffer.from('\ufeffzéro\r\nnädel 😀 nädel\r\n', 'utf16le');
    const { root } = workspace({
      'le.txt': wide,
      'be.txt': Buffer.from(wide).swap16(),
      'odd.txt': Buffer.concat([wide, Buffer.from([0x61])]),
      'mark.txt': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('nädel')]),
      'latin.txt': Buffer.from('x n\xe4del nadel', 'latin1'),
    });
    expect(places((await search(root, 'nädel')).matches)).toEqual([
      'be.txt:2:1',
      'le.txt:2:1',
      'mark.txt:1:1',
      'odd.txt:2:1',
    ]);
    expect(places((await search(root, 'nadel')).matches)).toEqual(['latin.txt:1:9']);
    expect(places((await search(root, '^n\\pL+ 😀', { regex: true })).matches)).toEqual([
      'be.txt:2:1',
      'le.txt:2:1',
      'odd.txt:2:1',
    ]);
  });

  it('says that it does not find characters beyond ASCII in other encodings', async () => {
    const { root } = workspace({
      'latin.txt': Buffer.from('n\xe4del', 'latin1'),
      'cyrillic.txt': Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
      'plain.txt': 'needle',
      'utf-8.txt': 'nädel',
    });
    const { matches, notes } = await search(root, 'nädel');
    expect(places(matches)).toEqual(['utf-8.txt:1:1']);
    expect(notes).toEqual([
      'Non-ASCII characters are not found in files that are not UTF-8: 2 files, first `cyrillic.txt`. Search for an ASCII part, or read the file.',
    ]);
    expect((await search(root, 'needle')).notes).toEqual([]);
  });

  it('skips what is binary and says so', async () => {
    const { root } = workspace({
      'a.bin': Buffer.from('needle\0'),
      'b.docx': Buffer.from('PK\u0003\u0004\0\0needle'),
      'c.pdf': '%PDF-1.7\nneedle',
      'd.txt': 'needle',
      'e.txt': '',
    });
    const answer = await search(root, 'needle');
    expect(places(answer.matches)).toEqual(['d.txt:1:1']);
    expect(answer.searched).toBe(2);
    expect(answer.skippedCount).toBe(3);
    expect(answer.skipped).toEqual([
      { path: 'a.bin', reason: 'binary' },
      { path: 'b.docx', reason: 'binary' },
      { path: 'c.pdf', reason: 'binary' },
    ]);
    const many = workspace(
      Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i}`, Buffer.from([0])])),
    );
    const skipped = await search(many.root, 'x');
    expect(skipped.skipped).toHaveLength(20);
    expect(skipped.skippedCount).toBe(30);
  });

  it('searches documents, workbooks and archives that nobody has read', async () => {
    const { base, root } = workspace({ 'broken.docx': Buffer.from('crane\0'), 'x.bin': Buffer.from([0]) });
    for (const source of ['tabular/parcels.ods', 'tabular/parcels.xls', 'documents/survey.docx'])
      copyFileSync(join('fixtures', source), join(base, basename(source)));
    const reading = createWorkspace(
      { root: base },
      { reader: (files) => createReader({ workspace: files, cache: createMemoryCache() }) },
    );
    const { matches, skipped, searched } = await reading.search('22,Łódź');
    expect(matches.map(({ address, label, text }) => ({ address, label, text }))).toEqual([
      { address: 'parcels.ods#Data!A23', label: 'id', text: '22,Łódź,31.5,FALSE' },
      { address: 'parcels.xls#Data!A23', label: 'id', text: '22,Łódź,31.5,FALSE' },
    ]);
    expect(searched).toBe(3);
    expect(skipped).toEqual([
      { path: 'broken.docx', reason: 'damaged' },
      { path: 'x.bin', reason: 'binary' },
    ]);
    const searchable: Searchable = () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new ReaderError('ENCRYPTED_FILE', 'It is encrypted.', 'Decrypt it.')),
      }),
    });
    const locked = await searchFiles(root, 'x', { path: 'survey.docx' }, { limits: LIMITS, searchable });
    expect(locked.skipped.map(({ reason }) => reason)).toEqual(['protected by a password']);
  });

  it('searches the text that documents were converted to', async () => {
    const { root } = workspace({
      'a.pdf': '%PDF-1.7',
      'b.pdf': '%PDF-1.7',
      'c.docx': Buffer.from([0]),
      'd.txt': 'needle',
    });
    const searchable: Searchable = async function* (path) {
      if (path === 'c.docx') throw new ReaderError('CORRUPT_FILE', 'It is damaged.', 'Repair it.');
      yield part('# Title\nA nee');
      yield part('dle.\n');
      if (path === 'b.pdf') throw new ReaderError('TIMED_OUT', 'It took too long.', 'Try again.');
    };
    const answer = await searchFiles(root, 'needle', { context: 1 }, { limits: LIMITS, searchable });
    expect(answer.matches).toMatchObject([
      {
        path: 'a.pdf',
        line: 2,
        column: 3,
        text: 'A needle.',
        before: ['# Title'],
        after: [],
        converted: true,
      },
      { path: 'b.pdf', line: 2, column: 3, converted: true },
      { path: 'd.txt', line: 1, column: 1 },
    ]);
    expect(answer.matches[2]).not.toHaveProperty('converted');
    expect(answer.skipped.map(({ path }) => path)).toEqual(['c.docx']);
    expect(answer.notes).toEqual([
      '`b.pdf`: only the first part was searched, the rest could not be read: It took too long.',
    ]);
    const paged = await pages((page) =>
      searchFiles(root, 'e', { limit: 1, ...page }, { limits: LIMITS, searchable }),
    );
    expect(paged).toEqual(['a.pdf:1:7', 'a.pdf:2:4', 'b.pdf:1:7', 'b.pdf:2:4', 'd.txt:1:2']);
  });

  it('gives pages that make the whole, and none that is empty', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 7 }, (_, i) => [`d${i % 3}/f${i}.txt`, 'hit\nmiss\n'.repeat(i)]),
    );
    const { root } = workspace(files);
    const whole = places((await search(root, 'hit')).matches);
    expect(whole).toHaveLength(21);
    for (const limit of [1, 2, 3, 7, 20, 21, 22]) {
      let turns = 0;
      const found = await pages((page) => {
        turns += 1;
        return search(root, 'hit', { limit, ...page });
      });
      expect(found).toEqual(whole);
      expect(turns).toBe(Math.ceil(21 / limit));
    }
  });

  it('takes a cursor for the same query only', async () => {
    const { root } = workspace({ a: 'hit\nhit\nhat' });
    const { next } = await search(root, 'hit', { limit: 1 });
    const cursor = next ?? '';
    for (const [query, options] of [
      ['hat', {}],
      ['hit', { caseSensitive: false }],
      ['hit', { path: 'a' }],
      ['hit', { regex: true }],
    ] as const)
      await expect(search(root, query, { cursor, ...options })).rejects.toMatchObject({
        code: 'STALE_CURSOR',
      });
    const print = cursor.slice(0, 8);
    for (const words of [
      '~n0',
      '~s~z',
      '~s~sa~s0',
      '~s~sa~s~n1~n1~n0',
      '~s~sa~s~n-1~n1~n0~n0',
      '~s_f',
      '~s_zz',
      '',
    ])
      await expect(search(root, 'hit', { cursor: print + words })).rejects.toMatchObject({
        code: 'BAD_INPUT',
      });
    const words = cursor.split('~');
    const forged = words.with(4, 'nzzzzz').join('~');
    expect((await search(root, 'hit', { cursor: forged })).matches).toEqual([]);
  });

  it('gets on, inside a file too, when there is no time at all', async () => {
    const lines = Array.from({ length: 40_000 }, (_, i) =>
      i % 1000 === 7 ? `needle ${i}` : `some line ${i}`,
    );
    const long = `${'x'.repeat(700_000)}needle${'x'.repeat(700_000)}`;
    const { root } = workspace({
      'a.txt': lines.join('\n'),
      'b.txt': `one\n${long}\nneedle`,
      'c.txt': 'needle',
    });
    const whole = places((await search(root, 'needle')).matches);
    expect(whole).toHaveLength(43);
    const instant = { ...LIMITS, maxSearchMilliseconds: 0 };
    let turns = 0;
    const found = await pages((page) => {
      turns += 1;
      return search(root, 'needle', page, instant);
    });
    expect(found).toEqual(whole);
    expect(turns).toBeGreaterThan(5);
    const first = await search(root, 'needle', {}, instant);
    expect(first.notes).toEqual([
      'Stopped in `a.txt` after 0 ms (limit `maxSearchMilliseconds`); continue with the cursor.',
    ]);
    expect(await pages((page) => search(root, 'needle', { path: 'b.txt', ...page }, instant))).toEqual([
      'b.txt:2:700001',
      'b.txt:3:1',
    ]);
  });

  it('ends at the bound of entries and goes on', async () => {
    const { root } = workspace(
      Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`d${i % 4}/${i}`, 'hit'])),
    );
    const limits = { ...LIMITS, maxWalkedEntries: 5 };
    const first = await search(root, 'hit', {}, limits);
    expect(first.notes.join()).toContain('maxWalkedEntries');
    expect(await pages((page) => search(root, 'hit', page, limits))).toEqual(
      places((await search(root, 'hit')).matches),
    );
  });

  it('goes on in a file that has changed, and says so', async () => {
    const { root, base } = workspace({ a: 'hit 1\nhit 2\nhit 3\n', b: 'hit' });
    const { next } = await search(root, 'hit', { limit: 2 });
    appendFileSync(join(base, 'a'), 'hit 4\n');
    const answer = await search(root, 'hit', { cursor: next ?? '' });
    expect(places(answer.matches)).toEqual(['a:3:1', 'a:4:1', 'b:1:1']);
    expect(answer.notes).toEqual([
      '`a` changed since the previous answer; lines after 2 were searched in its current version.',
    ]);
    rmSync(join(base, 'a'));
    expect(places((await search(root, 'hit', { cursor: next ?? '' })).matches)).toEqual(['b:1:1']);
  });

  it('tells of files that cannot be opened or go away', async () => {
    const { root, base } = workspace({ 'a/1': 'hit', 'a/2': 'hit', 'b/shut': 'hit', c: 'hit' });
    chmodSync(base, 0o755);
    chmodSync(join(base, 'b/shut'), 0);
    const isSuperuser = process.geteuid?.() === 0;
    if (isSuperuser) process.seteuid?.(65_534);
    let answer: SearchAnswer;
    try {
      answer = await search(root, 'hit');
    } finally {
      if (isSuperuser) process.seteuid?.(0);
    }
    expect(places(answer.matches)).toEqual(['a/1:1:1', 'a/2:1:1', 'c:1:1']);
    expect(answer.skipped).toEqual([{ path: 'b/shut', reason: 'permission was denied' }]);

    // The names are read before the files: taking one away in between is what a busy folder does.
    class Vanishing extends Root {
      override async openFolder(
        ...[path, options]: Parameters<Root['openFolder']>
      ): ReturnType<Root['openFolder']> {
        const folder = await super.openFolder(path, options);
        return {
          ...folder,
          openFile: (entry) => {
            if (entry.shown === 'c') rmSync(join(base, 'c'));
            return folder.openFile(entry);
          },
        };
      }
    }
    const gone = await search(new Vanishing({ base }), 'hit', { glob: 'c' });
    expect(gone.skipped).toEqual([{ path: 'c', reason: 'it no longer exists' }]);
  });

  it('tells of a file that changes while it is searched', async () => {
    const { root, base } = workspace({ a: `hit\n${'x\n'.repeat(400_000)}` });
    const answer = await search(root, 'hit', {
      onProgress: () => truncateSync(join(base, 'a'), 10),
    });
    expect(places(answer.matches)).toEqual(['a:1:1']);
    expect(answer.notes).toEqual(['`a` changed while it was searched; its line numbers may have changed.']);
  });

  it('stops when told to', async () => {
    const { root } = workspace({ a: 'hit\n'.repeat(1000) });
    await expect(search(root, 'hit', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    const stop = new AbortController();
    writeFileSync(join(made[0] ?? '', 'a'), `${'miss\n'.repeat(400_000)}`);
    await expect(
      search(root, 'hit', { signal: stop.signal, onProgress: () => stop.abort() }),
    ).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('needs little memory for lines without end, and for lines without anything in them', async () => {
    const { root, base } = workspace({});
    execFileSync(
      'bash',
      [
        '-c',
        'head -c 100000000 /dev/zero | tr "\\0" a > long; head -c 100000000 /dev/zero | tr "\\0" "\\n" > empty; echo needle >> long; echo needle >> empty',
      ],
      { cwd: base },
    );
    const limits = { ...LIMITS, maxSearchMilliseconds: 600_000 };
    let most = 0;
    const before = process.memoryUsage().rss;
    const onProgress = (): void => {
      most = Math.max(most, process.memoryUsage().rss - before);
    };
    expect(places((await search(root, 'needle', { onProgress }, limits)).matches)).toEqual([
      'empty:100000001:1',
      'long:1:100000001',
    ]);
    expect(
      places((await search(root, '.*', { regex: true, limit: 1, path: 'long', onProgress }, limits)).matches),
    ).toEqual(['long:1:1']);
    expect(most).toBeLessThan(80_000_000);
  });

  it('says what it could not do in lines without end', async () => {
    const { root } = workspace({ a: `${'x'.repeat(300_000)}needle\nneedle\n` });
    const answer = await search(root, 'ne+dle', { regex: true, context: 1, limit: 1 });
    expect(places(answer.matches)).toEqual(['a:1:300001']);
    expect(answer.notes).toEqual([
      '`a` has very long lines, which were searched in parts: very long matches may have been missed.',
      '`a` has matches in very long lines; their context lines are left out.',
    ]);
    expect((await search(root, 'needle', {})).notes).toEqual([]);
  });

  it('lets other work go on, in a text that is in memory too', async () => {
    const { root } = workspace({ 'a.pdf': '%PDF-1.7' });
    const searchable: Searchable = async function* () {
      yield part('abababab\n'.repeat(1_000_000));
    };
    // Every look at the clock finds a second gone by, however fast this machine is.
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
    let [steps, starved] = [0, 0];
    let waiting = false;
    /** Other work, begun at every step, is done before the next. */
    const onProgress = (): void => {
      steps += 1;
      if (waiting) starved += 1;
      waiting = true;
      setImmediate(() => {
        waiting = false;
      });
    };
    const limits = { ...LIMITS, maxSearchMilliseconds: Number.POSITIVE_INFINITY };
    await searchFiles(
      root,
      '(?:[ab]*a[ab]{5})c',
      { regex: true, onProgress },
      { limits, searchable },
    ).finally(() => clock.mockRestore());
    expect(starved).toBe(0);
    expect(steps).toBeGreaterThan(8);
  });

  it('finds nothing in a workspace that nobody has written to', async () => {
    const { base } = workspace({});
    const root = new Root({ base, below: ['user', 'session'] });
    for (const path of ['', '.', '/workspace'])
      expect(await search(root, 'x', { path })).toMatchObject({ matches: [], searched: 0, next: null });
  });

  // An engine that tries every way would not end, and neither would the test.
  it('ends in time whatever the expression', async () => {
    const { root } = workspace({ a: `${`${'a'.repeat(5000)}b\n`.repeat(400)}` });
    for (const query of ['(a+)+$', '(?:a?){1000}a{1000}c', '(?:[ab]*a[ab]{900})c', '(.*)(.*)(.*)(.*)x$']) {
      const answer = await search(root, query, { regex: true }, { ...LIMITS, maxSearchMilliseconds: 300 });
      expect(answer.matches).toEqual([]);
    }
  });

  it('leaves no descriptor open', async () => {
    const { root, base } = workspace({ 'a/b/c': 'hit', d: 'hit', e: Buffer.from([0]) });
    for (let turn = 0; turn < 20; turn += 1) {
      await search(root, 'hit', { limit: 1 });
      await search(root, 'hit', { path: 'd' });
      await search(root, 'hit', { signal: AbortSignal.abort() }).catch(() => {});
    }
    expect(openBelow(base)).toEqual([]);
  });
});

// Files that change while they are read, are larger than can be, or are very many.

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeFile } from '../../../src/contract/index.ts';
import {
  createReader,
  createWorkspace,
  type FileExtractionResult,
  type Reader,
  type Workspace,
} from '../../../src/index.ts';
import { draws } from '../../support/draws.ts';
import { textOfFile } from '../../support/open-file.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

/** A file system that makes a hundred thousand files in a second. */
const IN_MEMORY = '/dev/shm';
/** For a loaded machine. */
const HOOK_MILLISECONDS = 60_000;

let base = '';
let workspace: Workspace;
let reader: Reader;

function open(above: string = tmpdir()): void {
  base = mkdtempSync(join(above, 'lectern-changing-'));
  workspace = createWorkspace({ root: base });
  reader = createReader({ workspace, cache: false });
}

/** The text of an answer, without what is said about it. */
const contentOf = (result: FileExtractionResult): string =>
  result.success ? result.content.map((part) => (part.kind === 'text' ? part.text : '')).join('') : '';
const codeOf = (result: FileExtractionResult): string => (result.success ? 'ok' : result.error.code);
const warningsOf = (result: FileExtractionResult): string[] =>
  result.success ? result.warnings.map(({ code }) => code) : [];

describe('a file that changes', () => {
  beforeEach(() => open());
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const LINES = 100_000;
  const numbered = (word: string) => Array.from({ length: LINES }, (_, line) => `${word} ${line}\n`).join('');

  it.each([
    ['shrinks', (path: string) => truncateSync(path, 1000)],
    ['shrinks a little', (path: string) => truncateSync(path, 900_000)],
    ['is emptied', (path: string) => truncateSync(path, 0)],
    ['is written over', (path: string) => writeFileSync(path, numbered('new'))],
    [
      'is replaced',
      (path: string) => {
        writeFileSync(`${path}.new`, numbered('new'));
        renameSync(`${path}.new`, path);
      },
    ],
    ['is removed', (path: string) => rmSync(path)],
  ])('between pages, when it %s, never mixes versions', async (_, change) => {
    const path = join(base, 'log.txt');
    writeFileSync(path, numbered('old'));
    const first = await reader.read('log.txt', { maxTokens: 500 });
    expect(codeOf(first)).toBe('ok');
    const cursor = first.success ? first.truncation?.next?.cursor : undefined;
    expect(cursor).toBeTypeOf('string');
    change(path);
    const second = await reader.read('log.txt', { maxTokens: 500, ...(cursor !== undefined && { cursor }) });
    expect(['STALE_CURSOR', 'FILE_NOT_FOUND']).toContain(codeOf(second));
  });

  it.each([
    ['grows', (path: string) => appendFileSync(path, 'old more\n'.repeat(50))],
    ['shrinks', (path: string) => truncateSync(path, 1 << 20)],
  ])('while it is read, when it %s, is reported as changed', async (_, change) => {
    const path = join(base, 'log.txt');
    writeFileSync(path, numbered('old').repeat(16));
    let changes = 0;
    // Progress is told seldom: by this clock, after every piece.
    let now = 0;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
      now += 1000;
      return now;
    });
    const onProgress = () => {
      change(path);
      changes++;
    };
    const result = await reader
      .read('log.txt', { lines: '-5', onProgress })
      .finally(() => clock.mockRestore());
    expect(changes).toBeGreaterThan(0);
    expect(codeOf(result)).toBe('ok');
    expect(warningsOf(result)).toContain('CHANGED_DURING_READ');
  });

  it('while it is read and repeatedly replaced, gives one version', async () => {
    const path = join(base, 'log.txt');
    const version = (index: number) => `version ${index}\n`.repeat(20_000);
    writeFileSync(path, version(0));
    let index = 0;
    const { stop } = repeatedly(() => {
      index++;
      writeFileSync(`${path}.new`, version(index));
      renameSync(`${path}.new`, path);
    });
    try {
      for (let turn = 0; turn < 20 || index < 3; turn++) {
        const result = await reader.read('log.txt', { maxTokens: 2000 });
        const versions = new Set(contentOf(result).match(/version \d+/g));
        expect([codeOf(result), versions.size]).toEqual(['ok', 1]);
      }
    } finally {
      stop();
    }
  });

  it('once open, is read even if it is removed', async () => {
    writeFileSync(join(base, 'f'), 'whole\n');
    const file = await workspace.open('f');
    rmSync(join(base, 'f'));
    expect(await textOfFile(file)).toBe('whole\n');
    await closeFile(file);
  });

  it('is never half of a concurrent write', async () => {
    const texts = Array.from({ length: 4 }, (_, index) => `${index}`.repeat(300_000));
    await workspace.write('f', texts[0] ?? '');
    let writing = true;
    const writers = texts.map(async (text) => {
      while (writing) await workspace.write('f', text, { overwrite: true });
    });
    for (let turn = 0; turn < 50; turn++) {
      const file = await workspace.open('f');
      expect(texts).toContain(await textOfFile(file));
      await closeFile(file);
    }
    writing = false;
    await Promise.all(writers);
    expect(readdirSync(base)).toEqual(['f']);
  });

  it('is created by one of many concurrent writers', async () => {
    const written = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => workspace.write('deep/er/f', `${index}\n`)),
    );
    expect(written.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of written) if (one.status === 'rejected') expect(one.reason.code).toBe('ALREADY_EXISTS');
    const saved = await Promise.all(
      Array.from({ length: 20 }, (_, index) => workspace.saveResult(`${index}\n`, { name: 'r.txt' })),
    );
    expect(new Set(saved.map(({ path }) => path)).size).toBe(20);
    const ifSame = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        workspace.write('deep/er/f', `next ${index}\n`, {
          ifSha256: written.flatMap((one) => (one.status === 'fulfilled' ? [one.value.sha256] : [])).join(),
        }),
      ),
    );
    expect(ifSame.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(1);
  });

  it('of a hundred gigabytes of zeros is read and searched within the time limit', async () => {
    const path = join(base, 'hole.txt');
    writeFileSync(path, 'text\n'.repeat(50_000));
    truncateSync(path, 100 * 2 ** 30);
    // The whole of it is counted for the answer, and that can be given up.
    const stop = new AbortController();
    const onProgress = (): void => stop.abort();
    const result = await reader.read('hole.txt', { maxTokens: 500, signal: stop.signal, onProgress });
    expect(codeOf(result)).toBe('ABORTED');
    const found = await workspace.search('text', { limit: 3 });
    expect(found.matches.length + found.skippedCount).toBeGreaterThan(0);
  });
});

/** Does `befall` every other millisecond, until `stop`. */
function repeatedly(befall: () => void): { stop(): void } {
  const timer = setInterval(befall, 2);
  return { stop: () => clearInterval(timer) };
}

describe('a folder of very many files', () => {
  const FILES = draws(100_000, 20_000);
  /** The number of the last, without its last digit, which is a 9. */
  const LAST = String(FILES - 1)
    .padStart(6, '0')
    .slice(0, -1);

  beforeAll(() => {
    open(existsSync(IN_MEMORY) ? IN_MEMORY : undefined);
    mkdirSync(join(base, 'many'));
    for (let index = 0; index < FILES; index++)
      closeSync(openSync(join(base, 'many', `f${String(index).padStart(6, '0')}.txt`), 'w'));
    writeFileSync(join(base, `many/f${LAST}9.txt`), 'needle\n');
  }, HOOK_MILLISECONDS);
  afterAll(() => rmSync(base, { recursive: true, force: true }), HOOK_MILLISECONDS);

  it('are listed in pages, each once and in order', async () => {
    const first = await workspace.list('many');
    expect(first.entries).toHaveLength(workspace.limits.maxListedEntries);
    expect(first.total).toBe(FILES);
    expect(first.entries[0]?.path).toBe('many/f000000.txt');
    const second = await workspace.list('many', { cursor: first.next ?? '' });
    expect(second.entries[0]?.path).toBe('many/f000500.txt');
    const all = await workspace.list('', { depth: 2, limit: 10 });
    expect(all.entries).toHaveLength(10);
  });

  it('are matched and searched, or the answer says how far', async () => {
    const { entries } = await workspace.glob(`**/f${LAST}[5-9].txt`);
    expect(entries.map(({ path }) => path)).toEqual(
      [5, 6, 7, 8, 9].map((digit) => `many/f${LAST}${digit}.txt`),
    );
    const found = await workspace.search('needle', { glob: `many/f${LAST.slice(0, 4)}*` });
    expect(found.matches.map(({ path }) => path)).toEqual([`many/f${LAST}9.txt`]);
    const hurried = createWorkspace({ root: base }, { limits: { maxSearchMilliseconds: 300 } });
    const some = await hurried.search('needle');
    // Where there was no time for all of it, it is said, and the search goes on from there.
    if (some.matches.length === 0) expect([some.next, some.notes.length]).toEqual([expect.any(String), 1]);
  });

  it('are counted, and one is found by a similar name', async () => {
    expect(await workspace.usage()).toMatchObject({ bytes: 7 });
    await expect(workspace.open('many/f00001.txt')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});

describe('a thousand nested folders', () => {
  const DEPTH = 1000;
  beforeAll(() => {
    open();
    let descriptor = openSync(base, 'r');
    for (let level = 0; level < DEPTH; level++) {
      mkdirSync(`/proc/self/fd/${descriptor}/d`);
      const next = openSync(`/proc/self/fd/${descriptor}/d`, 'r');
      closeSync(descriptor);
      descriptor = next;
    }
    writeFileSync(`/proc/self/fd/${descriptor}/f`, 'needle\n');
    closeSync(descriptor);
  });
  afterAll(() => execFileSync('rm', ['-rf', base]));

  it('are listed, matched, searched, read and removed, or the answer says how far', async () => {
    const listing = await workspace.list('', { depth: 10_000, limit: 100 });
    expect(listing.entries).toHaveLength(100);
    const { entries, notes } = await workspace.glob('**/f');
    expect(entries.length + notes.length).toBeGreaterThan(0);
    const found = await workspace.search('needle');
    expect(found.matches.length + found.notes.length).toBeGreaterThan(0);
    const path = `${'d/'.repeat(DEPTH)}f`;
    expect(codeOf(await reader.read(path))).toBe('ok');
    await workspace.write(`${'d/'.repeat(DEPTH)}g`, 'deep\n');
    await workspace.remove('d', { recursive: true });
    expect(readdirSync(base)).toEqual([]);
  });
});

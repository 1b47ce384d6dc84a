// The command line as people meet it: its two streams and its status, of a real process where the process matters.

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { EXIT_STATUS } from '../../src/contract/index.ts';
import { lectern, type Run } from '../support/command-line.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

function started(
  args: readonly string[],
  stdin?: string,
  environment: Record<string, string> = {},
): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { env: { PATH: process.env['PATH'], ...environment }, maxBuffer: 2 ** 26 },
      (error, out, err) => resolve({ status: error === null ? 0 : Number(error.code), out, err }),
    );
    child.stdin?.end(stdin);
  });
}

describe('the command line', () => {
  beforeAll(() => {
    if (!existsSync(main)) throw new Error('build first: npm run build');
  });

  it('says in its own words that it may open too few files, if it needs more', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'few-files-'));
    const { status, out, err } = await new Promise<Run>((resolve) => {
      const child = execFile(
        '/bin/sh',
        [
          '-c',
          'ulimit -n 40; exec "$0" "$@"',
          process.execPath,
          main,
          'serve',
          '--port',
          '0',
          '--data-dir',
          folder,
        ],
        (error, out, err) => resolve({ status: error === null ? 0 : Number(error.code), out, err }),
      );
      // Newer versions of Node.js load modules one by one.
      child.stderr?.on('data', (text: string) => {
        if (text.includes('listening')) child.kill();
      });
    });
    expect(out).toBe('');
    if (err.includes('listening')) expect(status).toBe(0);
    // Depends on what opens the file too many: a module, or the database.
    else expect([EXIT_STATUS.BUSY, EXIT_STATUS.INTERNAL], err).toContain(status);
    expect(err).toMatch(/^lectern(?: serve)?: /);
    expect(err).not.toMatch(/^ {4}at /m);
    if (status === EXIT_STATUS.BUSY)
      expect(err).toBe(
        'lectern: BUSY: too many files are open. Raise the limit of open files, such as with `ulimit -n 1024`.\n',
      );
  });

  it('prints what a model would see', async () => {
    const { status, out, err } = await started(['read', 'fixtures/text/short.txt', '--lines', '-2', '-n']);
    expect(status).toBe(0);
    expect(err).toBe('');
    expect(out).toMatch(/^11: .*\n12: .*\n\[Note: lines 11-12 of 12\]\n$/);
  });

  it('prints the same from child processes, and ends them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'isolated-'));
    const files = ['fixtures/text/short.txt', 'fixtures/tabular/orders.csv', 'nowhere/none.txt'];
    const here = await started(['read', ...files]);
    const isolated = await started(['read', '--isolated', ...files], undefined, { TMPDIR: folder });
    expect(isolated).toEqual(here);
    const limits = ['--max-read-ms', '1', '--max-processes', '1'];
    const late = await started(['read', '--isolated', ...limits, files[0] ?? ''], undefined, {
      TMPDIR: folder,
    });
    expect(late.err).toContain('TIMED_OUT');
    expect(late.status).toBe(EXIT_STATUS.TIMED_OUT);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  it('prints the result as JSON: one object for one file, an array for several', async () => {
    const one = await lectern(['read', '--json', 'fixtures/text/short.txt']);
    expect(JSON.parse(one.out)).toMatchObject({
      success: true,
      fileType: 'text',
      truncation: null,
      metadata: { name: 'short.txt', lines: 12 },
    });
    const two = await lectern(['read', '--json', 'fixtures/text/short.txt', 'nowhere/none.txt']);
    expect(JSON.parse(two.out)).toMatchObject([
      { success: true },
      { success: false, error: { code: 'FILE_NOT_FOUND' }, metadata: { name: 'none.txt' } },
    ]);
    expect(two.status).toBe(3);
  });

  it('prints pictures as base64, whatever holds their bytes', async () => {
    const small = ['--detail', 'low', '--max-image-bytes', '600'];
    for (const more of [[], small]) {
      const { out } = await lectern(['read', '--json', 'fixtures/image/photo.jpg', ...more]);
      const { content } = JSON.parse(out);
      expect(Buffer.from(content[0].data, 'base64').subarray(0, 2).toString('hex')).toBe('ffd8');
    }
  });

  it('reads standard input, and finds out what it is', async () => {
    const { out } = await started(['read', '--json', '-'], '{"a": [1, 2]}');
    expect(JSON.parse(out)).toMatchObject({ fileType: 'json', metadata: { name: 'stdin' } });
    const named = await started(['read', '--json', '--name', 'in/notes.md', '-'], '# Depths');
    expect(JSON.parse(named.out)).toMatchObject({ fileType: 'markdown', metadata: { name: 'notes.md' } });
    const inspected = await started(['inspect', '--json', '--name', 'a.toml', '-'], 'depth = 3');
    expect(JSON.parse(inspected.out)).toMatchObject({ fileType: 'toml', metadata: { name: 'a.toml' } });
  });

  it('shows a directory as its tree', async () => {
    const { out, status } = await started(['read', 'fixtures', '--max-tokens', '200']);
    expect(status).toBe(0);
    expect(out).toMatch(/^\[Folder: \d+ files, \d+ folders, \d+ bytes, ~\d+ tokens\]\n/);
    expect(out).toMatch(/\ntext\/ {2}\d+ files/);
    expect(out).toMatch(/Continue with `lectern read fixtures\/\w+`\.\]\n$/);
  });

  it('refuses a directory as standard input', async () => {
    const { err, status } = await new Promise<Run>((resolve) => {
      execFile('sh', ['-c', `"${process.execPath}" "${main}" read - < fixtures`], (error, out, err) =>
        resolve({ status: error === null ? 0 : Number(error.code), out, err }),
      );
    });
    expect(err).toContain('NOT_A_FILE: Standard input is a directory');
    expect(status).toBe(EXIT_STATUS.NOT_A_FILE);
  });

  it('follows a cursor', async () => {
    const first = JSON.parse(
      (await lectern(['read', '--json', 'fixtures/text/many-lines.log', '--max-tokens', '500'])).out,
    );
    const cursor: string = first.truncation.next.cursor;
    const second = await lectern([
      'read',
      'fixtures/text/many-lines.log',
      '--cursor',
      cursor,
      '--max-tokens',
      '500',
    ]);
    expect(second.out.startsWith(first.content[0].text)).toBe(false);
    expect(second.status).toBe(0);
  });

  it('prints the whole file with --all, and warnings apart from it', async () => {
    const { out } = await lectern(['read', '--all', 'fixtures/text/windows-1252.txt']);
    expect(out).toMatch(/façade[\s\S]*“quoted” – dashes\n$/);
    expect(out.split('\n')).toHaveLength(42);
    const file = 'fixtures/tabular/orders.xlsx';
    const { warnings } = JSON.parse((await lectern(['read', '--all', '--json', file])).out);
    const noted = await lectern(['read', '--all', file]);
    expect(noted.out).not.toContain('[Note: ');
    expect(noted.err.split('\n').slice(0, -1)).toEqual(
      warnings.map((one: { code: string; message: string }) => `${file}: ${one.code}: ${one.message}`),
    );
    expect(noted.err).not.toBe('');
  });

  it.each([
    [['read'], 2, 'No file given.'],
    [['reed', 'x'], 2, 'Unknown command `reed`.'],
    [['read', '--lins', '3', 'x'], 2, '--lins'],
    [['read', '--lines', '0', 'fixtures/text/short.txt'], 2, '`--lines` is `0`'],
    [['read', '--max-lines', 'many', 'fixtures/text/short.txt'], 2, '`--max-lines` is `many`'],
    [
      ['read', '--max-tokens', '0', 'fixtures/text/short.txt'],
      2,
      '`--max-tokens` is `0`; expected an integer of 1 or more.',
    ],
    [
      ['read', '--max-tokens', 'abc', 'fixtures/text/short.txt'],
      2,
      '`--max-tokens` is `abc`; expected an integer of 1 or more.',
    ],
    [['formats', 'x'], 2, '`lectern formats` does not accept the argument `x`'],
    [['limits', 'x'], 2, '`lectern limits` does not accept the argument `x`'],
    [['doctor', 'x'], 2, '`lectern doctor` does not accept the argument `x`'],
    [['--version', 'x'], 2, '`lectern --version` does not accept the argument `x`'],
    [['help', 'reed'], 2, 'Unknown command `reed`.'],
    [['inspect', 'fixtures'], 4, 'fixtures: NOT_A_FILE: `fixtures` is a directory'],
    [['read', 'fixtures/text/shrt.txt'], 3, 'Did you mean `short.txt`?'],
  ])('%j ends with %i and says why', async (args, status, message) => {
    const run = await lectern(args);
    expect(run).toMatchObject({ status, out: '' });
    expect(run.err).toContain(message);
    expect(run.err).not.toContain('    at ');
  });

  it('takes limits from flags and from the environment', async () => {
    const flag = await lectern(['read', '--max-lines', '3', 'fixtures/text/short.txt']);
    expect(flag.out).toContain('Truncated to lines 1-3 of 12');
    const variable = await lectern(['read', 'fixtures/text/short.txt'], undefined, { MAX_LINES: '4' });
    expect(variable.out).toContain('Truncated to lines 1-4 of 12');
    const refused = await lectern(['read', 'fixtures/text/short.txt'], undefined, { LECTERN_MAX_LINES: 'x' });
    expect(refused).toMatchObject({ status: 2, out: '' });
    expect(refused.err).toContain('`LECTERN_MAX_LINES` is `x`; expected an integer');
    const limits = (await lectern(['limits', '--history-max-tokens', '77'])).out;
    expect(limits).toContain('MAX_TOKENS_PER_FILE');
    expect(limits).toMatch(/HISTORY_COMPACTION_MAX_TOKENS +--history-max-tokens +77 tokens/);
    expect(limits.indexOf('HISTORY_')).toBeGreaterThan(limits.indexOf('LECTERN_WORKSPACE_MAX_BYTES'));
  });

  it.each([
    ['inspect', 'LECTERN_MAX_LINES', 'fixtures/text/short.txt'],
    ['formats', 'MAX_LINES'],
    ['serve', 'MAX_LINES', '--port', '0'],
    ['serve', 'LECTERN_MAX_MATCHES', '--port', '0'],
    ['serve', 'HISTORY_COMPACTION_MAX_TOKENS', '--port', '0'],
    ['compact', 'LECTERN_MAX_MATCHES', 'nowhere.json'],
  ])('%s refuses a malformed %s', async (command, variable, ...words) => {
    const { status, out, err } = await lectern([command, ...words], undefined, { [variable]: 'x' });
    expect({ status, out }).toEqual({ status: EXIT_STATUS.BAD_INPUT, out: '' });
    expect(err).toContain(`\`${variable}\` is \`x\`; expected an integer`);
  });

  it('has help for people', async () => {
    const overview = await lectern(['--help']);
    expect(overview).toMatchObject({ status: 0 });
    for (const command of ['read', 'inspect', 'compact', 'formats', 'limits', 'doctor']) {
      expect(overview.out).toContain(`  ${command} `);
      const { out, status } = await lectern([command, '--help']);
      expect(status).toBe(0);
      expect(out).toMatch(new RegExp(`^Usage: lectern ${command}`));
    }
    expect(await lectern(['help', 'read'])).toEqual(await lectern(['read', '--help']));
    expect((await lectern(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('keeps converted documents, says so, and drops them', async () => {
    const data = mkdtempSync(join(tmpdir(), 'lectern-cli-'));
    try {
      const cache = (...words: string[]) => lectern(['cache', ...words], '', { DATA_DIR: data });
      const read = (...words: string[]) =>
        lectern(['read', 'fixtures/documents/minutes.rtf', ...words], '', { DATA_DIR: data });
      const { out } = await read('--no-cache');
      expect((await cache()).out).toMatch(/^0 documents, 0 bytes of at most 512\.0 MiB in /);
      expect((await read()).out).toBe(out);
      expect((await read()).out).toBe(out);
      expect(JSON.parse((await cache('stats', '--json')).out)).toMatchObject({
        entries: 2,
        maxBytes: 2 ** 29,
      });
      expect((await cache('clear')).out).toMatch(/^Removed 2 documents, \d+ KiB from /);
      expect((await cache('stats')).out).toMatch(/^0 documents/);
      expect(await cache('burn')).toMatchObject({ status: 2, err: expect.stringContaining('`clear`') });
      expect((await lectern(['cache'])).err).toContain('DATA_DIR');
    } finally {
      rmSync(data, { recursive: true, force: true });
    }
  });

  it('rejects a data directory that is not a folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lectern-cli-'));
    const file = join(folder, 'a.txt');
    writeFileSync(file, 'text');
    const damaged = join(folder, 'damaged');
    mkdirSync(damaged);
    writeFileSync(join(damaged, 'service'), 'text');
    try {
      for (const words of [
        ['serve', '--port', '0', '--data-dir', file],
        ['serve', '--port', '0', '--data-dir', join(file, 'below')],
        ['serve', '--port', '0', '--data-dir', damaged],
        ['keys', 'list', '--data-dir', file],
        ['keys', 'list', '--data-dir', damaged],
        ['mcp', '--user', 'u', '--session', 's', '--data-dir', file],
      ]) {
        const { status, out, err } = await lectern(words);
        expect({ words, status, out }).toEqual({ words, status: EXIT_STATUS.NOT_A_FOLDER, out: '' });
        expect(err).toMatch(/^lectern: NOT_A_FOLDER: The data directory is .* not a folder.*\n$/);
      }
      const stored = ['mcp', '--user', 'u', '--session', 's'];
      const { status } = await lectern(stored, undefined, { LECTERN_DATA_DIR: file });
      expect(status).toBe(EXIT_STATUS.NOT_A_FOLDER);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['fixtures/text/short.txt', 'NOT_A_FOLDER', 'is not a folder'],
    ['fixtures/text/short.txt/below', 'NOT_A_FOLDER', 'is not a folder'],
    ['fixtures/nowhere', 'FILE_NOT_FOUND', 'does not exist'],
  ] as const)('rejects the root %s: %s', async (root, code, why) => {
    const { status, err } = await lectern(['mcp', '--root', root]);
    expect(status).toBe(EXIT_STATUS[code]);
    expect(err).toContain(`lectern: ${code}: \`--root\` is \`${root}\`, which ${why}.`);
  });

  it('checks itself', async () => {
    const { out, status } = await started(['doctor']);
    expect(status).toBe(0);
    expect(out).toContain('WebAssembly SIMD');
  });

  it('stops quietly when its reader goes away', async () => {
    const { err } = await new Promise<Run>((resolve) => {
      execFile(
        'sh',
        [
          '-c',
          `"${process.execPath}" "${main}" read --all fixtures/text/many-lines.log fixtures/text/many-lines.log | head -1`,
        ],
        (error, out, err) => resolve({ status: error === null ? 0 : Number(error.code), out, err }),
      );
    });
    expect(err).toBe('');
  });
});

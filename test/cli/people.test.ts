// What people's hands expect of a command line: names as typed, near misses, sizes such as 5k, completion, and the commands
// `tokens`, `tree` and `pack`.

import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sizeOf } from '../../src/cli/sizes.ts';
import { createReader, createTokenCounter, EXIT_STATUS, type Progress } from '../../src/index.ts';
import { keptTerminal, lectern } from '../support/command-line.ts';
import { emptyPostgres, NO_POSTGRES } from '../support/servers.ts';

const main = fileURLToPath(new URL('../../dist/src/cli/main.js', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-people-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function made(path: string, content: string): string {
  const whole = join(folder, path);
  mkdirSync(join(whole, '..'), { recursive: true });
  writeFileSync(whole, content);
  return whole;
}

describe('names', () => {
  it('a heading shows a relative path as typed', async () => {
    const files = ['fixtures/tabular/orders.csv', 'fixtures/text/many-lines.log'];
    const { out } = await lectern(['read', ...files, '--max-tokens', '400']);
    for (const file of files) expect(out).toContain(`==> ${file} <==\n`);
  });

  it('tells two absolute paths apart, and shows no more of them than that', async () => {
    const files = [
      made('one/deep/x.txt', 'first\n'),
      made('two/deep/x.txt', 'second\n'),
      made('y.txt', 'y\n'),
    ];
    const { out } = await lectern(['read', ...files]);
    expect(out).toBe('==> one/deep/x.txt <==\nfirst\n==> two/deep/x.txt <==\nsecond\n==> y.txt <==\ny\n');
    expect(out).not.toContain(folder);
  });

  it('a path given twice, and one that ends another, stand as they can', async () => {
    const path = made('x.txt', 'first\n');
    const { out } = await lectern(['read', path, path]);
    expect(out).toBe('==> x.txt <==\nfirst\n==> x.txt <==\nfirst\n');
  });

  it('inspect and errors use the name as typed', async () => {
    const path = made('sub/x.txt', 'text\n');
    expect((await lectern(['inspect', path])).out).toContain(`${path}\n  file type`);
    expect((await lectern(['read', `${folder}/no/x.txt`])).err).toContain(
      `${folder}/no/x.txt: FILE_NOT_FOUND`,
    );
  });
});

describe('near misses', () => {
  it.each([
    [['raed', 'x'], 'Did you mean `lectern read`?'],
    [['read', '--lnes', '3', 'x.txt'], 'Unknown option `--lnes`. Did you mean `--lines`?'],
    [['frobnicate'], 'The commands are `read`'],
    [['read', '--max-tokens'], '`--max-tokens` requires a value.'],
    [['read', '--max-tokens', '--json', 'x.txt'], '`--max-tokens` requires a value.'],
    [['read', '--json=3', 'x.txt'], '`--json` does not accept a value.'],
    [['read', '--password', 'x.txt'], 'Use `--password-stdin` or the variable `LECTERN_PASSWORD`'],
    [['read', '--all', '--max-tokens', '9', 'x.txt'], '`--all` and `--max-tokens` cannot be combined.'],
    [['pack'], 'Give one or more files or folders.'],
  ] as const)('%j', async (words, said) => {
    const { status, err } = await lectern(words);
    expect(status).toBe(2);
    expect(err).toContain(said);
  });

  it('a file or an option in place of a command reads', async () => {
    const path = made('notes.txt', 'one\ntwo\n');
    expect((await lectern([path])).out).toBe('one\ntwo\n');
    expect((await lectern(['--lines', '2', path])).out).toContain('two\n');
    expect((await lectern(['-'], 'from a pipe\n')).out).toBe('from a pipe\n');
    expect((await lectern(['missing.txt'])).err).toContain('missing.txt: FILE_NOT_FOUND');
  });

  it.each<readonly [string, number | null]>([
    ['5000', 5000],
    ['5k', 5000],
    ['1.5K', 1500],
    ['2M', 2_000_000],
    ['10MiB', 10 * 2 ** 20],
    ['1Gi', 2 ** 30],
    ['0', 0],
    ['1.5', null],
    ['-5', null],
    ['5x', null],
    ['', null],
    ['9007199254740993', null],
  ])('%j means %j', (text, size) => {
    expect(sizeOf(text)).toBe(size);
  });
});

describe('lectern tokens', () => {
  it('counts what a whole read shows, also of a text that comes in many pieces', async () => {
    const text = Array.from({ length: 40_000 }, (_, at) =>
      at % 3 === 0 ? `line ${at}  \n\n` : `  {"k${at}": "süß"}//\r\n`,
    ).join('');
    const path = made('long.txt', text);
    for (const tokenizer of ['cl100k_base', 'o200k_base'] as const) {
      const { out } = await lectern(['tokens', path, '--tokenizer', tokenizer, '--json']);
      const { tokens, characters } = JSON.parse(out);
      expect({ tokens, characters }).toEqual({
        tokens: createTokenCounter(tokenizer).count(text),
        characters: text.length,
      });
    }
  });

  it('takes linear time and bounded memory where no line begins with a letter', async () => {
    const line = ' {"k": [1, 2, 3]},\n';
    const text = line.repeat(600_000);
    const { out } = await lectern(['tokens', made('indented.txt', text), '--json']);
    const exact = createTokenCounter().count(line.repeat(1000)) * 600;
    expect(Math.abs(JSON.parse(out).tokens - exact)).toBeLessThan(exact / 1000);
  });

  it('adds up, and names files that fail on the other stream', async () => {
    const { status, out, err } = await lectern([
      'tokens',
      made('a.txt', 'one two'),
      made('b.md', '# three\n'),
      join(folder, 'none.txt'),
    ]);
    expect(out).toMatch(/^2 {2}\S+a\.txt\n3 {2}\S+b\.md\n5 {2}total\n$/);
    expect(err).toContain('none.txt: FILE_NOT_FOUND');
    expect(status).toBe(3);
  });
});

describe('lectern tree', () => {
  it('prints sizes and tokens within the budget', async () => {
    made('src/a.ts', 'export const a = 1;\n'.repeat(50));
    made('README.md', '# Hello\n');
    const { out } = await lectern(['tree', folder, '--max-tokens', '200']);
    expect(out).toMatch(/src\/\n {2}a\.ts {2}1000 bytes, ~\d+ tokens\nREADME\.md/);
    expect(createTokenCounter().count(out)).toBeLessThanOrEqual(200);
  });

  it('refuses what is not a folder', async () => {
    expect((await lectern(['tree', made('a.txt', 'x')])).err).toContain('NOT_A_FOLDER');
    expect((await lectern(['tree', join(folder, 'none')])).err).toContain('FILE_NOT_FOUND');
    expect((await lectern(['tree', folder, folder])).err).toContain('accepts one folder');
    expect((await lectern(['inspect', folder])).err).toContain(`\`lectern tree ${folder}\` lists it.`);
    for (let at = 0; at < 30; at += 1) made(`more-${at}/a-file-with-a-name-${at}.txt`, 'text\n');
    const { out } = await lectern(['tree', folder, '--max-tokens', '150']);
    expect(out).toContain(`Continue with \`lectern tree ${folder}/more-`);
  });
});

describe('lectern pack', () => {
  const many = (count: number): void => {
    for (let at = 0; at < count; at += 1)
      made(
        `src/part-${at}.ts`,
        `export function part${at}(): number {\n  return ${at};\n}\n`.repeat(at === 0 ? 200 : 1),
      );
  };

  it('shows small files whole and a large one by its outline, without what ignore files name', async () => {
    many(5);
    made('.gitignore', 'secret.txt\n');
    made('secret.txt', 'not this\n');
    const { status, out } = await lectern(['pack', folder, '--max-tokens', '1k']);
    expect(status).toBe(0);
    expect(out).toContain('==> src/part-4.ts <==\nexport function part4(): number {\n  return 4;\n}\n');
    expect(out).toMatch(/==> src\/part-0\.ts <==\n\[Outline/);
    expect(out).not.toContain('not this');
    expect(createTokenCounter().count(out)).toBeLessThanOrEqual(1000);
  });

  it('counts the files it has no room to list', async () => {
    many(60);
    const { out } = await lectern(['pack', folder, '--max-tokens', '600']);
    expect(out).toMatch(/\[Note: \d+ more files not listed\. Raise `--max-tokens`/);
    expect(createTokenCounter().count(out)).toBeLessThanOrEqual(600);
  });

  it('skips and counts files of unsupported formats, except those given by name', async () => {
    many(2);
    const binary = made('src/program.bin', '\0\x01\x02'.repeat(40));
    const { status, out, err } = await lectern(['pack', folder]);
    expect({ status, err }).toEqual({ status: 0, err: '' });
    expect(out).toContain('part-1.ts <==\n');
    expect(out).toMatch(/\n\[Note: 1 file skipped: unsupported format\.\]\n$/);
    const named = await lectern(['pack', folder, binary]);
    expect(named.err).toContain('program.bin: UNSUPPORTED_FORMAT');
    expect(named.status).toBe(7);
  });

  it('takes files and folders together', async () => {
    many(2);
    const other = made('other/notes.txt', 'a note\n');
    const { out } = await lectern(['pack', join(folder, 'src'), other]);
    expect(out).toContain('part-1.ts <==\n');
    expect(out).toContain('notes.txt <==\na note\n');
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    expect((await lectern(['pack', empty])).err).toContain('FILE_NOT_FOUND');
  });
});

describe('lectern completion', () => {
  it('completes commands and options in a real bash', async () => {
    const script = made('lectern.bash', (await lectern(['completion', 'bash'])).out);
    const completed = (words: string, at: number): string =>
      execFileSync('bash', [
        '-c',
        `source ${script}; COMP_WORDS=(${words}); COMP_CWORD=${at}; _lectern; echo "\${COMPREPLY[@]}"`,
      ])
        .toString()
        .trim();
    expect(completed('lectern ins', 1)).toBe('inspect');
    expect(completed('lectern read --cur', 2)).toBe('--cursor');
    expect(completed('lectern tree --max', 2)).toBe('--max-tokens');
    expect(completed('lectern cache ""', 2)).toBe('stats clear');
    expect(completed('lectern keys re', 2)).toBe('revoke');
    expect(completed('lectern help comp', 2)).toBe('compact completion');
    expect(completed('lectern read --format m', 3)).toBe('markdown');
    expect(completed('lectern read --format = m', 4)).toBe('markdown');
    expect(completed('lectern compact --preset dur', 3)).toBe('duragent');
    expect(completed('lectern package.json --cur', 2)).toBe('--cursor');
    expect(completed('lectern --cur', 1)).toBe('--cursor');
    expect(completed('lectern read packag', 2)).toBe('package-lock.json package.json');
    expect(completed('lectern tree s', 2)).toBe('src');
    expect(completed('lectern tree p', 2)).toBe('processors');
    expect(completed('lectern read --lines s', 3)).toBe('');
    expect(completed('lectern mcp --root s', 3)).toBe('src');
  });

  it('offers values that the options accept', async () => {
    const { REQUEST_OPTIONS } = await import('../../src/cli/options.ts');
    const file = made('a.csv', 'a\n1\n');
    for (const { name, choices } of REQUEST_OPTIONS) {
      const accepted = Array.isArray(choices) ? choices : [];
      const { err } = accepted.length > 0 ? await lectern(['read', file, `--${name}`, 'odd']) : { err: '' };
      for (const choice of accepted) expect(err).toContain(`\`${choice}\``);
      expect(
        err.split('; expected ')[1]?.match(/`[\w-]+`(?=[,.] )/g)?.length ?? 0,
        name,
      ).toBeGreaterThanOrEqual(accepted.length);
    }
  });

  it('names every command and option for zsh and fish, and refuses other shells', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { out } = await lectern(['completion', shell]);
      for (const word of ['inspect', 'compact', 'max-tokens', 'pointer', 'stats clear', 'csv markdown'])
        expect(out).toContain(word);
    }
    expect((await lectern(['completion', 'csh'])).err).toContain('not a known shell');
    expect((await lectern(['completion'])).err).toContain('No shell given');
  });
});

it('reads files and folders given together, a folder as a tree', async () => {
  const file = made('notes.txt', 'one\n');
  made('deep/other.txt', 'two\n');
  const { out, status } = await lectern(['read', file, join(folder, 'deep'), join(folder, 'none.txt')]);
  expect(out).toContain('one\n==> ');
  expect(out).toContain('[Folder: 1 file, 0 folders');
  expect(out).toContain('other.txt  4 bytes');
  expect(status).toBe(EXIT_STATUS.FILE_NOT_FOUND);
});

it('reads what is piped to it without a command', () => {
  const piped = (from: string): string =>
    execFileSync('sh', ['-c', `${from} "${process.execPath}" "${main}"`]).toString();
  expect(piped("printf 'a,b\\n1,2\\n' |")).toBe('a,b\n1,2\n');
  expect(() => piped('</dev/null')).toThrow(/Command failed/);
});

describe('help', () => {
  it.each([['version'], ['-V'], ['--version']])('%s prints the version', async (word) => {
    expect((await lectern([word])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('of a command is the same in every form', async () => {
    const { out } = await lectern(['read', '--help']);
    for (const word of ['help', '--help', '-h']) expect((await lectern([word, 'read'])).out).toBe(out);
  });

  it('lists everyday options first, and all on request', async () => {
    const { out } = await lectern(['read', '--help']);
    expect(out).not.toContain('--max-lines');
    expect(out).toMatch(/\n`lectern read --help all` lists all \d+ options\.\n$/);
    const all = (await lectern(['read', '--help', 'all'])).out;
    expect(all).toMatch(/--max-lines N +lines of text, code or Markdown shown at once \(if\n? *set\)/);
    expect((await lectern(['help', 'read', 'all'])).out).toBe(all);
    expect((await lectern(['inspect', '--help'])).out).not.toContain('--help all` lists');
  });

  it('and the list of limits fit the width of the terminal', async () => {
    const { run } = await import('../../src/cli/run.ts');
    const { terminal, out } = keptTerminal();
    await run(['limits'], { ...terminal, isInteractive: true });
    for (const text of [(await lectern(['help'])).out, out()])
      for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    for (const words of [['help'], ['help', 'read', 'all']]) {
      const narrow = keptTerminal();
      await run(words, { ...narrow.terminal, columns: 45 });
      for (const line of narrow.out().split('\n')) expect(line.length, line).toBeLessThanOrEqual(45);
    }
    expect(out()).toContain('--max-lines  not set\n    lines of text');
    expect((await lectern(['limits', '--max-lines', '9'])).out).toMatch(/--max-lines +9 lines +lines of/);
  });
});

it.skipIf(NO_POSTGRES)('`lectern keys` manages the keys of several nodes in their database', async () => {
  const database = ['--database', await emptyPostgres()];
  const added = await lectern(['keys', 'add', '--user', 'ada', '--json', ...database]);
  const { id } = JSON.parse(added.out);
  expect((await lectern(['keys', 'revoke', id, ...database])).status).toBe(0);
  expect((await lectern(['keys', 'list', ...database])).out).toContain(`${id}  ada  read,files,jobs,mcp`);
});

it('an address of a database is not shown', async () => {
  const { err } = await lectern(['keys', 'list', '--database', 'mysql://ada:secret@host/name']);
  expect(err).toContain('BAD_INPUT');
  expect(err).not.toContain('secret');
});

it('`lectern keys list` creates nothing', async () => {
  const data = join(folder, 'data');
  const { status, err } = await lectern(['keys', 'list', '--data-dir', data]);
  expect({ status, err }).toEqual({
    status: 0,
    err: 'No keys. `lectern keys add --user NAME` creates one.\n',
  });
  expect((await lectern(['keys', 'revoke', 'abc', '--data-dir', data])).err).toContain('FILE_NOT_FOUND');
  expect(existsSync(data)).toBe(false);
});

describe('a terminal', () => {
  it('shows the command that continues', async () => {
    const { terminal, err } = keptTerminal();
    const { run } = await import('../../src/cli/run.ts');
    const file = 'fixtures/text/many-lines.log';
    await run(['read', file, '--max-tokens', '100'], { ...terminal, isInteractive: true });
    expect(err()).toMatch(/^Next: lectern read fixtures\/text\/many-lines\.log --lines \d+-500 \(or --all/);
  });

  it('shows the cursor that continues from an address, which another field would contradict', async () => {
    const { terminal, err } = keptTerminal();
    const { run } = await import('../../src/cli/run.ts');
    const address = 'fixtures/text/many-lines.log#L1-L400';
    await run(['read', address, '--max-tokens', '100'], { ...terminal, isInteractive: true });
    const [, cursor = ''] =
      /^Next: lectern read 'fixtures\/text\/many-lines\.log#L1-L400' --cursor (\S+) /.exec(err()) ?? [];
    const next = keptTerminal();
    expect(await run(['read', address, '--cursor', cursor, '--max-tokens', '100'], next.terminal)).toBe(0);
  });

  it('reports output that cannot be written', () => {
    if (!existsSync('/dev/full')) return;
    const { status, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${main}" formats > /dev/full`]);
    expect(status).toBe(1);
    expect(stderr.toString()).toBe('lectern: standard output could not be written: ENOSPC.\n');
  });

  it('gets colours only where it wants them', async () => {
    const shown = async (environment: NodeJS.ProcessEnv): Promise<string> => {
      const command = `${process.execPath} ${main} nothing`;
      const options = { env: { PATH: process.env['PATH'], TERM: 'xterm-256color', ...environment } };
      // `script` gives the command a terminal.
      const ran = promisify(execFile)('script', ['-qec', command, '/dev/null'], options);
      return (await ran.catch((error: { stdout: string }) => error)).stdout;
    };
    expect(await shown({})).toContain('\u001b[31mlectern: BAD_INPUT:\u001b[0m');
    expect(await shown({ NO_COLOR: '1' })).not.toContain('\u001b[31m');
  });
});

it('progress counts the pages of a document', async () => {
  // Reports come at most every 100 ms: by this clock each page is due one.
  let now = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
    now += 200;
    return now;
  });
  const seen: string[] = [];
  const onProgress = ({ page, pages }: Progress): void => {
    if (page !== undefined && pages !== undefined) seen.push(`${page} of ${pages}`);
  };
  const answer = await createReader({ cache: false })
    .read('fixtures/documents/gauges.pdf', { all: true, onProgress })
    .finally(() => clock.mockRestore());
  const pages = Number(answer.success && answer.metadata['pages']);
  expect(pages).toBeGreaterThan(1);
  expect(seen).toContain(`1 of ${pages}`);
  expect(seen.at(-1)).toBe(`${pages} of ${pages}`);
});

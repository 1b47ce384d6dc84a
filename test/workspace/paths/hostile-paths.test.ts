// Paths, names and links made to lead out of a workspace, or to what is no file, through every operation it has.

import { execFileSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeFile } from '../../../src/contract/index.ts';
import {
  createReader,
  createWorkspace,
  type Reader,
  ReaderError,
  type Workspace,
} from '../../../src/index.ts';
import { textOfFile } from '../../support/open-file.ts';

const SECRET = 'SECRET\n';
const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

let base = '';
let root = '';
let workspace: Workspace;
let reader: Reader;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-paths-'));
  root = join(base, 'root');
  for (const folder of ['root/a/b', 'root/c', 'outside', 'root2', 'rootx'])
    mkdirSync(join(base, folder), { recursive: true });
  for (const file of ['outside/s', 'outside/x', 'root2/f', 'rootx/f', 'x'])
    writeFileSync(join(base, file), SECRET);
  writeFileSync(join(root, 'a/b/f'), 'GOOD\n');
  writeFileSync(join(root, 'c/g'), 'GOOD\n');
  writeFileSync(join(root, 'spare'), 'GOOD\n');
  workspace = createWorkspace({ root });
  reader = createReader({ workspace, cache: false });
});

afterEach(async () => {
  try {
    // Whatever came before: a harmless file is read, nothing is left open, and the outside is as it was.
    writeFileSync(join(root, 'harmless.txt'), 'harmless\n');
    expect(await textOf('harmless.txt')).toBe('harmless\n');
    expect(openBelow(base)).toEqual([]);
    const outside = ['outside/s', 'outside/x', 'root2/f', 'rootx/f', 'x'].map((file) => join(base, file));
    expect(outside.map((file) => readFileSync(file, 'utf8'))).toEqual(outside.map(() => SECRET));
    expect(readdirSync(base).sort()).toEqual(['outside', 'root', 'root2', 'rootx', 'x']);
    expect(readdirSync(join(base, 'outside')).sort()).toEqual(['s', 'x']);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});

function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}

async function textOf(path: string): Promise<string> {
  const file = await workspace.open(path);
  try {
    return await textOfFile(file);
  } finally {
    await closeFile(file);
  }
}

const OPERATIONS: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  open: textOf,
  stat: (path) => workspace.stat(path),
  list: (path) => workspace.list(path),
  search: (path) => workspace.search('S', { path }),
  read: async (path) => {
    const result = await reader.read(path);
    if (!result.success) throw new ReaderError(result.error.code, result.error.message, result.error.hint);
    return result;
  },
  write: (path) => workspace.write(path, 'written\n'),
  replace: (path) => workspace.write(path, 'written\n', { overwrite: true }),
  // A name without a folder is made safe instead.
  saveResult: (path) => workspace.saveResult('written\n', { name: `${path}/r.txt`, format: 'text' }),
  moveFrom: (path) => workspace.move(path, 'moved'),
  moveTo: (path) => workspace.move('spare', path, { overwrite: true }),
  remove: (path) => workspace.remove(path),
  removeAll: (path) => workspace.remove(path, { recursive: true }),
};
const READING = ['open', 'stat', 'list', 'search', 'read'];
const everyOperation = Object.keys(OPERATIONS);

/** The codes the operations ended with, `ok` for an answer; nothing of it tells the host or the outside. */
async function codes(
  path: string,
  operations: readonly string[] = everyOperation,
): Promise<Record<string, string>> {
  const ended: Record<string, string> = {};
  for (const name of operations) {
    try {
      const answer = await OPERATIONS[name]?.(path);
      expect(JSON.stringify(answer ?? null)).not.toMatch(/SECRET|root:x:/);
      ended[name] = 'ok';
    } catch (error) {
      if (!(error instanceof ReaderError)) throw error;
      // What the caller wrote may be said again.
      const told = `${error.message} ${error.hint}`.replaceAll(path, '');
      expect(told).not.toContain(base);
      expect(told).not.toMatch(/SECRET|\/proc\/|\n {4}at /);
      expect(error.hint).not.toBe('');
      ended[name] = error.code;
    }
  }
  return ended;
}

const every = (code: string, operations: readonly string[] = everyOperation) =>
  Object.fromEntries(operations.map((name) => [name, code]));

describe('paths', () => {
  it.each([
    '../x',
    '..',
    '../',
    'a/../../x',
    '../x',
    'a/b/../../../x',
    '/etc/passwd',
    '/workspace/../etc/passwd',
    '/workspace/../../x',
    '/workspacex/f',
    '/workspace2',
    '/workspace.txt',
    '/WORKSPACE/a/b/f',
    '../root2/f',
    '../rootx/f',
    '../root/a/b/f',
    '/proc/self/environ',
    '/proc/self/cwd/package.json',
    '/dev/zero',
    '/../workspace/a/b/f',
    'nothing/../../x',
    'a/b/f/../../../../x',
  ])('%j escapes', async (path) => {
    expect(await codes(path)).toEqual(every('PATH_ESCAPES_WORKSPACE'));
    expect(await workspace.kind(path)).toBe(undefined);
  });

  it('rejects NUL and impossible names', async () => {
    for (const path of [
      'a\0b',
      'spare\0.txt',
      '\0',
      `${'n'.repeat(256)}`,
      `a/${'é'.repeat(128)}/f`,
      'x/'.repeat(20_000),
    ])
      expect(await codes(path)).toEqual(every('BAD_INPUT'));
  });

  it.each(['', '.', './', 'a/..', '/workspace', '/workspace/', '/workspace//.', 'a/b', 'a/b/'])(
    'resolves %j to its folder',
    async (path) => {
      const ended = await codes(path, [...READING, 'write', 'replace', 'moveTo', 'remove']);
      expect(ended).toMatchObject({
        open: 'NOT_A_FILE',
        read: 'NOT_A_FILE',
        stat: 'ok',
        list: 'ok',
        search: 'ok',
      });
      for (const name of ['write', 'replace', 'moveTo', 'remove']) expect(ended[name]).not.toBe('ok');
      expect(existsSync(root)).toBe(true);
      expect(await workspace.kind(path)).toBe('directory');
    },
  );

  it('never removes or moves the root', async () => {
    for (const path of ['', '.', '/workspace', '/workspace/', 'a/..']) {
      const ended = await codes(path, ['moveFrom', 'remove', 'removeAll']);
      expect(Object.values(ended)).not.toContain('ok');
    }
    expect(await textOf('a/b/f')).toBe('GOOD\n');
  });

  it.each([
    '%2e%2e%2fx',
    '..%c0%af..%c0%afx',
    '....//x',
    '..\\..\\x',
    'C:\\x',
    '\\\\host\\share',
    '~',
    '~root/x',
  ])('treats %j as a name', async (path) => {
    expect(await codes(path, READING)).toEqual(every('FILE_NOT_FOUND', READING));
    expect(await codes(path, ['write', 'open', 'stat', 'read', 'remove'])).toEqual(
      every('ok', ['write', 'open', 'stat', 'read', 'remove']),
    );
  });

  it.each([
    '-rf',
    '--help',
    '$HOME',
    '$(id)',
    '*',
    '[...slug].tsx',
    'report..final.md',
    '..foo',
    '...',
    'foo..',
    'file:///etc/passwd',
    'http://127.0.0.1/x',
    'data:text/plain,x',
    'CON',
    'nul.txt',
    'a:b',
    'f::$DATA',
    ' ',
    'trailing ',
    'trailing.',
    'quote\'"`',
    '__proto__',
    'constructor',
    'é',
    '\u0065\u0301',
    '\ufeffbom',
    'n'.repeat(255),
    'é'.repeat(127),
    '\u202eexe.txt',
    'new\nline',
    'esc\u001b[31m',
    'a\\x41b',
    '\\xff',
  ])('%j is a name like any other', async (path) => {
    const written = await workspace.write(path, 'mine\n');
    expect(await textOf(path)).toBe('mine\n');
    expect(await textOf(written.path)).toBe('mine\n');
    expect(await textOf(`/workspace/${written.path}`)).toBe('mine\n');
    const { entries } = await workspace.list(dirname(written.path));
    const shown = entries.find((entry) => entry.path === written.path);
    expect(shown).toMatchObject({ kind: 'file', bytes: 5 });
    // What is shown is safe to print, and is given back as it is.
    expect(shown?.path).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    const found = await workspace.search('mine', { ignore: false });
    expect(found.matches.map((match) => match.path)).toEqual([written.path]);
    expect((await reader.read(written.path)).success).toBe(true);
    await workspace.move(written.path, 'plain');
    await workspace.move('plain', written.path);
    await workspace.remove(written.path);
    expect(await workspace.kind(path)).toBe(undefined);
  });

  it('distinguishes two forms of one letter', async () => {
    await workspace.write('\u00e9.txt', 'one\n');
    await workspace.write('e\u0301.txt', 'two\n');
    const { entries } = await workspace.list();
    expect(entries.filter(({ path }) => path.normalize('NFC') === '\u00e9.txt')).toHaveLength(2);
    expect([await textOf('\u00e9.txt'), await textOf('e\u0301.txt')]).toEqual(['one\n', 'two\n']);
  });

  it('lists names that are not UTF-8 in a form that can be opened', async () => {
    const names = [[0xff, 0x61], [0x61, 0xc3], [0xed, 0xa0, 0x80], [0x80], [0x5c, 0x78, 0x66, 0x66]];
    for (const [index, bytes] of names.entries())
      writeFileSync(Buffer.concat([Buffer.from(`${root}/a/b/`), Buffer.from(bytes)]), `no ${index}\n`);
    const { entries } = await workspace.list('a/b');
    expect(entries).toHaveLength(names.length + 1);
    expect(new Set(entries.map(({ path }) => path)).size).toBe(entries.length);
    const texts = [];
    for (const { path } of entries) {
      texts.push(await textOf(path));
      expect(await codes(path, ['open', 'stat', 'read', 'search', 'replace', 'moveFrom'])).toEqual(
        every('ok', ['open', 'stat', 'read', 'search', 'replace', 'moveFrom']),
      );
      await workspace.remove('moved');
    }
    expect(texts.sort()).toEqual(['GOOD\n', ...names.map((_, index) => `no ${index}\n`)]);
    expect((await workspace.list('a/b')).entries).toEqual([]);
    expect((await workspace.glob('a/b/*')).entries).toEqual([]);
  });

  it('reads below folders whose names are not UTF-8', async () => {
    const folder = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xfe, 0x2f, 0xff])]);
    mkdirSync(folder, { recursive: true });
    writeFileSync(Buffer.concat([folder, Buffer.from('/f')]), 'deep\n');
    const found = await workspace.search('deep');
    expect(found.matches).toHaveLength(1);
    expect(await textOf(found.matches[0]?.path ?? '')).toBe('deep\n');
    const { entries } = await workspace.glob('**/f');
    expect(entries.map(({ path }) => path)).toContain(found.matches[0]?.path);
  });

  it("reads a path longer than the system's limit", async () => {
    const name = 'd'.repeat(200);
    const depth = 60;
    const descriptors: number[] = [openSync(root, 'r')];
    for (let level = 0; level < depth; level++) {
      const path = `/proc/self/fd/${descriptors.at(-1)}/${name}`;
      mkdirSync(path);
      descriptors.push(openSync(path, 'r'));
    }
    writeFileSync(`/proc/self/fd/${descriptors.at(-1)}/f`, 'deep\n');
    for (const descriptor of descriptors) closeSync(descriptor);
    const path = `${`${name}/`.repeat(depth)}f`;
    expect(
      await codes(
        path,
        READING.filter((operation) => operation !== 'list'),
      ),
    ).toEqual(every('ok', ['open', 'stat', 'search', 'read']));
    expect(await codes(path, ['replace', 'open', 'remove'])).toEqual(
      every('ok', ['replace', 'open', 'remove']),
    );
    expect((await workspace.search('GOOD')).matches).toHaveLength(3);
    await workspace.remove(name, { recursive: true });
    expect(existsSync(join(root, name))).toBe(false);
  });
});

describe('links', () => {
  it.each([
    ['above', '../outside/s'],
    ['far above', `${'../'.repeat(30)}etc/passwd`],
    ['absolute', '/etc/passwd'],
    ['to a twin of the mount', '/workspacex/y'],
    ['out of the mount', '/workspace/../etc/passwd'],
    ['device', '/dev/zero'],
    ['environment', '/proc/self/environ'],
    ['memory', '/proc/kcore'],
    ['this process', '/proc/self/fd/0'],
  ])('%s: escapes', async (_, target) => {
    symlinkSync(target, join(root, 'link'));
    const following = [...READING, 'replace'];
    const ended = await codes('link', following);
    expect(ended).toMatchObject(every('PATH_ESCAPES_WORKSPACE', READING));
    expect(await workspace.kind('link')).toBe(undefined);
    expect(await codes('link/s', READING)).toEqual(every('PATH_ESCAPES_WORKSPACE', READING));
    const { entries } = await workspace.list();
    expect(entries.find(({ path }) => path === 'link' || path === 'link')?.bytes).toBe(undefined);
    expect((await workspace.search('SECRET')).matches).toEqual([]);
  });

  it.each(['above', 'absolute'])(
    'nothing is written, moved or removed through a folder link, %s',
    async (form) => {
      symlinkSync(form === 'above' ? '../outside' : join(base, 'outside'), join(root, 'link'));
      for (const path of ['link/new', 'link/s', 'link/deep/new', 'a/../link/s', '/workspace/link/s']) {
        const ended = await codes(path);
        expect(ended).toEqual(every('PATH_ESCAPES_WORKSPACE'));
      }
      symlinkSync('../../outside', join(root, 'a/link'));
      expect((await workspace.glob('**/s')).entries).toEqual([]);
      await workspace.remove('a', { recursive: true });
      await workspace.remove('link', { recursive: true });
      expect(existsSync(join(root, 'link'))).toBe(false);
    },
  );

  it('a new file is never created at the target of a dangling link', async () => {
    symlinkSync('../outside/new', join(root, 'link'));
    symlinkSync(join(base, 'new'), join(root, 'absolute'));
    for (const path of ['link', 'absolute'])
      await codes(path, ['write', 'replace', 'saveResult', 'moveTo', 'open', 'read']);
  });

  it('follows links that stay inside', async () => {
    const links = {
      in1: 'a/b/f',
      'a/b/in2': '../../c/g',
      abs: '/workspace/c/g',
      self: '/workspace',
      dl: 'a/b',
      dot: '.',
      slash: 'a/b/',
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(root, name));
    for (const path of ['in1', 'a/b/in2', 'abs', 'self/self/abs', 'dl/f', 'dl/in2', 'dot/dot/in1', 'slash/f'])
      expect(await codes(path, ['open', 'stat', 'search', 'read'])).toEqual(
        every('ok', ['open', 'stat', 'search', 'read']),
      );
    // A walk ends though folders hold links to themselves.
    const { entries } = await workspace.list('', { depth: 1000 });
    expect(entries.length).toBeLessThan(20);
  });

  it('ends at loops and long chains', async () => {
    symlinkSync('l2', join(root, 'l1'));
    symlinkSync('l1', join(root, 'l2'));
    symlinkSync('me/me', join(root, 'me'));
    expect(await codes('l1', READING)).toEqual(every('NOT_A_FILE', READING));
    expect(await codes('me', READING)).toEqual(every('NOT_A_FILE', READING));
    symlinkSync('spare', join(root, 'chain0'));
    for (let link = 1; link <= 40; link++) symlinkSync(`chain${link - 1}`, join(root, `chain${link}`));
    expect(await codes('chain39', ['open'])).toEqual(every('ok', ['open']));
    expect(await codes('chain40', ['open'])).toEqual(every('NOT_A_FILE', ['open']));
    // 2^40 steps, were they taken.
    mkdirSync(join(root, 'bomb'));
    symlinkSync('.', join(root, 'bomb/0'));
    for (let link = 1; link <= 40; link++) symlinkSync(`${link - 1}/${link - 1}`, join(root, `bomb/${link}`));
    expect(await codes('bomb/40', ['open', 'stat'])).toEqual(every('NOT_A_FILE', ['open', 'stat']));
  });

  it('reports a dangling link, and removes only the link', async () => {
    symlinkSync('nothing', join(root, 'dangling'));
    symlinkSync('a/b/f', join(root, 'link'));
    expect(await codes('dangling', READING)).toEqual(every('FILE_NOT_FOUND', READING));
    await workspace.remove('dangling');
    await workspace.remove('link');
    expect(await textOf('a/b/f')).toBe('GOOD\n');
    expect(readdirSync(root).sort()).toEqual(['a', 'c', 'spare']);
  });

  it('counts the names of a file', async () => {
    linkSync(join(root, 'spare'), join(root, 'twin'));
    expect(await workspace.stat('twin')).toMatchObject({ kind: 'file', names: 2 });
    await workspace.write('twin', 'new\n', { overwrite: true });
    expect(await textOf('spare')).toBe('GOOD\n');
  });
});

describe('not a regular file', () => {
  let server: Server | undefined;
  const plants: Record<string, (path: string) => void> = {
    pipe: (path) => execFileSync('mkfifo', [path]),
    socket: (path) => {
      server = createServer().listen(path);
    },
    directory: (path) => mkdirSync(path),
    ...(isRoot && {
      zero: (path) => execFileSync('mknod', [path, 'c', '1', '5']),
      null: (path) => execFileSync('mknod', [path, 'c', '1', '3']),
      terminal: (path) => execFileSync('mknod', [path, 'c', '5', '0']),
    }),
  };

  afterEach(() => {
    server?.close();
    server = undefined;
  });

  it.each(Object.keys(plants))('%s: is rejected immediately', async (kind) => {
    const path = join(root, 'odd.pdf');
    plants[kind]?.(path);
    const isFolder = kind === 'directory';
    const wanted = isFolder ? 'directory' : 'other';
    const made = () => lstatSync(path).mode;
    const mode = made();
    expect(await codes('odd.pdf', ['open', 'read', 'replace', 'write', 'moveTo'])).toEqual({
      ...every('NOT_A_FILE', ['open', 'read', 'replace', 'write']),
      moveTo: 'ALREADY_EXISTS',
    });
    expect(made()).toBe(mode);
    expect(await workspace.kind('odd.pdf')).toBe(wanted);
    expect(await workspace.stat('odd.pdf')).toMatchObject({ kind: wanted });
    const { entries } = await workspace.list();
    expect(entries.find((entry) => entry.path === 'odd.pdf')).toMatchObject({ kind: wanted });
    const found = await workspace.search('GOOD');
    expect(found.matches).toHaveLength(3);
    await workspace.move('odd.pdf', 'moved');
    await workspace.remove('moved', { recursive: true });
  });
});

if (isRoot)
  describe('permissions', () => {
    beforeEach(() => {
      for (const [file, mode] of [
        ['secret', '000'],
        ['closed/f', '600'],
      ] as const) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), 'hidden\n');
        execFileSync('chmod', [mode, join(root, file)]);
      }
      execFileSync('chmod', ['000', join(root, 'closed')]);
      execFileSync('chmod', ['755', base, root]);
    });

    it('reports missing read and write permission', async () => {
      process.seteuid?.(NOBODY);
      try {
        expect(await codes('secret', ['open', 'read', 'replace', 'moveFrom', 'remove'])).toEqual(
          every('ACCESS_DENIED', ['open', 'read', 'replace', 'moveFrom', 'remove']),
        );
        expect(await codes('closed/f')).toEqual(every('ACCESS_DENIED'));
        expect(await codes('closed', ['list'])).toEqual(every('ACCESS_DENIED', ['list']));
        expect(await codes('new', ['write', 'saveResult'])).toEqual(
          every('ACCESS_DENIED', ['write', 'saveResult']),
        );
        const { entries, notes } = await workspace.list('', { depth: 5 });
        expect(entries.map(({ path }) => path)).toContain('c/g');
        expect(notes.join()).toContain('closed');
        const found = await workspace.search('GOOD');
        expect(found.matches).toHaveLength(3);
        expect(found.skipped.map(({ path }) => path)).toContain('secret');
      } finally {
        process.seteuid?.(0);
      }
    });
  });

describe('ids', () => {
  it.each([
    '',
    '.',
    '..',
    '_private-data',
    '_staging',
    '__proto__',
    'a/b',
    'a%2fb',
    'a\n',
    '\n',
    'a\0',
    'n'.repeat(300),
    ' A',
    'A ',
    '\uff21',
    'e\u0301',
    '-rf',
    'CON',
    'nul',
    'com1.txt',
    'a.',
    '~',
    1,
    null,
    undefined,
    ['a'],
    { toString: () => 'a' },
  ])('%j is not an id', async (id) => {
    const dataDir = join(root, 'data');
    const made = async (user: unknown, session: unknown) => {
      // As from a caller without types.
      const stored = createWorkspace({ dataDir, user: user as string, session: session as string });
      await stored.write('f', 'x');
    };
    await expect(made(id, 's')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(made('u', id)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    expect(existsSync(join(dataDir, 'workspaces')) && readdirSync(join(dataDir, 'workspaces'))).toEqual(
      false,
    );
  });

  it('separates sessions, users and private data', async () => {
    const dataDir = join(root, 'data');
    const of = (user: string, session: string) => createWorkspace({ dataDir, user, session });
    await of('u', 's2').write('f', SECRET);
    await of('u2', 's').write('f', SECRET);
    const workspaces = join(dataDir, 'workspaces');
    mkdirSync(join(workspaces, '_private-data/u'), { recursive: true });
    writeFileSync(join(workspaces, '_private-data/u/s.json'), SECRET);
    workspace = of('u', 's');
    reader = createReader({ workspace, cache: false });
    await workspace.write('f', 'mine\n');
    await workspace.write('spare', 'mine\n');
    for (const path of ['../s2/f', '../../u2/s/f', '../../_private-data/u/s.json', `${workspaces}/u/s2/f`])
      expect(await codes(path)).toEqual(every('PATH_ESCAPES_WORKSPACE'));
    symlinkSync('../s2/f', join(workspaces, 'u/s/link'));
    symlinkSync('../../_private-data', join(workspaces, 'u/s/private'));
    expect(await codes('link', READING)).toEqual(every('PATH_ESCAPES_WORKSPACE', READING));
    expect(await codes('private/u/s.json', READING)).toEqual(every('PATH_ESCAPES_WORKSPACE', READING));
    expect((await workspace.search('SECRET')).matches).toEqual([]);
    expect((await workspace.glob('**/*.json')).entries).toEqual([]);
    writeFileSync(join(root, 'harmless.txt'), '');
    await workspace.write('harmless.txt', 'harmless\n');
  });
});

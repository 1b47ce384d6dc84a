import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cacheDirectory, createDiskCache, createMemoryCache } from '../../src/cache/index.ts';
import { draws } from '../support/draws.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cache-'));
});
afterEach(() => {
  chmodSync(directory, 0o700);
  rmSync(directory, { recursive: true, force: true });
});

const keyOf = (text: string): string => `${createHash('sha256').update(text).digest('hex')}.pdf-0.sections-1`;
const bytesOf = (text: string): Uint8Array => Buffer.from(text.repeat(50));
const files = (): string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const only = (): string => files()[0] ?? '';

describe.each([
  ['on disk', () => createDiskCache({ directory })],
  ['in memory', () => createMemoryCache()],
])('%s', (_place, create) => {
  it('gives back what was put, and the newer of two', async () => {
    const cache = create();
    expect(await cache.get(keyOf('a'))).toBe(undefined);
    await cache.put(keyOf('a'), bytesOf('one'));
    await cache.put(keyOf('a'), bytesOf('two'));
    await cache.put(keyOf('b'), new Uint8Array());
    expect(Buffer.from((await cache.get(keyOf('a'))) ?? []).toString()).toBe('two'.repeat(50));
    expect((await cache.get(keyOf('b')))?.length).toBe(0);
  });
});

it('keeps nothing under a key that is none', async () => {
  const cache = createDiskCache({ directory });
  for (const key of ['', '../evil', 'a/b', 'A', 'x', '.a', `a${'b'.repeat(300)}`]) {
    await cache.put(key, bytesOf('x'));
    expect(await cache.get(key)).toBe(undefined);
  }
  expect(files()).toEqual([]);
});

it('misses rather than give back a damaged entry, whichever byte is damaged', async () => {
  const cache = createDiskCache({ directory });
  const payload = Buffer.from('the payload');
  await cache.put(keyOf('a'), payload);
  const whole = readFileSync(only());
  const path = only();
  for (let at = 0; at < whole.length; at += 1) {
    const damaged = Buffer.from(whole);
    damaged[at] = (damaged[at] ?? 0) ^ 1;
    writeFileSync(path, damaged);
    expect(await cache.get(keyOf('a')), `byte ${at}`).toBe(undefined);
    expect(existsSync(path)).toBe(false);
  }
  for (let length = 0; length < whole.length; length += 1) {
    writeFileSync(path, whole);
    truncateSync(path, length);
    expect(await cache.get(keyOf('a')), `${length} bytes`).toBe(undefined);
  }
  writeFileSync(path, whole);
  expect(await cache.get(keyOf('a'))).toEqual(payload);
});

it('does not give the entry of one key for another', async () => {
  const cache = createDiskCache({ directory });
  await cache.put(keyOf('a'), bytesOf('x'));
  const other = `${keyOf('a').slice(0, -1)}2`;
  writeFileSync(join(only(), '..', other), readFileSync(only()));
  expect(await cache.get(other)).toBe(undefined);
});

it('stays within its size, and drops what was used longest ago', async () => {
  const maxBytes = 16 * 20_000;
  const cache = createDiskCache({ directory, maxBytes });
  const names = Array.from({ length: 400 }, (_, i) => `entry ${i}`);
  const past = Date.now() / 1000 - 86_400;
  for (const [i, name] of names.entries()) {
    await cache.put(keyOf(name), Buffer.alloc(3000, i));
    for (const path of files().filter((file) => file.includes(keyOf(name))))
      utimesSync(path, past + i, past + i);
  }
  const { bytes, entries } = await cache.stats();
  expect(bytes).toBeLessThanOrEqual(maxBytes);
  expect(entries).toBeGreaterThan(40);
  expect(await cache.get(keyOf('entry 399'))).toBeDefined();
  expect(await cache.get(keyOf('entry 0'))).toBe(undefined);
});

it('leaves alone what it did not make', async () => {
  const cache = createDiskCache({ directory, maxBytes: 16 * 1000 });
  const folder = join(directory, 'v1', keyOf('a').slice(0, 1));
  mkdirSync(join(folder, 'a-folder'), { recursive: true });
  writeFileSync(join(folder, 'README'), 'mine');
  writeFileSync(join(directory, 'secret'), 'secret');
  symlinkSync(join(directory, 'secret'), join(folder, keyOf('a')));
  expect(await cache.get(keyOf('a'))).toBe(undefined);
  await cache.put(keyOf('a'), Buffer.alloc(400));
  await cache.clear();
  expect(existsSync(join(folder, 'a-folder'))).toBe(true);
  expect(readFileSync(join(folder, 'README'), 'utf8')).toBe('mine');
  expect(readFileSync(join(directory, 'secret'), 'utf8')).toBe('secret');
});

it('removes what a writer left behind, once it is old', async () => {
  const cache = createDiskCache({ directory });
  await cache.put(keyOf('a'), bytesOf('x'));
  const folder = join(only(), '..');
  const [old, fresh] = [join(folder, `${'0'.repeat(24)}.tmp`), join(folder, `${'1'.repeat(24)}.tmp`)];
  for (const path of [old, fresh]) writeFileSync(path, 'half');
  utimesSync(old, 1, 1);
  await cache.put(keyOf('a'), bytesOf('y'));
  expect(existsSync(old)).toBe(false);
  expect(existsSync(fresh)).toBe(true);
});

it('is never trouble for its user', async () => {
  const file = join(directory, 'a-file');
  writeFileSync(file, '');
  const blocked = createDiskCache({ directory: file });
  await blocked.put(keyOf('a'), bytesOf('x'));
  expect(await blocked.get(keyOf('a'))).toBe(undefined);
  expect((await blocked.stats()).problem).toBe('ENOTDIR');
  const open = join(directory, 'open');
  mkdirSync(open);
  chmodSync(open, 0o777);
  const shared = createDiskCache({ directory: open });
  await shared.put(keyOf('a'), bytesOf('x'));
  expect((await shared.stats()).problem).toContain('everyone');
});

it('returns nothing from a folder that others can write to', async () => {
  const cache = createDiskCache({ directory });
  await cache.put(keyOf('a'), bytesOf('x'));
  expect(await cache.get(keyOf('a'))).toEqual(bytesOf('x'));
  chmodSync(directory, 0o777);
  expect(await cache.get(keyOf('a'))).toBe(undefined);
  chmodSync(directory, 0o700);
});

it('is private to its owner', async () => {
  const cache = createDiskCache({ directory: join(directory, 'deep', 'er') });
  await cache.put(keyOf('a'), bytesOf('x'));
  expect(statSync(only()).mode & 0o077).toBe(0);
  expect(statSync(join(only(), '..')).mode & 0o077).toBe(0);
});

const WRITER = fileURLToPath(new URL('../support/cache-writer.mjs', import.meta.url));

/** Done when so many bytes have been printed. */
function printed(output: Readable, bytes: number): Promise<void> {
  let seen = 0;
  return new Promise((resolve) => {
    output.on('data', (chunk: Buffer) => {
      seen += chunk.length;
      if (seen >= bytes) resolve();
    });
  });
}

it('shows no half entry to anyone when its writers are killed', async () => {
  const payloads = new Set<string>();
  for (let round = 0; round < draws(12, 5); round += 1) {
    const children = [0, 1, 2].map((seed) =>
      spawn(process.execPath, [WRITER, directory, String(seed)], { stdio: ['ignore', 'pipe', 'ignore'] }),
    );
    const ended = children.map((child) => new Promise((resolve) => child.once('exit', resolve)));
    // However busy the machine is, they are killed in their writing, and have written something.
    await Promise.all(children.map((child) => printed(child.stdout, 1 + 5 * round)));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
    const cache = createDiskCache({ directory });
    for (let i = 0; i < 40; i += 1) {
      const bytes = await cache.get(keyOf(`shared ${i}`));
      if (!bytes) continue;
      const text = Buffer.from(bytes).toString();
      expect(text).toMatch(/^(\d+:\d+;)\1*$/);
      payloads.add(text);
    }
  }
  expect(payloads.size).toBeGreaterThan(20);
});

it('is where the platform keeps caches, or in the data directory', () => {
  expect(cacheDirectory({ LECTERN_DATA_DIR: 'data', DATA_DIR: 'old', HOME: '/h' })).toBe(
    join('data', 'cache'),
  );
  expect(cacheDirectory({ DATA_DIR: 'data', HOME: '/h' })).toBe(join('data', 'cache'));
  expect(cacheDirectory({ XDG_CACHE_HOME: '/x', HOME: '/h' }, 'linux')).toBe('/x/lectern');
  expect(cacheDirectory({ XDG_CACHE_HOME: 'relative', HOME: '/h' }, 'linux')).toBe('/h/.cache/lectern');
  expect(cacheDirectory({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Caches/lectern');
  expect(cacheDirectory({}, 'win32')).toBe(undefined);
  expect(cacheDirectory({}, 'linux')).toBe(undefined);
});

import { createHash } from 'node:crypto';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createFolderBlobStore } from '../../../src/service/jobs/blob-store.ts';
import { temporaryFolder } from './trial.ts';

const SIGNAL: AbortSignal = new AbortController().signal;
const ENDED = '00000000-1-0-1';

async function* pieces(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

test('a blob contains the bytes put, is named by its hash, and is private to its owner', async () => {
  const folder = await temporaryFolder();
  const store = createFolderBlobStore(folder);
  const one = await store.put('ada', pieces('abc', 'def'), { maxBytes: 6, signal: SIGNAL });
  const two = await store.put('ada', pieces('abcdef'), { maxBytes: 6, signal: SIGNAL });
  expect(one).toMatchObject({ bytes: 6, sha256: createHash('sha256').update('abcdef').digest('hex') });
  expect(one.blob.startsWith(one.sha256)).toBe(true);
  expect(two.blob).not.toBe(one.blob);
  const path = await store.path('ada', one.blob);
  expect(await readFile(path, 'utf8')).toBe('abcdef');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await expect(store.path('bob', one.blob)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  await store.remove('ada', one.blob);
  await store.remove('ada', one.blob);
  expect(await readFile(await store.path('ada', two.blob), 'utf8')).toBe('abcdef');
  await store.remove('ada', two.blob);
  expect(await readdir(folder)).toEqual([]);
});

test('an upload that is too long, aborted or interrupted leaves nothing', async () => {
  const folder = await temporaryFolder();
  const store = createFolderBlobStore(folder);
  await expect(store.put('ada', pieces('abc', 'def'), { maxBytes: 5, signal: SIGNAL })).rejects.toMatchObject(
    { code: 'LIMIT_EXCEEDED' },
  );
  await expect(
    store.put('ada', pieces('abc'), { maxBytes: 5, signal: AbortSignal.abort() }),
  ).rejects.toMatchObject({ code: 'ABORTED' });
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('abc');
    throw new Error('The client is gone.');
  }
  await expect(store.put('ada', broken(), { maxBytes: 5, signal: SIGNAL })).rejects.toThrow(
    'The client is gone.',
  );
  expect(await filesIn(folder)).toEqual([]);
});

test('a blob is stored while sweeps and removals take the empty folder away', async () => {
  const store = createFolderBlobStore(await temporaryFolder());
  let isStoring = true;
  const sweeping = (async () => {
    while (isStoring) await store.sweep(async () => true);
  })();
  const store20 = async () => {
    for (let number = 0; number < 20; number += 1) {
      const { blob } = await store.put('ada', pieces('abc'), { maxBytes: 3, signal: SIGNAL });
      await store.remove('ada', blob);
    }
  };
  await Promise.all(Array.from({ length: 8 }, store20)).finally(() => {
    isStoring = false;
  });
  await sweeping;
});

test('an invalid id does not name a file', async () => {
  const store = createFolderBlobStore(await temporaryFolder());
  await expect(store.path('ada', '../../etc/passwd')).rejects.toThrow('Not a blob id.');
  await expect(store.remove('ada', '../x')).rejects.toThrow('Not a blob id.');
});

test('a sweep removes unreferenced files of dead processes', async () => {
  const folder = await temporaryFolder();
  const old = createFolderBlobStore(folder, { holder: ENDED });
  const put = async (store: typeof old, text: string) =>
    (await store.put('ada', pieces(text), { maxBytes: 9, signal: SIGNAL })).blob;
  const kept = await put(old, 'kept');
  await put(old, 'left');
  const store = createFolderBlobStore(folder);
  const waiting = await put(store, 'waiting');
  await writeFile(join(folder, 'ada', `${ENDED}.0123456789abcdef.tmp`), 'half');
  await writeFile(join(folder, 'ada', 'notes.txt'), 'of someone else');
  expect(await store.sweep(async (user, blob) => user === 'ada' && blob === kept)).toBe(2);
  expect((await filesIn(folder)).sort()).toEqual([kept, waiting, 'notes.txt'].sort());
});

test('a file whose writer cannot be checked is removed when it is old', async () => {
  const folder = await temporaryFolder();
  const foreign = createFolderBlobStore(folder, { holder: 'unknown-1-1' });
  const { blob } = await foreign.put('ada', pieces('x'), { maxBytes: 9, signal: SIGNAL });
  const store = createFolderBlobStore(folder);
  expect(await store.sweep(async () => false)).toBe(0);
  const long = new Date(Date.now() - 2 * 3_600_000);
  await utimes(await store.path('ada', blob), long, long);
  expect(await store.sweep(async () => false)).toBe(1);
});

test('files of a process on another machine are not left over, where machines share the folder', async () => {
  const folder = await temporaryFolder();
  const other = createFolderBlobStore(folder, { holder: '00000000-1-1-1' });
  const { blob } = await other.put('ada', pieces('a'), { maxBytes: 9, signal: SIGNAL });
  const unused = () => Promise.resolve(false);
  expect(await createFolderBlobStore(folder, { isShared: true }).sweep(unused)).toBe(0);
  expect(await createFolderBlobStore(folder).sweep(unused)).toBe(1);
  await expect(other.path('ada', blob)).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
});

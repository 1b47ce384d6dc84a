// Removes and moves what is stored. Object storage renames nothing: files are copied, then removed, one by one.

import type { BlobFacts } from '../../blobs/index.ts';
import { quoted, ReaderError, type WorkspaceLimits } from '../../contract/index.ts';
import { intoItself, rootMoved, takenByFile, takenByFolder } from '../files/move.ts';
import { taken } from '../files/publish.ts';
import { moreThan, noSha256, notRecursive, rootRemoved } from '../files/remove.ts';
import { changedSince, checkSha256, refuseNames } from '../files/replacing.ts';
import { RESULTS_FOLDER } from '../results/name.ts';
import type { RemoveOptions } from '../workspace.ts';
import type { BlobStore } from './blob-store.ts';
import { type FoundKey, lookUp } from './lookup.ts';
import { inParallel } from './parallel.ts';
import { storedError } from './remote-file.ts';
import { refuseOtherHash } from './replace-check.ts';
import { refuseFilesAbove } from './staged-blob.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** @throws {ReaderError} as `Workspace.remove` */
export async function removeStored(
  store: BlobStore,
  path: string,
  { recursive = false, ifSha256 }: RemoveOptions,
  most: number,
): Promise<void> {
  checkSha256(ifSha256);
  if (store.parse(path).length === 0) throw rootRemoved();
  const { facts, shown, path: found } = await store.find(path, 'near');
  const name = shown.join('/');
  try {
    if (facts) {
      if (ifSha256 !== undefined) await refuseOtherHash(store, facts, ifSha256, name, undefined);
      await removeKey(store, facts, name, ifSha256 !== undefined);
    } else if (ifSha256 !== undefined) throw noSha256(name);
    else if (!recursive) throw notRecursive(name);
    else if (await removeBelow(store, `${store.prefix}${found}/`, most)) throw moreThan(most);
  } finally {
    store.quota?.shrunk();
  }
}

async function removeKey(store: BlobStore, facts: BlobFacts, name: string, isBound: boolean): Promise<void> {
  try {
    await store.blobs.remove(facts.key, isBound ? { ifVersion: facts.version } : {});
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'CONFLICT') throw changedSince(name, true);
    throw error;
  }
}

/** True if more than `most` are stored. */
async function removeBelow({ blobs }: BlobStore, prefix: string, most: number): Promise<boolean> {
  let removed = 0;
  let isMore = false;
  await inParallel(blobs.list(prefix), async ({ key }) => {
    if (removed >= most) {
      isMore = true;
      return 'end';
    }
    removed += 1;
    await blobs.remove(key);
    return undefined;
  });
  return isMore;
}

/** @throws {ReaderError} as `Workspace.move`; LIMIT_EXCEEDED for a folder with more than `most` files */
export async function moveStored(
  store: BlobStore,
  from: string,
  to: string,
  { overwrite = false }: { readonly overwrite?: boolean },
  most: number,
): Promise<void> {
  const [fromNames, toNames] = [store.parse(from), store.parse(to)];
  if (fromNames.length === 0 || toNames.length === 0) throw rootMoved();
  const path = store.shownPath(toNames);
  refuseNames(toNames, path);
  const source = await store.find(from, 'near');
  const toKey = store.keyOf(toNames);
  const target = await lookUp(store.blobs, store.prefix, toNames);
  if (source.path === toNames.join('/')) {
    if (overwrite || !source.facts) return;
    throw taken(path);
  }
  refuseTarget(source, target, path, overwrite);
  if (!source.facts && `${toNames.join('/')}/`.startsWith(`${source.path}/`))
    throw intoItself(source.shown.join('/'), path);
  await refuseFilesAbove(store, toNames);
  if (source.facts) await moveKey(store, source.facts, toKey, path, overwrite);
  else await moveFolder(store, `${store.prefix}${source.path}/`, `${toKey}/`, path, most);
  if (target) store.quota?.shrunk();
}

function refuseTarget(
  source: FoundKey,
  target: FoundKey | undefined,
  path: string,
  overwrite: boolean,
): void {
  if (!target) return;
  if (!target.facts) throw takenByFolder(path);
  if (!overwrite) throw taken(path);
  if (!source.facts) throw takenByFile(path);
}

async function moveKey(
  store: BlobStore,
  facts: BlobFacts,
  toKey: string,
  path: string,
  overwrite: boolean,
): Promise<void> {
  await copyKey(store, facts, toKey, path, overwrite);
  await removeKey(store, facts, path, true);
}

async function copyKey(
  { blobs }: BlobStore,
  { key, version }: BlobFacts,
  toKey: string,
  path: string,
  overwrite: boolean,
): Promise<void> {
  try {
    await blobs.put(toKey, blobs.stream(key, { version }), overwrite ? {} : { ifAbsent: true });
  } catch (error) {
    if (error instanceof ReaderError && error.code === 'ALREADY_EXISTS') throw taken(path);
    throw storedError(error, path);
  }
}

/** Copies all files before it removes one, so that a failure leaves the folder as it was. */
async function moveFolder(
  store: BlobStore,
  from: string,
  to: string,
  path: string,
  most: number,
): Promise<void> {
  const { blobs } = store;
  const all: BlobFacts[] = [];
  for await (const facts of blobs.list(from)) {
    if (all.length >= most)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `${quoted(path)} was not moved: the folder has more than ${most} files (limit \`maxWalkedEntries\`).`,
        'Move its folders one by one.',
      );
    all.push(facts);
  }
  for (const { key } of all) store.keyOf([`${to}${key.slice(from.length)}`.slice(store.prefix.length)]);
  const copied: string[] = [];
  try {
    await inParallel(all, async (facts) => {
      const key = `${to}${facts.key.slice(from.length)}`;
      await copyKey(store, facts, key, path, false);
      copied.push(key);
      return undefined;
    });
  } catch (error) {
    await inParallel(copied, async (key) => {
      await blobs.remove(key);
      return undefined;
    });
    throw error;
  }
  await inParallel(all, async ({ key }) => {
    await blobs.remove(key);
    return undefined;
  });
}

/** Removes results that are older than limit `resultDays`. Writes leave nothing behind that has to be removed. */
export async function pruneStored(
  store: BlobStore,
  { resultDays }: Pick<WorkspaceLimits, 'resultDays'>,
): Promise<{ readonly removed: readonly string[] }> {
  const removed: string[] = [];
  if (resultDays <= 0) return { removed };
  const before = Date.now() - resultDays * DAY_MS;
  await inParallel(
    store.blobs.list(`${store.prefix}${RESULTS_FOLDER}/`),
    async ({ key, modified, version }) => {
      if (modified.getTime() >= before) return undefined;
      try {
        if (await store.blobs.remove(key, { ifVersion: version }))
          removed.push(key.slice(store.prefix.length));
      } catch (error) {
        if (!(error instanceof ReaderError && error.code === 'CONFLICT')) throw error; // written again
      }
      return undefined;
    },
  );
  if (removed.length > 0) store.quota?.shrunk();
  return { removed: removed.sort() };
}

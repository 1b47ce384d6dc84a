// Finds what a path names in object storage: a file, a folder, or nothing, under the spelling it is stored by.

import { type BlobFacts, type Blobs, isKey } from '../../blobs/index.ts';
import { foldedName, nearPaths } from '../../contract/index.ts';
import { isReserved } from '../../disk/index.ts';
import { gone } from '../paths/folder.ts';
import { bytesShown, shownName } from '../paths/names.ts';
import { NotFound } from '../paths/walk.ts';
import { childrenOf } from './children.ts';

/** A file, or without `facts` a folder. */
export interface FoundKey {
  /** Without the prefix of the workspace; '' for its root. */
  readonly path: string;
  /** Its names as shown to a model. */
  readonly shown: readonly string[];
  readonly facts?: BlobFacts;
}

/** Entries of a folder that are compared with a missing name. */
const MAX_SPELLED = 5000;

/** Undefined if nothing has exactly these names. */
export async function lookUp(
  blobs: Blobs,
  prefix: string,
  names: readonly string[],
): Promise<FoundKey | undefined> {
  const path = names.join('/');
  const shown = names.map((name) => shownName(Buffer.from(name)));
  if (names.length === 0) return { path, shown };
  // Nothing has a name that cannot be stored, or one of a file being written.
  if (!isKey(`${prefix}${path}`) || names.some((name) => isReserved(Buffer.from(name)))) return undefined;
  const facts = await blobs.stat(`${prefix}${path}`);
  if (facts) return { path, shown, facts };
  return (await isFolder(blobs, `${prefix}${path}`)) ? { path, shown } : undefined;
}

/** True if a key starts with `key` and a slash. */
export async function isFolder(blobs: Blobs, key: string): Promise<boolean> {
  for await (const _ of blobs.list(`${key}/`)) return true;
  return false;
}

/**
 * Like `lookUp`, for names that a model wrote: as they were shown, or with the only entry that looks the same.
 * @param spelling `near` only suggests the latter
 * @throws {NotFound} with similar names
 */
export async function lookUpAlike(
  blobs: Blobs,
  prefix: string,
  names: readonly string[],
  spelling: 'alike' | 'near',
): Promise<FoundKey> {
  const exact = await lookUp(blobs, prefix, names);
  if (exact) return exact;
  const found: string[] = [];
  for (const [index, name] of names.entries()) {
    const folder = `${prefix}${found.map((one) => `${one}/`).join('')}`;
    const other = await spelled(blobs, folder, name, spelling);
    if (other === undefined) {
      const above = found.map((one) => `${shownName(Buffer.from(one))}/`).join('');
      const near = await nearPaths(names.slice(index), (below) =>
        namesIn(blobs, `${folder}${below.map((one) => `${one}/`).join('')}`),
      );
      throw new NotFound(
        near.map((path) => above + path.join('/')),
        gone(),
      );
    }
    found.push(other);
  }
  const other = await lookUp(blobs, prefix, found);
  if (!other) throw new NotFound([], gone());
  return other;
}

async function spelled(
  blobs: Blobs,
  prefix: string,
  wanted: string,
  spelling: 'alike' | 'near',
): Promise<string | undefined> {
  if (!isKey(`${prefix}x`)) return undefined;
  const meant = bytesShown(wanted)?.toString('utf8');
  const folded = foldedName(wanted);
  const alike: string[] = [];
  let seen = 0;
  for await (const { name } of childrenOf(blobs, prefix, undefined)) {
    if (name === wanted || name === meant) return name;
    seen += 1;
    if (seen > MAX_SPELLED) break;
    if (foldedName(name) === folded) alike.push(name);
  }
  const [only] = alike;
  const isSure = alike.length === 1 && seen <= MAX_SPELLED && spelling === 'alike';
  return isSure ? only : undefined;
}

/** The names in a folder, as shown; none if it does not exist. */
async function* namesIn(blobs: Blobs, prefix: string): AsyncGenerator<string> {
  if (!isKey(`${prefix}x`)) return;
  let seen = 0;
  for await (const { name } of childrenOf(blobs, prefix, undefined)) {
    seen += 1;
    if (seen > MAX_SPELLED) return;
    yield shownName(Buffer.from(name));
  }
}

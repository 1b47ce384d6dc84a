// Finds where the path of an address ends. A file whose name contains `#` takes precedence, so the files decide.

import type { Files } from '../contract/index.ts';

const MAX_CUTS = 32;
/** Between the path of a file and that of a file inside it. */
const INSIDE = '!/';

/** Positions where a path may end and a place begin, the longest path first. */
export function addressCuts(address: string): number[] {
  const cuts: number[] = [];
  for (
    let at = address.lastIndexOf('#');
    at > 0 && cuts.length < MAX_CUTS;
    at = address.lastIndexOf('#', at - 1)
  )
    cuts.push(at);
  return cuts;
}

/**
 * The path of a file, and the fragment behind it if it has one. Undivided if a file has that name, or if no file has
 * the name without a fragment.
 */
export async function splitAddress(
  address: string,
  files: Pick<Files, 'kind'>,
): Promise<{ readonly path: string; readonly fragment?: string }> {
  const cuts = addressCuts(address);
  if (cuts.length === 0 || (await files.kind(address)) !== undefined) return { path: address };
  for (const cut of cuts) {
    const path = address.slice(0, cut);
    if ((await files.kind(path)) === 'file') return { path, fragment: address.slice(cut + 1) };
  }
  return { path: address };
}

/**
 * The path of a file, and of the one inside it if it names one: `archive.zip!/dir/file.csv`. Undivided if a file has
 * that name; if no file has any of the names, the first is the one that is missing.
 */
export async function splitMember(
  address: string,
  files: Pick<Files, 'kind'>,
): Promise<{ readonly path: string; readonly member?: string }> {
  const first = address.indexOf(INSIDE);
  if (first <= 0 || (await files.kind(address)) !== undefined) return { path: address };
  let tried = 0;
  for (
    let at = first;
    at > 0 && tried < MAX_CUTS;
    at = address.indexOf(INSIDE, at + INSIDE.length), tried += 1
  ) {
    const path = address.slice(0, at);
    if ((await files.kind(path)) === 'file') return { path, member: address.slice(at + INSIDE.length) };
  }
  // Nothing to look into: the file before the first cut is missing, unless that is a directory.
  const missing = address.slice(0, first);
  return (await files.kind(missing)) === undefined ? { path: missing, member: '' } : { path: address };
}

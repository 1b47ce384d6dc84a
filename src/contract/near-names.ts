// Suggests existing names similar to a missing one.

import { editDistance } from './text.ts';

const NEAR_ENTRIES = 5000;
const MAX_NEAR = 3;

/**
 * Up to three of the first 5000 `names` that differ from `wanted` by case, Unicode form, kind of space, two edits, or an
 * escaping: `a%20b` as in a URL, `a\\ b` as in a shell.
 */
export async function nearNames(
  wanted: string,
  names: AsyncIterable<string> | Iterable<string>,
): Promise<string[]> {
  const forms = new Set([wanted, unescaped(wanted)].map((form) => foldedName(form).toLowerCase()));
  const found: { readonly name: string; readonly distance: number }[] = [];
  let seen = 0;
  for await (const name of names) {
    seen += 1;
    if (seen > NEAR_ENTRIES) break;
    const folded = foldedName(name).toLowerCase();
    const distance = Math.min(...[...forms].map((form) => editDistance(form, folded, 2)));
    if (distance <= 2) found.push({ name, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ name }) => name);
}

/**
 * Up to three existing paths that resemble `wanted` name by name, of the names that `list` gives for a folder; it gives
 * none for what is not a folder. If a folder has nothing like the next name, the folder itself.
 */
export async function nearPaths(
  wanted: readonly string[],
  list: (folder: readonly string[]) => AsyncIterable<string> | Iterable<string>,
): Promise<(readonly string[])[]> {
  let found: (readonly string[])[] = [[]];
  for (const name of wanted) {
    const below: (readonly string[])[] = [];
    for (const folder of found)
      for (const near of await nearNames(name, list(folder))) below.push([...folder, near]);
    if (below.length === 0) break;
    found = below.slice(0, MAX_NEAR);
  }
  return found.filter((path) => path.length > 0);
}

function unescaped(name: string): string {
  const plain = name.replace(/\\(.)/gu, '$1');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain; // a percent sign of its own
  }
}

/** `name` with Unicode form, kinds of space and quotation marks normalised; equal if only these differ. */
export function foldedName(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\s/gu, ' ')
    .replace(/[\u2018\u2019]/gu, "'")
    .replace(/[\u201c\u201d]/gu, '"')
    .slice(0, 255);
}

// Suggests existing names similar to a missing one.

import { editDistance } from './text.ts';

const NEAR_ENTRIES = 5000;
const MAX_NEAR = 3;

/**
 * Up to three of the first 5000 `names` that differ from `wanted` by case, Unicode form, kind of space, or two edits.
 */
export async function nearNames(
  wanted: string,
  names: AsyncIterable<string> | Iterable<string>,
): Promise<string[]> {
  const folded = foldedName(wanted).toLowerCase();
  const found: { readonly name: string; readonly distance: number }[] = [];
  let seen = 0;
  for await (const name of names) {
    seen += 1;
    if (seen > NEAR_ENTRIES) break;
    const distance = editDistance(folded, foldedName(name).toLowerCase(), 2);
    if (distance <= 2) found.push({ name, distance });
  }
  return found
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NEAR)
    .map(({ name }) => name);
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

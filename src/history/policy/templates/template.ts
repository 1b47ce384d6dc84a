// What every template gives, and the small means they share: each reads a result of one form and says in a few lines what is
// in it. Figures are counted, never estimated, and lines that are quoted stand in the result.

import { plural, safeCut } from '../../../contract/index.ts';

/** A short, true account of a result; null where the text is not of its form. */
export type Template = (text: string) => readonly string[] | null;

const LONGEST_QUOTE = 160;
/** Half of them from the start of a result, half from its end. */
const MOST_OTHERS = 4;

/** A line as it stands in the result, its end cut where it is long. */
export function quote(line: string): string {
  const plain = line.trimEnd();
  return plain.length <= LONGEST_QUOTE ? plain : `${plain.slice(0, safeCut(plain, LONGEST_QUOTE))}...`;
}

/** The first `most` of them in a list, and how many there are beside those. */
export function listed(all: readonly string[], most: number, what: string): readonly string[] {
  const shown = all.slice(0, most).map((one) => `- ${quote(one)}`);
  return all.length > most ? [...shown, `- ${plural(all.length - most, what)} more`] : shown;
}

/** How many there are of each, the most first; by name where they are as many. */
export function counted(all: readonly string[]): readonly (readonly [name: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
}

/** Lines of another form than those an account counts, the first and the last: a tool says there that it did not show all. */
export function others(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const shown =
    lines.length <= MOST_OTHERS
      ? lines
      : [...lines.slice(0, MOST_OTHERS / 2), ...lines.slice(-MOST_OTHERS / 2)];
  const which = lines.length > shown.length ? `, ${shown.length} of ${lines.length}` : '';
  return [`Other lines${which}:`, ...shown.map((line) => `- ${quote(line.trimStart())}`)];
}

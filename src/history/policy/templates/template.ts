// The template type and shared helpers. A template recognises one form of result and describes it in a few lines.
// Numbers are counted, never estimated, and quoted lines come from the result.

import { plural, safeCut } from '../../../contract/index.ts';

/** Returns a short, true account of a result, or null if the text has another form. */
export type Template = (text: string) => readonly string[] | null;

const LONGEST_QUOTE = 160;
/** Half from the start of the result, half from the end. */
const MOST_OTHERS = 4;

/** A line of the result, with its end cut if it is long. */
export function quote(line: string): string {
  const plain = line.trimEnd();
  return plain.length <= LONGEST_QUOTE ? plain : `${plain.slice(0, safeCut(plain, LONGEST_QUOTE))}...`;
}

/** The first `most` entries of a list, and the number of the rest. */
export function listed(all: readonly string[], most: number, what: string): readonly string[] {
  const shown = all.slice(0, most).map((one) => `- ${quote(one)}`);
  return all.length > most ? [...shown, `- ${plural(all.length - most, what)} more`] : shown;
}

/** Counts equal entries, most frequent first, then by name. */
export function counted(all: readonly string[]): readonly (readonly [name: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
}

/**
 * The first and last lines of a form the account does not count, where a tool may say that it did not show everything.
 */
export function others(lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  const shown =
    lines.length <= MOST_OTHERS
      ? lines
      : [...lines.slice(0, MOST_OTHERS / 2), ...lines.slice(-MOST_OTHERS / 2)];
  const which = lines.length > shown.length ? `, ${shown.length} of ${lines.length}` : '';
  return [`Other lines${which}:`, ...shown.map((line) => `- ${quote(line.trimStart())}`)];
}

// Finds a heading by its number or its words, as people write them.

import { editDistance, quoted, ReaderError } from '../contract/index.ts';

/** Words and numbers alone, so that marks and spaces make no difference. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}.]+/gu, ' ')
    .trim();

/** `7.2` of `7.2. Notice`, and the words after it. */
function partsOf(heading: string): { readonly number: string; readonly words: string } {
  const [, number = '', words = heading] =
    /^((?:[\p{L}]\.)?\d[\d.]*|[ivxlc]+\.|\p{L}\.)\s(.*)$/u.exec(heading) ?? [];
  return { number: number.replace(/\.$/, ''), words };
}

/** A rank up to this is a heading with exactly that number or these words. */
export const SURE = 1;

/** How well a heading matches `asked`: 0 is the best, undefined is not at all. */
export function rankedBy(asked: string): (heading: string) => number | undefined {
  const wanted = plain(asked);
  return (title) => {
    const heading = plain(title);
    if (wanted === '') return undefined;
    if (heading === wanted) return 0;
    const { number, words } = partsOf(heading);
    if (number !== '' && number === wanted.replace(/\.$/, '')) return SURE;
    if (words === wanted) return 2;
    return words.startsWith(`${wanted} `) || heading.startsWith(`${wanted} `) ? 3 : undefined;
  };
}

/** Headings that a message lists. */
const LISTED = 8;
const MAX_TITLE = 80;

/** The error for a heading that is not there, with the nearest of `titles`. */
export function noHeading(asked: string, titles: readonly string[]): ReaderError {
  const wanted = plain(asked).slice(0, MAX_TITLE);
  const near = titles
    .map((title) => ({ title, distance: editDistance(plain(title).slice(0, MAX_TITLE), wanted) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, LISTED)
    .map(({ title }) => quoted(title.slice(0, MAX_TITLE)));
  return new ReaderError(
    'BAD_INPUT',
    `No heading of the document is ${quoted(asked)}.`,
    near.length === 0
      ? 'The document has no headings; use `lines` or `pages`.'
      : `Use the number or the words of a heading, such as ${near.join(', ')}.`,
  );
}

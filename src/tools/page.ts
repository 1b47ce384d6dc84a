// Fits lines into a budget: as many whole lines as fit with the notes about the rest.

import { largestFitting, largestFrom, OWN, safeCut, type Tokens } from '../contract/index.ts';
import { inToolWords } from './words.ts';

/** Input of a page. */
export interface PageShape {
  readonly lines: readonly string[];
  /** The text after the first `shown` lines: counts, the cursor, notes. Ends without a line break. */
  readonly footer: (shown: number) => string;
}

/** Placeholder for a cursor during fitting, with a typical length and number of tokens. */
export const CURSOR = 'q7Zk2xWm9TbR4vLd0Nf8HsYc1GjP6aUe3KoXiQw5MzBtVrEnDl7hSgCy';

/** How many of `lines` fit with their footer; 0 if none does. */
export function fitting(
  { lines, footer }: PageShape,
  budget: Tokens,
  count: (text: string) => Tokens,
): number {
  const fits = (shown: number): boolean => count(pageText(lines.slice(0, shown), footer(shown))) <= budget;
  return largestFrom(0, lines.length, fits);
}

/** Lines, then the footer. */
export function pageText(lines: readonly string[], footer: string): string {
  const body = lines.map((line) => `${line}\n`).join('');
  return footer === '' ? body : `${body}${footer}\n`;
}

/** `text` within `budget`, cut with a mark if necessary. */
export function cutToBudget(text: string, budget: Tokens, count: (text: string) => Tokens): string {
  if (count(text) <= budget) return text;
  const cut = (size: number): string => `${text.slice(0, safeCut(text, size))}…`;
  const size = largestFitting(text.length - 1, (most) => count(cut(most)) <= budget);
  return size === 0 ? '' : cut(size);
}

/** Notes of an operation: the first five, each on one line of at most 300 characters. */
export function notesText(notes: readonly string[]): string {
  const shown = notes
    .slice(0, 5)
    .map(inToolWords)
    .map((note) => `${OWN.note}${note.length > 300 ? `${note.slice(0, safeCut(note, 300))}…` : note}]`);
  if (notes.length > shown.length) shown.push(`[${notes.length - shown.length} more notes]`);
  return shown.join('\n');
}

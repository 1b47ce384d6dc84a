// A listing as text within the budget: one path per line, each usable as a path argument, and the cursor to the rest.

import { OWN, oneLine, plural, ReaderError, safeCut, type Tokens } from '../contract/index.ts';
import type { WorkspaceEntry as Entry, Listing } from '../workspace/index.ts';
import type { ToolRoom } from './definition.ts';
import { CURSOR, cutToBudget, fitting, notesText, pageText } from './page.ts';

/** Wording of a listing. */
export interface ListingWords {
  /** What is listed: `entry`, `file`. */
  readonly unit: string;
  readonly empty: string;
}

/**
 * The text of the entries from `list`, at most `limit`. If fewer fit the budget, `list` is called again for just those,
 * because only it can make the cursor that follows them.
 */
export async function listingText(
  list: (limit: number | undefined) => Promise<Listing>,
  limit: number | undefined,
  words: ListingWords,
  { budget, count }: ToolRoom,
): Promise<string> {
  const whole = await list(limit);
  if (whole.entries.length === 0 && whole.next === null)
    return cutToBudget(
      pageText([], [words.empty, notesText(whole.notes)].filter(Boolean).join('\n')),
      budget,
      count,
    );
  // Cursors have about the same length everywhere; the real one is checked below.
  const shown = fitting(
    { lines: whole.entries.map(entryLine), footer: (n) => footer(whole, n, words) },
    budget,
    count,
  );
  if (shown === whole.entries.length)
    return pageText(whole.entries.map(entryLine), footer(whole, shown, words));
  for (let ask = Math.max(1, shown); ; ask = Math.max(1, Math.floor(ask * 0.8))) {
    const part = await list(ask);
    const text = pageText(part.entries.map(entryLine), footer(part, part.entries.length, words));
    if (count(text) <= budget) return text;
    if (ask > 1) continue;
    const least = tightest(part, words);
    if (count(least) <= budget) return least;
    throw overBudget(words.unit, count(least), budget);
  }
}

/** One entry and the cursor: the fallback when not even the notes fit. */
function tightest({ entries: [entry], next }: Listing, { unit }: ListingWords): string {
  const more = next === null ? '' : `${OWN.more}cursor "${next}"]\n`;
  return `${more}${entry ? `${entryLine(entry)}\n` : `[no ${unit}]\n`}`;
}

/** OVER_BUDGET when not even one line and the cursor to the rest fit. */
export function overBudget(unit: string, needed: Tokens, budget: Tokens): ReaderError {
  return new ReaderError(
    'OVER_BUDGET',
    `One ${unit} and the cursor to the rest take ${needed} tokens; the budget is ${budget}.`,
    'Request less, or raise the limit `maxTokensPerFile`.',
  );
}

const MAX_PATH = 4096;

/** `reports/`, `reports/q3.csv  1234 bytes`, `latest/  (link)`. */
function entryLine({ path, kind, bytes, leadsTo }: Entry): string {
  const shown = oneLine(path.length > MAX_PATH ? `${path.slice(0, safeCut(path, MAX_PATH))}…` : path);
  switch (kind) {
    case 'directory':
      return `${shown}/`;
    case 'file':
      return bytes === undefined ? shown : `${shown}  ${plural(bytes, 'byte')}`;
    case 'link':
      return leadsTo === 'directory' ? `${shown}/  (link)` : `${shown}  (link)`;
    case 'other':
      return `${shown}  (not a file)`;
  }
}

function footer({ entries, total, next, notes }: Listing, shown: number, { unit }: ListingWords): string {
  const partial = shown < entries.length || next !== null;
  const of = total === null || total === shown ? '' : ` of ${total}`;
  // During fitting, a cursor of typical length stands in for the real one.
  const cursor = next ?? CURSOR;
  const more = partial ? ` Continue with cursor "${cursor}".` : '';
  const counted = partial || notes.length > 0 ? `[${plural(shown, unit)}${of}.${more}]` : '';
  return [counted, notesText(notes)].filter((line) => line !== '').join('\n');
}

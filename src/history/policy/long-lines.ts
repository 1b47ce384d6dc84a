// Lines that distinguish a result from others, and whether other results contain them.

import type { Item } from '../codecs/message.ts';

/** Prefix of a line in a read with line numbers. */
const LINE_NUMBER = /^ {0,8}\d{1,7}(?:→|\t|: ?|\| ?)/;
/** Shorter lines occur in any text. */
const SHORTEST_LINE = 12;
/** Others show a result if they contain this share of its lines. */
const SHOWN_SHARE = 0.8;
/** Fewer lines prove nothing. */
const FEWEST_LINES = 4;

/** Matches if any line is numbered. Most texts have none, and then no line needs to be checked. */
const NUMBERED = new RegExp(LINE_NUMBER, 'm');

const linesKnown = new WeakMap<Item, readonly string[]>();

/** Distinct lines of a result, without line numbers. */
export function longLines(item: Item): readonly string[] {
  const known = linesKnown.get(item);
  if (known) return known;
  const isNumbered = NUMBERED.test(item.text);
  const lines = new Set<string>();
  for (const line of item.text.split('\n')) {
    const plain = (isNumbered ? line.replace(LINE_NUMBER, '') : line).trim();
    if (plain.length >= SHORTEST_LINE) lines.add(plain);
  }
  const all = [...lines];
  linesKnown.set(item, all);
  return all;
}

/** Whether `lines` contains nearly all lines of the result. */
export function isShownBy(lines: ReadonlySet<string>, item: Item): boolean {
  const own = longLines(item);
  if (own.length < FEWEST_LINES) return false;
  let left = own.length - Math.ceil(SHOWN_SHARE * own.length);
  return own.every((line) => lines.has(line) || --left >= 0);
}

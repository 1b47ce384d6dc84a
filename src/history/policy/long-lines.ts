// The lines of a result that tell it from others, and whether other results show them as well.

import type { Item } from '../codecs/message.ts';
import { LINE_NUMBER } from '../summary/result-outline.ts';

/** Shorter lines are alike in any text. */
const SHORTEST_LINE = 12;
/** A result is shown by others where they hold this share of its lines. */
const SHOWN_SHARE = 0.8;
/** Fewer lines prove nothing. */
const FEWEST_LINES = 4;

/** Some line of a text has a number: of most texts none has, and no line need be looked at for it. */
const NUMBERED = new RegExp(LINE_NUMBER, 'm');

const linesKnown = new WeakMap<Item, readonly string[]>();

/** Lines of a result, each once, without their numbers. */
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

/** Whether `lines` hold nearly all of the result. */
export function isShownBy(lines: ReadonlySet<string>, item: Item): boolean {
  const own = longLines(item);
  if (own.length < FEWEST_LINES) return false;
  let left = own.length - Math.ceil(SHOWN_SHARE * own.length);
  return own.every((line) => lines.has(line) || --left >= 0);
}

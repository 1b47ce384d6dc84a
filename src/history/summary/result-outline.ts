// Outlines a file that was read, using a few of its own lines: headings, and unindented lines that open a block. Works
// for any language, because a result does not state its language.

import { safeCut } from '../../contract/index.ts';
import type { Item } from '../codecs/message.ts';

const MAX_LINES = 12;
const MAX_LENGTH = 100;
/** Maximum characters of a result that are examined. */
const MAX_TEXT = 400_000;
/** Prefix of a line in a read with line numbers. */
export const LINE_NUMBER: RegExp = /^ {0,8}\d{1,7}(?:→|\t|: ?|\| ?)/;
const HEADING = /^#{1,4} \S/;
/** Line end of a definition whose body follows. */
const OPENS = /[{(:[]$|=>$|\bis$|\bdo$/;
/** A line that names something, as opposed to a comment or plain statement. */
const NAMES =
  /^(?!(?:if|else|for|while|switch|case|try|catch|with|return|import|from|use|using|require)\b)[A-Za-z_@$[<].*[A-Za-z_]{3}/;

/** Cached while the result is alive: a compaction asks again when it tries to keep more. */
const known = new WeakMap<Item, readonly string[]>();

/** At most 12 lines of a result, spread evenly over its descriptive lines. */
export function outlineOf(result: Item): readonly string[] {
  const before = known.get(result);
  if (before) return before;
  const outline = outlineIn(result.text);
  known.set(result, outline);
  return outline;
}

/** Like `outlineOf`, without caching. */
export function outlineIn(text: string): readonly string[] {
  const telling = tellingLines(text.slice(0, MAX_TEXT));
  const step = Math.max(1, telling.length / MAX_LINES);
  return Array.from(
    { length: Math.min(telling.length, MAX_LINES) },
    (_, at) => telling[Math.floor(at * step)] ?? '',
  );
}

function tellingLines(text: string): string[] {
  const telling: string[] = [];
  for (const line of text.split('\n')) {
    if (line.length > MAX_LENGTH * 4) continue;
    const plain = line.replace(LINE_NUMBER, '').trimEnd();
    if (HEADING.test(plain) || (OPENS.test(plain) && NAMES.test(plain)))
      telling.push(line.trimEnd().slice(0, safeCut(line, MAX_LENGTH)));
  }
  return telling;
}

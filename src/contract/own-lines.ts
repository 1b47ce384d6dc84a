// How the lines begin that an answer adds to a file's content, and the escape for file lines that look like them. All
// code that writes such lines takes their beginnings from here.

import { HTTP_STATUS } from './error.ts';

/** Beginnings of our own lines. */
export const OWN = {
  truncated: '[Truncated',
  note: '[Note: ',
  gap: '[… ',
  outline: '[Outline',
  facts: '[About this file]',
  content: '[Content]',
  folder: '[Folder',
  history: '[history: ',
  more: '[more; ',
  tooLarge: '[LIMIT_EXCEEDED: ',
} as const;

/** Endings of listings and searches, and the short forms of notes in the smallest budgets. */
const FORMS: readonly string[] = [
  String.raw`\[(?:\d+|no) (?:more |of )?(?:entr(?:y|ies)|files?|match(?:es)?|notes?)\b`,
  String.raw`\[(?:\w+ )?cut\]`,
  // The line above a file: `headingOf`.
  String.raw`==> (?=[^\n\r\v\f\u0085\u2028\u2029]{1,300} <==)`,
  `Error (?:${Object.keys(HTTP_STATUS).join('|')}): `,
];

const literal = (mark: string): string => mark.trimEnd().replace(/[[\]]/g, String.raw`\$&`);

/** A mark anywhere in a text. Bounded, so that matching takes linear time. */
const MARK = new RegExp([...Object.values(OWN).map(literal), ...FORMS].join('|'), 'gu');
/** Variants that a model would take for one of our lines. */
const ANY_CASE = /\[[ \t]{0,9}(?:truncated|note[ \t]{0,9}:|history[ \t]{0,9}:)/giu;

/** Line breaks of any system or script. */
const isBreak = (character: string): boolean => /[\n\r\v\f\u0085\u2028\u2029]/.test(character);
/**
 * Invisible characters before a mark: white space, controls, marks of order and direction, and default-ignorable
 * characters.
 */
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]$/u;
/** A terminal colour sequence. */
const SEQUENCE = /\p{Cc}\[[0-?]{0,16}[ -/]{0,4}[@-~]$/u;
const NUMBER = /\d{1,9}[ \t]{0,2}[:|\u2192-]?$/;

/** Start of the invisible characters before `at`, on the same line. */
function backOver(text: string, at: number): number {
  let start = at;
  for (;;) {
    const before = text.slice(Math.max(0, start - 2), start);
    const last = before.at(-1);
    if (last === undefined || isBreak(last)) return start;
    if (last === ' ') {
      start -= 1;
      continue;
    }
    const found = UNSEEN.exec(before);
    const sequence = found ? null : SEQUENCE.exec(text.slice(Math.max(0, start - 24), start));
    const length = found?.[0].length ?? sequence?.[0].length ?? 0;
    if (length === 0) return start;
    start -= length;
  }
}

/** True if nothing visible except a line number precedes `at` on its line. */
function startsLine(text: string, at: number): boolean {
  let start = backOver(text, at);
  const number = NUMBER.exec(text.slice(Math.max(0, start - 12), start));
  if (number) start = backOver(text, start - number[0].length);
  return start === 0 || isBreak(text.charAt(start - 1));
}

/** Places where lines of `text` look like our own, ignoring backslashes before the mark. */
function* places(text: string): Generator<{ readonly at: number; readonly escaped: boolean }> {
  const found = new Set<number>();
  for (const pattern of [MARK, ANY_CASE]) for (const { index } of text.matchAll(pattern)) found.add(index);
  let last = -1;
  for (const index of [...found].sort((a, b) => a - b)) {
    let at = index;
    while (at > 0 && text[at - 1] === '\\') at -= 1;
    if (at > last && startsLine(text, at)) yield { at, escaped: at < index };
    last = index;
  }
}

/** File text for an answer: adds a backslash before anything that looks like one of our lines. */
export function disarmed(text: string): string {
  let shown = '';
  let from = 0;
  for (const { at } of places(text)) {
    shown += `${text.slice(from, at)}\\`;
    from = at;
  }
  return from === 0 && shown === '' ? text : shown + text.slice(from);
}

/** Reverses `disarmed`. */
export function armed(shown: string): string {
  let text = '';
  let from = 0;
  for (const { at, escaped } of places(shown)) {
    if (!escaped) continue;
    text += shown.slice(from, at);
    from = at + 1;
  }
  return from === 0 ? shown : text + shown.slice(from);
}

/** True for a line that begins like one of ours. */
export function isOwnLine(line: string): boolean {
  for (const { at, escaped } of places(line)) if (!escaped && !/\n/.test(line.slice(0, at))) return true;
  return false;
}

/** For the description of a tool that shows files. */
export const OWN_LINES_RULE =
  'A line of a file that looks like such a note (`[Truncated`, `[Note:`, `==> name <==`) has a backslash before it, which is not in the file.';

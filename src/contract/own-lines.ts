// The lines an answer adds to what it shows of a file, by how they begin, and the escape that keeps a line of a file from
// passing for one. Whoever writes such a line takes its beginning from here.

import { HTTP_STATUS } from './error.ts';

/** How the lines of our own begin. */
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

/** What listings and searches end with, and what is left of a note in the smallest budgets. */
const FORMS: readonly string[] = [
  String.raw`\[(?:\d+|no) (?:more |of )?(?:entr(?:y|ies)|files?|match(?:es)?|notes?)\b`,
  String.raw`\[(?:\w+ )?cut\]`,
  // The line above a file: `headingOf`.
  String.raw`==> (?=[^\n\r\v\f\u0085\u2028\u2029]{1,300} <==)`,
  `Error (?:${Object.keys(HTTP_STATUS).join('|')}): `,
];

const literal = (mark: string): string => mark.trimEnd().replace(/[[\]]/g, String.raw`\$&`);

/** A mark anywhere in a text. Bounded, so that a search takes time in proportion to the text. */
const MARK = new RegExp([...Object.values(OWN).map(literal), ...FORMS].join('|'), 'gu');
/** What a model takes for one of them all the same. */
const ANY_CASE = /\[[ \t]{0,9}(?:truncated|note[ \t]{0,9}:|history[ \t]{0,9}:)/giu;

/** Line breaks of any system or script. */
const isBreak = (character: string): boolean => /[\n\r\v\f\u0085\u2028\u2029]/.test(character);
/** What is not seen before a mark: white space, controls, marks of order and direction, and what Unicode calls ignorable. */
const UNSEEN = /[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]$/u;
/** A sequence that colours a terminal, and the number of a line. */
const SEQUENCE = /\p{Cc}\[[0-?]{0,16}[ -/]{0,4}[@-~]$/u;
const NUMBER = /\d{1,9}[ \t]{0,2}[:|\u2192-]?$/;

/** Where what is not seen before `at` begins, on the same line. */
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

/** Nothing that is seen stands before `at` on its line, but for a line number. */
function startsLine(text: string, at: number): boolean {
  let start = backOver(text, at);
  const number = NUMBER.exec(text.slice(Math.max(0, start - 12), start));
  if (number) start = backOver(text, start - number[0].length);
  return start === 0 || isBreak(text.charAt(start - 1));
}

/** Where lines of `text` begin like our own, backslashes before the mark left aside. */
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

/** Text of a file as an answer shows it: a backslash before what would start a line of our own. */
export function disarmed(text: string): string {
  let shown = '';
  let from = 0;
  for (const { at } of places(text)) {
    shown += `${text.slice(from, at)}\\`;
    from = at;
  }
  return from === 0 && shown === '' ? text : shown + text.slice(from);
}

/** The text of which `disarmed` made `shown`. */
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

/** A line that begins like one of our own. */
export function isOwnLine(line: string): boolean {
  for (const { at, escaped } of places(line)) if (!escaped && !/\n/.test(line.slice(0, at))) return true;
  return false;
}

/** For the description of a tool that shows files. */
export const OWN_LINES_RULE =
  'A line of a file that looks like such a note (`[Truncated`, `[Note:`, `==> name <==`) has a backslash before it, which is not in the file.';

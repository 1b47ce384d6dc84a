// How the lines begin that an answer adds to a file's content, and the escape for file lines that look like them. All
// code that writes such lines takes their beginnings from here.

import { HTTP_STATUS } from './error.ts';
import { LOOK_ALIKES, look } from './look-alikes.ts';

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
  String.raw`\[ ?(?:\d+|no) (?:more |of )?(?:entr(?:y|ies)|files?|match(?:es)?|notes?)\b`,
  String.raw`\[ ?(?:\w+ )?cut\]`,
  // The line above a file: `headingOf`.
  '==> ',
  `Error (?:${Object.keys(HTTP_STATUS).join('|')}):`,
  // Variants that a model would take for one of our lines.
  String.raw`\[ ?(?:[Tt][Rr][Uu][Nn][Cc][Aa][Tt][Ee][Dd]|[Nn][Oo][Tt][Ee] ?:|[Hh][Ii][Ss][Tt][Oo][Rr][Yy] ?:)`,
];

const literal = (mark: string): string =>
  [...mark]
    .map(look)
    .join('')
    .replace(/[[\].]/g, String.raw`\$&`)
    .replace(/^\\\[/, '$& ?')
    .replace(/[lI]/g, '[lI|1]')
    .replace(/(?<=[a-z])o|o(?=[a-z])/g, '[o0]')
    // The gap keeps its space: three dots and a bracket also elide text.
    .replace(/(?<!\.) $/, '');

/** The beginning of one of our lines, as it looks. */
const MARK = new RegExp(`^(?:${[...Object.values(OWN).map(literal), ...FORMS].join('|')})`, 'u');

/** Line breaks of any system or script. */
const BREAK = /[\n\r\v\f\u0085\u2028\u2029]/;
/** A terminal control sequence, not ending with what may begin a mark or with a backslash, which may be ours. */
const SEQUENCE = String.raw`\u001b\[[0-?]{0,16}[ -/]{0,4}[@-DF-Z\]-~]`;
/** The same inside a line, where a backslash of ours may part it. */
const AT_SEQUENCE = new RegExp(SEQUENCE.replace('001b', String.raw`001b\\*`), 'y');
/** Invisible characters before a mark. */
const BLANK = String.raw`\p{Zs}\p{M}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800`;
const UNSEEN = String.raw`[\t${BLANK}]*`;
/** What looks like `[`, `=` or `E`, before anything that no mark has after it. A wider class only costs time. */
const FIRST = String.raw`(?=\[(?![\d ]{0,20}["'(),{}[\]:+*/-])|[=](?=[=\\]|[^ -~])|E(?=[r\\]|[^ -~])|[^\0-\u007f])(?:[\0-\u007f\p{Ps}\p{Pd}\p{Sm}${LOOK_ALIKES['=']}${LOOK_ALIKES.E}\u24ba\u{1f134}]|(?=\p{Lu})[\p{sc=Latn}\p{sc=Zyyy}])`;
/**
 * What may be the beginning of one of our lines: the first character that shows on a line after its number, or after a
 * control character, which may move to the start of a line. The group holds the backslashes before it. Of the tabs among
 * invisible characters only the first counts, which keeps the search linear. It looks back from tabs only: once a process
 * has many regular expressions, V8 compiles without the optimization that would skip other places.
 */
const START = new RegExp(
  String.raw`(?:^|${SEQUENCE}|(?!\t)[\p{Cc}\u2028\u2029]|\t(?<!\t[${BLANK}]*\t))${UNSEEN}(?:\d{1,9}[ \t]{0,2}[:|\u2192-]?${UNSEEN})?(\\*)(?=${FIRST})`,
  'gu',
);

/** Characters of a line as they look, to the line's end; backslashes, which may be ours, do not count. */
function* looks(
  text: string,
  from: number,
): Generator<{ readonly at: number; readonly character: string; readonly shape: string }> {
  for (let at = from; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (BREAK.test(character)) return;
    AT_SEQUENCE.lastIndex = at;
    const sequence = character === '\u001b' ? AT_SEQUENCE.exec(text)?.[0] : undefined;
    const shape = sequence === undefined && character !== '\\' ? look(character) : '';
    yield { at, character, shape };
    at += (sequence ?? character).length;
  }
}

/** Enough for any mark. */
const MOST_SEEN = 48;
/** What no mark has after its first character, except at its end. */
const END = /[^\w .=>]$/;
const POSSIBLE = /^(?:\[|=(?:$|=)|E(?:$|r))/;

/** How the line of `text` begins that goes on at `from`, with a single space for white space, and if it is so typed. */
function beginning(text: string, from: number): { readonly seen: string; readonly plain: boolean } {
  let seen = '';
  let plain = true;
  for (const { character, shape } of looks(text, from)) {
    plain &&= shape === character || character === '…' || character === '\\' || character === '\t';
    if (shape !== ' ' || !seen.endsWith(' ')) seen += shape;
    if (seen === '') continue;
    if (!POSSIBLE.test(seen) || seen.length > MOST_SEEN || seen === HEADING) break;
    if (seen.length > 1 && END.test(seen)) break;
  }
  return { seen, plain };
}

const HEADING = '==> ';
const HEADING_END = ' <==';

/** Where the last heading ends on the line of `text` that goes on at `from`, or `from`; and where the line ends. */
function lastHeading(text: string, from: number): { readonly end: number; readonly until: number } {
  let tail = '';
  let end = from;
  let until = from;
  for (const { at, shape } of looks(text, from)) {
    if (shape !== ' ' || !tail.endsWith(' ')) tail = (tail + shape).slice(-HEADING_END.length);
    if (tail === HEADING_END) end = at;
    until = at;
  }
  return { end, until };
}

/** A place where a line of a text looks like our own. */
interface Place {
  readonly at: number;
  readonly escaped: boolean;
  /** It looks so by characters that do not show or that look like others. */
  readonly disguised: boolean;
}

function* places(text: string): Generator<Place> {
  let heading = { end: -1, until: -1 };
  for (const { index, 0: lead, 1: backslashes = '' } of text.matchAll(START)) {
    const from = index + lead.length;
    const { seen, plain } = beginning(text, from);
    if (!MARK.test(seen)) continue;
    if (seen === HEADING) {
      if (from > heading.until) heading = lastHeading(text, from);
      if (from >= heading.end) continue;
    }
    yield { at: from - backslashes.length, escaped: backslashes !== '', disguised: !plain };
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

/** Number of lines that imitate ours with characters that do not show or that look like others. */
export function disguisedLines(text: string): number {
  let count = 0;
  for (const { disguised } of places(text)) if (disguised) count += 1;
  return count;
}

/** True for a line that begins like one of ours. */
export function isOwnLine(line: string): boolean {
  for (const { at, escaped } of places(line)) if (!escaped && !/\n/.test(line.slice(0, at))) return true;
  return false;
}

/** For the description of a tool that shows files. */
export const OWN_LINES_RULE =
  'A line of a file that looks like such a note (`[Note:`, `==> name <==`) is shown with a backslash before it.';

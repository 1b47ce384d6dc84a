// Makes untrusted names and short texts safe to show to a model or a terminal: on one line, with control, hidden and
// bidirectional characters written as `\u{202e}`. All notes, headings, listings and errors use it for names.

import { HIDDEN, isSpelling } from './hidden.ts';
import { isOwnLine } from './own-lines.ts';
import { safeCut } from './text.ts';

const ASCII = /^[ -~]*$/;

const escaped = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/**
 * Untrusted text on one line: hidden characters become `\u{202e}`, except where an emoji or a script needs them.
 * Idempotent.
 */
export function oneLine(text: string): string {
  if (ASCII.test(text)) return text;
  return text.replace(HIDDEN, (character: string, at: number) =>
    isSpelling(character, at, text) ? character : escaped(character),
  );
}

/**
 * The exact name in visible form; distinct names stay distinct. Like `oneLine`, but also escapes surrounding spaces, a
 * backslash that would read as an escape, and a first character that would make the line look like a note. A workspace
 * and an archive accept this form in place of the name; a host path must always be exact. Do not apply twice.
 */
export function visibleName(name: string): string {
  const start = name.length - name.trimStart().length;
  const end = Math.max(start, name.trimEnd().length);
  const inside = name.slice(start, end).replace(AMBIGUOUS, escaped);
  const shown = oneLine(allEscaped(name.slice(0, start)) + inside + allEscaped(name.slice(end)));
  const [first = ''] = shown;
  return isOwnLine(shown) ? escaped(first) + shown.slice(first.length) : shown;
}

const allEscaped = (text: string): string => [...text].map(escaped).join('');

const AMBIGUOUS = /\\(?=x[0-9a-f]{2}|u\{[0-9a-f]{1,6}\})/gu;

/** A complete name for a sentence, which can be passed back. In backticks; backticks inside are escaped. */
export function named(name: string): string {
  return `\`${oneLine(name).replaceAll('`', escaped('`'))}\``;
}

/** Quotes a short piece of untrusted text for a message: like `named`, but at most 60 characters. */
export function quoted(text: string): string {
  // No need to process text that will be cut off.
  return named(cut(oneLine(text.slice(0, MAX_QUOTED * 2)), MAX_QUOTED));
}

const MAX_QUOTED = 60;

/** A name for a heading or a list: on one line, at most 200 characters. */
export function shortName(name: string): string {
  return cut(oneLine(name.slice(0, MAX_SHORT * 2)), MAX_SHORT);
}

const MAX_SHORT = 200;

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, safeCut(text, most))}…` : text;

/** The heading above a file's content, in the style of head and tail. */
export const headingOf = (name: string): string => `==> ${shortName(name)} <==\n`;

/** The same JSON value with hidden characters escaped, except line breaks between its tokens. */
export function visibleJson(json: string): string {
  return json.replace(HIDDEN, (character: string, at: number) =>
    character === '\n' || isSpelling(character, at, json) ? character : jsonEscape(character),
  );
}

const jsonEscape = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`,
  ).join('');

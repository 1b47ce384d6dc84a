// Explains why the text to replace was not found: the same lines with other white space or quotes, line numbers
// included by mistake, or a place that starts alike.

import { armed, safeCut } from '../contract/index.ts';
import { occurrences } from './exact-search.ts';

const MAX_SHOWN = 1000;
const MAX_PLACES = 5;
const NUMBERED = /^\s{0,10}\d{1,9}(?:\t|: ?|\u2192|\| ?| {2})/;

/**
 * One or two sentences, ending with a next step. `text` and `wanted` have LF line breaks; `shows` is the call that
 * shows the file exactly as on disk, if available.
 */
export function nearMiss(text: string, wanted: string, shows?: string): string {
  const lines = text.split('\n');
  const bare = withoutNumbers(wanted);
  if (bare !== undefined && occurrences(text, bare, 1).length > 0)
    return 'It was found without the line numbers: remove them from `old_text`.';
  const plain = armed(wanted);
  if (plain !== wanted && occurrences(text, plain, 1).length > 0)
    return 'It was found without the backslash that is shown before a line that looks like a note: remove it from `old_text` and `new_text`.';
  const loose = lines.map(loosened);
  const [start] = looseStarts(loose, bare ?? wanted);
  if (start !== undefined) {
    const count = trimmedLines(bare ?? wanted).length;
    return `${lineSpan(start + 1, start + count)} differs only in white space, quotes or letter case:\n${excerpt(lines.slice(start, start + count))}\nCopy \`old_text\` from there.`;
  }
  const first =
    trimmedLines(wanted)
      .map(loosened)
      .sort((a, b) => b.length - a.length)[0] ?? '';
  const places = first.length < 4 ? [] : [...loose.keys()].filter((index) => loose[index]?.includes(first));
  const [place] = places;
  if (place === undefined)
    return shows === undefined
      ? 'Nothing in the file resembles it. `old_text` must match the file itself, not how it is shown elsewhere.'
      : `Nothing in the file resembles it. Read the file with ${shows}, which shows it unchanged, then copy \`old_text\` from there.`;
  const from = Math.max(0, place - 2);
  const others =
    places.length > 1
      ? ` (also in ${places
          .slice(1, MAX_PLACES)
          .map((index) => `line ${index + 1}`)
          .join(', ')})`
      : '';
  return `Its longest line is in line ${place + 1}${others}. ${lineSpan(from + 1, Math.min(lines.length, place + 3))} is:\n${excerpt(lines.slice(from, place + 3))}\nCopy \`old_text\` from there${shows === undefined ? '' : `, or from the output of ${shows}`}.`;
}

/** `Line 8`, `The text of lines 3-5`. */
function lineSpan(from: number, to: number): string {
  return from === to ? `Line ${from}` : `The text of lines ${from}-${to}`;
}

/** Lines where those of `wanted` appear one after another, compared loosely. */
function looseStarts(loose: readonly string[], wanted: string): number[] {
  const sought = `\n${trimmedLines(wanted).map(loosened).join('\n')}\n`;
  if (sought.trim() === '') return [];
  const joined = `\n${loose.join('\n')}\n`;
  const [at] = occurrences(joined, sought, 1);
  if (at === undefined) return [];
  let line = 0;
  for (
    let index = joined.indexOf('\n', 1);
    index >= 0 && index <= at;
    index = joined.indexOf('\n', index + 1)
  )
    line += 1;
  return [line];
}

/** The lines of `text` without leading and trailing empty ones. */
function trimmedLines(text: string): string[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.trim() !== '');
  return from < 0 ? [] : lines.slice(from, lines.findLastIndex((line) => line.trim() !== '') + 1);
}

/** Equal for lines that differ only in white space, kinds of quotes and dashes, and case. */
function loosened(line: string): string {
  return line
    .replace(/[\s\u200b\ufeff]/g, '')
    .replace(/[\u2018\u2019`]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\u2010-\u2015]/g, '-')
    .toLowerCase();
}

function withoutNumbers(text: string): string | undefined {
  const lines = text.split('\n');
  if (!lines.every((line) => line === '' || NUMBERED.test(line))) return undefined;
  return lines.map((line) => line.replace(NUMBERED, '')).join('\n');
}

function excerpt(lines: readonly string[]): string {
  const text = lines.slice(0, 40).join('\n');
  return text.length > MAX_SHOWN ? `${text.slice(0, safeCut(text, MAX_SHOWN))}…` : text;
}

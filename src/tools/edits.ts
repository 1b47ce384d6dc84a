// Computes the changes an edit makes to a text: the places, and what they become. Texts use LF line breaks.

import { plural, quoted, type ReaderError, withoutEnd } from '../contract/index.ts';
import { bad } from './argument-rules.ts';
import type { Hunk } from './diff-edits.ts';
import { lineAt, occurrences } from './exact-search.ts';
import { lf } from './line-breaks.ts';

/** Replaces an exact text. */
export interface Replacement {
  readonly kind: 'replacement';
  readonly old: string;
  readonly next: string;
  readonly all: boolean;
  /** Required number of occurrences of `old`. */
  readonly expected: number | undefined;
}

/** Inserts text below a line; below line 0 is the start. */
export interface Insertion {
  readonly kind: 'insertion';
  readonly line: number;
  readonly text: string;
}

export type Edit = Replacement | Insertion | Hunk;

/** A range of the text, and its replacement. */
export interface Change {
  readonly at: number;
  readonly length: number;
  readonly next: string;
}

const MAX_LINES_NAMED = 10;

/** The text to replace was not found. */
export class NotThere extends Error {
  readonly wanted: string;

  constructor(wanted: string) {
    super('An edit names text that was not found.');
    this.wanted = wanted;
  }
}

/**
 * The changes that `edit` makes to `text`, in order.
 * @throws {NotThere}
 * @throws {ReaderError} BAD_INPUT for text found more than once, or a line that does not exist
 */
export function changesOf(edit: Edit, text: string, name: string): readonly Change[] {
  switch (edit.kind) {
    case 'replacement':
      return replacements(edit, text, name);
    case 'insertion':
      return [insertion(edit, text)];
    case 'hunk':
      return [hunkChange(edit, text, name)];
  }
}

function replacements({ old, next, all, expected }: Replacement, text: string, name: string): Change[] {
  const wanted = lf(old);
  if (wanted === lf(next))
    throw bad(
      '`old_text` and `new_text` are the same, so nothing would change.',
      'Pass the replacement as `new_text`.',
    );
  const places = occurrences(text, wanted);
  if (places.length === 0) throw new NotThere(wanted);
  if (expected !== undefined && places.length !== expected)
    throw severalTimes(
      name,
      text,
      places,
      `Set \`expected_replacements\` to ${places.length} if all are meant.`,
    );
  if (places.length > 1 && !all && expected === undefined)
    throw severalTimes(
      name,
      text,
      places,
      'Add surrounding lines until it is unique, or set `replace_all` to true.',
    );
  return places.map((at) => ({ at, length: wanted.length, next }));
}

function severalTimes(name: string, text: string, places: readonly number[], hint: string): ReaderError {
  const lines = places.slice(0, MAX_LINES_NAMED).map((at) => lineAt(text, at));
  const more = places.length > lines.length ? ' and more' : '';
  return bad(
    `\`old_text\` occurs ${plural(places.length, 'time')} in ${name} (lines ${lines.join(', ')}${more}); nothing was changed.`,
    hint,
  );
}

function insertion({ line, text: given }: Insertion, text: string): Change {
  const lines = linesOf(text);
  if (line > lines.length)
    throw bad(
      `\`insert_line\` is ${line}, but the file has ${plural(lines.length, 'line')}; nothing was changed.`,
      `Set \`insert_line\` to 0 for the start, or at most ${lines.length}.`,
    );
  const at = offsetOf(lines, line);
  const before = at > 0 && text[at - 1] !== '\n' ? '\n' : '';
  const after = given.endsWith('\n') || (at === text.length && before !== '') ? '' : '\n';
  return { at, length: 0, next: `${before}${given}${after}` };
}

/** Lines including their ends. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/).filter((line) => line !== '');

const offsetOf = (lines: readonly string[], count: number): number =>
  lines.slice(0, count).reduce((sum, line) => sum + line.length, 0);

const bare = (line: string): string => withoutEnd(line, ' \t\n');

function hunkChange({ lines: hunk, line, below }: Hunk, text: string, name: string): Change {
  const lines = linesOf(text);
  const olds = hunk.flatMap(({ old }) => (old === undefined ? [] : [old]));
  const starts = olds.length === 0 ? [placeOfAddition(lines, line, below)] : startsOf(lines, olds);
  const scope = below === undefined ? -1 : lines.findIndex((one) => one.includes(below));
  const after = starts.filter((start) => start > scope);
  const hinted = line === undefined ? undefined : starts.find((start) => start === line - 1);
  const [start, second] = hinted !== undefined ? [hinted] : scope >= 0 ? after.slice(0, 1) : starts;
  if (start === undefined) throw new NotThere(olds.join('\n'));
  if (second !== undefined)
    throw bad(
      `The lines of the diff occur ${starts.length} times in ${name} (from lines ${starts
        .slice(0, MAX_LINES_NAMED)
        .map((at) => at + 1)
        .join(', ')}); nothing was changed.`,
      'Add lines of context.',
    );
  let at = start;
  const next = hunk.map(({ old, next: written }) => {
    // Keep context lines as they are in the file.
    const there = old === undefined ? undefined : lines[at++];
    if (written === undefined) return '';
    const line = old === undefined || there === undefined ? written : there.replace(/\n$/, '');
    return `${line}\n`;
  });
  const length = offsetOf(lines, start + olds.length) - offsetOf(lines, start);
  const lastLine = lines[start + olds.length - 1];
  const joined = next.join('');
  // The last line of a file may have no line break.
  const ends = lastLine === undefined || lastLine.endsWith('\n');
  return { at: offsetOf(lines, start), length, next: ends ? joined : joined.replace(/\n$/, '') };
}

/** Lines where `wanted` begins, ignoring trailing white space where necessary. */
function startsOf(lines: readonly string[], wanted: readonly string[]): number[] {
  const plain = (line: string): string => line.replace(/\n$/, '');
  for (const form of [plain, bare]) {
    const sought = wanted.map(form);
    const own = lines.map(form);
    const starts = own.flatMap((_, at) => (sought.every((line, i) => own[at + i] === line) ? [at] : []));
    if (starts.length > 0) return starts;
  }
  return [];
}

function placeOfAddition(
  lines: readonly string[],
  line: number | undefined,
  below: string | undefined,
): number {
  if (line !== undefined) return Math.min(line, lines.length);
  if (below === undefined) return lines.length;
  const at = lines.findIndex((one) => one.includes(below));
  if (at < 0) throw new NotThere(below);
  return at + 1;
}

/** The edit in an item of the list. @throws {ReaderError} BAD_INPUT */
export function replacementOf(given: unknown, number: number): Replacement {
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(typeof given === 'object' && given !== null ? given : {})) {
    const field = NAMES.get(name.replaceAll('_', '').toLowerCase()) ?? name;
    if (fields.has(field) && fields.get(field) !== value)
      throw bad(
        `Edit ${number} of \`edits\` has ${field === 'all' ? '`replace_all`' : `\`${field}_text\``} twice.`,
        'Pass each only once.',
      );
    fields.set(field, value);
  }
  const old: unknown = fields.get('old');
  const next: unknown = fields.get('new') ?? '';
  if (typeof old !== 'string' || old === '' || typeof next !== 'string')
    throw bad(
      `Edit ${number} of \`edits\` has no text to replace.`,
      'Write each edit as `{"old_text": ..., "new_text": ...}`.',
    );
  const unknown = [...fields.keys()].find((name) => !['old', 'new', 'all'].includes(name));
  if (unknown !== undefined)
    throw bad(
      `Edit ${number} of \`edits\` has a field ${quoted(unknown)}.`,
      'An edit has `old_text`, `new_text` and `replace_all`.',
    );
  return { kind: 'replacement', old, next, all: fields.get('all') === true, expected: undefined };
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['oldtext', 'old'],
  ['oldstring', 'old'],
  ['oldstr', 'old'],
  ['search', 'old'],
  ['find', 'old'],
  ['newtext', 'new'],
  ['newstring', 'new'],
  ['newstr', 'new'],
  ['replace', 'new'],
  ['replacement', 'new'],
  ['replaceall', 'all'],
]);

// Formats the texts that replace removed content, and recognises them later. Each starts the same way; numbers in them
// refer to the original, so they never become outdated.

import { OWN, plural } from '../../contract/index.ts';

const START = OWN.history;
const MASK = `${START}result of `;
const MASK_WORDS = ' left out, ~';
const NOTICE = /^\[history: \d+ earlier messages? left out/;
/** Maximum length of a mask, which is one line; a notice or a preview may be longer. */
const MASK_CHARACTERS = 4000;

/** Whether the text is a mask, written by any compactor. */
export function isMask(text: string): boolean {
  return text.length <= MASK_CHARACTERS && text.startsWith(MASK) && text.includes(MASK_WORDS);
}

/** Whether the text is a notice of an earlier compaction. */
export function isNotice(text: string): boolean {
  return NOTICE.test(text);
}

/** Whether the text already replaces something else. */
export function isPlaceholder(text: string): boolean {
  return text.startsWith(START);
}

const FULL_TEXT = '; full text: ';

/** The location of the original in the first line of a placeholder; null if there is none. */
export function pointerIn(text: string): string | null {
  if (!text.startsWith(START)) return null;
  const end = text.indexOf(']');
  const from = text.lastIndexOf(FULL_TEXT, end);
  if (end < 0 || from < 0) return null;
  const pointer = text.slice(from + FULL_TEXT.length, end);
  return pointer.includes('\n') || pointer.includes(';') ? null : pointer;
}

const KEPT =
  /^\[history: (?:cut, kept the (first and last|first|last) ~\d+ of|result of [\w.:/-]+ saved,) ~(\d{1,12}) tokens?\b/;

/** A text that was truncated or saved before. */
export interface Kept {
  /** Of the original. */
  readonly tokens: number;
  readonly keep: 'head' | 'tail' | 'both';
  readonly body: string;
}

/** Parses what is left of a text that was truncated or saved before; null for any other. */
export function keptIn(text: string): Kept | null {
  const found = KEPT.exec(text);
  if (!found) return null;
  const [, end, tokens] = found;
  const line = text.indexOf('\n');
  const keep = end === 'first and last' ? 'both' : end === 'last' ? 'tail' : 'head';
  const body = line < 0 ? '' : text.slice(line + 1);
  return { tokens: Number(tokens), keep, body };
}

const about = (tokens: number): string => `~${plural(tokens, 'token')}`;
const tail = (pointer: string | null): string => (pointer === null ? '' : `${FULL_TEXT}${pointer}`);
/** Tool names come from callers: keep them on one line and without a bracket that would end the placeholder. */
const named = (tool: string | null): string => {
  const plain = (tool ?? '').replace(/[^\w.:/-]+/g, '_').slice(0, 64);
  return plain === '' ? 'a tool' : plain;
};

export function mask(tool: string | null, tokens: number, pointer: string | null): string {
  return `${MASK}${named(tool)}${MASK_WORDS}${plural(tokens, 'token')}${tail(pointer)}]`;
}

/** First line above the preview of a result that was moved to a file. */
export function saved(tool: string | null, tokens: number, lines: number, pointer: string): string {
  return `${START}result of ${named(tool)} saved, ${about(tokens)}, ${plural(lines, 'line')}${tail(pointer)}]`;
}

export function more(what: string): string {
  return `${START}${what} more]`;
}

/** What was truncated: a tool result, which the tool can produce again, or a message. */
export type CutKind = 'result' | 'message';

const NOT_KEPT: Readonly<Record<CutKind, string>> = {
  result: '; the rest is not kept, call the tool again for the part you need',
  message: '; the rest is not kept',
};

/** First line of a truncated text: the kept part, its size, the original size, and where the rest is. */
export function cut(
  keep: 'head' | 'tail' | 'both',
  kept: number,
  tokens: number,
  pointer: string | null,
  kind: CutKind,
): string {
  const part = keep === 'head' ? 'first' : keep === 'tail' ? 'last' : 'first and last';
  const way = pointer === null ? NOT_KEPT[kind] : tail(pointer);
  return `${START}cut, kept the ${part} ~${kept} of ${about(tokens)}${way}]`;
}

/** Between the two kept ends of a text. */
export const GAP: string = `${START}middle left out]`;

/** Replaces an argument of a call. It does not say whether the call succeeded; its result does. */
export function argument(name: string, characters: number, sha256: string, pointer: string | null): string {
  return `${START}${plural(characters, 'character')} of \`${named(name)}\` left out, sha256 ${sha256}${tail(pointer)}]`;
}

export function media(what: string, pointer: string | null): string {
  return `${START}${what} left out${tail(pointer)}]`;
}

/**
 * The first line of a notice for removed messages. The originals of `elsewhere` of them are where an earlier notice in
 * the same file says.
 */
export function leftOut(
  messages: number,
  tokens: number,
  pointer: string | null,
  elsewhere: number = 0,
): string {
  const here = Math.max(0, messages - elsewhere);
  const chain =
    pointer !== null && elsewhere > 0 ? `; ${here} in this file, which says where the others are` : '';
  return `${START}${plural(messages, 'earlier message')} left out, ${about(tokens)}${chain}${tail(pointer)}]`;
}

/** Parses a notice: how much it replaces, and the text after its first line. */
export function leftOutIn(notice: string): {
  readonly messages: number;
  readonly tokens: number;
  readonly text: string;
  /** The notice names a file. */
  readonly isKept: boolean;
} {
  const end = notice.indexOf('\n');
  const line = end < 0 ? notice : notice.slice(0, end);
  const [, messages, tokens] =
    /^\[history: (\d{1,12}) earlier messages? left out, ~(\d{1,15}) /.exec(line) ?? [];
  const text = end < 0 ? '' : notice.slice(end + 1).trim();
  const isKept = line.includes(FULL_TEXT);
  return { messages: Number(messages ?? 0), tokens: Number(tokens ?? 0), text, isKept };
}

/** Replaces a removed answer if two adjacent user messages are not allowed. */
export const ANSWER_LEFT_OUT: string = `${START}answer left out]`;

/** Replaces a removed user message if two adjacent answers are not allowed. */
export const QUESTION_LEFT_OUT: string = `${START}user message left out]`;

/** Line below a read that stays although later changes of its file are removed; `file` is null if it read several. */
export function stale(file: string | null): string {
  const [name, it] = file === null ? ['some files above', 'them'] : [file, 'it'];
  return `${START}${name} may have changed after this, by calls that are left out. Read ${it} again before editing.]`;
}

const STALE =
  /^\[history: .{1,400} may have changed after this, by calls that are left out\. Read (?:it|them) again before editing\.\]$/;

/** The text without a `stale` line at its end. */
export function unmarked(text: string): string {
  const at = text.lastIndexOf('\n') + 1;
  return text.startsWith(START, at) && STALE.test(text.slice(at)) ? text.slice(0, at) : text;
}

export const INTERRUPTED: string = `${START}no result: the call was interrupted]`;

/** An upper bound for the first line of a notice, for estimates. */
export const LONGEST_NOTICE: string = leftOut(
  1_000_000,
  1_000_000_000,
  '/workspace/conversation_history/0123456789ab/0123456789abcdef.md',
  1,
);

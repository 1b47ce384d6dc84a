// The words a compactor of ours puts in the place of what it takes, and how it knows them again. Each is one text that begins
// the same way; figures in them are of the original, so that they are true once and stay so.

import { OWN, plural } from '../../contract/index.ts';

const START = OWN.history;
const MASK = `${START}result of `;
const MASK_WORDS = ' left out, ~';
const NOTICE = /^\[history: \d+ earlier messages? left out/;
/** A placeholder is one line, and short; a notice or a preview may be longer. */
const MASK_CHARACTERS = 4000;

/** A mask, whoever made it. */
export function isMask(text: string): boolean {
  return text.length <= MASK_CHARACTERS && text.startsWith(MASK) && text.includes(MASK_WORDS);
}

/** A notice of an earlier compaction, in a message of its own. */
export function isNotice(text: string): boolean {
  return NOTICE.test(text);
}

/** A text that stands for something else already. */
export function isPlaceholder(text: string): boolean {
  return text.startsWith(START);
}

const FULL_TEXT = '; full text: ';

/** Where the first line of a placeholder says its original lies; null where it does not. */
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

/** What a text says of itself that was cut or saved already: its own size, which end is left, and that. Null for others. */
export function keptIn(
  text: string,
): { tokens: number; keep: 'head' | 'tail' | 'both'; body: string } | null {
  const found = KEPT.exec(text);
  if (!found) return null;
  const [, end, tokens] = found;
  const line = text.indexOf('\n');
  const keep = end === 'first and last' ? 'both' : end === 'last' ? 'tail' : 'head';
  return { tokens: Number(tokens), keep, body: line < 0 ? '' : text.slice(line + 1) };
}

const about = (tokens: number): string => `~${tokens} ${tokens === 1 ? 'token' : 'tokens'}`;
const tail = (pointer: string | null): string => (pointer === null ? '' : `${FULL_TEXT}${pointer}`);
/** Names of tools come from callers: one line, no bracket that would end the placeholder. */
const named = (tool: string | null): string => {
  const plain = (tool ?? '').replace(/[^\w.:/-]+/g, '_').slice(0, 64);
  return plain === '' ? 'a tool' : plain;
};

export function mask(tool: string | null, tokens: number, pointer: string | null): string {
  return `${MASK}${named(tool)}${MASK_WORDS}${tokens} ${tokens === 1 ? 'token' : 'tokens'}${tail(pointer)}]`;
}

/** Before the preview of a result that went to a file. */
export function saved(tool: string | null, tokens: number, lines: number, pointer: string): string {
  return `${START}result of ${named(tool)} saved, ${about(tokens)}, ${plural(lines, 'line')}${tail(pointer)}]`;
}

export function more(what: string): string {
  return `${START}${what} more]`;
}

/** What was cut: the result of a tool, which can be called again, or what somebody said. */
export type CutKind = 'result' | 'message';

const NOT_KEPT: Readonly<Record<CutKind, string>> = {
  result: '; the rest is not kept, call the tool again for the part you need',
  message: '; the rest is not kept',
};

/** Before a text that was cut: what was kept, of how much, which end, and the way to the rest. */
export function cut(
  keep: 'head' | 'tail' | 'both' | 'ends',
  kept: number,
  tokens: number,
  pointer: string | null,
  kind: CutKind,
): string {
  const part = keep === 'head' ? 'first' : keep === 'tail' ? 'last' : 'first and last';
  const way = pointer === null ? NOT_KEPT[kind] : tail(pointer);
  return `${START}cut, kept the ${part} ~${kept} of ${about(tokens)}${way}]`;
}

/** Between the two ends of a text of which both were kept. */
export const GAP: string = `${START}the middle is left out]`;

/** Between two ends, with what is between them in the text that was cut. */
export function gap(lines: number, characters: number): string {
  return `${START}${plural(lines, 'line')}, ${plural(characters, 'character')} left out here]`;
}

/** In the place of an argument of a call. Whether the call did what it was asked, its result says. */
export function argument(name: string, characters: number, sha256: string, pointer: string | null): string {
  return `${START}${plural(characters, 'character')} of \`${named(name)}\` left out, sha256 ${sha256}${tail(pointer)}]`;
}

export function media(what: string, pointer: string | null): string {
  return `${START}${what} left out${tail(pointer)}]`;
}

/** The first line of a notice for messages that are gone; `elsewhere` of them lie where an earlier notice in that file says. */
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

/** What a notice says: how much it stands for, and what follows its first line. */
export function leftOutIn(notice: string): {
  readonly messages: number;
  readonly tokens: number;
  readonly text: string;
  /** It names a file. */
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

const GOAL = `${START}the goal, as it was when earlier parts were shortened]`;

/** A goal that no notice says. */
export function goalNote(goal: string): string {
  return `${GOAL}\n\n${goal}`;
}

export function isGoalNote(text: string): boolean {
  return text.startsWith(GOAL);
}

/** A message of the user's side that the user never sent, besides notices. */
export function isOurNote(text: string): boolean {
  return isGoalNote(text) || text === QUESTION_LEFT_OUT;
}

/** In the place of an answer that is gone, where two messages of the user may not follow each other. */
export const ANSWER_LEFT_OUT: string = `${START}the answer is left out]`;

/** In the place of a message of the user that is gone, where two answers may not follow each other. */
export const QUESTION_LEFT_OUT: string = `${START}a message of the user is left out]`;

/** Calls after a read that changed its file, or may have, and are left out. */
export interface LaterChanges {
  readonly made: number;
  /** Those that do not say how they ended. */
  readonly possible: number;
}

/** Below a read that stays; `file` as it is shown, null where the read is of several. */
export function stale(file: string | null, { made, possible }: LaterChanges): string {
  const count = made > 0 ? made : possible;
  const verb = made === 0 ? 'may have been' : file === null ? 'were' : 'was';
  const left = `${plural(count, 'call')} that ${count === 1 ? 'is' : 'are'} left out`;
  const more = made > 0 && possible > 0 ? `, perhaps by ${possible} more` : '';
  const again = `Read ${file === null ? 'them' : 'it'} again before editing.`;
  return `${START}${file ?? 'some files above'} ${verb} changed after this by ${left}${more}. ${again}]`;
}

const STALE =
  /^\[history: .{1,400} (was|were|may have been) changed after this by (\d{1,9}) calls? that (?:is|are) left out(?:, perhaps by (\d{1,9}) more)?\. Read (?:it|them) again before editing\.\]$/;

/** What the last line of a text says of later changes, whoever wrote it, and the text above that line. Null for others. */
export function staleIn(text: string): (LaterChanges & { readonly above: string }) | null {
  const at = text.lastIndexOf('\n') + 1;
  const found = text.startsWith(START, at) ? STALE.exec(text.slice(at)) : null;
  if (!found) return null;
  const [, verb, count, more = 0] = found;
  const isSure = verb !== 'may have been';
  return {
    above: text.slice(0, at),
    made: isSure ? Number(count) : 0,
    possible: isSure ? Number(more) : Number(count),
  };
}

export const INTERRUPTED: string = `${START}no result: the call was interrupted]`;

/** As long as any first line of a notice, for estimates. */
export const LONGEST_NOTICE: string = leftOut(
  1_000_000,
  1_000_000_000,
  '/workspace/conversation_history/0123456789ab/0123456789abcdef.md',
  1,
);

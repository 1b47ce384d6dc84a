// Facts about the removed part of a conversation, extracted without a model. Not a summary: it contains only what is in
// the messages and no conclusions. `digest-text.ts` formats it.

import { stripVTControlCharacters } from 'node:util';
import { OWN, oneLine } from '../../contract/index.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import { type FileUses, fileUses } from '../policy/file-uses.ts';
import { type Excerpt, excerptOf, excerptText } from './excerpt.ts';
import { outlineOf } from './result-outline.ts';
import type { UsedLine } from './used-lines.ts';

/**
 * Facts gathered so far, as JSON. Passed from one compaction to the next, so repeated compactions do not lose them.
 */
export interface DigestData {
  readonly version: 2;
  /** Number of messages included. */
  readonly messages: number;
  /** Oldest first, starting with the conversation's first. Long ones are shortened in the middle. */
  readonly users: readonly Excerpt[];
  /** Number of user messages that did not fit in `users`. */
  readonly usersLeft: number;
  /** Paths, latest use last. */
  readonly read: readonly string[];
  readonly written: readonly string[];
  /** Descriptive lines from the newest read of each file, by path; absent if there are none. */
  readonly outlines?: Readonly<Record<string, readonly string[]>>;
  /** Files of writes whose results do not state an outcome; absent if there are none. */
  readonly attempted?: readonly string[];
  /** One entry per tool, in order of first use. */
  readonly tools: readonly ToolTally[];
  /** Tool and first words, oldest first. A repeated error appears once, with its count. */
  readonly errors: readonly string[];
  /** The assistant's texts without calls: results, proposals, questions. Oldest first; absent if there are none. */
  readonly answers?: readonly Excerpt[];
  /** The newest texts sent together with a call, oldest first. */
  readonly said: readonly Excerpt[];
  /** The assistant's texts that came with file changes, oldest first; absent if there are none. */
  readonly reasons?: readonly Reason[];
  /** Lines of results that later calls used, latest use last. */
  readonly used: readonly UsedLine[];
}

/** Why a file was changed, in the assistant's words. */
export interface Reason {
  readonly path: string;
  readonly text: string;
}

export interface ToolTally {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
}

/** Prefix of every text that lectern writes. */
export const OWN_MARK: string = OWN.history;

/** Maximum characters kept of one user message. */
export const MAX_USER = 8_000;
/** Maximum characters kept of all user messages: about the 20 000 tokens that Codex keeps. */
const MAX_USERS = 64_000;
/** Maximum characters kept of one assistant answer. */
export const MAX_ANSWER = 1_200;
const ANSWERS_KEPT = 10;
/** Maximum characters kept of one text sent with a call. */
export const MAX_SAID = 600;
const SAID_KEPT = 6;
const MAX_REASON = 200;
const REASONS_KEPT = 30;
const MAX_ERROR = 240;
const ERRORS_KEPT = 12;
const FILES_KEPT = 100;
const OUTLINES_KEPT = 40;
const TOOLS_KEPT = 60;
const MAX_TOOL_NAME = 80;

/** The digest in a saved state if it is well formed; otherwise null, as before the first compaction. */
export function digestFrom(value: unknown): DigestData | null {
  if (typeof value !== 'object' || value === null) return null;
  // Every field is checked below.
  const data = value as Partial<Record<keyof DigestData, unknown>>;
  const isText = (one: unknown): boolean => typeof one === 'string';
  const isNumber = (one: unknown): boolean => Number.isSafeInteger(one);
  const isExcerpt = (one: unknown): boolean => has(one, { head: isText, tail: isText, left: isNumber });
  const isTally = (one: unknown): boolean => has(one, { name: isText, calls: isNumber, errors: isNumber });
  const listOf = (isOne: (one: unknown) => boolean) => (list: unknown) =>
    Array.isArray(list) && list.every(isOne);
  const isUsed = (one: unknown): boolean =>
    has(one, { name: isText, line: isText, source: isText, last: isNumber });
  const isDigest = has(data, {
    version: (version) => version === 2,
    messages: isNumber,
    users: listOf(isExcerpt),
    usersLeft: isNumber,
    read: listOf(isText),
    written: listOf(isText),
    tools: listOf(isTally),
    errors: listOf(isText),
    said: listOf(isExcerpt),
    used: listOf(isUsed),
  });
  const isOutlines = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.values(value).every(listOf(isText));
  const optional = {
    attempted: listOf(isText),
    outlines: isOutlines,
    answers: listOf(isExcerpt),
    reasons: listOf((one) => has(one, { path: isText, text: isText })),
  };
  const isWhole = Object.entries(optional).every(
    ([name, fits]) => !Object.hasOwn(data, name) || has(data, { [name]: fits }),
  );
  // Every field was checked.
  return isDigest && isWhole ? (value as DigestData) : null;
}

function has(value: unknown, fields: Readonly<Record<string, (field: unknown) => boolean>>): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(fields).every(
      ([name, fits]) =>
        Object.hasOwn(value, name) && fits(Object.getOwnPropertyDescriptor(value, name)?.value),
    )
  );
}

/** Adds the facts of `messages` to `earlier`. The result has a bounded size; takes time linear in the messages. */
export function mergeDigest(
  earlier: DigestData | null,
  messages: readonly TranscriptMessage[],
  options: { readonly written?: readonly string[]; readonly used?: readonly UsedLine[] } = {},
): DigestData {
  const users: Excerpt[] = [];
  const answers: Excerpt[] = [];
  const said: Excerpt[] = [];
  const errors: string[] = [];
  const tools = new Map<string, { calls: number; errors: number }>();
  for (const { name, calls, errors: failed } of earlier?.tools ?? [])
    tools.set(name, { calls, errors: failed });
  const uses = fileUses(messages);
  for (const { view, names } of messages) {
    const calls = view.items.some(({ kind }) => kind === 'call');
    for (const [at, item] of view.items.entries()) {
      const name = oneLine((names[at] ?? item.toolName ?? 'tool').slice(0, MAX_TOOL_NAME));
      switch (item.kind) {
        case 'user':
          if (isTold(item.text)) users.push(excerptOf(item.text.trim(), MAX_USER));
          break;
        case 'text':
          if (isTold(item.text))
            if (calls) said.push(excerptOf(item.text.trim(), MAX_SAID));
            else answers.push(excerptOf(item.text.trim(), MAX_ANSWER));
          break;
        case 'call':
          tallied(tools, name).calls += 1;
          break;
        case 'result':
          if (!item.isError && !uses.failed.has(item)) break;
          tallied(tools, name).errors += 1;
          if (!item.text.startsWith(OWN_MARK)) errors.push(`${name}: ${firstWords(item.text)}`);
          break;
        default:
      }
    }
  }
  const written = latest(earlier?.written ?? [], [...uses.written, ...(options.written ?? []).map(oneLine)]);
  const attempted = latest(earlier?.attempted ?? [], uses.attempted).filter(
    (path) => !written.includes(path),
  );
  const fromUsers = keptUsers(earlier?.users ?? [], users);
  const read = latest(earlier?.read ?? [], uses.read).filter((path) => !written.includes(path));
  const keptAnswers = [...(earlier?.answers ?? []), ...answers].slice(-ANSWERS_KEPT);
  const reasons = [
    ...(earlier?.reasons ?? []),
    ...uses.reasons.map(({ path, text }) => ({ path, text: reasonText(text) })),
  ].slice(-REASONS_KEPT);
  const outlines = outlinesOf(earlier?.outlines ?? {}, uses.reads, [...written, ...read]);
  return {
    version: 2,
    messages: (earlier?.messages ?? 0) + messages.length,
    users: fromUsers.kept,
    usersLeft: (earlier?.usersLeft ?? 0) + fromUsers.left,
    read,
    written,
    ...(Object.keys(outlines).length > 0 ? { outlines } : {}),
    ...(attempted.length > 0 ? { attempted } : {}),
    tools: [...tools].map(([name, tally]) => ({ name, ...tally })),
    errors: counted([...(earlier?.errors ?? []), ...errors]).slice(-ERRORS_KEPT),
    ...(keptAnswers.length > 0 ? { answers: keptAnswers } : {}),
    said: [...(earlier?.said ?? []), ...said].slice(-SAID_KEPT),
    ...(reasons.length > 0 ? { reasons } : {}),
    used: options.used ?? earlier?.used ?? [],
  };
}

/** Distinct texts at their last position, with the number of occurrences: `… (3 times)`. */
function counted(texts: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const text of texts) {
    const [, plain = text, number = '1'] = TIMES.exec(text) ?? [];
    const before = times.get(plain) ?? 0;
    times.delete(plain);
    times.set(plain, before + Number(number));
  }
  return [...times].map(([plain, number]) => (number === 1 ? plain : `${plain} (${number} times)`));
}

const TIMES = /^([\s\S]*) \((\d{1,9}) times\)$/;

/** An assistant text shortened for display next to a file: one line, at most 200 characters. */
export function reasonText(text: string): string {
  const plain = text
    .slice(0, MAX_REASON * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return excerptText(excerptOf(oneLine(plain), MAX_REASON));
}

/** `digest` with lines that calls used from masked results, for the notice that will replace those later. */
export function withUsed(digest: DigestData | null, used: readonly UsedLine[]): DigestData | null {
  return used.length === 0 ? digest : { ...(digest ?? mergeDigest(null, [])), used };
}

/** Outlines of the files in `paths`, from the newest read of each. */
function outlinesOf(
  earlier: Readonly<Record<string, readonly string[]>>,
  reads: FileUses['reads'],
  paths: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const outlines = new Map(Object.entries(earlier));
  for (const { path, result } of reads) {
    const lines = outlineOf(result);
    if (lines.length === 0) continue;
    outlines.delete(path);
    outlines.set(path, lines);
  }
  const known = new Set(paths);
  return Object.fromEntries([...outlines].filter(([path]) => known.has(path)).slice(-OUTLINES_KEPT));
}

/** Neither empty nor one of lectern's own notices. */
function isTold(text: string): boolean {
  return !text.startsWith(OWN_MARK) && /\S/.test(text);
}

function tallied(
  tools: Map<string, { calls: number; errors: number }>,
  name: string,
): { calls: number; errors: number } {
  // Tools beyond the limit share one entry.
  const key = tools.has(name) || tools.size < TOOLS_KEPT - 1 ? name : 'others';
  const tally = tools.get(key) ?? { calls: 0, errors: 0 };
  tools.set(key, tally);
  return tally;
}

/** The first user message and the newest that fit, and the number of the others. */
function keptUsers(
  earlier: readonly Excerpt[],
  added: readonly Excerpt[],
): { kept: Excerpt[]; left: number } {
  const all = [...earlier, ...added];
  const [first, ...rest] = all;
  if (first === undefined) return { kept: [], left: 0 };
  let room = MAX_USERS - sizeOf(first);
  let from = rest.length;
  for (let next = rest[from - 1]; next !== undefined && sizeOf(next) <= room; next = rest[from - 1]) {
    from -= 1;
    room -= sizeOf(next);
  }
  return { kept: [first, ...rest.slice(from)], left: from };
}

const sizeOf = ({ head, tail }: Excerpt): number => head.length + tail.length;

/** The last paths of both lists without repeats, each at its last use. */
function latest(earlier: readonly string[], added: readonly string[]): string[] {
  const paths = new Set(earlier);
  for (const path of added) {
    paths.delete(path);
    paths.add(path);
  }
  return [...paths].slice(-FILES_KEPT);
}

function firstWords(text: string): string {
  const plain = stripVTControlCharacters(text.slice(0, MAX_ERROR * 2))
    .replace(/\s+/g, ' ')
    .trim();
  return plain === '' ? '(empty result)' : excerptText(excerptOf(oneLine(plain), MAX_ERROR));
}

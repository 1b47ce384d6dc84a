// Facts about the removed part of a conversation, extracted without a model: what was asked, answered, changed, read and
// failed, and the lines that later calls used. Not a summary: it draws no conclusions. `digest-text.ts` formats it.

import { stripVTControlCharacters } from 'node:util';
import { OWN, oneLine } from '../../contract/index.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import { fileUses } from '../policy/file-uses.ts';
import { type Excerpt, excerptOf, excerptText } from './excerpt.ts';
import type { UsedLine } from './used-lines.ts';

/**
 * Facts gathered so far, as JSON. Passed from one compaction to the next, so repeated compactions do not lose them.
 */
export interface DigestData {
  /** Number of messages included. */
  readonly messages: number;
  /** Oldest first, starting with the conversation's first. Long ones are shortened in the middle. */
  readonly users: readonly Excerpt[];
  /** Number of user messages that did not fit in `users`. */
  readonly usersLeft: number;
  /** The assistant's texts without calls: results, proposals, questions. Oldest first. */
  readonly answers: readonly Excerpt[];
  /** Latest change last. */
  readonly changed: readonly ChangedFile[];
  /** Paths of files that were read and not changed, latest use last. */
  readonly read: readonly string[];
  /** Tool and first words, oldest first. A repeated error appears once, with its count. */
  readonly errors: readonly string[];
  /** Lines of results that later calls used, latest use last. */
  readonly used: readonly UsedLine[];
}

/** A file that calls wrote or edited. */
export interface ChangedFile {
  readonly path: string;
  /** False if no result says that a change succeeded. */
  readonly isSure: boolean;
  /** What the assistant said with the newest changes, oldest first. */
  readonly why: readonly string[];
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
const MAX_REASON = 200;
const REASONS_KEPT = 3;
const MAX_ERROR = 240;
const ERRORS_KEPT = 12;
const FILES_KEPT = 100;
const MAX_TOOL_NAME = 80;

const NOTHING: DigestData = {
  messages: 0,
  users: [],
  usersLeft: 0,
  answers: [],
  changed: [],
  read: [],
  errors: [],
  used: [],
};

/** Adds the facts of `messages` to `earlier`. The result has a bounded size; takes time linear in the messages. */
export function mergeDigest(
  earlier: DigestData | null,
  messages: readonly TranscriptMessage[],
  used?: readonly UsedLine[],
): DigestData {
  const before = earlier ?? NOTHING;
  const users: Excerpt[] = [];
  const answers: Excerpt[] = [];
  const errors: string[] = [];
  const uses = fileUses(messages);
  for (const { view, names } of messages) {
    const calls = view.items.some(({ kind }) => kind === 'call');
    for (const [at, item] of view.items.entries()) {
      const text = item.text.trim();
      const isOurs = text === '' || text.startsWith(OWN_MARK);
      if (item.kind === 'user' && !isOurs) users.push(excerptOf(text, MAX_USER));
      if (item.kind === 'text' && !isOurs && !calls) answers.push(excerptOf(text, MAX_ANSWER));
      if (item.kind !== 'result' || (!item.isError && !uses.failed.has(item))) continue;
      const name = oneLine((names[at] ?? item.toolName ?? 'tool').slice(0, MAX_TOOL_NAME));
      if (!text.startsWith(OWN_MARK)) errors.push(`${name}: ${firstWords(item.text)}`);
    }
  }
  const changed = changedFiles(before.changed, uses.changes);
  const isChanged = new Set(changed.map(({ path }) => path));
  const fromUsers = keptUsers(before.users, users);
  return {
    messages: before.messages + messages.length,
    users: fromUsers.kept,
    usersLeft: before.usersLeft + fromUsers.left,
    answers: [...before.answers, ...answers].slice(-ANSWERS_KEPT),
    changed,
    read: latest([...before.read, ...uses.read]).filter((path) => !isChanged.has(path)),
    errors: counted([...before.errors, ...errors]).slice(-ERRORS_KEPT),
    used: used ?? before.used,
  };
}

/** `digest` with lines that calls used from masked results, for the notice that will replace those later. */
export function withUsed(digest: DigestData | null, used: readonly UsedLine[]): DigestData | null {
  return used.length === 0 ? digest : { ...(digest ?? NOTHING), used };
}

/** Changes added to those of earlier ones, each file at its last change. */
function changedFiles(
  earlier: readonly ChangedFile[],
  changes: ReturnType<typeof fileUses>['changes'],
): readonly ChangedFile[] {
  const files = new Map(earlier.map((file) => [file.path, file]));
  for (const { path, isSure, said } of changes) {
    const file = files.get(path);
    const why = new Set(file?.why);
    if (said !== '' && !said.startsWith(OWN_MARK)) why.add(lineOf(said, MAX_REASON));
    files.delete(path);
    files.set(path, {
      path,
      isSure: isSure || (file?.isSure ?? false),
      why: [...why].slice(-REASONS_KEPT),
    });
  }
  return [...files.values()].slice(-FILES_KEPT);
}

/** The start of a text on one line. */
function lineOf(text: string, max: number): string {
  const plain = text.slice(0, max * 4).replace(/\s+/g, ' ');
  return excerptText(excerptOf(oneLine(plain.trim()), max));
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

/** The last paths without repeats, each at its last use. */
function latest(all: readonly string[]): string[] {
  const paths = new Set<string>();
  for (const path of all) {
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

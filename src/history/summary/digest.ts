// Facts about the removed part of a conversation, extracted without a model: what was asked, answered and changed, and the
// lines that later calls used. Not a summary: it draws no conclusions. `digest-text.ts` formats it.

import { OWN } from '../../contract/index.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import { fileUses } from '../policy/file-uses.ts';
import { type Excerpt, excerptOf } from './excerpt.ts';
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
  /** Paths of files that calls wrote or edited, latest last. */
  readonly changed: readonly string[];
  /** Paths of other files that calls named, latest last. */
  readonly read: readonly string[];
  /** Lines of results that later calls used, latest use last. */
  readonly used: readonly UsedLine[];
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
const FILES_KEPT = 100;

const NOTHING: DigestData = {
  messages: 0,
  users: [],
  usersLeft: 0,
  answers: [],
  changed: [],
  read: [],
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
  for (const { view } of messages) {
    const calls = view.items.some(({ kind }) => kind === 'call');
    for (const item of view.items) {
      const text = item.text.trim();
      if (text === '' || text.startsWith(OWN_MARK)) continue;
      if (item.kind === 'user') users.push(excerptOf(text, MAX_USER));
      if (item.kind === 'text' && !calls) answers.push(excerptOf(text, MAX_ANSWER));
    }
  }
  const uses = fileUses(messages);
  const changed = latest([...before.changed, ...uses.changed]);
  const fromUsers = keptUsers(before.users, users);
  return {
    messages: before.messages + messages.length,
    users: fromUsers.kept,
    usersLeft: before.usersLeft + fromUsers.left,
    answers: [...before.answers, ...answers].slice(-ANSWERS_KEPT),
    changed,
    read: latest([...before.read, ...uses.read]).filter((path) => !changed.includes(path)),
    used: used ?? before.used,
  };
}

/** `digest` with lines that calls used from masked results, for the notice that will replace those later. */
export function withUsed(digest: DigestData | null, used: readonly UsedLine[]): DigestData | null {
  return used.length === 0 ? digest : { ...(digest ?? NOTHING), used };
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

/** The last paths without repeats, each at its last use. */
function latest(all: readonly string[]): string[] {
  const paths = new Set<string>();
  for (const path of all) {
    paths.delete(path);
    paths.add(path);
  }
  return [...paths].slice(-FILES_KEPT);
}

// What is known of the part of a conversation that goes, taken from it without a model, and worded inside a budget. Not a
// summary: it tells facts that stand in the messages, and nothing that follows from them.

import { oneLine, plural, type Tokens } from '../contract/index.ts';
import { type Excerpt, excerptOf, excerptText, shorter } from './excerpt.ts';
import { fileUses } from './file-uses.ts';
import { type NameUse, namesOf, type RankNames, rankByUse } from './names.ts';
import type { TranscriptMessage } from './transcript.ts';

/** Facts gathered so far, as JSON: kept from one compaction to the next, so that a chain of them loses nothing of these. */
export interface DigestData {
  readonly version: 1;
  /** Messages that went in. */
  readonly messages: number;
  /** Oldest first; the first is the conversation's first. Long ones are cut in the middle. */
  readonly users: readonly Excerpt[];
  /** User messages that found no room in `users`. */
  readonly usersLeft: number;
  /** Paths, the latest use last. */
  readonly read: readonly string[];
  readonly written: readonly string[];
  /** By name, in order of first use. */
  readonly tools: readonly ToolTally[];
  /** Tool and first words, oldest first. */
  readonly errors: readonly string[];
  /** The newest texts of the assistant, oldest first. */
  readonly said: readonly Excerpt[];
  readonly names: readonly NameUse[];
}

export interface ToolTally {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
}

export interface DigestInput {
  /** The messages that go. */
  readonly messages: readonly TranscriptMessage[];
  /** What all is for; null when it is said elsewhere or not known. */
  readonly goal: string | null;
  /** Of the compactions before. */
  readonly earlier: DigestData | null;
  /** Paths known to be written, besides those that the arguments of calls tell. */
  readonly written?: readonly string[];
  /** Order of names, most worth keeping first; `rankByUse` by default. */
  readonly rankNames?: RankNames;
}

/** How a text's tokens are counted or estimated. */
export type CountTokens = (text: string) => Tokens;

/** What every text of ours begins with. */
export const OWN_MARK = '[history: ';

/** Characters of one user message that are kept. */
const MAX_USER = 8_000;
/** Characters of all user messages that are kept: about the 20 000 tokens Codex keeps of them. */
const MAX_USERS = 64_000;
const MAX_SAID = 1_500;
const SAID_KEPT = 3;
const MAX_ERROR = 240;
const ERRORS_KEPT = 12;
const FILES_KEPT = 200;
const TOOLS_KEPT = 60;
const NAMES_KEPT = 300;
const MAX_TOOL_NAME = 80;

/** The digest of `input`, at most `maxTokens` by `count`; empty when there is nothing to tell or no room for it. */
export function digestOf(input: DigestInput, maxTokens: Tokens, count: CountTokens): string {
  const data = mergeDigest(input.earlier, input.messages, input);
  return digestText(data, input.goal, maxTokens, count);
}

/** `earlier` and what `messages` add to it. Bounded, whatever the messages are; takes time linear in them. */
export function mergeDigest(
  earlier: DigestData | null,
  messages: readonly TranscriptMessage[],
  options: { readonly written?: readonly string[]; readonly rankNames?: RankNames } = {},
): DigestData {
  const users: Excerpt[] = [];
  const said: Excerpt[] = [];
  const errors: string[] = [];
  const tools = new Map<string, { calls: number; errors: number }>();
  for (const { name, calls, errors: failed } of earlier?.tools ?? [])
    tools.set(name, { calls, errors: failed });
  for (const { view, names } of messages)
    for (const [at, item] of view.items.entries()) {
      const name = oneLine((names[at] ?? item.toolName ?? 'tool').slice(0, MAX_TOOL_NAME));
      switch (item.kind) {
        case 'user':
          if (isTold(item.text)) users.push(excerptOf(item.text.trim(), MAX_USER));
          break;
        case 'text':
          if (isTold(item.text)) said.push(excerptOf(item.text.trim(), MAX_SAID));
          break;
        case 'call':
          tallied(tools, name).calls += 1;
          break;
        case 'result':
          if (!item.isError) break;
          tallied(tools, name).errors += 1;
          if (!item.text.startsWith(OWN_MARK)) errors.push(`${name}: ${firstWords(item.text)}`);
          break;
        default:
      }
    }
  const uses = fileUses(messages);
  const written = latest(earlier?.written ?? [], [...uses.written, ...(options.written ?? []).map(oneLine)]);
  const fromUsers = keptUsers(earlier?.users ?? [], users);
  return {
    version: 1,
    messages: (earlier?.messages ?? 0) + messages.length,
    users: fromUsers.kept,
    usersLeft: (earlier?.usersLeft ?? 0) + fromUsers.left,
    read: latest(earlier?.read ?? [], uses.read).filter((path) => !written.includes(path)),
    written,
    tools: [...tools].map(([name, tally]) => ({ name, ...tally })),
    errors: [...(earlier?.errors ?? []), ...errors].slice(-ERRORS_KEPT),
    said: [...(earlier?.said ?? []), ...said].slice(-SAID_KEPT),
    names: (options.rankNames ?? rankByUse)(namesOf(earlier?.names ?? [], messages)).slice(0, NAMES_KEPT),
  };
}

/**
 * `data` in words, at most `maxTokens` by `count`: whole lines, the least important shed first. Empty when nothing is known
 * or nothing fits.
 */
export function digestText(
  data: DigestData,
  goal: string | null,
  maxTokens: Tokens,
  count: CountTokens,
): string {
  const lines = linesOf(data, goal, maxTokens).sort((a, b) => a.rank - b.rank);
  if (lines.length === 0) return '';
  let fits = 0;
  for (let least = 1, most = lines.length; least <= most; ) {
    const middle = (least + most) >> 1;
    if (count(worded(lines.slice(0, middle))) <= maxTokens) {
      fits = middle;
      least = middle + 1;
    } else most = middle - 1;
  }
  return worded(lines.slice(0, fits));
}

const SECTIONS = [
  'Goal',
  'User messages',
  'Files written',
  'Files read',
  'Tools used',
  'Errors met',
  'Names from tool results',
  'Last words of the assistant',
] as const;

const IN_ONE_LINE: ReadonlySet<string> = new Set<(typeof SECTIONS)[number]>([
  'Tools used',
  'Names from tool results',
]);

/** One line, or one message, of a section; `order` is its place there, `rank` what it is worth: 0 most. */
interface Line {
  readonly section: (typeof SECTIONS)[number];
  readonly order: number;
  readonly rank: number;
  readonly text: string;
}

/** Tokens may be two characters each: what is cut to this fits any count but the strangest, which sheds it. */
const CHARACTERS_PER_TOKEN = 2;

function linesOf(data: DigestData, goal: string | null, maxTokens: Tokens): Line[] {
  const lines: Line[] = [];
  const room = Math.max(0, maxTokens) * CHARACTERS_PER_TOKEN;
  const add = (section: Line['section'], order: number, rank: number, text: string): void => {
    lines.push({ section, order, rank, text });
  };
  if (goal !== null && goal.trim() !== '')
    add('Goal', 0, 0, excerptText(excerptOf(goal.trim(), Math.max(40, Math.floor(room / 4)))));
  const { users, said } = data;
  const mostOfUser = Math.max(40, Math.min(MAX_USER, Math.floor(room / 4)));
  for (const [index, text] of users.entries()) {
    const age = users.length - 1 - index;
    const rank = age === 0 ? 1 : index === 0 ? 2 : 10 + age;
    add('User messages', index, rank, numbered(index, data, excerptText(shorter(text, mostOfUser))));
  }
  if (data.usersLeft > 0)
    add('User messages', 0.5, 5, `(${plural(data.usersLeft, 'user message')} in between left out)`);
  for (const [index, text] of said.entries()) {
    const age = said.length - 1 - index;
    add(
      'Last words of the assistant',
      index,
      age === 0 ? 3 : 14 + age * 4,
      `- ${indented(excerptText(shorter(text, mostOfUser)))}`,
    );
  }
  listed('Files written', data.written, 4);
  listed('Files read', data.read, 8);
  listed('Errors met', data.errors, 7);
  for (const [index, tally] of data.tools.entries())
    add('Tools used', index, 6 + index / 4, tallyText(tally));
  for (const [index, { name }] of data.names.entries())
    add('Names from tool results', index, 9 + index / 4, name);
  return lines;

  function listed(section: Line['section'], entries: readonly string[], first: number): void {
    for (const [index, entry] of entries.entries())
      add(section, index, first + (entries.length - 1 - index) / 4, `- ${entry}`);
  }
}

function tallyText({ name, calls, errors }: ToolTally): string {
  return `${name} ${plural(calls, 'call')}${errors === 0 ? '' : ` (${plural(errors, 'error')})`}`;
}

const numbered = (index: number, { users, usersLeft }: DigestData, text: string): string =>
  users.length + usersLeft === 1
    ? indented(text)
    : `${index === 0 ? 1 : index + 1 + usersLeft}. ${indented(text)}`;

function indented(text: string): string {
  return text.split(/\r\n|\r|\n/).join('\n   ');
}

function worded(lines: readonly Line[]): string {
  const sections: string[] = [];
  for (const section of SECTIONS) {
    const own = lines.filter((line) => line.section === section).sort((a, b) => a.order - b.order);
    if (own.length === 0) continue;
    const body = own.map(({ text }) => text).join(IN_ONE_LINE.has(section) ? ', ' : '\n');
    sections.push(`## ${section}\n${body}`);
  }
  return sections.join('\n\n');
}

/** Not one of our own notices, and not nothing. */
function isTold(text: string): boolean {
  return !text.startsWith(OWN_MARK) && /\S/.test(text);
}

function tallied(
  tools: Map<string, { calls: number; errors: number }>,
  name: string,
): { calls: number; errors: number } {
  // One entry for all tools beyond those that are told apart.
  const key = tools.has(name) || tools.size < TOOLS_KEPT - 1 ? name : 'others';
  const tally = tools.get(key) ?? { calls: 0, errors: 0 };
  tools.set(key, tally);
  return tally;
}

/** The first user message, and the newest that fit; how many do not. */
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

/** The last of both without repeats, each where it was used last. */
function latest(earlier: readonly string[], added: readonly string[]): string[] {
  const paths = new Set(earlier);
  for (const path of added) {
    paths.delete(path);
    paths.add(path);
  }
  return [...paths].slice(-FILES_KEPT);
}

function firstWords(text: string): string {
  const flat = oneLine(text.slice(0, MAX_ERROR * 2).trim());
  return excerptText(excerptOf(flat, MAX_ERROR));
}

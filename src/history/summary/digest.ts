// What is known of the part of a conversation that goes, taken from it without a model, and worded inside a budget. Not a
// summary: it tells facts that stand in the messages, and nothing that follows from them.

import { stripVTControlCharacters } from 'node:util';
import { oneLine, plural, type Tokens } from '../../contract/index.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import { fileUses } from '../policy/file-uses.ts';
import { type Excerpt, excerptOf, excerptText, shorter } from './excerpt.ts';
import {
  type MetName,
  mergeNames,
  type NamesData,
  namesIn,
  namesOf,
  type RankNames,
  rankByWorth,
} from './names.ts';

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
  /** Of writes whose results do not say how they ended; absent for none. */
  readonly attempted?: readonly string[];
  /** By name, in order of first use. */
  readonly tools: readonly ToolTally[];
  /** Tool and first words, oldest first. */
  readonly errors: readonly string[];
  /** The newest texts of the assistant, oldest first. */
  readonly said: readonly Excerpt[];
  readonly names: NamesData;
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
  /** Names that the messages that stay show: they need no room here. */
  readonly visible?: ReadonlySet<string>;
  /** Order of names, most worth keeping first; `rankByWorth` by default. */
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
/** Characters shown of a user message that is not the first. */
const MAX_LATER_USER = 3_000;
const MAX_SAID = 400;
const SAID_KEPT = 3;
const MAX_ERROR = 240;
const ERRORS_KEPT = 12;
const FILES_KEPT = 100;
const TOOLS_KEPT = 60;
const MAX_TOOL_NAME = 80;

/** The digest of `input`, at most `maxTokens` by `count`; empty when there is nothing to tell or no room for it. */
export function digestOf(input: DigestInput, maxTokens: Tokens, count: CountTokens): string {
  const data = mergeDigest(input.earlier, input.messages, input);
  return digestText(data, input.goal, maxTokens, count, input);
}

/** What a state holds as a digest, where it has the form of one; null otherwise, as before the first compaction. */
export function digestFrom(value: unknown): DigestData | null {
  if (typeof value !== 'object' || value === null) return null;
  // Looked at field by field before it is taken for what it says.
  const data = value as Partial<Record<keyof DigestData, unknown>>;
  const isText = (one: unknown): boolean => typeof one === 'string';
  const isNumber = (one: unknown): boolean => Number.isSafeInteger(one);
  const isExcerpt = (one: unknown): boolean => has(one, { head: isText, tail: isText, left: isNumber });
  const isTally = (one: unknown): boolean => has(one, { name: isText, calls: isNumber, errors: isNumber });
  const listOf = (isOne: (one: unknown) => boolean) => (list: unknown) =>
    Array.isArray(list) && list.every(isOne);
  const isName = (one: unknown): boolean =>
    Array.isArray(one) && one.length === 5 && isText(one[0]) && one.slice(1).every(isNumber);
  const isDigest = has(data, {
    version: (version) => version === 1,
    messages: isNumber,
    users: listOf(isExcerpt),
    usersLeft: isNumber,
    read: listOf(isText),
    written: listOf(isText),
    tools: listOf(isTally),
    errors: listOf(isText),
    said: listOf(isExcerpt),
    names: (names) =>
      has(names, { messages: isNumber, results: isNumber, sources: listOf(isText), names: listOf(isName) }),
  });
  const isWhole = !Object.hasOwn(data, 'attempted') || has(data, { attempted: listOf(isText) });
  // Every field was looked at.
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

/** `earlier` and what `messages` add to it. Bounded, whatever the messages are; takes time linear in them. */
export function mergeDigest(
  earlier: DigestData | null,
  messages: readonly TranscriptMessage[],
  options: Pick<DigestInput, 'written'> = {},
): DigestData {
  const users: Excerpt[] = [];
  const said: Excerpt[] = [];
  const errors: string[] = [];
  const tools = new Map<string, { calls: number; errors: number }>();
  for (const { name, calls, errors: failed } of earlier?.tools ?? [])
    tools.set(name, { calls, errors: failed });
  const uses = fileUses(messages);
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
          if (!item.isError && !uses.failed.has(item)) break;
          tallied(tools, name).errors += 1;
          if (!item.text.startsWith(OWN_MARK)) errors.push(`${name}: ${firstWords(item.text)}`);
          break;
        default:
      }
    }
  const written = latest(earlier?.written ?? [], [...uses.written, ...(options.written ?? []).map(oneLine)]);
  const attempted = latest(earlier?.attempted ?? [], uses.attempted).filter(
    (path) => !written.includes(path),
  );
  const fromUsers = keptUsers(earlier?.users ?? [], users);
  return {
    version: 1,
    messages: (earlier?.messages ?? 0) + messages.length,
    users: fromUsers.kept,
    usersLeft: (earlier?.usersLeft ?? 0) + fromUsers.left,
    read: latest(earlier?.read ?? [], uses.read).filter((path) => !written.includes(path)),
    written,
    ...(attempted.length > 0 ? { attempted } : {}),
    tools: [...tools].map(([name, tally]) => ({ name, ...tally })),
    errors: [...(earlier?.errors ?? []), ...errors].slice(-ERRORS_KEPT),
    said: [...(earlier?.said ?? []), ...said].slice(-SAID_KEPT),
    names: mergeNames(earlier?.names ?? null, messages),
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
  options: Pick<DigestInput, 'visible' | 'rankNames'> = {},
): string {
  const facts = linesOf(data, goal, maxTokens);
  const lines = ranked([...facts, ...nameLines(data.names, facts, count, options)], count);
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

/**
 * Sections in order, and the share of the room each may fill; what one does not need goes to the others. By replay of real
 * sessions names are worth most, then what the user said.
 */
const SHARES = {
  Goal: 0.04,
  'User messages': 0.3,
  'Files written': 0.04,
  'Files in write calls, outcome not stated': 0.02,
  'Files read': 0.04,
  'Tools used': 0.02,
  'Errors met': 0.03,
  'Last words of the assistant': 0.03,
  'Names met': 0.5,
} as const;

type Section = keyof typeof SHARES;

/** One line, or one message, or one name, of a section. */
interface Line {
  readonly section: Section;
  /** Its place there. */
  readonly order: number;
  readonly text: string;
  /** 0 to 3 for what comes before everything else, in that order; null for what shares the rest of the room. */
  readonly first: number | null;
  /** Of a name, where it was met. */
  readonly source?: string;
}

/** Tokens may be two characters each: what is cut to this fits any count but the strangest, which sheds it. */
const CHARACTERS_PER_TOKEN = 2;

/** Lines of a section come in the order of their worth. */
function linesOf(data: DigestData, goal: string | null, maxTokens: Tokens): Line[] {
  const lines: Line[] = [];
  const room = Math.max(0, maxTokens) * CHARACTERS_PER_TOKEN;
  const add = (section: Section, order: number, text: string, first: number | null = null): void => {
    lines.push({ section, order, text, first });
  };
  const longest = Math.max(40, Math.floor(room / 4));
  if (goal !== null && goal.trim() !== '') add('Goal', 0, excerptText(excerptOf(goal.trim(), longest)), 0);
  const { users, usersLeft, said } = data;
  if (usersLeft > 0) add('User messages', 0.5, `(${plural(usersLeft, 'user message')} in between left out)`);
  for (const [index, text] of newestFirst(users)) {
    const first = index === users.length - 1 ? 1 : index === 0 ? 2 : null;
    const most = Math.min(longest, index === 0 ? MAX_USER : MAX_LATER_USER);
    add('User messages', index, numbered(index, data, excerptText(shorter(text, most))), first);
  }
  for (const [index, text] of newestFirst(said)) {
    const words = excerptText(shorter(text, Math.min(longest, MAX_SAID)));
    add('Last words of the assistant', index, `- ${indented(words)}`, index === said.length - 1 ? 3 : null);
  }
  for (const [index, path] of newestFirst(data.written)) add('Files written', index, `- ${path}`);
  for (const [index, path] of newestFirst(data.attempted ?? []))
    add('Files in write calls, outcome not stated', index, `- ${path}`);
  for (const [index, path] of newestFirst(data.read)) add('Files read', index, `- ${path}`);
  for (const [index, error] of newestFirst(data.errors)) add('Errors met', index, `- ${error}`);
  for (const [index, tally] of data.tools.entries()) add('Tools used', index, tallyText(tally));
  return lines;
}

function newestFirst<T>(values: readonly T[]): [index: number, value: T][] {
  return [...values.entries()].reverse();
}

/** Names that neither stay visible nor stand in the other lines. */
function nameLines(
  data: NamesData,
  facts: readonly Line[],
  count: CountTokens,
  { visible, rankNames = rankByWorth }: Pick<DigestInput, 'visible' | 'rankNames'>,
): Line[] {
  const told = new Set<string>();
  for (const { text } of facts) for (const name of namesIn(text)) told.add(name);
  const left = namesOf(data).filter(({ name }) => !told.has(name) && visible?.has(name) !== true);
  return rankNames(left, count).map(
    ({ name, source }: MetName, order): Line => ({
      section: 'Names met',
      order,
      text: name,
      first: null,
      source,
    }),
  );
}

/** By worth: first what comes first, then each section's lines as far as its share of the room so far lets them. */
function ranked(lines: readonly Line[], count: CountTokens): Line[] {
  const used = new Map<string, number>();
  return lines
    .map((line) => {
      if (line.first !== null) return { line, rank: line.first - 4 };
      const heading = line.source === undefined || used.has(`: ${line.source}`) ? '' : `- ${line.source}: `;
      if (heading !== '') used.set(`: ${line.source}`, 0);
      const cost = (used.get(line.section) ?? 0) + count(`${heading}${line.text}`);
      used.set(line.section, cost);
      return { line, rank: cost / SHARES[line.section] };
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ line }) => line);
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
  const bySection = new Map<Section, Line[]>();
  for (const line of lines) {
    const own = bySection.get(line.section) ?? [];
    bySection.set(line.section, own);
    own.push(line);
  }
  // The keys are those of the table.
  for (const section of Object.keys(SHARES) as Section[]) {
    const own = bySection.get(section);
    if (own)
      sections.push(
        `## ${section}\n${bodyOf(
          section,
          own.sort((a, b) => a.order - b.order),
        )}`,
      );
  }
  return sections.join('\n\n');
}

function bodyOf(section: Section, lines: readonly Line[]): string {
  if (section === 'Tools used') return lines.map(({ text }) => text).join(', ');
  if (section !== 'Names met') return lines.map(({ text }) => text).join('\n');
  const bySource = new Map<string, string[]>();
  for (const { text, source = '' } of lines) {
    const names = bySource.get(source) ?? [];
    bySource.set(source, names);
    if (text !== source) names.push(text);
  }
  return [...bySource]
    .map(([source, names]) => (names.length === 0 ? `- ${source}` : `- ${source}: ${names.join(' ')}`))
    .join('\n');
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
  const plain = stripVTControlCharacters(text.slice(0, MAX_ERROR * 2))
    .replace(/\s+/g, ' ')
    .trim();
  return plain === '' ? '(the result has no text)' : excerptText(excerptOf(oneLine(plain), MAX_ERROR));
}

// A digest in words, inside a budget: which facts come first, and what share of the room each section may fill. What the facts
// are is `digest.ts`.

import { plural, type Tokens } from '../../contract/index.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import {
  type DigestData,
  MAX_ANSWER,
  MAX_SAID,
  MAX_USER,
  mergeDigest,
  reasonText,
  type ToolTally,
} from './digest.ts';
import { type Excerpt, excerptOf, excerptText, shorter } from './excerpt.ts';
import type { UsedLine } from './used-lines.ts';

export interface DigestInput {
  /** The messages that go. */
  readonly messages: readonly TranscriptMessage[];
  /** What all is for; null when it is said elsewhere or not known. */
  readonly goal: string | null;
  /** Of the compactions before. */
  readonly earlier: DigestData | null;
  /** Paths known to be written, besides those that the arguments of calls tell. */
  readonly written?: readonly string[];
  /** Lines of results that later calls used; default: those of `earlier`. */
  readonly used?: readonly UsedLine[];
}

/** How a text's tokens are counted or estimated. */
export type CountTokens = (text: string) => Tokens;

/** Characters of a goal that come before all else: those of a plan's compact context. */
export const MAX_GOAL = 2_000;
/** Reasons shown of one file. */
const REASONS_SHOWN = 3;
/** Characters shown of a user message that is not the first. */
const MAX_LATER_USER = 3_000;

/** The digest of `input`, at most `maxTokens` by `count`; empty when there is nothing to tell or no room for it. */
export function digestOf(input: DigestInput, maxTokens: Tokens, count: CountTokens): string {
  const data = mergeDigest(input.earlier, input.messages, input);
  return digestText(data, input.goal, maxTokens, count);
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
  const lines = ranked([...linesOf(data, goal, maxTokens), ...usedLines(data.used)], count);
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
 * Sections in order, and the share of the room each may fill; what one does not need goes to the others. Most is for what the
 * files hold, for what was said, and for what calls took from results.
 */
const SHARES = {
  Goal: 0.04,
  'User messages': 0.22,
  'Answers of the assistant': 0.14,
  'Files written': 0.12,
  'Files in write calls, outcome not stated': 0.02,
  'Files read': 0.16,
  'Tools used': 0.02,
  'Errors met': 0.05,
  'Said beside the last calls': 0.03,
  'Lines that later calls used': 0.2,
} as const;

type Section = keyof typeof SHARES;

/** One line, or one message, of a section. */
interface Line {
  readonly section: Section;
  /** Its place there. */
  readonly order: number;
  readonly text: string;
  /** 0 to 3 for what comes before everything else, in that order; null for what shares the rest of the room. */
  readonly first: number | null;
  /** Of a line of a result, the call that gave it. */
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
  const goalLength = Math.max(longest, Math.min(MAX_GOAL, Math.floor(room / 2)));
  if (goal !== null && goal.trim() !== '') add('Goal', 0, excerptText(excerptOf(goal.trim(), goalLength)), 0);
  const { users, usersLeft, said, answers = [] } = data;
  if (usersLeft > 0) add('User messages', 0.5, `(${plural(usersLeft, 'user message')} in between left out)`);
  for (const [index, text] of newestFirst(users)) {
    const first = index === users.length - 1 ? 1 : index === 0 ? 2 : null;
    const most = Math.min(longest, index === 0 ? MAX_USER : MAX_LATER_USER);
    add('User messages', index, numbered(index, data, excerptText(shorter(text, most))), first);
  }
  const addWords = (section: Section, texts: readonly Excerpt[], most: number): void => {
    for (const [index, text] of newestFirst(texts)) {
      const words = excerptText(shorter(text, Math.min(longest, most)));
      add(section, index, `- ${indented(words)}`, index === texts.length - 1 ? 3 : null);
    }
  };
  addWords('Answers of the assistant', answers, MAX_ANSWER);
  // What a file was changed for stands there.
  const reasons = new Set(data.reasons?.map(({ text }) => text));
  const others = said.filter((text) => !reasons.has(reasonText(excerptText(text))));
  addWords('Said beside the last calls', others, MAX_SAID);
  const addFile = (section: Section, index: number, path: string): void => {
    add(section, index, `- ${path}`);
    const outline = data.outlines?.[path] ?? [];
    const lines = [...reasonsOf(data, path).map((text) => `changed: ${text}`), ...outline];
    for (const [at, line] of lines.entries())
      add(section, index + (at + 1) / (lines.length + 1), `  ${line}`);
  };
  for (const [index, path] of newestFirst(data.written)) addFile('Files written', index, path);
  for (const [index, path] of newestFirst(data.attempted ?? []))
    addFile('Files in write calls, outcome not stated', index, path);
  for (const [index, path] of newestFirst(data.read)) addFile('Files read', index, path);
  for (const [index, error] of newestFirst(data.errors)) add('Errors met', index, `- ${error}`);
  for (const [index, tally] of data.tools.entries()) add('Tools used', index, tallyText(tally));
  return lines;
}

/** The newest reasons of a file, oldest first. */
function reasonsOf({ reasons = [] }: DigestData, path: string): string[] {
  return [...new Set(reasons.filter((reason) => reason.path === path).map(({ text }) => text))].slice(
    -REASONS_SHOWN,
  );
}

function newestFirst<T>(values: readonly T[]): [index: number, value: T][] {
  return [...values.entries()].reverse();
}

/** Each line once, the latest use first. */
function usedLines(used: readonly UsedLine[]): Line[] {
  const shown = new Set<string>();
  return [...used].reverse().flatMap(({ line, source }, order): Line[] => {
    if (shown.has(line)) return [];
    shown.add(line);
    return [{ section: 'Lines that later calls used', order, text: line, first: null, source }];
  });
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
  if (section !== 'Lines that later calls used') return lines.map(({ text }) => text).join('\n');
  const bySource = new Map<string, string[]>();
  for (const { text, source = '' } of lines) bySource.set(source, [...(bySource.get(source) ?? []), text]);
  return [...bySource].map(([source, own]) => [`- ${source}:`, ...own].join('\n')).join('\n');
}

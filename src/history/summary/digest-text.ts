// Formats a digest within a token budget: which facts come first, and each section's share of the budget. The facts are
// collected in `digest.ts`.

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
  /** The messages being removed. */
  readonly messages: readonly TranscriptMessage[];
  /** The goal of the conversation; null if it is stated elsewhere or unknown. */
  readonly goal: string | null;
  /** Facts from earlier compactions. */
  readonly earlier: DigestData | null;
  /** Paths known to be written, in addition to those found in call arguments. */
  readonly written?: readonly string[];
  /** Lines of results that later calls used; default: those of `earlier`. */
  readonly used?: readonly UsedLine[];
}

/** Counts or estimates the tokens of a text. */
export type CountTokens = (text: string) => Tokens;

/** Characters of the goal that take precedence; the size of a plan's compact context. */
export const MAX_GOAL = 2_000;
/** Maximum reasons shown per file. */
const REASONS_SHOWN = 3;
/** Maximum characters shown of a user message other than the first. */
const MAX_LATER_USER = 3_000;

/** The digest of `input` in at most `maxTokens` by `count`; empty if there are no facts or no room. */
export function digestOf(input: DigestInput, maxTokens: Tokens, count: CountTokens): string {
  const data = mergeDigest(input.earlier, input.messages, input);
  return digestText(data, input.goal, maxTokens, count);
}

/**
 * Formats `data` in at most `maxTokens` by `count`, as whole lines, dropping the least important. Empty if there are no
 * facts or nothing fits.
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
 * Sections in order, with their shares of the budget; unused room goes to the others. File contents, what was said, and
 * what calls took from results get the most.
 */
const SHARES = {
  Goal: 0.04,
  'User messages': 0.22,
  'Assistant answers': 0.14,
  'Files written': 0.12,
  'Files in write calls with unknown outcome': 0.02,
  'Files read': 0.16,
  'Tools used': 0.02,
  Errors: 0.05,
  'Said with the last calls': 0.03,
  'Lines used by later calls': 0.2,
} as const;

type Section = keyof typeof SHARES;

/** One line, or one message, of a section. */
interface Line {
  readonly section: Section;
  /** Position in its section. */
  readonly order: number;
  readonly text: string;
  /** 0 to 3 for lines that precede all others, in that order; null for lines that share the remaining budget. */
  readonly first: number | null;
  /** For a line of a result: the call that returned it. */
  readonly source?: string;
}

/** Conservative: text cut to this length nearly always fits; if it does not, it is dropped. */
const CHARACTERS_PER_TOKEN = 2;

/** Lines of a section in order of importance. */
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
  if (usersLeft > 0) add('User messages', 0.5, `(${plural(usersLeft, 'user message')} left out here)`);
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
  addWords('Assistant answers', answers, MAX_ANSWER);
  // Text given as the reason for a file change is shown with the file.
  const reasons = new Set(data.reasons?.map(({ text }) => text));
  const others = said.filter((text) => !reasons.has(reasonText(excerptText(text))));
  addWords('Said with the last calls', others, MAX_SAID);
  const addFile = (section: Section, index: number, path: string): void => {
    add(section, index, `- ${path}`);
    const outline = data.outlines?.[path] ?? [];
    const lines = [...reasonsOf(data, path).map((text) => `changed: ${text}`), ...outline];
    for (const [at, line] of lines.entries())
      add(section, index + (at + 1) / (lines.length + 1), `  ${line}`);
  };
  for (const [index, path] of newestFirst(data.written)) addFile('Files written', index, path);
  for (const [index, path] of newestFirst(data.attempted ?? []))
    addFile('Files in write calls with unknown outcome', index, path);
  for (const [index, path] of newestFirst(data.read)) addFile('Files read', index, path);
  for (const [index, error] of newestFirst(data.errors)) add('Errors', index, `- ${error}`);
  for (const [index, tally] of data.tools.entries()) add('Tools used', index, tallyText(tally));
  return lines;
}

/** The newest reasons for changing a file, oldest first. */
function reasonsOf({ reasons = [] }: DigestData, path: string): string[] {
  return [...new Set(reasons.filter((reason) => reason.path === path).map(({ text }) => text))].slice(
    -REASONS_SHOWN,
  );
}

function newestFirst<T>(values: readonly T[]): [index: number, value: T][] {
  return [...values.entries()].reverse();
}

/** Distinct lines, latest use first. */
function usedLines(used: readonly UsedLine[]): Line[] {
  const shown = new Set<string>();
  return [...used].reverse().flatMap(({ line, source }, order): Line[] => {
    if (shown.has(line)) return [];
    shown.add(line);
    return [{ section: 'Lines used by later calls', order, text: line, first: null, source }];
  });
}

/** Orders lines: first those with precedence, then by how much of its section's share each uses up. */
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
  // `Object.keys` widens the key type.
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
  if (section !== 'Lines used by later calls') return lines.map(({ text }) => text).join('\n');
  const bySource = new Map<string, string[]>();
  for (const { text, source = '' } of lines) bySource.set(source, [...(bySource.get(source) ?? []), text]);
  return [...bySource].map(([source, own]) => [`- ${source}:`, ...own].join('\n')).join('\n');
}

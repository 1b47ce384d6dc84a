// Formats a digest within a token budget: which facts come first, and each section's share of the budget. The facts are
// collected in `digest.ts`.

import { largestFitting, plural, type Tokens } from '../../contract/index.ts';
import { grouped } from '../grouped.ts';
import { type DigestData, MAX_ANSWER, MAX_USER } from './digest.ts';
import { excerptText, shorter } from './excerpt.ts';

/** Counts or estimates the tokens of a text. */
export type CountTokens = (text: string) => Tokens;

/** Maximum characters shown of a user message other than the first. */
const MAX_LATER_USER = 3_000;
/** Conservative: text cut to this length nearly always fits; if it does not, it is dropped. */
const CHARACTERS_PER_TOKEN = 2;

/** Sections in order, with their shares of the budget; unused room goes to the others. */
const SHARES = {
  'User messages': 0.25,
  'Assistant answers': 0.15,
  'Files with attempted edits': 0.15,
  'Files read': 0.1,
  'Lines used by later calls': 0.25,
} as const;

type Section = keyof typeof SHARES;

/** One line, or one message, of a section. */
interface Line {
  readonly section: Section;
  /** Position in its section. */
  readonly order: number;
  readonly text: string;
  /** 1 to 3 for lines that precede all others, in that order; null for lines that share the remaining budget. */
  readonly first: number | null;
  /** For a line of a result: the call that returned it. */
  readonly source?: string;
}

/**
 * Formats `data` in at most `maxTokens` by `count`, as whole lines, dropping the least important. Empty if there are no
 * facts or nothing fits.
 */
export function digestText(data: DigestData, maxTokens: Tokens, count: CountTokens): string {
  const lines = ranked(linesOf(data, maxTokens), count);
  const fits = (size: number): boolean => count(worded(lines.slice(0, size))) <= maxTokens;
  return worded(lines.slice(0, largestFitting(lines.length, fits)));
}

/** Lines of all sections; within a section the most important first. */
function linesOf(data: DigestData, maxTokens: Tokens): Line[] {
  const lines: Line[] = [];
  const room = Math.max(0, maxTokens) * CHARACTERS_PER_TOKEN;
  const longest = Math.max(40, Math.floor(room / 4));
  const add = (section: Section, order: number, text: string, first: number | null = null): void => {
    lines.push({ section, order, text, first });
  };
  const { users, usersLeft, answers } = data;
  if (usersLeft > 0) add('User messages', 0.5, `(${plural(usersLeft, 'user message')} left out here)`);
  for (const [index, text] of newestFirst(users)) {
    const first = index === users.length - 1 ? 1 : index === 0 ? 2 : null;
    const most = Math.min(longest, index === 0 ? MAX_USER : MAX_LATER_USER);
    add('User messages', index, numbered(index, data, excerptText(shorter(text, most))), first);
  }
  for (const [index, text] of newestFirst(answers)) {
    const words = excerptText(shorter(text, Math.min(longest, MAX_ANSWER)));
    add('Assistant answers', index, `- ${indented(words)}`, index === answers.length - 1 ? 3 : null);
  }
  for (const [index, path] of newestFirst(data.changed))
    add('Files with attempted edits', index, `- ${path}`);
  for (const [index, path] of newestFirst(data.read)) add('Files read', index, `- ${path}`);
  const shown = new Set<string>();
  for (const [order, { line, source }] of [...data.used].reverse().entries())
    if (!shown.has(line)) {
      shown.add(line);
      lines.push({ section: 'Lines used by later calls', order, text: line, first: null, source });
    }
  return lines;
}

function newestFirst<T>(values: readonly T[]): [index: number, value: T][] {
  return [...values.entries()].reverse();
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

const numbered = (index: number, { users, usersLeft }: DigestData, text: string): string =>
  users.length + usersLeft === 1
    ? indented(text)
    : `${index === 0 ? 1 : index + 1 + usersLeft}. ${indented(text)}`;

function indented(text: string): string {
  return text.split(/\r\n|\r|\n/).join('\n   ');
}

function worded(lines: readonly Line[]): string {
  const sections: string[] = [];
  // `Object.keys` widens the key type.
  for (const section of Object.keys(SHARES) as Section[]) {
    const own = lines.filter((line) => line.section === section).sort((a, b) => a.order - b.order);
    if (own.length > 0) sections.push(`## ${section}\n${bodyOf(own)}`);
  }
  return sections.join('\n\n');
}

/** Lines of results below the call that returned them. */
function bodyOf(lines: readonly Line[]): string {
  return [...grouped(lines, ({ source = '' }) => source)]
    .map(([source, own]) =>
      [...(source === '' ? [] : [`- ${source}:`]), ...own.map(({ text }) => text)].join('\n'),
    )
    .join('\n');
}

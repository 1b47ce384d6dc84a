// The outline of a file above a first view that does not hold all of it: facts, then as many of its entries as a share of
// the budget holds. It stands beside the content that a walk joins.

import { disarmed, type OutlineLine, OWN, type Tokens } from '../contract/index.ts';
import { createBudget } from './budget.ts';
import type { Engine } from './engine.ts';
import type { Session } from './session.ts';

/** Lines of an outline that are held to choose from. */
const MAX_LINES = 20_000;
/** An outline that takes less says too little to be worth the lines around it. */
const LEAST_SHARE: Tokens = 40;

/** Times the entries that names alone must tell of to be worth what they leave out. */
const MANY_MORE = 1.25;

/** An answer of one file among several, below which a few lines of its start say less than more of its outline. */
const SMALL: Tokens = 600;

/**
 * Tokens for the outline in an answer of `tokens`: half of a small one, which holds little else; an eighth of 5000. One of
 * several small answers is for the choice of what to read, and is outline before all: names rather than more than one fact.
 */
const shareOf = (tokens: Tokens, among: boolean): Tokens =>
  Math.floor(
    among && tokens < SMALL
      ? tokens - Math.max(30, 0.1 * tokens)
      : Math.min(0.5 * tokens, 200 + 0.085 * tokens),
  );

/** The outline in its share of `tokens`, with its own marks; undefined where there is none, or no room for one. */
export async function overviewOf(
  { counter, limits }: Engine,
  { converter, detected }: Session,
  tokens: Tokens,
  among = false,
): Promise<string | undefined> {
  const most = shareOf(tokens, among);
  const least = among ? LEAST_SHARE / 2 : LEAST_SHARE;
  if (!detected.processor.introduces || !(most >= least)) return undefined;
  const facts: OutlineLine[] = [];
  const entries: OutlineLine[] = [];
  for await (const line of converter.lines(createBudget({ counter, limits }, most), true)) {
    (line.level === 0 ? facts : entries).push(line);
    if (entries.length >= MAX_LINES) break;
  }
  const characters = Math.floor(limits.maxTotalOutput * (most / tokens));
  const fitsIn = (text: string): boolean => text.length <= characters && counter.fits(text, most);
  const written = (some: readonly OutlineLine[], chosen: readonly string[], count: number): string => {
    const partly = count < entries.length ? `: ${count} of ${entries.length} entries` : '';
    const head = count === 0 ? OWN.facts : `${OWN.outline}${partly}]`;
    const lines = disarmed([...some.map(({ text }) => text), ...chosen].join('\n'));
    return `${head}\n${lines}\n${OWN.content}\n`;
  };
  const all = fitsIn(written(facts, inLines(entries, entries), entries.length));
  const short = all || entries.length === 0 ? facts : facts.map((fact) => cutFact(fact, counter, most));
  const told = short.slice(
    0,
    largest(among && tokens < SMALL ? Math.min(1, short.length) : short.length, (n) =>
      fitsIn(written(short.slice(0, n), [], 0)),
    ),
  );
  const fits = (chosen: readonly OutlineLine[], form: Form): boolean =>
    fitsIn(written(told, form(chosen, entries), chosen.length));
  const choice = (form: Form): Choice => ({ form, chosen: choose(entries, (some) => fits(some, form)) });
  const { form, chosen } =
    fits(entries, inLines) || entries.some(({ short }) => short === undefined)
      ? choice(inLines)
      : better(choice(inShort), choice(inNames));
  return told.length + chosen.length === 0 ? undefined : written(told, form(chosen, entries), chosen.length);
}

/** Of the tokens for an outline, what one fact may take from its entries: all grow with the budget. */
const FACT_SHARE = 0.2;

/** A fact that lists many things, with as many of them as its share holds. */
function cutFact(fact: OutlineLine, counter: Engine['counter'], most: Tokens): OutlineLine {
  const fits = (text: string): boolean => counter.fits(text, Math.floor(FACT_SHARE * most));
  if (fits(fact.text)) return fact;
  const parts = fact.text.split(', ');
  const cut = (count: number): string => `${parts.slice(0, count).join(', ')}, …`;
  const count = Math.max(
    1,
    largest(parts.length - 1, (n) => fits(cut(n))),
  );
  return count < parts.length ? { ...fact, text: cut(count) } : fact;
}

interface Choice {
  readonly form: Form;
  readonly chosen: readonly OutlineLine[];
}

/** Names alone where they tell of many more entries. */
const better = (short: Choice, names: Choice): Choice =>
  names.chosen.length > MANY_MORE * short.chosen.length ? names : short;

/** How entries are written. */
type Form = (chosen: readonly OutlineLine[], all: readonly OutlineLine[]) => string[];

const inLines: Form = (chosen) => chosen.map(({ text }) => text);

/** Members on the line of what they belong to: `12 Reader {20 read, 31 close}`. */
const inShort: Form = (chosen, all) => inBraces(chosen, all, ({ short = '' }) => short);

/** The same where an entry without members is its name alone. */
const inNames: Form = (chosen, all) => inBraces(chosen, all, ({ short = '', name = short }) => name);

function inBraces(
  chosen: readonly OutlineLine[],
  all: readonly OutlineLine[],
  alone: (entry: OutlineLine) => string,
): string[] {
  const wanted = new Set(chosen);
  const lines: string[] = [];
  /** The entries that are open, outermost first, with what is written inside them. */
  const open: { readonly entry: OutlineLine; readonly inner: string[]; left: boolean }[] = [];
  const close = (level: number): void => {
    while (open.length > 0 && levelOf(open.at(-1)?.entry ?? {}) >= level) {
      const last = open.pop();
      if (last)
        (open.at(-1)?.inner ?? lines).push(
          last.inner.length === 0 ? alone(last.entry) : nested(last.entry, last.inner, last.left),
        );
    }
  };
  for (const entry of all) {
    close(levelOf(entry));
    if (wanted.has(entry)) open.push({ entry, inner: [], left: false });
    else {
      const parent = open.at(-1);
      if (parent) parent.left = true;
    }
  }
  close(0);
  return lines;
}

function nested({ short = '', around }: OutlineLine, inner: readonly string[], left: boolean): string {
  const [before, after] = around ?? [`${short}: `, ''];
  return `${before}${inner.join(', ')}${left ? ', …' : ''}${after}`;
}

/** The most levels that fit whole, outer ones first, and of the next what weighs most, or entries spread over all of it. */
function choose(
  lines: readonly OutlineLine[],
  fits: (some: readonly OutlineLine[]) => boolean,
): readonly OutlineLine[] {
  let kept: readonly OutlineLine[] = [];
  for (const level of [...new Set(lines.map(levelOf))].sort((a, b) => a - b)) {
    const whole = lines.filter((line) => levelOf(line) <= level);
    if (!fits(whole)) {
      const next = lines.filter((line) => levelOf(line) === level);
      const some = (count: number): readonly OutlineLine[] => {
        const chosen = new Set([...kept, ...heaviest(next, count)]);
        return lines.filter((line) => chosen.has(line));
      };
      return some(largest(next.length, (count) => fits(some(count))));
    }
    kept = whole;
  }
  return kept;
}

const levelOf = ({ level }: Pick<OutlineLine, 'level'>): number => level ?? 1;

/** `count` of `lines`: those that weigh most, and evenly over those that weigh about as much as the last of them. */
function heaviest(lines: readonly OutlineLine[], count: number): readonly OutlineLine[] {
  const classOf = ({ weight = 1 }: OutlineLine): number => Math.floor(Math.log2(Math.max(1, weight)));
  const some: OutlineLine[] = [];
  for (const one of [...new Set(lines.map(classOf))].sort((a, b) => b - a)) {
    const alike = lines.filter((line) => classOf(line) === one);
    some.push(...spread(alike, Math.min(alike.length, count - some.length)));
  }
  return some;
}

/** `count` of `lines`, evenly over them from the first on. */
const spread = (lines: readonly OutlineLine[], count: number): readonly OutlineLine[] =>
  lines.filter(
    (_, at) => Math.floor((at * count) / lines.length) !== Math.floor(((at - 1) * count) / lines.length),
  );

/** The most, up to `high`, for which `fits` holds. */
function largest(high: number, fits: (n: number) => boolean): number {
  let low = 0;
  let top = high;
  while (low < top) {
    const middle = Math.ceil((low + top) / 2);
    if (fits(middle)) low = middle;
    else top = middle - 1;
  }
  return low;
}

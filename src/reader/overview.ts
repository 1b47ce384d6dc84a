// The outline shown above a first view that does not hold the whole file: facts, then as many entries as fit in a share
// of the budget. It accompanies the content of a walk and is not part of it.

import { disarmed, largestFitting, type OutlineLine, OWN, type Tokens } from '../contract/index.ts';
import { createBudget } from './budget.ts';
import type { Engine } from './engine.ts';
import type { Session } from './session.ts';

/** Maximum outline lines held to choose from. */
const MAX_LINES = 20_000;
/** An outline shorter than this is not worth its surrounding lines. */
const LEAST_SHARE: Tokens = 40;

/** Bare names must show this many times more entries to be worth the details they leave out. */
const MANY_MORE = 1.25;

/** In an answer for several files, below this budget more outline is worth more than a few lines of content. */
const SMALL: Tokens = 600;

/**
 * Tokens for the outline in an answer of `tokens`: half of a small one, which holds little else; an eighth of 5000. One
 * of several small answers helps choose what to read, so it is mostly outline: names rather than more than one fact.
 */
const shareOf = (tokens: Tokens, among: boolean): Tokens =>
  Math.floor(
    among && tokens < SMALL
      ? tokens - Math.max(30, 0.1 * tokens)
      : Math.min(0.5 * tokens, 200 + 0.085 * tokens),
  );

/** The outline in its share of `tokens`, with its own marks; undefined if there is none, or no room for it. */
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
    largestFitting(among && tokens < SMALL ? Math.min(1, short.length) : short.length, (n) =>
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

/** Share of the outline's tokens that one fact may take from its entries; grows with the budget. */
const FACT_SHARE = 0.2;

/** A fact that lists many items, cut to its share. */
function cutFact(fact: OutlineLine, counter: Engine['counter'], most: Tokens): OutlineLine {
  const fits = (text: string): boolean => counter.fits(text, Math.floor(FACT_SHARE * most));
  if (fits(fact.text)) return fact;
  const parts = fact.text.split(', ');
  const cut = (count: number): string => `${parts.slice(0, count).join(', ')}, …`;
  const count = Math.max(
    1,
    largestFitting(parts.length - 1, (n) => fits(cut(n))),
  );
  return count < parts.length ? { ...fact, text: cut(count) } : fact;
}

interface Choice {
  readonly form: Form;
  readonly chosen: readonly OutlineLine[];
}

/** Prefers bare names if they show many more entries. */
const better = (short: Choice, names: Choice): Choice =>
  names.chosen.length > MANY_MORE * short.chosen.length ? names : short;

/** A way to write entries. */
type Form = (chosen: readonly OutlineLine[], all: readonly OutlineLine[]) => string[];

const inLines: Form = (chosen) => chosen.map(({ text }) => text);

/** Members on the line of their parent: `12 Reader {20 read, 31 close}`. */
const inShort: Form = (chosen, all) => inBraces(chosen, all, ({ short = '' }) => short);

/** The same, with only the name for entries without members. */
const inNames: Form = (chosen, all) => inBraces(chosen, all, ({ short = '', name = short }) => name);

function inBraces(
  chosen: readonly OutlineLine[],
  all: readonly OutlineLine[],
  alone: (entry: OutlineLine) => string,
): string[] {
  const wanted = new Set(chosen);
  const lines: string[] = [];
  /** The open entries, outermost first, with the text written inside each. */
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

/**
 * The largest number of levels that fit completely, outer ones first, plus the heaviest or evenly spread entries of the
 * next level.
 */
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
      return some(largestFitting(next.length, (count) => fits(some(count))));
    }
    kept = whole;
  }
  return kept;
}

const levelOf = ({ level }: Pick<OutlineLine, 'level'>): number => level ?? 1;

/** `count` of `lines`: the heaviest, with ties at the threshold spread evenly. */
function heaviest(lines: readonly OutlineLine[], count: number): readonly OutlineLine[] {
  const classOf = ({ weight = 1 }: OutlineLine): number => Math.floor(Math.log2(Math.max(1, weight)));
  const some: OutlineLine[] = [];
  for (const one of [...new Set(lines.map(classOf))].sort((a, b) => b - a)) {
    const alike = lines.filter((line) => classOf(line) === one);
    for (const line of spread(alike, Math.min(alike.length, count - some.length))) some.push(line);
  }
  return some;
}

/** `count` of `lines`, spread evenly starting with the first. */
const spread = (lines: readonly OutlineLine[], count: number): readonly OutlineLine[] =>
  lines.filter(
    (_, at) => Math.floor((at * count) / lines.length) !== Math.floor(((at - 1) * count) / lines.length),
  );

// Finds the view that tells most within a budget, for every language: which limits to try, and what their views cost.

import type { Budget, Tokens } from '../../../src/contract/index.ts';
import type { Node } from './node.ts';
import { between, isWhole, shape, type TreeLimits, worthOf } from './shape.ts';

/** Steps of the scale from the caller's limits (0) to the bare count of the root's children (`STEPS`). */
export const STEPS = 64;

/**
 * The limits `step` steps down the scale. Items are reduced first (a sample stays a sample), then strings, then keys,
 * depth last: names and structure are worth more than the fortieth item, and two readable items more than ten cut ones.
 */
export function tighten(limits: TreeLimits, step: number): TreeLimits {
  if (step >= STEPS)
    return { depth: Math.min(limits.depth, 1), items: 0, keys: 0, string: Math.min(limits.string, 1) };
  const at = step / STEPS;
  return {
    items: between(limits.items, 2, 0, 0.7, at),
    string: between(limits.string, 40, 0.3, 0.9, at),
    keys: between(limits.keys, 2, 0.5, 0.95, at),
    depth: Math.max(1, between(limits.depth, 1, 0.6, 0.97, at)),
  };
}

/** Steps of the scale between two that are tried where each means to read the file again. */
const STRIDE = 8;

/** What `read` makes of the loosest of `limits` and some steps of the scale for which it makes anything. */
export async function loosest<L extends TreeLimits, T>(
  limits: L,
  read: (limits: L) => Promise<T | undefined>,
): Promise<T | undefined> {
  const most = STEPS / STRIDE;
  return (
    (await read(limits)) ??
    firstMade(1, most, (step) => read({ ...limits, ...tighten(limits, step * STRIDE) }))
  );
}

/** What is made of the first number from `from` to `to` of which anything is, as it is of all after it. */
async function firstMade<T>(
  from: number,
  to: number,
  make: (step: number) => Promise<T | undefined>,
): Promise<T | undefined> {
  let best: T | undefined;
  for (let low = from, high = to; low <= high; ) {
    const middle = (low + high) >> 1;
    const made = await make(middle);
    best = made ?? best;
    if (made) high = middle - 1;
    else low = middle + 1;
  }
  return best;
}

/** Levels below the best view that are tried. */
const MORE_LEVELS = 3;
/** Most keys that a mark names. */
const MOST_NAMES = 40;

/** A view under limits, before it is known whether it fits. */
export interface Candidate<L> {
  readonly limits: L;
  readonly text: string;
  /** How much it tells. */
  readonly worth: number;
  /** Nothing was left out. */
  readonly whole: boolean;
}

/** Makes the view under limits; undefined if it is known not to fit. */
export type Make<L, T> = (limits: L) => T | undefined | Promise<T | undefined>;

/**
 * The best view that fits the budget: the whole under `limits`, or a shortened view that leaves room for notes. Tries
 * `limits`, then the steps of the scale `at`; then, because the scale is coarse, loosens each limit alone; then tries
 * fewer members a few levels deeper, and fewer at each further level. The marks of the best view then name as many keys
 * as fit. Undefined if even the last step of the scale does not fit.
 */
export async function bestView<L extends TreeLimits, T extends Candidate<L>>(
  limits: L,
  budget: Budget,
  make: Make<L, T>,
  at: (step: number) => L = (step) => ({ ...limits, ...tighten(limits, step) }),
): Promise<T | undefined> {
  return new Search(limits, budget, make).best(at);
}

/** Limits that are loosened alone. */
type Loosened = 'depth' | 'keys' | 'items' | 'string' | 'names';

class Search<L extends TreeLimits, T extends Candidate<L>> {
  readonly #limits: L;
  readonly #costs: LineCosts;
  readonly #make: Make<L, T>;

  constructor(limits: L, budget: Budget, make: Make<L, T>) {
    this.#limits = limits;
    this.#costs = new LineCosts(budget);
    this.#make = make;
  }

  async best(at: (step: number) => L): Promise<T | undefined> {
    const whole = await this.#try(this.#limits);
    if (whole) return whole.whole ? whole : this.#loosened(whole, ['names']);
    const best = await firstMade(0, STEPS, (step) => this.#try(at(step)));
    if (!best) return undefined;
    let found = await this.#loosened(best, ['depth', 'keys', 'items', 'string']);
    const { keys, items, depth: levels } = this.#limits;
    const few = { keys: Math.min(2, keys), items: Math.min(1, items) };
    const deepest = Math.min(found.limits.depth + MORE_LEVELS, levels);
    for (let depth = found.limits.depth + 1; depth <= deepest; depth++) {
      const deep = await this.#try({ ...found.limits, ...few, depth });
      if (!deep) break;
      const deeper = await this.#loosened(deep, ['keys', 'items', 'string']);
      if (deeper.worth > found.worth) found = deeper;
    }
    const tapering = await this.#try({ ...found.limits, ...few, tapers: true });
    if (tapering) {
      const tapered = await this.#loosened(tapering, ['keys', 'items', 'depth', 'string']);
      if (tapered.worth > found.worth) found = tapered;
    }
    return this.#loosened(found, ['names']);
  }

  async #try(limits: L): Promise<T | undefined> {
    const made = await this.#make(limits);
    return made && this.#costs.allow(made) ? made : undefined;
  }

  /**
   * Loosens each limit of `best` alone, one after the other: to the caller's, which often fits because it does not bind,
   * else by growing steps, because there is little room left.
   */
  async #loosened(best: T, names: readonly Loosened[]): Promise<T> {
    let found = best;
    for (const name of names) {
      const most = name === 'names' ? MOST_NAMES : this.#limits[name];
      const attempt = async (value: number): Promise<boolean> => {
        const tried = await this.#try({ ...found.limits, [name]: value });
        found = tried ?? found;
        return tried !== undefined;
      };
      const least = found.limits[name] ?? 0;
      if (least >= most || (await attempt(most))) continue;
      let low = least;
      let high = most;
      for (let step = 1; low + step < high; step *= 2)
        if (await attempt(low + step)) low += step;
        else high = low + step;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (await attempt(middle)) low = middle;
        else high = middle;
      }
    }
    return found;
  }
}

/** Lines of more UTF-16 units are not kept: few views share them. */
const MAX_KEPT_LINE = 2000;
/** The costs of lines add up to at most this much more than the cost of their text. */
const MOST_OVER = 1.05;

/** Tells which views fit a budget. They share most of their lines, so that each line is counted once. */
export class LineCosts {
  readonly #budget: Budget;
  readonly #known = new Map<string, Tokens>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  allow({ text, whole }: Pick<Candidate<unknown>, 'text' | 'whole'>): boolean {
    const { tokens, tokensBesideNotes, characters, charactersBesideNotes } = this.#budget;
    const [most, units] = whole ? [tokens, characters] : [tokensBesideNotes, charactersBesideNotes];
    if (text.length > units) return false;
    if (whole || most === Number.POSITIVE_INFINITY) return this.#budget.fits(text, most, units);
    let cost = 0;
    for (let from = 0; from < text.length && cost <= most * MOST_OVER; ) {
      const end = text.indexOf('\n', from);
      let to = end < 0 ? text.length : end + 1;
      // Blank lines cost less together with the line before them.
      while (text[to] === '\n' || text[to] === '\r') to++;
      if (to - from > MAX_KEPT_LINE) return this.#budget.fits(text, most, units);
      cost += this.#costOf(text.slice(from, to));
      from = to;
    }
    return cost <= most || (cost <= most * MOST_OVER && this.#budget.fits(text, most, units));
  }

  #costOf(line: string): Tokens {
    const known = this.#known.get(line) ?? this.#budget.count(line);
    this.#known.set(line, known);
    return known;
  }
}

/** A fitted view of a tree. */
export interface FittedTree extends Candidate<TreeLimits> {
  /** The tree as serialised. */
  readonly node: Node;
}

/** The best view of `node` under `limits` whose serialised form fits the budget. */
export const fitTree = (
  node: Node,
  limits: TreeLimits,
  budget: Budget,
  write: (node: Node) => string,
): Promise<FittedTree | undefined> =>
  bestView(limits, budget, (tried) => {
    const shaped = shape(node, tried);
    return {
      limits: tried,
      node: shaped,
      text: write(shaped),
      worth: worthOf(shaped),
      whole: isWhole(shaped),
    };
  });

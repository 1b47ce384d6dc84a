// The loosest limits under which a tree fits a budget.

import type { Budget } from '../../../src/contract/index.ts';
import type { Node } from './node.ts';
import { between, isWhole, shape, type TreeLimits } from './shape.ts';

/**
 * The limits `step` steps down the scale. Items are cut first (a sample stays a sample), then strings, then keys, depth
 * last: names and shape say more than the fortieth item, and two items that can be read more than ten that cannot.
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

/** How much longer a deeper view must be to be worth the members it leaves out. */
const DEEPER_GAIN = 1.2;

/** A view under limits. */
interface Tried<L> {
  readonly limits: L;
  readonly text: string;
}

/**
 * Looks for the loosest limits that something fits under: yields limits to try, takes what they gave (undefined where
 * they did not do) and returns the best. Tries `limits`, then the scale `at` from step `first` to `STEPS`, then, as the
 * scale is coarse, each limit alone a little looser, then fewer members a level deeper. About forty tries.
 */
export function* loosest<L extends TreeLimits, T extends Tried<L>>(
  limits: L,
  first: number,
  at: (step: number) => L,
): Generator<L, T | undefined, T | undefined> {
  const whole = yield limits;
  if (whole) return whole;
  let best: T | undefined;
  for (let low = first, high = STEPS; low <= high; ) {
    const middle = (low + high) >> 1;
    const tried = yield at(middle);
    if (tried) {
      best = tried;
      high = middle - 1;
    } else low = middle + 1;
  }
  if (!best) return undefined;
  best = yield* looser<L, T>(best, limits, ['depth', 'keys', 'items', 'string']);
  if (best.limits.depth >= limits.depth) return best;
  const keys = Math.min(2, limits.keys);
  const narrow = { ...best.limits, depth: best.limits.depth + 1, keys, items: Math.min(2, limits.items) };
  const deep = yield narrow;
  if (!deep) return best;
  const deeper = yield* looser<L, T>(deep, limits, ['keys', 'items', 'string']);
  return deeper.text.length > best.text.length * DEEPER_GAIN ? deeper : best;
}

/** `best` with each limit alone as loose as it may be, one after the other. */
function* looser<L extends TreeLimits, T extends Tried<L>>(
  best: T,
  limits: L,
  names: readonly (keyof TreeLimits)[],
): Generator<L, T, T | undefined> {
  let found = best;
  for (const name of names) {
    for (let low: number = found.limits[name] + 1, high: number = limits[name]; low <= high; ) {
      const middle = (low + high) >> 1;
      const tried: T | undefined = yield { ...found.limits, [name]: middle };
      if (tried) {
        found = tried;
        low = middle + 1;
      } else high = middle - 1;
    }
  }
  return found;
}

/** The best that `attempt` gives under the limits that `loosest` looks through. */
export function fitLimits<L extends TreeLimits, T extends Tried<L>>(
  limits: L,
  first: number,
  at: (step: number) => L,
  attempt: (limits: L) => T | undefined,
): T | undefined {
  const search = loosest<L, T>(limits, first, at);
  let step = search.next();
  while (!step.done) step = search.next(attempt(step.value));
  return step.value;
}

/** What fits, as it is written. */
export interface Fitted {
  readonly text: string;
  /** The tree as written. */
  readonly node: Node;
  /** The limits it was shaped by. */
  readonly limits: TreeLimits;
  /** Nothing was left out. */
  readonly whole: boolean;
}

/**
 * The loosest view of `node`, under `limits`, whose written form fits the budget: all of it within the budget, or a
 * tightened one within what is left beside notes. Undefined when even the bare count is too long. Costs about forty
 * times shaping, writing and counting.
 */
export function fitTree(
  node: Node,
  limits: TreeLimits,
  budget: Budget,
  write: (node: Node) => string,
): Fitted | undefined {
  const attempt = (tried: TreeLimits): Fitted | undefined => {
    const shaped = shape(node, tried);
    const text = write(shaped);
    const whole = isWhole(shaped);
    const fits = whole
      ? budget.fits(text, budget.tokens, budget.characters)
      : budget.fits(text, budget.tokensBesideNotes, budget.charactersBesideNotes);
    return fits ? { text, node: shaped, limits: tried, whole } : undefined;
  };

  return fitLimits(limits, 1, (step) => tighten(limits, step), attempt);
}

/** Steps of the scale from the caller's limits (0) down to the bare count of the root's children (`STEPS`). */
export const STEPS = 64;

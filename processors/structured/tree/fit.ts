// Finds the loosest limits under which a tree fits a budget.

import type { Budget } from '../../../src/contract/index.ts';
import type { Node } from './node.ts';
import { between, isWhole, shape, type TreeLimits, worthOf } from './shape.ts';

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

/** Levels below the best view that are tried. */
const MORE_LEVELS = 3;

/** A candidate view with its limits, and how much it tells. */
interface Tried<L> {
  readonly limits: L;
  readonly worth: number;
}

/** `whole`: nothing was left out. */
interface Fit<L> extends Tried<L> {
  readonly whole: boolean;
}

/**
 * Searches for the loosest limits under which something fits: yields limits to try, receives the result (undefined if
 * it did not fit) and returns the best. Tries `limits`, then the scale `at` from step `first` to `STEPS`; then, because
 * the scale is coarse, loosens each limit alone; then tries fewer members a few levels deeper, and fewer at each further
 * level. About a hundred tries.
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
  let found: T = yield* looser<L, T>(best, limits, ['depth', 'keys', 'items', 'string']);
  const few = { keys: Math.min(2, limits.keys), items: Math.min(1, limits.items) };
  const deepest = Math.min(found.limits.depth + MORE_LEVELS, limits.depth);
  for (let depth = found.limits.depth + 1; depth <= deepest; depth++) {
    const deep: T | undefined = yield { ...found.limits, ...few, depth };
    if (!deep) break;
    const deeper: T = yield* looser<L, T>(deep, limits, ['keys', 'items', 'string']);
    if (deeper.worth > found.worth) found = deeper;
  }
  const tapering: T | undefined = yield { ...found.limits, ...few, tapers: true };
  if (!tapering) return found;
  const tapered: T = yield* looser<L, T>(tapering, limits, ['keys', 'items', 'depth', 'string']);
  return tapered.worth > found.worth ? tapered : found;
}

/** Loosens each limit of `best` alone, one after the other. */
function* looser<L extends TreeLimits, T extends Tried<L>>(
  best: T,
  limits: L,
  names: readonly ('depth' | 'keys' | 'items' | 'string')[],
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

/** Most keys that a mark names. */
const MOST_NAMES = 40;

/** The best result of `attempt` under the limits `loosest` tries, whose marks then name as many keys as fit. */
export function fitLimits<L extends TreeLimits, T extends Fit<L>>(
  limits: L,
  first: number,
  at: (step: number) => L,
  attempt: (limits: L) => T | undefined,
): T | undefined {
  const search = loosest<L, T>(limits, first, at);
  let step = search.next();
  while (!step.done) step = search.next(attempt(step.value));
  let best = step.value;
  if (best === undefined || best.whole) return best;
  for (let low = 1, high = MOST_NAMES; low <= high; ) {
    const names = (low + high) >> 1;
    const tried = attempt({ ...best.limits, names });
    if (tried) {
      best = tried;
      low = names + 1;
    } else high = names - 1;
  }
  return best;
}

/** A fitted view. */
export interface Fitted {
  readonly text: string;
  readonly worth: number;
  /** The tree as serialised. */
  readonly node: Node;
  /** The limits it was shaped with. */
  readonly limits: TreeLimits;
  /** True if nothing was left out. */
  readonly whole: boolean;
}

/**
 * The loosest view of `node` under `limits` whose serialised form fits the budget: all of it, or a tightened view that
 * leaves room for notes. Undefined if even the bare count is too long. Costs about a hundred rounds of shaping, serialising
 * and counting.
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
    return fits ? { text, worth: worthOf(shaped), node: shaped, limits: tried, whole } : undefined;
  };

  return fitLimits(limits, 1, (step) => tighten(limits, step), attempt);
}

/** Steps of the scale from the caller's limits (0) to the bare count of the root's children (`STEPS`). */
export const STEPS = 64;

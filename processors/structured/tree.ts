// A bounded view of a structured document: what was kept of it, with the true counts of what was not. It is shaped by
// limits, fitted to a budget and measured in extents here; reading a language and writing one is each format's own.

import {
  type Budget,
  type Extent,
  type Limits,
  plural,
  safeCut,
  type Unit,
  type Whole,
} from '../../src/contract/index.ts';

/** One member of an object. `keyOf` is the true length of a key that was cut, in UTF-16 units. */
export interface Entry {
  readonly key: string;
  readonly keyOf?: number;
  readonly value: Node;
}

/** `of` is the true number of members; `entries` the first of them. */
export interface ObjectNode {
  readonly kind: 'object';
  readonly entries: Entry[];
  of: number;
}

/**
 * `of` is the true number of items. `items` are those from number `from` (1 where absent) on; `to` ends a stretch that
 * was asked for (the last item where absent).
 */
export interface ArrayNode {
  readonly kind: 'array';
  readonly items: Node[];
  of: number;
  readonly from?: number;
  readonly to?: number;
}

/** A string, or (`literal`) an overlong number: `text` is its start, `of` its true length in UTF-16 units. */
export interface StringNode {
  readonly kind: 'string';
  readonly text: string;
  readonly of: number;
}

/** A number, `true`, `null` and the like, spelled as in the file. */
export interface LiteralNode {
  readonly kind: 'literal';
  readonly text: string;
}

/** A container not entered because it lies too deep. `of` is its true number of items or keys. */
export interface CutNode {
  readonly kind: 'cut';
  readonly what: 'object' | 'array';
  readonly of: number;
}

export type Node = ObjectNode | ArrayNode | StringNode | LiteralNode | CutNode;

/** `depth`: levels of containers shown, the root being level 1. `string`: UTF-16 units, the mark included. */
export interface TreeLimits {
  readonly depth: number;
  readonly items: number;
  readonly keys: number;
  readonly string: number;
}

/** Longest key shown whole, in UTF-16 units. Keys are names: they do not tighten with the rest. */
export const MAX_KEY_LENGTH = 500;

/** A number or name up to this many UTF-16 units is never cut. */
export const MIN_LITERAL_LENGTH = 64;

/** Deepest level any limit may ask for, so that a recursion over a shaped tree stays shallow. */
export const MAX_TREE_DEPTH = 256;

/** The caller's format limits as tree limits. */
export function treeLimits(limits: Limits): TreeLimits {
  return {
    depth: Math.max(1, Math.min(limits.maxNestingDepth, MAX_TREE_DEPTH)),
    items: limits.maxArrayItems,
    keys: limits.maxObjectKeys,
    string: limits.maxStringValueLength,
  };
}

/** How many members or items of `node` lie beyond those kept. */
export function remaining(node: ObjectNode | ArrayNode): number {
  if (node.kind === 'object') return node.of - node.entries.length;
  return (node.to ?? node.of) - (node.from ?? 1) + 1 - node.items.length;
}

/** How much of a string of `of` units is shown under `limit`: all of it, or what leaves room for its mark. */
export function stringCut(text: string, of: number, limit: number): number {
  if (of <= limit) return text.length;
  // The mark: a glyph of one or two units, '+', the count, ' characters'.
  const mark = 14 + String(of).length;
  // Only what lies within the limit may decide, so that every reader of the string finds the same cut.
  return safeCut(text.slice(0, limit), limit - mark);
}

/** A copy of `node` that keeps `limits`. What `node` lacks it cannot give back: `limits` only tighten. */
export function shape(node: Node, limits: TreeLimits): Node {
  return shapeAt(node, limits, 1);
}

function shapeAt(node: Node, limits: TreeLimits, level: number): Node {
  switch (node.kind) {
    case 'object': {
      if (level > limits.depth && node.of > 0) return { kind: 'cut', what: 'object', of: node.of };
      const entries = node.entries.slice(0, limits.keys).map(({ key, keyOf, value }) => {
        const of = keyOf ?? key.length;
        const shown = stringCut(key, of, MAX_KEY_LENGTH);
        const inner = shapeAt(value, limits, level + 1);
        return of > shown ? { key: key.slice(0, shown), keyOf: of, value: inner } : { key, value: inner };
      });
      return { kind: 'object', entries, of: node.of };
    }
    case 'array': {
      if (level > limits.depth && node.of > 0) return { kind: 'cut', what: 'array', of: node.of };
      const items = node.items.slice(0, limits.items).map((item) => shapeAt(item, limits, level + 1));
      return { ...node, items };
    }
    case 'string': {
      const shown = stringCut(node.text, node.of, limits.string);
      return shown === node.text.length ? node : { ...node, text: node.text.slice(0, shown) };
    }
    case 'literal': {
      const of = node.text.length;
      if (of <= Math.max(limits.string, MIN_LITERAL_LENGTH)) return node;
      return { kind: 'string', text: node.text.slice(0, stringCut(node.text, of, limits.string)), of };
    }
    case 'cut':
      return node;
  }
}

/** True when the tree holds everything its document (or the stretch asked for) holds. */
export function isWhole(node: Node): boolean {
  switch (node.kind) {
    case 'object':
      return (
        remaining(node) === 0 &&
        node.entries.every((entry) => entry.keyOf === undefined && isWhole(entry.value))
      );
    case 'array':
      return remaining(node) === 0 && node.items.every(isWhole);
    case 'string':
      return node.text.length === node.of;
    case 'literal':
      return true;
    case 'cut':
      return false;
  }
}

const GLYPHS = ['…', '⋯', '‥'];

/** The mark's glyph: one that occurs in no key, string or literal of `node`, so that no mark can pass for data. */
export function glyphFor(node: Node): string {
  return freeGlyph((glyph) => contains(node, glyph));
}

/** The first glyph for marks that is not taken. */
export function freeGlyph(isTaken: (glyph: string) => boolean): string {
  const free = GLYPHS.find((glyph) => !isTaken(glyph));
  if (free !== undefined) return free;
  for (let number = 1; ; number++) {
    const glyph = `…${number}`;
    if (!isTaken(glyph)) return glyph;
  }
}

function contains(node: Node, glyph: string): boolean {
  switch (node.kind) {
    case 'object':
      return node.entries.some(({ key, value }) => key.includes(glyph) || contains(value, glyph));
    case 'array':
      return node.items.some((item) => contains(item, glyph));
    case 'cut':
      return false;
    default:
      return node.text.includes(glyph);
  }
}

/** What a container's mark says: `99950 more items`, or `12 keys` where none is shown. */
export function restLabel(node: ObjectNode | ArrayNode): string {
  const unit = node.kind === 'object' ? 'key' : 'item';
  const kept = node.kind === 'object' ? node.entries.length : node.items.length;
  const rest = remaining(node);
  return plural(rest, kept === 0 ? unit : `more ${unit}`);
}

/** What stands for a container that was not entered: `object of 12 keys`. */
export function cutLabel(node: CutNode): string {
  return `${node.what} of ${plural(node.of, node.what === 'object' ? 'key' : 'item')}`;
}

/** The end of a cut string: `…+1500 characters`. */
export function stringMark(glyph: string, hidden: number): string {
  return `${glyph}+${plural(hidden, 'character')}`;
}

/** A string as shown: whole, or its start with the mark. */
export function stringText(node: StringNode, glyph: string): string {
  const hidden = node.of - node.text.length;
  return hidden > 0 ? node.text + stringMark(glyph, hidden) : node.text;
}

/** A key as shown: whole, or its start with the mark. */
export function keyText(entry: Entry, glyph: string): string {
  const hidden = (entry.keyOf ?? entry.key.length) - entry.key.length;
  return hidden > 0 ? entry.key + stringMark(glyph, hidden) : entry.key;
}

/** Steps of the scale from the caller's limits (0) down to the bare count of the root's children (`STEPS`). */
export const STEPS = 64;

function between(base: number, least: number, from: number, to: number, at: number): number {
  if (at <= from || base <= least) return base;
  if (at >= to) return least;
  return Math.max(least, Math.round(base * (least / base) ** ((at - from) / (to - from))));
}

/**
 * The limits `step` steps down the scale. Items and strings give way first (a sample stays a sample), keys later, depth
 * last: names and shape say more than the fortieth item.
 */
export function tighten(limits: TreeLimits, step: number): TreeLimits {
  if (step >= STEPS)
    return { depth: Math.min(limits.depth, 1), items: 0, keys: 0, string: Math.min(limits.string, 1) };
  const at = step / STEPS;
  return {
    items: between(limits.items, 1, 0, 0.9, at),
    string: between(limits.string, 40, 0, 0.8, at),
    keys: between(limits.keys, 2, 0.35, 0.95, at),
    depth: Math.max(1, between(limits.depth, 1, 0.5, 0.97, at)),
  };
}

/**
 * Looks for the loosest limits that something fits under: yields limits to try, takes what they gave (undefined where
 * they did not do) and returns the best. Tries `limits`, then the scale `at` from step `first` to `STEPS`, then, as the
 * scale is coarse, each limit alone a little looser. About thirty tries.
 */
export function* loosest<L extends TreeLimits, T extends { readonly limits: L }>(
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
  for (const name of ['depth', 'keys', 'items', 'string'] as const) {
    for (let low: number = best.limits[name] + 1, high: number = limits[name]; low <= high; ) {
      const middle = (low + high) >> 1;
      const tried: T | undefined = yield { ...best.limits, [name]: middle };
      if (tried) {
        best = tried;
        low = middle + 1;
      } else high = middle - 1;
    }
  }
  return best;
}

/** The best that `attempt` gives under the limits that `loosest` looks through. */
export function fitLimits<L extends TreeLimits, T extends { readonly limits: L }>(
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
 * tightened one within what is left beside notes. Undefined when even the bare count is too long. Costs about thirty
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

/** Most places a result lists one by one; the marks in the view name every one. */
const MAX_PLACES = 100;
const MAX_NAME_LENGTH = 500;

/** What a shaped tree shows of its document. */
export interface TreeExtents {
  /** The root's own stretch first, then each place something was cut. */
  readonly shown: Extent[];
  readonly wholes: Whole[];
  /** Places where something was cut, those beyond the listed ones included. */
  readonly places: number;
}

/** A JSON Pointer (RFC 6901) one token longer. */
export function pointerTo(pointer: string, token: string | number): string {
  if (typeof token === 'number') return `${pointer}/${token}`;
  return `${pointer}/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * The extents of a shaped tree: the root's first, named `pointer`, then at most 100 places where something was cut,
 * named by JSON Pointer. `levels` is the true depth of the document, where it is known.
 */
export function extents(node: Node, pointer = '', levels?: number): TreeExtents {
  const shown: Extent[] = [];
  const wholes: Whole[] = [];
  let places = 0;
  let deepest = 0;

  const report = (unit: Unit, name: string, from: number, to: number, of: number, cut: boolean): void => {
    if (cut) places++;
    else if (name !== pointer) return;
    if (places > MAX_PLACES || name.length > MAX_NAME_LENGTH) return;
    wholes.push({ unit, of, name });
    if (to >= from) shown.push({ unit, from, to, of, name });
  };

  const visit = (at: Node, name: string, level: number): void => {
    switch (at.kind) {
      case 'object':
        deepest = Math.max(deepest, level);
        report('key', name, 1, at.entries.length, at.of, remaining(at) > 0);
        at.entries.forEach((entry, index) => {
          if (entry.keyOf !== undefined)
            report(
              'character',
              `${name === '' ? '' : `${name}, `}key ${index + 1}`,
              1,
              entry.key.length,
              entry.keyOf,
              true,
            );
          visit(entry.value, pointerTo(name, entry.key), level + 1);
        });
        break;
      case 'array': {
        deepest = Math.max(deepest, level);
        const from = at.from ?? 1;
        report('item', name, from, from + at.items.length - 1, at.of, remaining(at) > 0);
        at.items.forEach((item, index) => {
          visit(item, pointerTo(name, from - 1 + index), level + 1);
        });
        break;
      }
      case 'string':
        report('character', name, 1, at.text.length, at.of, at.text.length < at.of);
        break;
      case 'cut':
        report(at.what === 'object' ? 'key' : 'item', name, 1, 0, at.of, true);
        break;
      case 'literal':
        break;
    }
  };
  visit(node, pointer, 1);
  if (levels !== undefined && levels > deepest) {
    wholes.push({ unit: 'level', of: levels, name: pointer });
    if (deepest > 0) shown.push({ unit: 'level', from: 1, to: deepest, of: levels, name: pointer });
  }
  return { shown, wholes, places };
}

// A bounded view of a structured document with exact counts of what was left out. Shapes, fits and measures views; each
// format parses and serialises its own language.

import { type Limits, plural, safeCut } from '../../../src/contract/index.ts';
import type { ArrayNode, CutNode, Node, ObjectNode, StringNode } from './node.ts';

/**
 * `depth`: levels of containers shown, the root being level 1. `items`, `keys`: of each container; if `tapers`, of the
 * root, and half as many at each further level. `string`: UTF-16 units, including the mark. `names`: keys that a mark
 * names of those left out.
 */
export interface TreeLimits {
  readonly depth: number;
  readonly items: number;
  readonly keys: number;
  readonly string: number;
  readonly tapers?: boolean;
  readonly names?: number;
}

/** A number or name of up to this many UTF-16 units is never cut. */
export const MIN_LITERAL_LENGTH = 64;
/** Maximum value of any depth limit; keeps recursion over a shaped tree shallow. */
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

/** How many members of a container at `level` are shown, if it has as many. */
export function membersAt(
  { items, keys, tapers = false }: TreeLimits,
  kind: 'array' | 'object',
  level: number,
): number {
  const most = kind === 'array' ? items : keys;
  return tapers && most > 0 ? Math.max(1, Math.floor(most / 2 ** (level - 1))) : most;
}

/** Number of members or items of `node` beyond those kept. */
export function remaining(node: ObjectNode | ArrayNode): number {
  if (node.kind === 'object') return node.of - node.entries.length;
  return (node.to ?? node.of) - (node.from ?? 1) + 1 - node.items.length;
}

/** How much of a string of `of` units is shown under `limit`: all of it, or what leaves room for the mark. */
export function stringCut(text: string, of: number, limit: number): number {
  if (of <= limit) return text.length;
  // The mark: a glyph of one or two units, '+', the count, ' characters'.
  const mark = 14 + String(of).length;
  // Only text within the limit decides, so that every reader of the string finds the same cut.
  return safeCut(text.slice(0, limit), limit - mark);
}

/**
 * A copy of `node`, which stands at `level`, reduced to `limits`. Content missing from `node` cannot be restored: `limits`
 * only tighten.
 */
export function shape(node: Node, limits: TreeLimits, level = 1): Node {
  switch (node.kind) {
    case 'object': {
      const named = (from: number): string[] =>
        node.entries.slice(from, from + (limits.names ?? 0)).map(({ key }) => key);
      if (level > limits.depth && node.of > 0)
        return { kind: 'cut', what: 'object', of: node.of, names: named(0) };
      const entries = node.entries
        .slice(0, membersAt(limits, 'object', level))
        .map(({ key, value }) => ({ key, value: shape(value, limits, level + 1) }));
      return { kind: 'object', entries, of: node.of, names: named(entries.length) };
    }
    case 'array': {
      if (level > limits.depth && node.of > 0) return { kind: 'cut', what: 'array', of: node.of };
      const most = membersAt(limits, 'array', level);
      const items = node.items.slice(0, most).map((item) => shape(item, limits, level + 1));
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

/**
 * Weight of the item at `index` of an array, relative to the array's own: each further item tells less, for it has the
 * shape of those before it.
 */
export const itemWeight = (index: number): number => 1 / (index + 1);

/** What a value left out is worth, relative to one that is shown: its key is known. */
export const CUT_WORTH = 0.5;

/** How much a view tells: its values, those of further items of an array for less. */
export function worthOf(node: Node): number {
  switch (node.kind) {
    case 'object':
      return node.entries.reduce((sum, { value }) => sum + worthOf(value), 0);
    case 'array':
      return node.items.reduce((sum, item, index) => sum + worthOf(item) * itemWeight(index), 0);
    case 'cut':
      return CUT_WORTH;
    default:
      return 1;
  }
}

/** True if the tree has all content of its document (or of the requested stretch). */
export function isWhole(node: Node): boolean {
  switch (node.kind) {
    case 'object':
      return remaining(node) === 0 && node.entries.every(({ value }) => isWhole(value));
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

/**
 * The mark's glyph: one that occurs in no key, string or literal of `node`, so that no mark can be mistaken for data.
 */
export function glyphFor(node: Node): string {
  return freeGlyph((glyph) => contains(node, glyph));
}

/** The first mark glyph that is not taken. */
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

/** What is left out after `shown` things: `99950 more items`, or `12 keys: id, name, …` if none is shown. */
export function restText(rest: number, unit: string, shown: number, names?: readonly string[]): string {
  return withNames(plural(rest, shown === 0 ? unit : `more ${unit}`), rest, names);
}

/** Text of a container's mark; of keys, with the names it has. */
export function restLabel(node: ObjectNode | ArrayNode): string {
  const rest = remaining(node);
  return node.kind === 'array'
    ? restText(rest, 'item', node.items.length)
    : restText(rest, 'key', node.entries.length, node.names);
}

/** Placeholder for a container that was not entered: `object of 12 keys`. */
export function cutLabel(node: CutNode): string {
  const label = `${node.what} of ${plural(node.of, node.what === 'object' ? 'key' : 'item')}`;
  return withNames(label, node.of, node.names);
}

/** A key that a mark may name: short, on one line, and without a sign that parts the names. */
const NAME = /^[\p{L}\p{N}_$@./ -]{1,40}$/u;

/** `label` with the names of the first of the `of` keys that it counts: `15 more keys: scripts, dependencies, …`. */
function withNames(label: string, of: number, names: readonly string[] = []): string {
  const end = names.findIndex((name) => !NAME.test(name));
  const shown = end < 0 ? names : names.slice(0, end);
  if (shown.length === 0) return label;
  return `${label}: ${shown.join(', ')}${shown.length < of ? ', …' : ''}`;
}

/** Mark at the end of a cut string: `…+1500 characters`. */
export function stringMark(glyph: string, hidden: number): string {
  return `${glyph}+${plural(hidden, 'character')}`;
}

/** A string as shown: whole, or its start with the mark. */
export function stringText(node: StringNode, glyph: string): string {
  const hidden = node.of - node.text.length;
  return hidden > 0 ? node.text + stringMark(glyph, hidden) : node.text;
}

export function between(base: number, least: number, from: number, to: number, at: number): number {
  if (at <= from || base <= least) return base;
  if (at >= to) return least;
  return Math.max(least, Math.round(base * (least / base) ** ((at - from) / (to - from))));
}

/** Maximum places listed individually in a result; marks in the view name all of them. */
export const MAX_PLACES = 100;
export const MAX_NAME_LENGTH = 500;

// Values of a document with their places in its text, as the readers of YAML and TOML find them: named by pointer,
// measured, and converted to the tree that schemas and JSON are written from.

import { ReaderError } from '../../src/contract/index.ts';
import { itemIndex, notFound } from './pointer.ts';
import type { Entry, Node } from './tree/node.ts';

export interface SourceItem<N> {
  readonly name: string;
  readonly value: N;
}

/** An `object` or `array` with members, an `alias`, or a value of another kind without members. */
export interface SourceNode<N> {
  readonly kind: string;
  readonly items: readonly SourceItem<N>[];
}

/** Nesting depth of containers, the node itself included. */
export function levelsOf<N extends SourceNode<N>>({ kind, items }: N): number {
  if (kind !== 'object' && kind !== 'array') return 0;
  let levels = 0;
  for (const { value } of items) levels = Math.max(levels, levelsOf(value));
  return levels + 1;
}

/** The value that a pointer names. */
export interface Named<N> {
  readonly node: N;
  /** Names in the pointer that occur again in their objects. */
  readonly repeated: readonly string[];
}

/**
 * The value below `root` that the tokens from number `first` on name. The first of duplicate keys counts. `target`
 * returns what an alias stands for.
 * @throws {ReaderError} BAD_INPUT if it is not found
 */
export function valueAt<N extends SourceNode<N>>(
  root: N,
  pointer: string,
  tokens: readonly string[],
  first = 0,
  target: (node: N) => N = (node) => node,
): Named<N> {
  const repeated: string[] = [];
  let node = root;
  for (let depth = first; depth < tokens.length; depth++) {
    const { kind, items } = target(node);
    const token = tokens[depth] ?? '';
    const place =
      kind === 'object' ? items.findIndex(({ name }) => name === token) : itemIndex(token, items.length);
    const item = items[place ?? -1];
    if (!item) {
      const names = kind === 'object' ? items.map(({ name }) => name) : 'a scalar';
      throw notFound(pointer, tokens, depth, kind === 'array' ? items.length : names);
    }
    if (kind === 'object' && items.findLast(({ name }) => name === token) !== item) repeated.push(token);
    node = item.value;
  }
  return { node: target(node), repeated };
}

/** What a tree needs to know of a language. */
export interface Language<N extends SourceNode<N>> {
  /** A value without members; of a string longer than `most` units, only the beginning may be given. */
  scalar(node: N, most: number): Node;
  /** What an alias refers to. */
  target?(node: N): N | undefined;
  /** The text of an alias. */
  aliasText?(node: N): string;
  /** The key of a member, if it is not its name. */
  keyOf?(item: SourceItem<N>): string | undefined;
}

/** How much of a document a tree holds. */
export interface TreeBounds {
  readonly levels: number;
  /** UTF-16 units of a string. */
  readonly string: number;
  /** Nodes, however often aliases repeat them; the rest is only counted. */
  readonly nodes: number;
  /** UTF-16 units of all texts together; more are an error. */
  readonly characters: number;
}

const ALL = Number.POSITIVE_INFINITY;
export const WHOLE: TreeBounds = { levels: ALL, string: ALL, nodes: ALL, characters: ALL };

/** Levels beyond which aliases are not expanded; an alias target adds at most the maximum depth of a document. */
const MAX_ALIAS_LEVEL = 400;
/** Quotes, a colon and a comma. */
const PUNCTUATION = 4;

/** Converts values to trees. An alias to a value that contains it becomes a string. */
export class TreeMaker<N extends SourceNode<N>> {
  readonly #language: Language<N>;
  readonly #bounds: TreeBounds;
  readonly #open = new Set<N>();
  #made = 0;
  #characters = 0;

  constructor(language: Language<N>, bounds: TreeBounds) {
    this.#language = language;
    this.#bounds = bounds;
  }

  /** @throws {ReaderError} LIMIT_EXCEEDED if the texts are too long together */
  node(node: N, level = 1): Node {
    const { kind, items } = node;
    this.#made += 1;
    if (kind === 'alias') return this.#alias(node, level);
    if (kind !== 'object' && kind !== 'array') {
      const scalar = this.#language.scalar(node, this.#bounds.string);
      this.#count('text' in scalar ? scalar.text : '');
      return scalar;
    }
    const of = items.length;
    if (of > 0 && (level > this.#bounds.levels || this.#made > this.#bounds.nodes))
      return { kind: 'cut', what: kind, of };
    this.#open.add(node);
    const entries: Entry[] = [];
    for (const item of items) {
      if (this.#made > this.#bounds.nodes) break;
      const key = this.#language.keyOf?.(item) ?? item.name;
      if (kind === 'object') this.#count(key);
      entries.push({ key, value: this.node(item.value, level + 1) });
    }
    this.#open.delete(node);
    if (kind === 'object') return { kind, entries, of };
    return { kind, items: entries.map(({ value }) => value), of };
  }

  #alias(node: N, level: number): Node {
    const target = this.#language.target?.(node);
    if (target && !this.#open.has(target) && level < MAX_ALIAS_LEVEL) return this.node(target, level);
    const text = this.#language.aliasText?.(node) ?? '';
    this.#count(text);
    return { kind: 'string', text, of: text.length };
  }

  #count(text: string): void {
    this.#characters += text.length + PUNCTUATION;
    if (this.#characters > this.#bounds.characters)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `With its aliases expanded, the document exceeds ${this.#bounds.characters} characters as JSON.`,
        'Omit `format` to read it as YAML.',
      );
  }
}

// Parses a JSON value into a bounded tree: what the limits keep is parsed, the rest is skipped at scan speed and
// counted. The document may have any size and depth; the tree never exceeds its capacity.

import type { Bytes, Source } from '../../../src/contract/index.ts';
import { loosest, STEPS, tighten } from '../tree/fit.ts';
import type { ArrayNode, Node, ObjectNode } from '../tree/node.ts';
import { MIN_LITERAL_LENGTH, type TreeLimits } from '../tree/shape.ts';
import { closing, type JsonCursor, unexpected } from './cursor.ts';
import { BYTE } from './raw.ts';

/** The result of parsing. */
export interface BoundedTree {
  readonly node: Node;
  /** The limits applied: the requested ones, or the loosest that kept the tree within its capacity. */
  readonly limits: TreeLimits;
  /** Actual depth: 0 for a scalar, 1 for a container without nested containers. */
  readonly levels: number;
  /** Offset of the first byte of the value. */
  readonly start: Bytes;
  /** Offset after its last byte; for a stretch, after the last item read. */
  readonly end: Bytes;
  /** A few of the duplicate keys. */
  readonly duplicates: readonly string[];
}

/** A skipped container, cached for later passes over the same text. */
interface Passed {
  readonly of: number;
  /** Offset after the container. */
  readonly end: Bytes;
  /** Depth of the document down to its deepest container. */
  readonly levels: number;
}

const PASSED = new WeakMap<Source, Map<Bytes, Passed>>();

function passedIn(text: Source): Map<Bytes, Passed> {
  const known = PASSED.get(text) ?? new Map<Bytes, Passed>();
  PASSED.set(text, known);
  return known;
}

/** The number of children of the large container opened at `opening`, if it was skipped before. */
export const knownChildren = (text: Source, opening: Bytes): number | undefined =>
  PASSED.get(text)?.get(opening)?.of;

/** Array items to read in place of a value; the cursor is at item `from`. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly of: number;
}

/** A longer key, in UTF-16 units, ends what is shown of its object. */
export const MAX_KEY_LENGTH = 500;
const MAX_DUPLICATES = 5;
/** Below this size, recounting a container is as fast as caching. */
const MIN_COUNTED_BYTES = 64 * 1024;
/** Minimum cost of a node besides its text, in UTF-16 units: a comma or bracket. */
const NODE_COST = 1;

interface Frame {
  readonly node: ObjectNode | ArrayNode;
  readonly open: number;
  readonly opening: Bytes;
  readonly keys: Set<string> | undefined;
}

/** Parses the value, or the stretch of items, at the cursor. @throws {JsonSyntaxError} */
export async function readTree(
  cursor: JsonCursor,
  base: TreeLimits,
  capacity: number,
  stretch?: Stretch,
): Promise<BoundedTree> {
  await cursor.peek();
  const start = cursor.at;
  const read = (limits: TreeLimits, most: number): Promise<BoundedTree> => {
    cursor.at = start;
    const reader = new TreeReader(cursor, limits, most);
    return stretch ? reader.stretch(stretch) : reader.value();
  };
  const within = async (limits: TreeLimits): Promise<BoundedTree | undefined> => {
    try {
      return await read(limits, capacity);
    } catch (error) {
      if (error instanceof Full) return undefined;
      throw error;
    }
  };
  const tree = (await loosest(base, within)) ?? (await read(tighten(base, STEPS), Number.POSITIVE_INFINITY));
  cursor.at = tree.end;
  return tree;
}

/** Ends a reading whose tree is too large. */
class Full extends Error {}

class TreeReader {
  readonly #cursor: JsonCursor;
  readonly #capacity: number;
  readonly #frames: Frame[] = [];
  readonly #duplicates: string[] = [];
  readonly #passed: Map<Bytes, Passed>;
  readonly #start: Bytes;
  readonly #limits: TreeLimits;
  #cost = 0;
  #levels = 0;
  #root: Node | undefined;

  constructor(cursor: JsonCursor, limits: TreeLimits, capacity: number) {
    this.#cursor = cursor;
    this.#limits = limits;
    this.#capacity = capacity;
    this.#passed = passedIn(cursor.source);
    this.#start = cursor.at;
  }

  async value(): Promise<BoundedTree> {
    await this.#readValue(undefined);
    while (this.#frames.length > 0) await this.#advance();
    return this.#reading();
  }

  async stretch({ from, to, of }: Stretch): Promise<BoundedTree> {
    const node: ArrayNode = { kind: 'array', items: [], of, from, to };
    this.#root = node;
    this.#frames.push({
      node,
      open: BYTE.openArray,
      opening: this.#start,
      keys: undefined,
    });
    this.#levels = 1;
    const wanted = to - from + 1;
    while (node.items.length < Math.min(wanted, this.#limits.items)) {
      if (node.items.length > 0) {
        const byte = await this.#cursor.expect('`,`');
        if (byte !== BYTE.comma) throw unexpected(byte, '`,`', this.#cursor.at);
        this.#cursor.at++;
      }
      await this.#readValue(undefined);
      while (this.#frames.length > 1) await this.#advance();
    }
    return this.#reading();
  }

  #reading(): BoundedTree {
    return {
      node: this.#root ?? { kind: 'literal', text: 'null' },
      limits: this.#limits,
      levels: this.#levels,
      start: this.#start,
      end: this.#cursor.at,
      duplicates: this.#duplicates,
    };
  }

  /** Reads one value into the innermost open container; a container is only opened. */
  async #readValue(key: string | undefined): Promise<void> {
    const cursor = this.#cursor;
    const byte = await cursor.expect('a value');
    const opening = cursor.at;
    if (byte === BYTE.openArray || byte === BYTE.openObject) {
      cursor.at++;
      const isObject = byte === BYTE.openObject;
      const level = this.#frames.length + 1;
      const node: ObjectNode | ArrayNode = isObject
        ? { kind: 'object', entries: [], of: 0 }
        : { kind: 'array', items: [], of: 0 };
      this.#levels = Math.max(this.#levels, level);
      const next = await cursor.expect(closing(byte));
      if (next === byte + 2) {
        cursor.at++;
        this.#attach(node, key, NODE_COST);
      } else if (level > this.#limits.depth) {
        const of = await this.#pass(byte, opening, level, 0);
        this.#attach({ kind: 'cut', what: node.kind, of }, key, NODE_COST);
      } else {
        this.#attach(node, key, NODE_COST);
        const keys = isObject ? new Set<string>() : undefined;
        this.#frames.push({ node, open: byte, opening, keys });
        await this.#readChild();
      }
      return;
    }
    const limit = this.#limits.string;
    if (byte === BYTE.quote) {
      const { text, of } = await cursor.string(limit);
      this.#attach({ kind: 'string', text, of }, key, text.length + NODE_COST);
      return;
    }
    const { text, of } = await cursor.literal(Math.max(limit, MIN_LITERAL_LENGTH));
    const node: Node =
      of > Math.max(limit, MIN_LITERAL_LENGTH) ? { kind: 'string', text, of } : { kind: 'literal', text };
    this.#attach(node, key, text.length + NODE_COST);
  }

  /** Reads the member or item at the cursor into the innermost container. */
  async #readChild(): Promise<void> {
    const frame = this.#frames.at(-1);
    if (!frame) return;
    frame.node.of++;
    if (frame.node.kind === 'array') return this.#readValue(undefined);
    const cursor = this.#cursor;
    const byte = await cursor.expect('a key in double quotes');
    if (byte !== BYTE.quote) throw unexpected(byte, 'a key in double quotes', cursor.at);
    const { text, of } = await cursor.string(MAX_KEY_LENGTH);
    if (of > MAX_KEY_LENGTH) return this.#passRest(frame, frame.node.of - 1);
    if (frame.keys?.has(text) && this.#duplicates.length < MAX_DUPLICATES) this.#duplicates.push(text);
    frame.keys?.add(text);
    await cursor.colon();
    this.#cost += text.length + NODE_COST;
    return this.#readValue(text);
  }

  /** Moves on after a child: to the next one, past everything the limits omit, or out of the container. */
  async #advance(): Promise<void> {
    const frame = this.#frames.at(-1);
    if (!frame) return;
    const cursor = this.#cursor;
    const level = this.#frames.length;
    const byte = await cursor.expect(`\`,\` or ${closing(frame.open)}`);
    if (byte === frame.open + 2) {
      cursor.at++;
      this.#frames.pop();
      return;
    }
    if (byte !== BYTE.comma) throw unexpected(byte, `\`,\` or ${closing(frame.open)}`, cursor.at);
    cursor.at++;
    const { node } = frame;
    const full =
      node.kind === 'object'
        ? node.entries.length >= this.#limits.keys
        : node.items.length >= this.#limits.items;
    if (!full && level <= this.#limits.depth) return this.#readChild();
    return this.#passRest(frame, node.of);
  }

  /** Leaves the innermost container, of which `before` children are in the tree. */
  async #passRest(frame: Frame, before: number): Promise<void> {
    frame.node.of = await this.#pass(frame.open, frame.opening, this.#frames.length, before);
    this.#frames.pop();
  }

  /**
   * Skips the rest of the container opened at `opening`, of which `before` children were read. @returns its number of
   * children
   */
  async #pass(open: number, opening: Bytes, level: number, before: number): Promise<number> {
    const cursor = this.#cursor;
    const known = this.#passed.get(opening);
    if (known) {
      cursor.at = known.end;
      this.#levels = Math.max(this.#levels, known.levels);
      return known.of;
    }
    const { items, levels } = await cursor.rest(open, opening);
    if (items === 0) throw unexpected(open + 2, 'a value', cursor.at - 1);
    this.#levels = Math.max(this.#levels, level - 1 + levels);
    const of = before + items;
    if (cursor.at - opening >= MIN_COUNTED_BYTES)
      this.#passed.set(opening, { of, end: cursor.at, levels: this.#levels });
    return of;
  }

  #attach(node: Node, key: string | undefined, cost: number): void {
    const parent = this.#frames.at(-1);
    if (!parent) this.#root = node;
    else if (parent.node.kind === 'object') parent.node.entries.push({ key: key ?? '', value: node });
    else parent.node.items.push(node);
    this.#cost += cost;
    if (this.#cost > this.#capacity) throw new Full();
  }
}

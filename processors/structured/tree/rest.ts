// Finds the largest part of a tree that a view leaves out, and the request that returns it.

import type { RequestFields } from '../../../src/contract/index.ts';
import { pointerTo } from './extents.ts';
import type { Node } from './node.ts';
import { MAX_NAME_LENGTH, remaining } from './shape.ts';

/** Estimated size of a key or item that was not read, in UTF-16 units. */
const UNKNOWN_SIZE = 20;
/** Quotes, a colon and a comma. */
const PUNCTUATION = 4;
/** A smaller share of what was left out does not justify a request of its own, unless it fills a response. */
const LEAST_SHARE = 0.25;

interface Part {
  /** Approximate size in UTF-16 units. */
  readonly size: number;
  /** Undefined if no request can return it alone, as with several members of an object or the end of a string. */
  readonly request?: RequestFields;
}

/**
 * A request for the largest part of `full` that `shown`, a view of it, leaves out. Undefined if no request can return
 * it, or if it neither fills a response of `characters` nor makes up much of what was left out.
 */
export function largestRest(
  full: Node,
  shown: Node,
  pointer: string,
  characters: number,
): RequestFields | undefined {
  let largest: Part = { size: 0 };
  let all = 0;
  for (const part of partsLeftOut(full, shown, pointer)) {
    all += part.size;
    if (part.size > largest.size) largest = part;
  }
  return largest.size >= Math.min(characters, all * LEAST_SHARE) ? largest.request : undefined;
}

function* partsLeftOut(full: Node, shown: Node, pointer: string): Generator<Part> {
  if (pointer.length > MAX_NAME_LENGTH) return;
  if (shown.kind === 'cut') yield { size: sizeOf(full), request: { pointer } };
  else if (shown.kind === 'string') yield { size: shown.of - shown.text.length };
  else if (shown.kind === 'array' && full.kind === 'array') {
    const first = (shown.from ?? 1) - 1;
    for (const [index, item] of shown.items.entries())
      yield* partsLeftOut(full.items[index] ?? item, item, pointerTo(pointer, first + index));
    const left = remaining(shown);
    if (left === 0) return;
    const from = first + shown.items.length + 1;
    const rows = `${from}-${from + left - 1}`;
    const each = full.items.reduce((sum, item) => sum + sizeOf(item), 0) / full.items.length;
    yield {
      size: left * (full.items.length === 0 ? UNKNOWN_SIZE : each),
      request: pointer === '' ? { rows } : { pointer, rows },
    };
  } else if (shown.kind === 'object' && full.kind === 'object') {
    for (const [index, { key, value }] of shown.entries.entries())
      yield* partsLeftOut(full.entries[index]?.value ?? value, value, pointerTo(pointer, key));
    const count = remaining(shown);
    if (count === 0) return;
    const known = full.entries.slice(shown.entries.length);
    const sizes = known.map(({ key, value }) => key.length + PUNCTUATION + sizeOf(value));
    const sum = sizes.reduce((total, size) => total + size, 0);
    const size = known.length === 0 ? count * UNKNOWN_SIZE : (sum / known.length) * count;
    const largest = sizes.reduce((a, b) => Math.max(a, b), 0);
    // A single member may be most of what was left out here.
    const most = known[sizes.indexOf(largest)];
    const isMost = most !== undefined && largest * 2 >= size;
    yield { size, ...(isMost && { request: { pointer: pointerTo(pointer, most.key) } }) };
  }
}

/** Estimated size of a value written out, including what was not read. */
function sizeOf(node: Node): number {
  if (node.kind === 'cut') return node.of * UNKNOWN_SIZE;
  if (node.kind === 'literal') return node.text.length;
  if (node.kind === 'string') return node.of;
  const sizes =
    node.kind === 'array'
      ? node.items.map(sizeOf)
      : node.entries.map(({ key, value }) => key.length + PUNCTUATION + sizeOf(value));
  if (sizes.length === 0) return node.of * UNKNOWN_SIZE;
  return (sizes.reduce((sum, size) => sum + size, 0) / sizes.length) * node.of;
}

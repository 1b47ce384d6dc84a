// The shape of a JSON document in place of its content: pointers of its first two levels, with types and counts.

import {
  OUTLINE,
  type OutlineLine,
  oneLine,
  type ProcessContext,
  plural,
} from '../../../src/contract/index.ts';
import { pointerTo } from '../tree/extents.ts';
import type { Node } from '../tree/node.ts';
import { cutLabel, remaining } from '../tree/shape.ts';
import type { JsonCursor } from './cursor.ts';
import { readTree } from './tree.ts';

const OUTLINE_LIMITS = { depth: 2, items: 1, keys: 1000, string: 0 } as const;
const CAPACITY = 200_000;
const MAX_LINE_LENGTH = 200;

/** A line for each key of the first two levels; of an array its first item stands for all. */
export async function* outlineOf(cursor: JsonCursor, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const { selection } = context;
  const { node, levels } = await readTree(cursor, OUTLINE_LIMITS, CAPACITY);
  // More after the value: JSON Lines under the name of JSON, which have no outline.
  if ((selection.pointer ?? '') === '' && (await cursor.peek()) >= 0) return;
  if (levels > OUTLINE_LIMITS.depth) context.whole({ unit: 'level', of: levels, name: OUTLINE });
  yield* linesOf(node, selection.pointer ?? '', 0);
}

function* linesOf(node: Node, pointer: string, level: number): Generator<OutlineLine> {
  const name = oneLine(pointer === '' ? '(root)' : pointer);
  const short = name.length > MAX_LINE_LENGTH ? `${name.slice(0, MAX_LINE_LENGTH)}…` : name;
  yield { level, text: `${short}: ${describe(node)}` };
  if (node.kind === 'object') {
    for (const { key, value } of node.entries) yield* linesOf(value, pointerTo(pointer, key), level + 1);
    const rest = remaining(node);
    if (rest > 0) yield { level: level + 1, text: `${short}: and ${plural(rest, 'more key')}` };
  } else if (node.kind === 'array' && node.items[0])
    yield* linesOf(node.items[0], pointerTo(pointer, 0), level + 1);
}

function describe(node: Node): string {
  switch (node.kind) {
    case 'object':
      return `object of ${plural(node.of, 'key')}`;
    case 'array':
      return `array of ${plural(node.of, 'item')}`;
    case 'cut':
      return cutLabel(node);
    case 'string':
      return `string of ${plural(node.of, 'character')}`;
    case 'literal':
      return node.text === 'true' || node.text === 'false'
        ? 'boolean'
        : node.text === 'null'
          ? 'null'
          : 'number';
  }
}

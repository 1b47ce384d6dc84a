// Serialises a tree as JSON with two-space indents. Marks for omitted content are themselves valid JSON and give exact
// counts.

import type { ArrayNode, Node, ObjectNode } from '../tree/node.ts';
import { cutLabel, remaining, restLabel, stringText } from '../tree/shape.ts';

/** A container no wider than this stays on one line: one line per member would cost more tokens than it helps. */
const INLINE_WIDTH = 100;
/** Likewise for an array item: one record per line, as in JSON Lines. */
const ITEM_WIDTH = 1000;

const isScalar = (node: Node): boolean => node.kind === 'string' || node.kind === 'literal';

/**
 * Serialises `node` as JSON, without a line end. An array is marked by a last item `{"…": "99950 more items"}`, an
 * object by a last key `"…"`, a string at its end; a container that is too deep is shown as `{"…": "object of 12
 * keys"}`. `glyph` comes from `glyphFor`.
 */
export function writeJson(node: Node, glyph: string): string {
  return write(node, glyph, '\n');
}

/** Like `writeJson`, on one line. */
export function writeJsonLine(node: Node, glyph: string): string {
  const child = (value: Node): string => writeJsonLine(value, glyph);
  if (node.kind === 'object') return `{${membersOf(node, glyph, child).join(', ')}}`;
  return node.kind === 'array' ? `[${itemsOf(node, glyph, child).join(', ')}]` : write(node, glyph, '');
}

/** The members of an object and its mark. */
function membersOf(node: ObjectNode, glyph: string, child: (value: Node) => string): string[] {
  const members = node.entries.map(({ key, value }) => `${JSON.stringify(key)}: ${child(value)}`);
  return remaining(node) > 0 ? [...members, markMember(glyph, restLabel(node))] : members;
}

/** The items of an array and its mark. */
function itemsOf(node: ArrayNode, glyph: string, child: (value: Node) => string): string[] {
  const items = node.items.map(child);
  return remaining(node) > 0 ? [...items, mark(glyph, restLabel(node))] : items;
}

function write(node: Node, glyph: string, newline: string): string {
  switch (node.kind) {
    case 'object':
      return writeObject(node, glyph, newline);
    case 'array':
      return writeArray(node, glyph, newline);
    case 'string':
      return JSON.stringify(stringText(node, glyph));
    case 'literal':
      return node.text;
    case 'cut':
      return mark(glyph, cutLabel(node));
  }
}

const markMember = (glyph: string, label: string): string =>
  `${JSON.stringify(glyph)}: ${JSON.stringify(label)}`;

const mark = (glyph: string, label: string): string => `{${markMember(glyph, label)}}`;

function writeObject(node: ObjectNode, glyph: string, newline: string): string {
  if (node.entries.length === 0) return writeJsonLine(node, glyph);
  const line = newline === '\n' ? undefined : lineWithin(node, glyph, INLINE_WIDTH);
  if (line !== undefined) return line;
  const inner = `${newline}  `;
  const lines = membersOf(node, glyph, (value) => write(value, glyph, inner));
  return `{${inner}${lines.join(`,${inner}`)}${newline}}`;
}

function writeArray(node: ArrayNode, glyph: string, newline: string): string {
  const inner = `${newline}  `;
  const short = node.items.every(isScalar) ? lineWithin(node, glyph, INLINE_WIDTH) : undefined;
  if (short !== undefined) return short;
  const lines = itemsOf(
    node,
    glyph,
    (item) => lineWithin(item, glyph, ITEM_WIDTH) ?? write(item, glyph, inner),
  );
  return `[${inner}${lines.join(`,${inner}`)}${newline}]`;
}

/** `node` on one line, if it is no wider than `width`. */
function lineWithin(node: Node, glyph: string, width: number): string | undefined {
  if (leastWidth(node, width) > width) return undefined;
  const line = writeJsonLine(node, glyph);
  return line.length <= width ? line : undefined;
}

/** A lower bound of the width of `node`; stops once it exceeds `most`. */
function leastWidth(node: Node, most: number): number {
  let width = 2;
  switch (node.kind) {
    case 'object':
      for (const { key, value } of node.entries) {
        width += key.length + 4 + leastWidth(value, most - width);
        if (width > most) break;
      }
      return width;
    case 'array':
      for (const item of node.items) {
        width += leastWidth(item, most - width);
        if (width > most) break;
      }
      return width;
    case 'cut':
      return width;
    default:
      return node.text.length;
  }
}

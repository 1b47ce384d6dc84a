// Writes a tree as JSON, two spaces an indent, with marks that are themselves valid JSON and give true counts.

import type { ArrayNode, Node, ObjectNode } from '../tree/node.ts';
import { cutLabel, keyText, remaining, restLabel, stringText } from '../tree/shape.ts';

/** A container of scalars no wider than this stays on one line: a line each would cost a model more than it tells. */
const INLINE_WIDTH = 80;

const isScalar = (node: Node): boolean => node.kind === 'string' || node.kind === 'literal';

/**
 * `node` as JSON, without a line end. An array's mark is a last item `{"…": "99950 more items"}`, an object's a last key
 * `"…"`, a string's its end; a container too deep to enter is `{"…": "object of 12 keys"}`. `glyph` comes from
 * `glyphFor`.
 */
export function writeJson(node: Node, glyph: string): string {
  return write(node, glyph, '\n');
}

/** The same on one line. */
export function writeJsonLine(node: Node, glyph: string): string {
  switch (node.kind) {
    case 'object': {
      const members = node.entries.map(
        (entry) => `${JSON.stringify(keyText(entry, glyph))}: ${writeJsonLine(entry.value, glyph)}`,
      );
      if (remaining(node) > 0) members.push(`${JSON.stringify(glyph)}: ${JSON.stringify(restLabel(node))}`);
      return `{${members.join(', ')}}`;
    }
    case 'array': {
      const items = node.items.map((item) => writeJsonLine(item, glyph));
      if (remaining(node) > 0) items.push(mark(glyph, restLabel(node)));
      return `[${items.join(', ')}]`;
    }
    default:
      return write(node, glyph, '');
  }
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

function mark(glyph: string, label: string): string {
  return `{${JSON.stringify(glyph)}: ${JSON.stringify(label)}}`;
}

function writeObject(node: ObjectNode, glyph: string, newline: string): string {
  const inner = `${newline}  `;
  const lines = node.entries.map(
    (entry) => `${JSON.stringify(keyText(entry, glyph))}: ${write(entry.value, glyph, inner)}`,
  );
  const rest = remaining(node);
  if (rest > 0) {
    if (lines.length === 0) return mark(glyph, restLabel(node));
    lines.push(`${JSON.stringify(glyph)}: ${JSON.stringify(restLabel(node))}`);
  }
  if (node.entries.every(({ value }) => isScalar(value))) {
    const line = `{${lines.join(', ')}}`;
    if (line.length + newline.length <= INLINE_WIDTH && newline !== '\n') return line;
  }
  return lines.length === 0 ? '{}' : `{${inner}${lines.join(`,${inner}`)}${newline}}`;
}

function writeArray(node: ArrayNode, glyph: string, newline: string): string {
  const inner = `${newline}  `;
  const lines = node.items.map((item) => write(item, glyph, inner));
  if (remaining(node) > 0) lines.push(mark(glyph, restLabel(node)));
  if (lines.length === 0) return '[]';
  if (node.items.every(isScalar)) {
    const line = `[${lines.join(', ')}]`;
    if (line.length + newline.length <= INLINE_WIDTH) return line;
  }
  return `[${inner}${lines.join(`,${inner}`)}${newline}]`;
}

// The shape of a JSON document in place of its content: pointers of its first two levels, with types and counts.

import { oneLine, type ProcessContext, plural, type TextPart } from '../../src/contract/index.ts';
import type { JsonCursor } from './json-cursor.ts';
import { readTree } from './json-tree.ts';
import { cutLabel, type Node, pointerTo, remaining } from './tree.ts';

const OUTLINE_LIMITS = { depth: 2, items: 1, keys: 1000, string: 0 } as const;
const CAPACITY = 200_000;
const MAX_LINE_LENGTH = 200;

interface Line {
  readonly level: number;
  readonly text: string;
}

/** One part: a line for each key of the first two levels, as many whole levels and then lines as the budget holds. */
export async function* outlineOf(cursor: JsonCursor, context: ProcessContext): AsyncGenerator<TextPart> {
  const { budget, selection } = context;
  const reading = await readTree(cursor, OUTLINE_LIMITS, CAPACITY);
  const lines: Line[] = [];
  collect(reading.node, selection.pointer ?? '', 0, lines);
  const top = lines.filter(({ level }) => level <= 1);
  const first = write(lines);
  const chosen = budget.fits(first, budget.tokensBesideNotes, budget.charactersBesideNotes) ? lines : top;
  let low = 0;
  for (let high = chosen.length; low < high; ) {
    const middle = (low + high + 1) >> 1;
    const fits = budget.fits(
      write(chosen.slice(0, middle)),
      budget.tokensBesideNotes,
      budget.charactersBesideNotes,
    );
    if (fits) low = middle;
    else high = middle - 1;
  }
  const { node } = reading;
  const of = 'of' in node && node.kind !== 'string' ? node.of : 1;
  const unit = node.kind === 'array' ? 'item' : 'key';
  const name = selection.pointer ?? '';
  context.whole({ unit, of, name });
  if (low === 0) return;
  // An outline shows what there is and no content: nothing of the whole counts as shown.
  yield { kind: 'text', text: write(chosen.slice(0, low)), shown: [] };
}

function write(lines: readonly Line[]): string {
  return lines.map(({ text }) => `${text}\n`).join('');
}

function collect(node: Node, pointer: string, level: number, lines: Line[]): void {
  const name = oneLine(pointer === '' ? '(root)' : pointer);
  const short = name.length > MAX_LINE_LENGTH ? `${name.slice(0, MAX_LINE_LENGTH)}…` : name;
  lines.push({ level, text: `${short}: ${describe(node)}` });
  if (node.kind === 'object') {
    for (const { key, value } of node.entries) collect(value, pointerTo(pointer, key), level + 1, lines);
    const rest = remaining(node);
    if (rest > 0) lines.push({ level: level + 1, text: `${short}: and ${plural(rest, 'more key')}` });
  } else if (node.kind === 'array' && node.items[0])
    collect(node.items[0], pointerTo(pointer, 0), level + 1, lines);
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

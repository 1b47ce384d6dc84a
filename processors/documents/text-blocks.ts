// Where the blocks of a document are in the text of its section, for whoever cuts the text.

import type { TextBlock } from '../../src/contract/index.ts';
import { type Block, itemLines, titleOf } from '../../src/document/index.ts';
import type { SectionText } from './section-text.ts';

/** The blocks of a section, as they are written in its text. */
export function textBlocksOf(section: SectionText): TextBlock[] {
  const blocks: TextBlock[] = [];
  let at = 0;
  for (const { block, text } of section.placed()) {
    // A blank line follows each block but the last.
    const to = Math.min(at + text.length + 1, section.text.length);
    if (to > at) blocks.push({ to, ...factsOf(block, text) });
    at = to;
  }
  return blocks;
}

function factsOf(block: Block, text: string): Omit<TextBlock, 'to'> {
  switch (block.kind) {
    case 'heading':
      return { kind: 'heading', level: block.level, title: titleOf(block.text) };
    case 'page':
      return { kind: 'page' };
    case 'table': {
      const [first = 0, ...rows] = lineEnds(text).slice(1);
      return { kind: 'table', items: rows.slice(0, -1), frame: { before: text.slice(0, first), after: '' } };
    }
    case 'code': {
      const fence = /^`+/.exec(text)?.[0] ?? '';
      return { kind: 'code', frame: { before: text.slice(0, text.indexOf('\n') + 1), after: `\n${fence}` } };
    }
    case 'list': {
      const ends = lineEnds(text);
      let line = 0;
      const items: number[] = [];
      for (const lines of itemLines(block)) {
        line += lines;
        const end = ends[line - 1];
        if (end !== undefined && end < text.length) items.push(end);
      }
      return { kind: 'text', items };
    }
    default:
      return { kind: 'text' };
  }
}

/** The offsets after the lines of `text`, the last one included. */
function lineEnds(text: string): number[] {
  const ends: number[] = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) ends.push(at + 1);
  return ends;
}

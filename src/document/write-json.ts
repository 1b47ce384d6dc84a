// Writes blocks as JSON, one line each; docs/reading.md describes the fields.

import type { Block } from './block.ts';
import type { Inline } from './inline.ts';
import { runsOf } from './inline-data.ts';
import { withNames } from './member.ts';

/** Where a block stands. */
export interface BlockAt {
  readonly page?: number;
  readonly slide?: number;
  /** Number of the block on its page or slide, else in the document, from 1. */
  readonly block: number;
  /** Left, top, right and bottom in points from the upper left corner of the page. */
  readonly box?: readonly number[];
}

/** The block with its place, as one line; `name`: of the document, for the addresses of the files inside. */
export const jsonLineOf = (block: Block, at: BlockAt, name: string): string =>
  `${JSON.stringify({ at, ...dataOf(block, name) })}\n`;

/** The block with its inline content as data. */
function dataOf(block: Block, name: string): object {
  const inline = (content: Inline): unknown => runsOf(content, (text) => withNames(text, name));
  const { landmarks: _, ...own } = block;
  switch (own.kind) {
    case 'heading':
    case 'paragraph':
      return { ...own, text: inline(own.text) };
    case 'lines':
    case 'term':
    case 'note':
    case 'comment':
      return { ...own, lines: own.lines.map(inline) };
    case 'list':
      return {
        ...own,
        items: own.items.map((item) => ({
          ...item,
          text: inline(item.text),
          ...(item.blocks && { blocks: item.blocks.map((one) => dataOf(one, name)) }),
        })),
      };
    case 'table':
      return { ...own, rows: own.rows.map((row) => row.map(inline)) };
    case 'quote':
      return { ...own, blocks: own.blocks.map((one) => dataOf(one, name)) };
    default:
      return own;
  }
}

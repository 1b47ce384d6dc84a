// Writes blocks as JSON, one line each; docs/reading.md describes the fields.

import type { Block } from './block.ts';

/** Where a block stands. */
export interface BlockAt {
  readonly page?: number;
  readonly slide?: number;
  /** Number of the block on its page or slide, else in the document, from 1. */
  readonly block: number;
  /** Left, top, right and bottom in points from the upper left corner of the page. */
  readonly box?: readonly number[];
}

/** The block with its place, as one line. */
export const jsonLineOf = (block: Block, at: BlockAt): string =>
  `${JSON.stringify({ at, ...block, landmarks: undefined })}\n`;

// The Markdown writer shared by all documents: escaping, inline marks, links, and blocks.

export {
  codeBlock,
  headingBlock,
  type ListItem,
  listBlock,
  paragraphBlock,
  quoteBlock,
  safeLines,
} from './blocks.ts';
export { cleanText, escapeLineStart, escapeText } from './escape.ts';
export { codeSpan, HARD_BREAK, marked, type Run, writeRuns } from './inline.ts';
export { imageMark, linkTo, safeUrl } from './link.ts';
export { escapeCell, tableBlock, tableLines } from './table.ts';

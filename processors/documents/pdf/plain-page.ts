// A page as plain lines, from pdf.js's own text extraction: for pages whose operators cannot be walked.

import type { PDFPageProxy } from 'pdfjs-dist';
import { type Block, cleanText, isEmpty, paragraphBlock } from '../../../src/document/index.ts';
import { glyphText } from './ink/glyph-text.ts';

/** Maximum characters kept per page. */
const MOST_CHARACTERS = 1_000_000;

/** One block per line. */
export async function plainBlocks(page: PDFPageProxy): Promise<Block[]> {
  const { items } = await page.getTextContent();
  const blocks: Block[] = [];
  let line = '';
  let kept = 0;
  const end = (): void => {
    const block = paragraphBlock(cleanText(line.trim()));
    if (!isEmpty(block)) blocks.push(block);
    line = '';
  };
  for (const item of items) {
    if (!('str' in item)) continue;
    for (const character of item.str) line += glyphText(character);
    kept += item.str.length;
    if (item.hasEOL) end();
    if (kept > MOST_CHARACTERS) break;
  }
  end();
  return blocks;
}

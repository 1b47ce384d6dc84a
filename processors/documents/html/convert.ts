// A web page as a document: one section of Markdown, the main content where the page is clearly one with navigation
// around it.

import { NotThisFormat, type Source, type Warning } from '../../../src/contract/index.ts';
import type { Converter } from '../document.ts';
import { htmlToBlocks } from './blocks.ts';

/** Larger pages are shown as text: a tree of one takes about ten times its size in memory. */
const MAX_BYTES = 64 * 1024 * 1024;

export const htmlConverter: Converter = {
  async open(source, context) {
    if (source.size > MAX_BYTES)
      throw new NotThisFormat({
        code: 'NOT_VALIDATED',
        message: `The file is larger than the ${MAX_BYTES} bytes up to which HTML is converted; its source is shown.`,
      });
    const html = await textOf(await context.text(source));
    if (!/<[a-z!?]/i.test(html))
      throw new NotThisFormat({
        code: 'INVALID_SYNTAX',
        message: 'The file holds no HTML element; it is shown as text.',
      });
    const page = await htmlToBlocks(html, {
      signal: context.signal,
      mainContent: true,
      xml: /^\s*<\?xml\b/.test(html),
    });
    const warnings = [...page.warnings];
    if (page.blocks.length === 0 && /<script\b/i.test(html)) warnings.push(DRAWN_BY_SCRIPTS);
    return {
      facts: page.facts,
      sections: 1,
      section: async () => ({ blocks: page.blocks, warnings }),
      close: async () => undefined,
    };
  },
};

const DRAWN_BY_SCRIPTS: Warning = {
  code: 'SKIPPED_CONTENT',
  message:
    'The page holds no text of its own: scripts draw it, and none is run. `format: "text"` shows its source.',
};

async function textOf(source: Source): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await source.read(0, source.size));
}

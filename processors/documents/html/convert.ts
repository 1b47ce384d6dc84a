// Converts a web page to one section of Markdown: the main content if the page clearly has navigation around it.

import { NotThisFormat, type Source, type Warning } from '../../../src/contract/index.ts';
import type { Converter } from '../document.ts';
import { htmlToBlocks } from './blocks.ts';

/** Larger pages are shown as text: the tree takes about ten times the page's size in memory. */
const MAX_BYTES = 64 * 1024 * 1024;

export const htmlConverter: Converter = {
  async open(source, context) {
    if (source.size > MAX_BYTES)
      throw new NotThisFormat({
        code: 'NOT_VALIDATED',
        message: `The file exceeds the ${MAX_BYTES} bytes up to which HTML is converted; its source is shown.`,
      });
    const html = await textOf(await context.text(source));
    if (!/<[a-z!?]/i.test(html))
      throw new NotThisFormat({
        code: 'INVALID_SYNTAX',
        message: 'The file has no HTML element; shown as text.',
      });
    const page = await htmlToBlocks(html, {
      signal: context.signal,
      mainContent: true,
      xml: /^\s*<\?xml\b/.test(html),
    });
    const warnings = [...page.warnings];
    if ((page.blocks.length === 0 || page.needsScripts) && /<script\b/i.test(html))
      warnings.push(DRAWN_BY_SCRIPTS);
    return {
      facts: page.facts,
      section: async () => ({ blocks: page.blocks, warnings }),
    };
  },
};

const DRAWN_BY_SCRIPTS: Warning = {
  code: 'SKIPPED_CONTENT',
  message:
    'The page has no static text: it is rendered by scripts, which are not run. Use `format: "text"` to see its source.',
};

async function textOf(source: Source): Promise<string> {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await source.read(0, source.size));
}

// Web pages and how they are recognised. Reading is in `html/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';

/** HTML and XHTML, as Markdown; `format: 'text'` shows the source. Nothing a page refers to is fetched or run. */
export const html: Processor = {
  name: 'html',
  fileType: 'html',
  extensions: ['.html', '.htm', '.xhtml', '.xht', '.shtml'],
  mimeTypes: ['text/html', 'application/xhtml+xml'],
  types: { '.xhtml': 'application/xhtml+xml' },
  textual: true,
  authored: true,
  reads: startsAsPage,
  ...documentCode({
    version: 'html-6',
    load: async () => (await import('./html/convert.ts')).htmlConverter,
  }),
};

/**
 * A page, also without its first elements, as programs write that save HTML under the name of a Word or Excel file. What
 * follows an XML declaration must say that it is a page.
 */
function startsAsPage(text: string): boolean {
  const head = text.slice(0, 4096).replace(/^\uFEFF?\s*/, '');
  const declared = /^<\?xml\s[^>]*>/.exec(head)?.[0] ?? '';
  const start = head.slice(declared.length).replace(/^(?:\s+|<!--[\s\S]*?-->)*/, '');
  return (declared === '' ? PAGE_OR_PART : PAGE).test(start);
}

const PAGE = /^(?:<!doctype html\b|<html[\s>])/i;
const PAGE_OR_PART = /^(?:<!doctype html\b|<(?:html|head|body|meta|style|table)[\s>])/i;

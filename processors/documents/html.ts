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
  selects: ['lines'],
  formats: ['markdown'],
  textual: true,
  reads: (text) => /^\s{0,250}(?:<!doctype html|<html[\s>])/i.test(text),
  ...documentCode({
    version: 'html-2',
    load: async () => (await import('./html/convert.ts')).htmlConverter,
  }),
};

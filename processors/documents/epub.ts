// Electronic books and how they are recognised. Reading is in `epub/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';
import { isBook } from './signature.ts';

/** EPUB 2 and 3, without DRM, as Markdown in reading order. */
export const epub: Processor = {
  name: 'epub',
  fileType: 'epub',
  extensions: ['.epub'],
  mimeTypes: ['application/epub+zip'],
  textual: false,
  matches: isBook,
  ...documentCode({
    version: 'epub-8',
    load: async () => (await import('./epub/convert.ts')).epubConverter,
  }),
};

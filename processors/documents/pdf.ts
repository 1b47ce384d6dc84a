// PDF and how it is recognised. Reading is in `pdf/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';

/** The header may be anywhere in the first kilobyte (ISO 32000-2, Annex I, note to 7.5.2). */
const HEADER_WITHIN = 1024;

export const pdf: Processor = {
  name: 'pdf',
  fileType: 'pdf',
  extensions: ['.pdf'],
  mimeTypes: ['application/pdf', 'application/x-pdf'],
  textual: false,
  magic: [{ starts: '%PDF-', what: 'a PDF file' }], // ISO 32000-1, 7.5.2
  matches: (head) =>
    Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, HEADER_WITHIN)).includes('%PDF-'),
  ...documentCode({
    version: 'pdf-18',
    unit: 'page',
    load: async () => (await import('./pdf/convert.ts')).converter,
  }),
};

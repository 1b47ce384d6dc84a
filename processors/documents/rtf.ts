// Rich Text Format: which files they are. How they are read is in `rtf/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';

/** RTF 1.0 to 1.9.1. Its bytes are text, but nobody wants to read them: what it cannot parse is an error. */
export const rtf: Processor = {
  name: 'rtf',
  fileType: 'rtf',
  extensions: ['.rtf', '.rtx'],
  mimeTypes: ['application/rtf', 'text/rtf', 'text/richtext'],
  selects: ['lines'],
  formats: ['markdown'],
  textual: false,
  magic: [{ starts: '{\\rtf1', what: 'an RTF document' }],
  matches: (head) => Buffer.from(head.subarray(0, 64)).toString('latin1').trimStart().startsWith('{\\rt'),
  ...documentCode({
    version: 'rtf-2',
    load: async () => (await import('./rtf/convert.ts')).rtfConverter,
  }),
};

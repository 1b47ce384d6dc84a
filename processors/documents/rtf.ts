// Rich Text Format and how it is recognised. Reading is in `rtf/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';

/**
 * RTF 1.0 to 1.9.1. Although its bytes are text, a file that cannot be parsed is an error: its source is not readable.
 */
export const rtf: Processor = {
  name: 'rtf',
  fileType: 'rtf',
  extensions: ['.rtf', '.rtx'],
  mimeTypes: ['application/rtf', 'text/rtf', 'text/richtext'],
  textual: false,
  magic: [{ starts: '{\\rtf1', what: 'an RTF document' }],
  matches: (head) => Buffer.from(head.subarray(0, 64)).toString('latin1').trimStart().startsWith('{\\rt'),
  ...documentCode({
    version: ({ changes = 'accept' }) => `rtf-8-${changes}`,
    load: async ({ changes }) => (await import('./rtf/convert.ts')).createRtfConverter(changes),
  }),
};

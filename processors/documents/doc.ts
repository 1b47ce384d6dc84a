// Documents of Word 97 to 2003, and how they are recognised. Reading is in `doc/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';
import { mayHoldStream, OLE, streamNamed } from './signature.ts';

/** Binary Word documents and templates, with or without macros (which are never run). */
export const doc: Processor = {
  name: 'doc',
  fileType: 'doc',
  // Templates end in .dot, like graphs of Graphviz, and are recognised by their content.
  extensions: ['.doc'],
  mimeTypes: ['application/msword'],
  textual: false,
  magic: [{ starts: OLE, holds: streamNamed('WordDocument'), what: 'a Word 97 document' }],
  matches: (head) => mayHoldStream(head, 'WordDocument'),
  ...documentCode({
    version: ({ changes = 'accept' }) => `doc-6-${changes}`,
    load: async ({ changes }) => (await import('./doc/convert.ts')).createDocConverter(changes),
  }),
};

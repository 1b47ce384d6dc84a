// Mailbox files and how they are recognised. Reading is in `mbox/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';

/** Consecutive mails in one file; each is read as `box.mbox!/1.eml`. */
export const mbox: Processor = {
  name: 'mbox',
  fileType: 'email',
  extensions: ['.mbox', '.mbx'],
  mimeTypes: ['application/mbox'],
  textual: true,
  matches: (head) => Buffer.from(head.subarray(0, 5)).toString('latin1') === 'From ',
  ...documentCode({
    version: 'mbox-7',
    load: async () => (await import('./mbox/convert.ts')).mboxConverter,
  }),
  lists: true,
  entry: async (source, path, context) =>
    (await import('./mbox/convert.ts')).mboxEntry(source, path, context),
  async *files(source, context) {
    yield* (await import('./mbox/convert.ts')).mboxFiles(source, context);
  },
};

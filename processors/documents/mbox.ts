// Mailboxes as files: which they are. How they are read is in `mbox/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-reading.ts';

/** Mails one after another in one file; each is read as `box.mbox!/1.eml`. */
export const mbox: Processor = {
  name: 'mbox',
  fileType: 'email',
  extensions: ['.mbox', '.mbx'],
  mimeTypes: ['application/mbox'],
  selects: ['lines'],
  formats: ['markdown'],
  textual: true,
  matches: (head) => Buffer.from(head.subarray(0, 5)).toString('latin1') === 'From ',
  process: (source, context) => codeFor(source.name).process(source, context),
  outline: (source, context) => codeFor(source.name).outline(source, context),
  entry: async (source, path, context) =>
    (await import('./mbox/convert.ts')).mboxEntry(source, path, context),
};

// The text names the file: files of other names are other conversions.
const codeFor = (name: string): ReturnType<typeof documentCode> =>
  documentCode(async () => (await import('./mbox/convert.ts')).mboxConverter(name));

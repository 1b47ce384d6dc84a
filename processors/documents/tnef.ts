// Outlook messages in transport form, and how they are recognised. Reading is in `tnef/` and `mail/`.

import type { Processor } from '../../src/contract/index.ts';
import { mailCode } from './mail/code.ts';

/** The `winmail.dat` that Outlook attaches to a mail, with its attachments, which are read as `winmail.dat!/name`. */
export const tnef: Processor = {
  name: 'tnef',
  fileType: 'email',
  extensions: ['.tnef'],
  mimeTypes: ['application/ms-tnef', 'application/vnd.ms-tnef'],
  textual: false,
  magic: [{ starts: '\x78\x9f\x3e\x22', what: 'an Outlook message in transport form' }],
  ...mailCode('tnef-5', async () => (await import('./tnef/read.ts')).readTnef),
};

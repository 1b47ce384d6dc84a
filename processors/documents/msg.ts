// Outlook message files and how they are recognised. Reading is in `msg/` and `mail/`.

import type { Processor } from '../../src/contract/index.ts';
import { mailCode } from './mail/code.ts';
import { mayHoldStream, OLE, streamNamed } from './signature.ts';

/** A message saved by Outlook, with its attachments, which are read as `mail.msg!/name`. */
export const msg: Processor = {
  name: 'msg',
  fileType: 'email',
  extensions: ['.msg', '.oft'],
  mimeTypes: ['application/vnd.ms-outlook'],
  textual: false,
  magic: [{ starts: OLE, holds: streamNamed('__properties_version1'), what: 'an Outlook message' }],
  matches: (head) => mayHoldStream(head, '__properties_version1'),
  ...mailCode('msg-8', async () => (await import('./msg/read.ts')).readMsg),
};

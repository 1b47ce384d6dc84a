// Presentations of PowerPoint 97 to 2003, and how they are recognised. Reading is in `ppt/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';
import { mayHoldStream, OLE, streamNamed } from './signature.ts';

/** Binary presentations, slide shows and templates, with or without macros (which are never run). */
export const ppt: Processor = {
  name: 'ppt',
  fileType: 'ppt',
  // Templates end in .pot, like those of gettext, and are recognised by their content.
  extensions: ['.ppt', '.pps'],
  mimeTypes: ['application/vnd.ms-powerpoint'],
  textual: false,
  magic: [{ starts: OLE, holds: streamNamed('PowerPoint Document'), what: 'a PowerPoint 97 presentation' }],
  matches: (head) => mayHoldStream(head, 'PowerPoint Document'),
  ...documentCode({
    version: 'ppt-3',
    unit: 'slide',
    load: async () => (await import('./ppt/convert.ts')).pptConverter,
  }),
};

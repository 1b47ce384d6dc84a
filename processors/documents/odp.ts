// OpenDocument presentations and how they are recognised. Reading is in `odf/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';
import { isOpenDocument } from './signature.ts';

/** Presentations and templates of OpenOffice and LibreOffice, as packages and as flat XML. */
export const odp: Processor = {
  name: 'odp',
  fileType: 'odp',
  extensions: ['.odp', '.otp', '.fodp'],
  mimeTypes: [
    'application/vnd.oasis.opendocument.presentation',
    'application/vnd.oasis.opendocument.presentation-template',
    'application/vnd.oasis.opendocument.presentation-flat-xml',
  ],
  textual: false,
  matches: (head) => isOpenDocument(head, 'presentation'),
  ...documentCode({
    version: 'odp-9',
    unit: 'slide',
    load: async () => (await import('./odf/convert-slides.ts')).odpConverter,
  }),
};

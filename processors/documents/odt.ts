// OpenDocument texts and how they are recognised. Reading is in `odf/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';
import { isOpenDocument } from './signature.ts';

/** Texts and text templates of OpenOffice and LibreOffice, as packages and as flat XML. */
export const odt: Processor = {
  name: 'odt',
  fileType: 'odt',
  extensions: ['.odt', '.ott', '.fodt'],
  mimeTypes: [
    'application/vnd.oasis.opendocument.text',
    'application/vnd.oasis.opendocument.text-template',
    'application/vnd.oasis.opendocument.text-flat-xml',
  ],
  textual: false,
  matches: (head) => isOpenDocument(head, 'text'),
  ...documentCode({
    version: ({ changes = 'accept' }) => `odt-11-${changes}`,
    load: async ({ changes }) => (await import('./odf/convert-text.ts')).createOdtConverter(changes),
  }),
};

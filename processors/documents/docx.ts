// Documents of Word 2007 and later, and how they are recognised. Reading is in `docx/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';
import { isOfficePackage } from './signature.ts';

/** Office Open XML documents and templates, with or without macros (which are never run). */
export const docx: Processor = {
  name: 'docx',
  fileType: 'docx',
  extensions: ['.docx', '.docm', '.dotx', '.dotm'],
  mimeTypes: [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.template',
    'application/vnd.ms-word.document.macroenabled.12',
    'application/vnd.ms-word.template.macroenabled.12',
  ],
  textual: false,
  matches: (head) => isOfficePackage(head, 'word/'),
  ...documentCode({
    version: ({ changes = 'accept' }) => `docx-9-${changes}`,
    load: async ({ changes }) =>
      (await import('./docx/convert.ts')).createDocxConverter(changes ? { trackedChanges: changes } : {}),
  }),
};

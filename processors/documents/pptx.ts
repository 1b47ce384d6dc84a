// Presentations of PowerPoint 2007 and later, and how they are recognised. Reading is in `pptx/`.

import type { Processor } from '../../src/contract/index.ts';
import { documentCode } from './document-code.ts';
import { isOfficePackage } from './signature.ts';

/** Office Open XML presentations, slide shows and templates, with or without macros (which are never run). */
export const pptx: Processor = {
  name: 'pptx',
  fileType: 'pptx',
  extensions: ['.pptx', '.pptm', '.ppsx', '.ppsm', '.potx', '.potm'],
  mimeTypes: [
    'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    'application/vnd.openxmlformats-officedocument.presentationml.slideshow',
    'application/vnd.openxmlformats-officedocument.presentationml.template',
    'application/vnd.ms-powerpoint.presentation.macroenabled.12',
    'application/vnd.ms-powerpoint.slideshow.macroenabled.12',
    'application/vnd.ms-powerpoint.template.macroenabled.12',
  ],
  textual: false,
  matches: (head) => isOfficePackage(head, 'ppt/'),
  ...documentCode({
    version: 'pptx-9',
    unit: 'slide',
    load: async () => (await import('./pptx/convert.ts')).pptxConverter,
  }),
};

// Jupyter notebooks and how they are recognised. Reading is in `notebook/reading.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const notebook: Processor = {
  name: 'notebook',
  fileType: 'notebook',
  extensions: ['.ipynb'],
  mimeTypes: ['application/x-ipynb+json'],
  selects: ['pointer', 'rows'],
  textual: true,
  introduces: true,
  converts: true,
  passages: async (text) => (await import('./notebook/passages.ts')).passagesOf(text),
  ...lazily(() => import('./notebook/reading.ts')),
};

// JSON Lines and its variants, and how they are recognised. Reading is in `json/lines-reading.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const jsonl: Processor = {
  name: 'jsonl',
  fileType: 'jsonl',
  extensions: ['.jsonl', '.ndjson', '.ldjson', '.jsonlines'],
  mimeTypes: [
    'application/x-ndjson',
    'application/jsonl',
    'application/x-jsonlines',
    'application/ndjson',
    'application/json-lines',
  ],
  selects: ['pointer', 'rows', 'columns', 'bytes'],
  splits: 'lines',
  formats: ['csv', 'markdown'],
  textual: true,
  introduces: true,
  ...lazily(() => import('./json/lines-reading.ts')),
};

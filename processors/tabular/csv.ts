// CSV, TSV and other delimited text: which files they are. How they are read is in `csv-table.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const csv: Processor = {
  name: 'csv',
  fileType: 'csv',
  extensions: ['.csv', '.tsv', '.tab', '.psv', '.ssv'],
  mimeTypes: ['text/csv', 'text/tab-separated-values'],
  selects: ['rows', 'columns'],
  formats: ['csv', 'markdown', 'json'],
  textual: true,
  ...lazily(() => import('./csv-table.ts')),
};

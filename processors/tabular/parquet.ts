// Apache Parquet, and how it is recognised. Reading is in `parquet/reading.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const parquet: Processor = {
  name: 'parquet',
  fileType: 'parquet',
  extensions: ['.parquet', '.pq', '.geoparquet'],
  mimeTypes: ['application/vnd.apache.parquet', 'application/x-parquet'],
  selects: ['rows', 'columns'],
  formats: ['csv', 'markdown', 'json'],
  textual: false,
  introduces: 'always',
  magic: [
    // Apache Parquet format: the magic, then a page header or a footer, whose first field is an `i32` in Thrift.
    { starts: 'PAR1\x15', what: 'a Parquet file' },
    // Parquet modular encryption: an encrypted footer.
    { starts: 'PARE', what: 'an encrypted Parquet file' },
  ],
  ...lazily(() => import('./parquet/reading.ts')),
};

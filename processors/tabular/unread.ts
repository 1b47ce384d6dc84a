// Databases and binary tables that are recognised but not supported.

import type { UnreadFormat } from '../../src/contract/index.ts';

export const unreadTables: readonly UnreadFormat[] = [
  {
    extensions: [],
    magic: [
      { starts: 'PGDMP\x01', what: 'a PostgreSQL dump' }, // pg_dump, custom format
      { starts: 'Obj\x01', what: 'an Avro file' }, // Avro 1.11, object container files
      { starts: 'CDF\x01', what: 'a NetCDF file' },
      { starts: 'CDF\x02', what: 'a NetCDF file' },
    ],
  },
];

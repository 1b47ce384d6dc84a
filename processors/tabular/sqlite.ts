// SQLite databases, and how they are recognised. Reading is in `sqlite/reading.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const sqlite: Processor = {
  name: 'sqlite',
  fileType: 'sqlite',
  extensions: ['.sqlite', '.sqlite3', '.db3', '.s3db', '.sl3', '.gpkg', '.mbtiles'],
  // Many programs keep other things in files with this name.
  sharedExtensions: ['.db'],
  mimeTypes: ['application/vnd.sqlite3', 'application/x-sqlite3', 'application/geopackage+sqlite3'],
  types: { '.gpkg': 'application/geopackage+sqlite3' },
  selects: ['rows', 'columns', 'sheet'],
  formats: ['csv', 'markdown', 'json'],
  textual: false,
  introduces: 'always',
  magic: [{ starts: 'SQLite format 3\0', what: 'an SQLite database' }], // Database file format, 1.3.1
  ...lazily(() => import('./sqlite/reading.ts')),
};

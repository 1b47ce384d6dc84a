// TOML and how it is recognised. Reading is in `toml/reading.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const toml: Processor = {
  name: 'toml',
  fileType: 'toml',
  extensions: ['.toml'],
  mimeTypes: ['application/toml', 'text/toml', 'text/x-toml'],
  names: ['cargo.lock', 'pipfile', 'poetry.lock', 'pdm.lock', 'uv.lock', 'gopkg.lock'],
  selects: ['pointer', 'rows', 'columns'],
  formats: ['json', 'csv', 'markdown'],
  textual: true,
  introduces: true,
  ...lazily(() => import('./toml/reading.ts')),
};

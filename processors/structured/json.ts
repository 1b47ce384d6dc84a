// JSON and formats based on it, and how they are recognised. Reading is in `json/reading.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const json: Processor = {
  name: 'json',
  fileType: 'json',
  extensions: [
    '.json',
    '.geojson',
    '.topojson',
    '.webmanifest',
    '.har',
    '.avsc',
    '.jsonld',
    '.gltf',
    '.sarif',
    '.tfstate',
  ],
  mimeTypes: ['application/json', 'text/json'],
  names: ['composer.lock', 'pipfile.lock', 'flake.lock', '.prettierrc', '.babelrc', '.eslintrc'],
  selects: ['pointer', 'rows', 'columns'],
  formats: ['json', 'csv', 'markdown'],
  textual: true,
  introduces: true,
  reads: (text) => /^\s{0,250}(?:\{\s*["}]|\[\s*(?:["{[\]\d-]|true|false|null))/.test(text),
  ...lazily(() => import('./json/reading.ts')),
};

// YAML and how it is recognised. Reading is in `yaml/reading.ts`.

import { lazily, type Processor } from '../../src/contract/index.ts';

export const yaml: Processor = {
  name: 'yaml',
  fileType: 'yaml',
  extensions: ['.yaml', '.yml', '.eyaml', '.cff', '.sublime-syntax'],
  mimeTypes: ['application/yaml', 'text/yaml', 'application/x-yaml', 'text/x-yaml', 'text/vnd.yaml'],
  names: ['.clang-format', '.clang-tidy', '.clangd', '.yamllint', 'pubspec.lock', 'glide.lock'],
  selects: ['pointer', 'rows', 'columns'],
  formats: ['json', 'csv', 'markdown'],
  textual: true,
  introduces: true,
  ...lazily(() => import('./yaml/reading.ts')),
};

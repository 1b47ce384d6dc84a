// Manifests in the documents are valid YAML, and set only variables that exist.

import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const documents = readdirSync('docs')
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(`docs/${name}`, 'utf8') }));
const manifests = documents.flatMap(({ name, text }) =>
  [...text.matchAll(/^```yaml\n([^`]*)^```$/gm)].map(([, yaml = '']) => ({ name, yaml })),
);
const prose = documents.map(({ text }) => text.replace(/^```yaml\n[^`]*^```$/gm, '')).join('\n');

it.each(manifests)('$name', ({ yaml }) => {
  for (const document of parseAllDocuments(yaml)) {
    if ('empty' in document) continue;
    expect(document.errors).toEqual([]);
  }
  for (const [variable] of yaml.matchAll(/LECTERN_\w+/g)) expect(prose).toContain(variable);
});

it('are in the documents of batches and deployment', () => {
  expect(new Set(manifests.map(({ name }) => name))).toEqual(new Set(['batch.md', 'deployment.md']));
});

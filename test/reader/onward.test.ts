// The text of an answer says how to go on, not only its data: a model sees the text alone.

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const reader = createReader({ environment: {} });
const files = ['structured', 'tabular', 'text'].flatMap((family) =>
  readdirSync(`fixtures/${family}`)
    .filter((name) => !name.endsWith('.expected.md'))
    .map((name) => `fixtures/${family}/${name}`),
);

it.each(files)('%s: from 150 tokens on', async (file) => {
  for (const maxTokens of [150, 200, 400, 1000, 5000]) {
    const { text, truncation } = await readOk(reader, file, { maxTokens });
    const next = truncation?.next;
    if (!next) continue;
    const words = Object.values(next.request ?? next.skip ?? { cursor: next.cursor });
    for (const word of words) expect(text, `${maxTokens} tokens`).toContain(`"${word}"`);
  }
});

it('an empty file is said to be empty, and nothing else', async () => {
  for (const name of ['a.json', 'a.csv', 'a.yaml', 'a.xml', 'a.toml', 'a.jsonl', 'a.ipynb', 'a.txt']) {
    const { warnings } = await readOk(reader, { name, bytes: new Uint8Array() }, {});
    expect(
      warnings.map(({ code }) => code),
      name,
    ).toEqual(['EMPTY_FILE']);
  }
});

it('a text that no note fits beside ends in a mark that it is cut', async () => {
  for (const maxTotalOutput of [40, 70, 100]) {
    const small = createReader({ environment: {}, limits: { maxTotalOutput } });
    for (const file of files) {
      const { text, truncation } = await readOk(small, file);
      if (truncation) expect(text.trimEnd(), `${file} in ${maxTotalOutput}`).toMatch(/[\]…]$/);
    }
  }
});

// An outline stands for content that does not fit: the answer says that the content is left out.

import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const reader = createReader({ environment: {} });

it.each([
  ['tabular/orders.csv', 'row', 120],
  ['tabular/orders.xlsx', 'sheet', 5],
  ['structured/orders.json', 'key', 2],
  ['structured/analysis.ipynb', 'key', 4],
  ['structured/catalog.xml', 'element', 64],
  ['structured/Cargo.lock', 'item', 80],
  ['text/guide.md', 'line', 661],
])('%s: the outline leaves out every %s of %d', async (name, unit, of) => {
  const { truncation, text } = await readOk(reader, `fixtures/${name}`, {
    maxTokens: 800,
    overflow: 'outline',
  });
  expect(truncation?.omitted).toContainEqual(expect.objectContaining({ unit, from: 1, to: of, of }));
  expect(text).toContain(`Truncated: `);
});

it.each(['text/many-lines.log', 'structured/events.jsonl'])(
  '%s: has no outline, and shows content',
  async (name) => {
    const outline = await readOk(reader, `fixtures/${name}`, { maxTokens: 800, overflow: 'outline' });
    const plain = await readOk(reader, `fixtures/${name}`, { maxTokens: 800 });
    expect(outline).toEqual(plain);
  },
);

it('never counts what the outline shows as left out', async () => {
  const wide = `${Array.from({ length: 60 }, (_, i) => `c${i}`).join(',')}\n${`${Array.from({ length: 60 }, () => 'x').join(',')}\n`.repeat(5)}`;
  const { truncation } = await readOk(
    reader,
    { bytes: Buffer.from(wide), name: 'a.csv' },
    { overflow: 'outline' },
  );
  for (const { unit, from, to } of truncation?.omitted ?? [])
    for (const shown of truncation?.shown ?? [])
      if (shown.unit === unit) expect(shown.to < from || shown.from > to).toBe(true);
});

it('says how many headings it leaves out', async () => {
  const bytes = Buffer.from(Array.from({ length: 90 }, (_, at) => `<h2>Heading ${at}</h2><p>x</p>`).join(''));
  const { text } = await readOk(
    reader,
    { name: 'a.html', bytes: Buffer.concat([bytes, Buffer.alloc(3000, 'word ')]) },
    { maxTokens: 200, overflow: 'outline' },
  );
  const [, shown, left] = /^(\d+: ## Heading \d+\n)+\[… (\d+) more headings …\]\n/.exec(text) ?? [];
  expect(shown).toBeDefined();
  expect(text.match(/## Heading/g)?.length).toBe(90 - Number(left));
});

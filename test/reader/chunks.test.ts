// Chunks of every format: nothing is lost, nothing exceeds the limit, addresses name what is shown.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { type Chunk, createMemoryCache, createReader, createReadPool } from '../../src/index.ts';

vi.setConfig({ testTimeout: 180_000 });

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const files = readdirSync(FIXTURES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'protected')
  .flatMap(({ name: family }) => readdirSync(join(FIXTURES, family)).map((name) => join(family, name)))
  .filter((path) => !path.endsWith('.expected.md'));

const reader = createReader({ environment: {}, cache: createMemoryCache() });
async function chunksIn(file: string, options = {}, by = reader): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of by.chunks(join(FIXTURES, file), options)) chunks.push(chunk);
  return chunks;
}

// The number of a page is the place of a chunk, not its text.
const flat = (text: string): string => text.replace(/<!-- page \d+ -->/g, '').replace(/\s+/g, '');

describe.each(files)('%s', (file) => {
  it.each([
    [16, 0],
    [64, 20],
    [512, 0],
  ])('in chunks of %i tokens with an overlap of %i holds all of its text', async (maxTokens, overlap) => {
    let whole = '';
    for await (const part of reader.stream(join(FIXTURES, file)))
      if (part.kind === 'text') whole += part.text;
    const chunks = await chunksIn(file, { maxTokens, overlap });
    expect(flat(chunks.map(({ text, own }) => text.slice(...own)).join(''))).toBe(flat(whole));
    for (const { text, tokens, place, address } of chunks) {
      expect(tokens).toBe(reader.count(text));
      expect(tokens).toBeLessThanOrEqual(maxTokens);
      expect(place.from).toBeLessThanOrEqual(place.to);
      expect(address.startsWith(join(FIXTURES, file))).toBe(true);
    }
  });
});

it('lines of a place hold the text', async () => {
  for (const file of ['text/guide.md', 'documents/river.odt', 'text/sample.py', 'mail/report.eml']) {
    let whole = '';
    for await (const part of reader.stream(join(FIXTURES, file)))
      if (part.kind === 'text') whole += part.text;
    const lines = whole.split('\n');
    for (const { text, own, place } of await chunksIn(file, { maxTokens: 64 })) {
      const said = flat(text.slice(...own));
      expect(place.unit).toBe('line');
      expect(flat(lines.slice(place.from - 1, place.to).join('\n'))).toContain(said);
    }
  }
});

it('rows of a place are those of the table, below its header', async () => {
  const chunks = await chunksIn('tabular/orders.csv', { maxTokens: 200 });
  for (const { text, place } of chunks) {
    expect(text.startsWith('id,customer,city,amount,note\n')).toBe(true);
    expect(text).toContain(`\n${place.from},"Person ${place.from},`);
    expect(text).toContain(`\n${place.to},"Person ${place.to},`);
  }
  expect(chunks[1]?.address.endsWith(`orders.csv#row=${chunks[1].place.from}-${chunks[1].place.to}`)).toBe(
    true,
  );
});

it('has headings, pages, sheets and definitions', async () => {
  const [, levels] = await chunksIn('documents/gauges.pdf', { maxTokens: 60 });
  expect(levels).toMatchObject({
    headings: ['River gauges', 'Levels'],
    place: { unit: 'page', from: 1, to: 1 },
  });
  expect(levels?.address.endsWith('gauges.pdf#page=1')).toBe(true);
  const [slide] = await chunksIn('documents/gates.pptx', { maxTokens: 60 });
  expect(slide?.address.endsWith('gates.pptx#slide=1')).toBe(true);
  const [sheet] = await chunksIn('tabular/orders.xlsx', { maxTokens: 120 });
  expect(sheet?.address.endsWith('orders.xlsx#Orders!1:4')).toBe(true);
  const guide = await chunksIn('text/guide.md', { maxTokens: 80 });
  expect(guide[1]?.headings).toEqual(['Guide', 'Section 2']);
  const code = await chunksIn('text/sample.py', { maxTokens: 24 });
  expect(code.map(({ headings }) => headings.at(-1))).toContain('main');
});

it('is the same from a child process', async () => {
  const pool = createReadPool({ limits: { maxProcesses: 1 } });
  const isolated = createReader({ environment: {}, cache: false, isolation: pool });
  try {
    for (const file of ['documents/river.odt', 'tabular/orders.xlsx', 'text/guide.md']) {
      const chunks = await chunksIn(file, { maxTokens: 80 }, isolated);
      expect(chunks).toEqual(await chunksIn(file, { maxTokens: 80 }));
    }
  } finally {
    await pool.close();
  }
});

it.each([
  [{ maxTokens: 15 }, '`maxTokens` is `15`; expected an integer of 16 or more.'],
  [{ overlap: 257 }, '`overlap` is `257`; expected an integer from 0 to 256.'],
  [{ pages: '1' }, '`pages`'],
])('refuses %j', async (options, message) => {
  await expect(chunksIn('text/guide.md', options)).rejects.toThrow(message);
});

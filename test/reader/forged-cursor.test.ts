// Cursors that say something else than the reader wrote: refused, never an answer that is not so.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const reader = createReader({ environment: {} });
const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/${name}`, import.meta.url));

async function cursorOf(path: string): Promise<string[]> {
  const { truncation } = await readOk(reader, path, { maxTokens: 150 });
  expect(truncation?.next).toBeTruthy();
  return (truncation?.next?.cursor ?? '').split('.');
}

it.each([
  ['documents/survey.docx', 'code'],
  ['documents/survey.docx', 'markdown'],
  ['documents/survey.docx', 'zip'],
  ['archive/logs.zip', 'text'],
  ['structured/orders.json', 'pdf'],
])('%s is not gone on with as %s', async (name, processor) => {
  const [print] = await cursorOf(fixture(name));
  expect(await reader.read(fixture(name), { cursor: `${print}.${processor}` })).toMatchObject({
    success: false,
    error: { code: 'BAD_INPUT' },
  });
});

it('a textual file is gone on with under another name', async () => {
  const bytes = readFileSync(fixture('structured/orders.json'));
  const { truncation } = await readOk(reader, { bytes, name: 'orders.json' }, { lines: '1-3' });
  const cursor = truncation?.next?.cursor ?? '';
  expect(await reader.read({ bytes, name: 'orders.txt' }, { cursor })).toMatchObject({ success: true });
});

// Rows of delimited text under any name, if they are asked for.

import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const reader = createReader({ environment: {}, cache: false });
const table = (delimiter: string): string =>
  Array.from({ length: 80 }, (_, at) =>
    ['stop', 'time', 'note'].map((name) => `${name}${at}`).join(delimiter),
  )
    .map((line) => `${line}\n`)
    .join('');

it.each([
  ['stops.txt', ','],
  ['stops.txt', '\t'],
  ['stops.log', ';'],
])('%s with %j', async (name, delimiter) => {
  const input = { name, bytes: Buffer.from(table(delimiter)) };
  const { text, fileType } = await readOk(reader, input, { rows: '4-5', columns: '2' });
  expect([fileType, text]).toEqual(['csv', expect.stringContaining('time4\ntime5\n')]);
  expect((await readOk(reader, input)).fileType).toBe('text');
  expect((await readOk(reader, input, { lines: '4' })).text).toContain(`stop3${delimiter}time3`);
});

it.each([
  ['two lines', 'id,name\n1,a\n'],
  ['bars', 'id|name\n1|a\n2|b\n'],
  ['some other lines', `id;name\n${'1;a\n'.repeat(9)}end\n`],
])('reads %s if asked', async (_, content) => {
  const input = { name: 'unknown', bytes: Buffer.from(content) };
  expect((await readOk(reader, input, { rows: '1' })).text).toMatch(/^id,name\n1,a\n/);
  expect((await readOk(reader, input)).fileType).toBe('text');
});

it('continues by cursor, and takes a place', async () => {
  const input = { name: 'stops.txt', bytes: Buffer.from(table(',')) };
  const first = await readOk(reader, input, { rows: '1-', maxTokens: 200 });
  const next = await readOk(reader, input, { cursor: first.truncation?.next?.cursor ?? '', maxTokens: 200 });
  expect(next).toMatchObject({
    fileType: 'csv',
    truncation: { shown: [{ unit: 'row' }, { unit: 'column' }] },
  });
});

it('refuses rows of prose', async () => {
  const input = { name: 'prose.txt', bytes: Buffer.from('One, two.\nThree.\nFour; five.\nSix.\n') };
  expect(await reader.read(input, { rows: '1' })).toMatchObject({
    success: false,
    error: { message: '`rows` cannot be used with text files.' },
  });
});

// Addresses through the reader: every way in reads the same as the request fields they stand for.

import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  createMemoryCache,
  createReader,
  createWorkspace,
  type Part,
  type Place,
  printAddress,
  type ReadRequest,
  type ReadSuccess,
} from '../../src/index.ts';
import { readOk } from '../support/walk.ts';
import { zipOf } from '../support/zip.ts';

vi.setConfig({ testTimeout: 180_000 });

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const reader = createReader({ environment: {}, cache: createMemoryCache() });
const at = (path: string): string => join(FIXTURES, path);
const ORDERS = at('tabular/orders.csv');
const fixtures = readdirSync(FIXTURES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !['conversations', 'protected'].includes(entry.name))
  .flatMap(({ name }) => readdirSync(join(FIXTURES, name)).map((file) => `${name}/${file}`))
  .filter((path) => !path.endsWith('.expected.md'));

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lectern-located-'));
  const table = 'id,name\n1,a\n2,b\n3,c\n';
  await writeFile(join(root, 'a.csv'), table);
  await writeFile(join(root, 'a.csv#row=1'), 'the real name');
  await writeFile(join(root, 'b#1.csv'), table);
  await writeFile(join(root, 'paths.json'), '{"a!": {"b#c": {"d/e": 7}}}');
  await writeFile(
    join(root, 'a.zip'),
    zipOf([
      { name: 'b.csv', data: table },
      { name: 'b.csv#row=1', data: 'the real member' },
      { name: 'c#1.csv', data: table },
      { name: 'inner.zip', data: zipOf([{ name: 'd.csv', data: table }]) },
    ]),
  );
});
afterAll(() => rm(root, { recursive: true, force: true }));

const said = async (input: Parameters<typeof reader.read>[0], request: ReadRequest = {}): Promise<string> => {
  const result = await reader.read(input, request);
  return result.success ? result.text : `${result.error.code}: ${result.error.message} ${result.error.hint}`;
};
const shownBy = ({ content, truncation, metadata }: ReadSuccess) => ({ content, truncation, metadata });

it('names a place in fixtures of every kind', async () => {
  const fields = new Set<string>();
  for (const path of fixtures) {
    const inspected = await reader.inspect(at(path));
    if (!inspected.success) continue;
    const [first] = (inspected.metadata['sheets'] as readonly { name: string }[] | undefined) ?? [];
    const places: Place[] = [
      { pages: '1' },
      { rows: '2-3' },
      { columns: '1' },
      { lines: '2-4' },
      { pointer: '/orders/0' },
      { symbol: 'Reader' },
      { region: '0,0,20,10' },
      { section: '1' },
      { table: '1' },
      { comment: '1' },
      ...(first ? [{ sheet: first.name }] : []),
    ];
    for (const place of places) {
      const request: ReadRequest = { ...place, maxTokens: 300 };
      const plain = await reader.read(at(path), request);
      if (!plain.success && Object.keys(place)[0] !== 'rows') continue;
      const addressed = await reader.read(printAddress(at(path), place), { maxTokens: 300 });
      expect(addressed.success, `${path} ${JSON.stringify(place)}`).toBe(plain.success);
      if (!plain.success || !addressed.success) continue;
      expect(shownBy(addressed)).toEqual(shownBy(plain));
      fields.add(Object.keys(place)[0] ?? '');
    }
  }
  expect([...fields].sort()).toEqual(
    [
      'columns',
      'comment',
      'lines',
      'pages',
      'pointer',
      'region',
      'rows',
      'section',
      'sheet',
      'symbol',
      'table',
    ].sort(),
  );
});

it('reads any rows as the request does', async () => {
  const number = fc.integer({ min: 1, max: 120 });
  await fc.assert(
    fc.asyncProperty(number, number, async (from, more) => {
      const rows = `${from}-${from + more}`;
      const plain = await readOk(reader, ORDERS, { rows, maxTokens: 200 });
      const addressed = await readOk(reader, `${ORDERS}#row=${rows}`, { maxTokens: 200 });
      expect(shownBy(addressed)).toEqual(shownBy(plain));
    }),
    { numRuns: 30 },
  );
});

it('reads cells of a sheet', async () => {
  expect(await said(`${at('tabular/orders.xlsx')}#Orders!B2:C3`)).toContain(
    'place,when\nSão Paulo,2026-01-03 02:30\n東京,2026-01-04 03:30\n',
  );
  expect(await said(`${at('tabular/orders.xlsx')}#'Key and value'!$B$4`)).toContain('\nB\nOwner\n');
  expect(await said(`${at('tabular/orders.xlsx')}#Order`)).toContain('Did you mean `Orders`?');
});

it('gives precedence to a file of that name', async () => {
  expect(await said(join(root, 'a.csv#row=1'))).toBe('the real name');
  expect(await said(join(root, 'a.csv#row=2'))).toMatch(/^id,name\n2,b\n(?!3)/);
  expect(await said(join(root, 'a.csv#'))).toContain('3,c');
  expect(await said(join(root, 'b#1.csv'))).toContain('3,c');
  expect(await said(join(root, 'b#1.csv#row=2'))).toMatch(/^id,name\n2,b\n(?!3)/);
  expect(await said(join(root, 'paths.json#/a!/b%23c/d~1e'))).toBe('7');
  expect(await said(join(root, 'paths.json#/a!/b#c/d~1e'))).toBe('7');
});

it('reads members of archives', async () => {
  const zip = join(root, 'a.zip');
  expect(await said(`${zip}!/b.csv#row=1`)).toBe('the real member');
  expect(await said(`${zip}!/b.csv#row=2`)).toMatch(/^id,name\n2,b\n(?!3)/);
  expect(await said(`${zip}!/c#1.csv#row=2`)).toMatch(/^id,name\n2,b\n(?!3)/);
  expect(await said(`${zip}!/inner.zip!/d.csv#row=2`)).toMatch(/^id,name\n2,b\n(?!3)/);
  expect(await said(`${at('archive/cities.csv.gz')}#row=2`)).toContain('\n2,City 2,2468\n[');
  expect(await said(`${at('archive/cities.csv.gz')}!/cities.csv#row=2`)).toContain('\n2,City 2,2468\n[');
  expect(await said(`${zip}!/none.csv#row=2`)).toMatch(/^FILE_NOT_FOUND: .*`none.csv#row=2`/);
});

it('names the whole path of a file that does not exist', async () => {
  expect(await said(join(root, 'none.csv#row=2'))).toMatch(/^FILE_NOT_FOUND: .*`none.csv#row=2`/);
  const failed = await reader.read(join(root, 'none.json#/paths/x'));
  expect(failed.success).toBe(false);
  expect(failed.metadata.name).toBe('none.json#/paths/x');
});

it('refuses a field that contradicts the address, and takes one that agrees', async () => {
  expect(await said(`${ORDERS}#row=2-3`, { rows: '4-5' })).toBe(
    'BAD_INPUT: The path ends in `#row=2-3`, but `rows` is `4-5`. Omit `#row=2-3` or `rows`.',
  );
  const plain = await said(ORDERS, { rows: '2-3', columns: 'id' });
  expect(await said(`${ORDERS}#row=2-3`, { rows: '2-3', columns: 'id' })).toBe(plain);
  expect(await said(`${ORDERS}#row=2-3`, { columns: 'id' })).toBe(plain);
});

it.each([
  [`${ORDERS}#row=1-100`, 300],
  [`${at('tabular/orders.xlsx')}#Orders`, 300],
  [`${at('tabular/orders.xlsx')}#Orders!A1:C90`, 300],
  [`${at('text/many-lines.log')}#L1-L400`, 300],
  [`${at('structured/orders.json')}#/orders`, 200],
  [`${at('documents/gauges.pdf')}#page=1`, 60],
])('goes on from a cursor of %s', async (address, maxTokens) => {
  const [path = ''] = address.split('#');
  const first = await readOk(reader, address, { maxTokens });
  const cursor = first.truncation?.next?.cursor ?? '';
  expect(cursor).not.toBe('');
  const plain = await readOk(reader, path, { cursor, maxTokens });
  expect(shownBy(await readOk(reader, address, { cursor, maxTokens }))).toEqual(shownBy(plain));
});

it('refuses a cursor of another place', async () => {
  const { truncation } = await readOk(reader, at('tabular/orders.xlsx'), { sheet: 'Orders', maxTokens: 300 });
  const cursor = truncation?.next?.cursor ?? '';
  expect(await said(`${at('tabular/orders.xlsx')}#Empty`, { cursor })).toMatch(/^BAD_INPUT: .*`#Empty`/);
  const whole = await readOk(reader, at('tabular/orders.xlsx'), { maxTokens: 300 });
  expect(
    await said(`${at('tabular/orders.xlsx')}#Orders`, { cursor: whole.truncation?.next?.cursor ?? '' }),
  ).toBe(
    'BAD_INPUT: The path ends in `#Orders`, which the cursor was not made with. Omit `#Orders` or `cursor`.',
  );
});

it('goes through every way in', async () => {
  const address = `${ORDERS}#row=2-3`;
  const plain = await readOk(reader, ORDERS, { rows: '2-3' });
  expect(shownBy(await readOk(reader, { path: address }))).toEqual(shownBy(plain));
  expect(shownBy(await readOk(reader, new URL(`${pathToFileURL(ORDERS).href}#row=2-3`)))).toEqual(
    shownBy(plain),
  );
  expect(shownBy(await readOk(reader, `${pathToFileURL(ORDERS).href}#row=2-3`))).toEqual(shownBy(plain));
  const [one, two] = await reader.readMany([address, `${ORDERS}#row=5`]);
  expect(one?.success && one.content).toEqual(plain.content);
  expect(two?.success && two.text).toMatch(/orders\.csv#row=5 .*\nid,customer/);
  const parts: Part[] = [];
  for await (const part of reader.stream(address)) parts.push(part);
  const rows: Part[] = [];
  for await (const part of reader.stream(ORDERS, { rows: '2-3' })) rows.push(part);
  expect(parts).toEqual(rows);
  expect(await reader.inspect(`${at('tabular/orders.xlsx')}#Empty`)).toEqual(
    await reader.inspect(at('tabular/orders.xlsx'), { sheet: 'Empty' }),
  );
  const inWorkspace = createReader({
    environment: {},
    cache: false,
    workspace: createWorkspace({ root: FIXTURES }),
  });
  expect((await readOk(inWorkspace, 'tabular/orders.csv#row=2-3')).content).toEqual(plain.content);
});

it('reads it in a child process', async () => {
  const isolated = createReader({ environment: {}, cache: false, isolation: 'process' });
  try {
    for (const address of [`${ORDERS}#row=2-3`, `${join(root, 'a.zip')}!/b.csv#row=2`]) {
      const here = await readOk(reader, address);
      expect(await isolated.read(address)).toEqual(here);
    }
    const over = { overflow: 'error', maxTokens: 50 } as const;
    expect(await isolated.read(`${ORDERS}#row=2-90`, over)).toEqual(
      await reader.read(`${ORDERS}#row=2-90`, over),
    );
  } finally {
    await isolated.close();
  }
});

it('takes no address in the name of bytes', async () => {
  const bytes = Buffer.from('id\n1\n2\n');
  const result = await readOk(reader, { name: 'a.csv#row=2', bytes });
  expect(result.text).toContain('1\n2\n');
  expect(result.metadata.name).toBe('a.csv#row=2');
});

it.each([
  ['tabular/orders.csv#page=2', /is not a place in csv files\. Use a form such as `#row=5-7`/],
  ['tabular/orders.csv#Orders', /is not a place in csv files\./],
  ['documents/gauges.pdf#page=9', /`pages` `9-9` starts past the end/],
  [
    'documents/gauges.pdf#row=5',
    /is not a place in pdf files\. Use a form such as `#page=12`, `#section=7\.2`/,
  ],
  ['documents/gauges.pdf#Nothing', /Nothing/],
  ['documents/gauges.pdf#/a', /is not a place in pdf files\. Use a form such as `#page=12`/],
  ['text/sample.py#Nothing', /`symbol`|no definition/i],
  ['archive/project.zip#x', /is not a place in zip files\./],
  ['audio/tone.mp3#t=10,20', /is a part of a recording, which cannot be read\./],
])('refuses %s', async (address, message) => {
  const text = await said(at(address));
  expect(text).toMatch(/^BAD_INPUT: /);
  expect(text).toMatch(message);
});

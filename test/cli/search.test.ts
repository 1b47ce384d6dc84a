// `lectern search`: places in files of any kind, and the habits of ripgrep.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { lectern } from '../support/command-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'search-'));
mkdirSync(join(folder, 'deep'));
writeFileSync(join(folder, 'a.txt'), 'one kafka1 ERROR\ntwo\nkafka2 ERROR kafka1\n');
writeFileSync(join(folder, 'deep/b.md'), '# Kafka\n\nthree\n');
writeFileSync(join(folder, '-x.txt'), '-- three\n');
afterAll(() => rmSync(folder, { recursive: true }));

const search = (...words: string[]): ReturnType<typeof lectern> => lectern(['search', ...words]);

it('names pages, cells and lines, and ends with 0, 1 or 2 as ripgrep does', async () => {
  expect(await search('Ferry landing', 'fixtures/documents/gauges.pdf')).toMatchObject({
    status: 0,
    out: 'fixtures/documents/gauges.pdf#page=1:| Ferry landing | 305 | 301 |\n',
  });
  expect((await search('22,Łódź', 'fixtures/tabular/parcels.ods')).out).toBe(
    'fixtures/tabular/parcels.ods#Data!A23:22,Łódź,31.5,FALSE\n',
  );
  expect(await search('two', folder)).toMatchObject({ status: 0, out: `${folder}/a.txt:2:two\n`, err: '' });
  expect(await search('nowhere to be found', folder)).toMatchObject({ status: 1, out: '', err: '' });
  const bad = await search('(', folder);
  expect([bad.status, bad.err]).toEqual([2, expect.stringContaining('use `--fixed-strings`')]);
  const missing = await search('two', join(folder, 'gone.txt'), folder);
  expect([missing.status, missing.out]).toEqual([2, `${folder}/a.txt:2:two\n`]);
  expect(missing.err).toContain('FILE_NOT_FOUND');
  expect((await search()).status).toBe(2);
});

it.each([
  [['-i', 'KAFKA$'], ['deep/b.md:1:# Kafka']],
  [['-F', 'kafka.'], []],
  [['-e', '-- three'], ['-x.txt:1:-- three']],
  [
    ['-l', 'three'],
    ['-x.txt', 'deep/b.md'],
  ],
  [['-c', 'ERROR'], ['a.txt:2']],
  [['three', '-g', '*.md'], ['deep/b.md:3:three']],
  [['three', '-g', '!*.md'], ['-x.txt:1:-- three']],
  [
    ['--groups', '(kafka\\d)'],
    ['2 kafka1', '1 kafka2'],
  ],
  [
    ['two', '-A', '1'],
    ['a.txt:2:two', 'a.txt-3-kafka2 ERROR kafka1'],
  ],
  [
    ['ERROR', '-C', '1'],
    ['a.txt:1:one kafka1 ERROR', 'a.txt-2-two', 'a.txt:3:kafka2 ERROR kafka1'],
  ],
  [
    ['-U', 'two\\nkafka'],
    ['a.txt:2:two', 'a.txt:3:kafka2 ERROR kafka1'],
  ],
  [
    ['-U', 'two\\nkafka', '-B', '1'],
    ['a.txt-1-one kafka1 ERROR', 'a.txt:2:two', 'a.txt:3:kafka2 ERROR kafka1'],
  ],
  [['-U', 'two.*kafka'], []],
  [
    ['-U', '[kw][^ ]*\\S\\s\\w'],
    ['a.txt:1:one kafka1 ERROR', 'a.txt:2:two', 'a.txt:3:kafka2 ERROR kafka1'],
  ],
  [
    ['-U', 'ERROR\\ntwo', '-A', '1'],
    ['a.txt:1:one kafka1 ERROR', 'a.txt:2:two', 'a.txt-3-kafka2 ERROR kafka1'],
  ],
])('%j', async (words, lines) => {
  const { out } = await search(...words, folder);
  expect(
    out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace(`${folder}/`, '')),
  ).toEqual(lines);
});

it('counts a file once, however often the search pauses in it', async () => {
  const environment = { LECTERN_MAX_SEARCH_MILLISECONDS: '0' };
  const { out } = await lectern(
    ['search', '-c', 'e', 'fixtures/documents/gauges.pdf', folder],
    '',
    environment,
  );
  expect(out.replaceAll(`${folder}/`, '').split('\n')).toEqual([
    expect.stringMatching(/^fixtures\/documents\/gauges\.pdf:\d{2}$/),
    '-x.txt:1',
    'a.txt:1',
    'deep/b.md:1',
    '',
  ]);
});

it('prints the messages of `rg --json`, with addresses', async () => {
  const { out } = await search('kafka\\d', join(folder, 'a.txt'), '--json');
  const messages = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(messages.map(({ type }) => type)).toEqual(['begin', 'match', 'match', 'end', 'summary']);
  expect(messages[2].data).toMatchObject({
    path: { text: join(folder, 'a.txt') },
    lines: { text: 'kafka2 ERROR kafka1\n' },
    line_number: 3,
    submatches: [
      { match: { text: 'kafka2' }, start: 0, end: 6 },
      { match: { text: 'kafka1' }, start: 13, end: 19 },
    ],
    address: `${join(folder, 'a.txt')}#L3`,
  });
});

it('says which files it could not search', async () => {
  const { status, err } = await search('x', 'fixtures/protected/gates.odp', 'fixtures/image/photo.jpg');
  expect([status, err]).toEqual([
    1,
    'lectern: 1 file not searched (protected by a password): fixtures/protected/gates.odp\n',
  ]);
});

it('searches formulas of a workbook with --formulas', async () => {
  const book = 'fixtures/tabular/orders.xlsx';
  expect((await search('-F', 'D4*0.8', book)).status).toBe(1);
  expect((await search('-F', '--formulas', 'D4*0.8', book)).out).toMatch(
    /^\S+#Orders!G4:3,Tromsø,.*,335\.2 \(=D4\*0\.8\)\n$/,
  );
});

it('names a damaged file behind many binary ones', async () => {
  const many = mkdtempSync(join(tmpdir(), 'search-'));
  for (let number = 10; number < 40; number += 1)
    writeFileSync(join(many, `${number}.bin`), Buffer.from([0, 255, 0, 254, 1, 2, 3, 0]));
  writeFileSync(join(many, 'z.docx'), 'PK\u0003\u0004 no zip file');
  const { err } = await search('three', many);
  rmSync(many, { recursive: true });
  expect(err).toMatch(/^lectern: 1 file not searched \(damaged\): .*z\.docx\n$/);
});

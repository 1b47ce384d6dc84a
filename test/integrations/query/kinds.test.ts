// Every line of the table of tables in docs/queries.md, run as it is written there.

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createReader, createWorkspace, ReaderError } from '../../../src/index.ts';
import { createQueryEngine, filesNamedIn } from '../../../src/query/index.ts';
import { zipOf } from '../../support/zip.ts';
import { textOf } from './trial.ts';

// Starts a process for each query.
vi.setConfig({ testTimeout: 120_000 });

const root = mkdtempSync(join(tmpdir(), 'query-kinds-'));
const fixture = (path: string): string => new URL(`../../../fixtures/${path}`, import.meta.url).pathname;
for (const path of [
  'tabular/orders.csv',
  'tabular/orders.xlsx',
  'tabular/harbour.sqlite',
  'archive/project.zip',
  'documents/survey.docx',
  'structured/orders.json',
  'structured/stack.yaml',
  'structured/catalog.xml',
  'text/many-lines.log',
  'mail/notes.mbox',
])
  cpSync(fixture(path), join(root, path.split('/')[1] ?? ''));
writeFileSync(join(root, 'stops.txt'), 'stop|name|lat\nA1|Dock|53.5\nA2|Pier|53.6\n');
writeFileSync(join(root, 'plain.csv'), '2024-01-01,3\n2024-01-02,5\n');
writeFileSync(
  join(root, 'wide.csv'),
  `"Row ID",${Array.from({ length: 163 }, (_, at) => `c${at}`).join(',')}\n1,${'x,'.repeat(99)}${'2.5,'.repeat(63)}2.5\n`,
);
writeFileSync(
  join(root, 'feed.xml'),
  '<feed><title>T</title><entry id="1"><name>a</name></entry><entry id="2"><name>b</name></entry></feed>',
);
writeFileSync(
  join(root, 'shop.xml'),
  '<shop><info>x</info><items><item n="1"/><item n="2"/></items><staff><who>a</who><who>b</who></staff></shop>',
);
writeFileSync(
  join(root, 'many.xml'),
  `<many>${Array.from({ length: 12 }, (_, at) => `<l${at}><e/><e/></l${at}>`).join('')}</many>`,
);
writeFileSync(join(root, 'gaps.csv'), 'id,note,size\n1,,"12"\n2,"",3 kg\n3,x,4\n');
writeFileSync(join(root, 'prices.csv'), 'item;price\na;1.234,56\nb;99,68\nc;12,00 €\n');
const page = '<table><tr><th>city</th><th>n</th></tr><tr><td>Oslo</td><td>3</td></tr></table>';
const cities = '<table><tr><th>name</th></tr><tr><td>Oslo</td></tr></table>';
writeFileSync(join(root, 'two.html'), cities + cities);
writeFileSync(join(root, 'site.zip'), zipOf([{ name: 'two.html', data: cities + cities }]));
writeFileSync(
  join(root, 'links.html'),
  '<table><tr><th>name</th><th>site</th></tr><tr><td>Oslo</td><td><a href="https://o.example">go <b>there</b></a></td></tr>' +
    '<tr><td>Bergen</td><td><a href="https://b.example">https://b.example</a></td></tr></table>',
);
writeFileSync(
  join(root, 'book.ipynb'),
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [
      {
        cell_type: 'code',
        id: 'a',
        metadata: {},
        execution_count: 1,
        source: ['frame'],
        outputs: [{ output_type: 'display_data', metadata: {}, data: { 'text/html': [page] } }],
      },
    ],
  }),
);

const engine = createQueryEngine({ from: import.meta.dirname });
const workspace = createWorkspace({ root });
const reader = createReader({ workspace, cache: false, environment: {} });
afterAll(async () => {
  await engine.close();
  rmSync(root, { recursive: true });
});

async function answered<T>(
  sql: string,
  use: (rows: Awaited<ReturnType<typeof engine.run>>) => Promise<T>,
  header?: boolean,
  files?: readonly string[],
): Promise<T> {
  files ??= await filesNamedIn(sql, workspace, new AbortController().signal);
  const rows = await engine.run({ sql, files, reader, ...(header !== undefined && { header }) });
  try {
    return await use(rows);
  } finally {
    await rows.close();
  }
}

const doc = readFileSync(new URL('../../../docs/queries.md', import.meta.url), 'utf8');
const lines = [...doc.matchAll(/^\| [^|\n]+ \| `(SELECT .+|DESCRIBE .+)` \| `(.+)` \|$/gm)].map(
  ([, sql = '', answer = '']) => [sql, answer] as const,
);

describe('docs/queries.md', () => {
  it('has a line for each kind of table', () => expect(lines.length).toBeGreaterThan(12));

  it.each(lines)('%s', async (sql, answer) => {
    expect((await answered(sql, textOf)).trimEnd().replaceAll('\n', ' ⏎ ')).toBe(answer);
  });
});

describe('a part that the query names is there when only its file is given', () => {
  it.each(lines.filter(([sql]) => /!\/|#/.test(sql)))('%s', async (sql, answer) => {
    const named = await filesNamedIn(sql, workspace, new AbortController().signal);
    const files = [...new Set(named.map((address) => address.replace(/(?:!\/|#).*$/, '')))];
    expect((await answered(sql, textOf, undefined, files)).trimEnd().replaceAll('\n', ' ⏎ ')).toBe(answer);
  });

  it.each([
    ['SELECT name FROM "site.zip!/two.html#table=2"', 'site.zip'],
    ['SELECT t.name FROM "two.html#table=2" t JOIN "two.html#table=1" USING (name)', 'two.html'],
  ])('%s', async (sql, file) => {
    expect(await answered(sql, textOf, undefined, [file])).toBe('name\nOslo\n');
  });
});

describe('a table of a document', () => {
  it.each(['SELECT * FROM "links.html"', 'SELECT * FROM "links.html#table=1"'])(
    'has words, and says that it lacks the targets of its links: %s',
    async (sql) => {
      expect(await shown(sql)).toBe(
        '[Note: `links.html#table=1`: 1 target of links and pictures in the table left out; `format` "markdown" shows them.]\n' +
          '[Note: 2 rows: name VARCHAR, site VARCHAR.]\nname,site\nOslo,go there\nBergen,https://b.example\n',
      );
    },
  );
});

const shown = (sql: string, header?: boolean): Promise<string> =>
  answered(
    sql,
    async (rows) => {
      const answer = await rows.show();
      return answer.success ? answer.text : answer.error.message;
    },
    header,
  );

describe('a note', () => {
  it('names a file without a header, unless the caller knows', async () => {
    const sql = 'SELECT sum(column_2) AS s FROM "plain.csv"';
    expect(await shown(sql)).toBe(
      '[Note: `plain.csv` has no header: its columns are column_1, column_2 and so on.]\ns\n8\n',
    );
    expect(await shown(sql, false)).toBe('s\n8\n');
  });

  it('names columns of text that hold numbers, with the SQL that reads them', async () => {
    const text = await shown('SELECT max(price) AS m FROM "prices.csv"');
    const [, sql = ''] = /read price with (.+)\.\]\n/.exec(text) ?? [];
    expect(text).toContain('99,68');
    const read = await shown(`SELECT max(${sql}) AS m FROM "prices.csv"`);
    expect(read).toBe('m\n1234.56\n');
  });
});

describe('a note on numbers stored as text', () => {
  it.each([
    'SELECT min(price) FROM "prices.csv"',
    'SELECT item FROM "prices.csv" ORDER BY price DESC',
    'SELECT price FROM "prices.csv" ORDER BY 1',
    'SELECT item FROM "prices.csv" WHERE price > \'2\'',
    "SELECT item FROM \"prices.csv\" WHERE price BETWEEN '1' AND '2'",
    'SELECT sum(TRY_CAST(price AS DOUBLE)) FROM "prices.csv"',
    'SELECT max(p) FROM (SELECT price AS p FROM "prices.csv")',
  ])('is given by %s', async (sql) => expect(await shown(sql)).toContain('Numbers stored as text'));

  it.each([
    'SELECT price FROM "prices.csv"',
    'SELECT count(*) FROM "prices.csv" WHERE price IS NULL',
    'SELECT count(*) FROM "prices.csv" WHERE price = \'\' OR price IS NULL',
    'SELECT price FROM "prices.csv" WHERE price LIKE \'1%\' ORDER BY item',
    'DESCRIBE "prices.csv"',
  ])('is not given by %s', async (sql) => expect(await shown(sql)).not.toContain('Numbers stored'));
});

describe('a note on NULL and empty text', () => {
  it.each([
    ['SELECT count(*) AS n FROM "gaps.csv" WHERE note IS NULL', true],
    ['SELECT count(note) AS n FROM "gaps.csv"', true],
    ['SELECT count(*) AS n FROM "gaps.csv" WHERE note <> \'\'', true],
    ['SELECT count(*) AS n FROM "gaps.csv" WHERE note IS NULL OR note = \'\'', false],
    ["SELECT count(*) AS n FROM \"gaps.csv\" WHERE coalesce(note, '') = ''", false],
    ['SELECT count(*) AS n FROM "gaps.csv" WHERE nullif(note, \'\') IS NULL', false],
    ['SELECT count(*) AS n FROM "gaps.csv" WHERE size IS NULL', false],
    ['SELECT note FROM "gaps.csv"', false],
  ])('of %s', async (sql, isGiven) => {
    const note = "[Note: Both NULL and '' are in note; NULLIF(note, '') IS NULL finds both.]\n";
    expect((await shown(sql)).includes(note)).toBe(isGiven);
  });
});

describe('DESCRIBE', () => {
  it('shows a table in a line, and one of many columns by type', async () => {
    expect(await shown('DESCRIBE "stops.txt"')).toBe('stop VARCHAR, name VARCHAR, lat DOUBLE\n');
    const wide = await shown('DESCRIBE "wide.csv"');
    expect(wide).toMatch(/^BIGINT: "Row ID"\nVARCHAR: c0, c1, .*c98\nDOUBLE: c99, .*, c162\n$/);
    expect(reader.count(wide)).toBeLessThan(600);
    expect(await answered('DESCRIBE "wide.csv"', textOf)).toMatch(
      /^column_name,column_type\nRow ID,BIGINT\n/,
    );
  });

  it('of XML lists the elements that repeat', async () => {
    expect(await shown('DESCRIBE "shop.xml"')).toBe(
      '"shop.xml#/shop/items/item": pointer VARCHAR, "@n" VARCHAR\n"shop.xml#/shop/staff/who": pointer VARCHAR, value VARCHAR\n',
    );
    expect(await shown('SELECT value FROM "shop.xml#/shop/staff/who"')).toContain('a\nb\n');
    expect(await shown('DESCRIBE "many.xml"')).toContain(
      'Note: Tables of `many.xml`: 10 of 12 paths of repeated elements; query another as FROM "many.xml#/path".]',
    );
    expect(await shown('SELECT name FROM "feed.xml" WHERE "@id" = \'2\'')).toBe('name\nb\n');
  });
});

describe('an error', () => {
  it.each([
    ['SELECT * FROM "project.zip!/none.csv"', { code: 'FILE_NOT_FOUND', message: /none\.csv/ }],
    ['SELECT * FROM "missing.csv"', { code: 'FILE_NOT_FOUND', message: /missing\.csv/ }],
    ['SELECT * FROM "survey.docx#table=9"', { code: 'BAD_INPUT', message: /2 tables/ }],
    ['SELECT * FROM "orders.xlsx"', { code: 'BAD_INPUT', message: /`orders\.xlsx` has \d+ tables/ }],
    ['SELECT * FROM "shop.xml"', { code: 'BAD_INPUT', message: /`shop\.xml` has 2 tables/ }],
    ['SELECT * FROM "catalog.xml#/none"', { code: 'BAD_INPUT', message: /`\/none`/ }],
  ])('names the part: %s', async (sql, { code, message }) => {
    await expect(answered(sql, textOf)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
  });

  it('of a file with several tables has the statement for one of them, and the rows of elements', async () => {
    const sql = 'SELECT count(*) AS n FROM "shop.xml"';
    const failure: unknown = await answered(sql, textOf).catch((error: unknown) => error);
    const { hint } = failure instanceof ReaderError ? failure : { hint: '' };
    expect(hint).toContain('Tables: "shop.xml#/shop/items/item" 2 rows (pointer VARCHAR');
    const [, next = ''] = /`([^`]+)`/.exec(hint) ?? [];
    expect(next).toBe('SELECT count(*) AS n FROM "shop.xml#/shop/items/item"');
    expect(await shown(next)).toBe('n\n2\n');
  });
});

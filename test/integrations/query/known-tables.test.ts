// Which tables a query knows: all of a database or workbook, and files that it does not use.

import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@libsql/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { QueryTrial } from './trial.ts';

// Starts processes for each query.
vi.setConfig({ testTimeout: 120_000 });

const WORKBOOK = fileURLToPath(new URL('../../../fixtures/tabular/orders.xlsx', import.meta.url));
const trial = new QueryTrial();
const { folder, file, csv } = trial;
const database = join(folder, 'shop.sqlite');

beforeAll(async () => {
  const client = createClient({ url: `file:${database}` });
  await client.executeMultiple(
    `CREATE TABLE orders (x); INSERT INTO orders VALUES (1);
     CREATE TABLE blah (x); INSERT INTO blah VALUES (2);
     CREATE TABLE a (x); INSERT INTO a VALUES (4);
     CREATE TABLE "we ird ""q" (x); INSERT INTO "we ird ""q" VALUES (5);
     CREATE TABLE empty (a, b);`,
  );
  client.close();
});

afterAll(() => trial.end());

describe('a database has', () => {
  it.each([
    ['SELECT count(*) AS n FROM empty', 'n\n0\n'],
    ['SELECT count(*) AS n FROM orders o LEFT JOIN empty e ON e.a = o.x', 'n\n1\n'],
    ['SELECT x FROM "we ird ""q"', 'x\n5\n'],
    ['SELECT x FROM main.we_ird_q', 'x\n5\n'],
    ["SELECT x FROM 'shop.sqlite#blah'", 'x\n2\n'],
    ['WITH c AS (SELECT x FROM a) SELECT x FROM c', 'x\n4\n'],
    ['SELECT (SELECT max(x) FROM Blah) AS x', 'x\n2\n'],
    ['SELECT column_name FROM (DESCRIBE empty)', 'column_name\na\nb\n'],
  ])('%s', async (sql, expected) => {
    expect(await csv(sql, database)).toBe(expected);
  });

  it('all its tables in lists and errors', async () => {
    const shown = await csv('SHOW TABLES', database);
    for (const name of ['orders', 'blah', 'a', 'we_ird_q', 'empty'])
      expect(shown.split('\n')).toContain(name);
    await expect(csv('SELECT * FROM ordes', database)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      hint: expect.stringMatching(/^Did you mean `orders`\? Tables: orders; blah; a; we_ird_q; empty\.$/),
    });
  });

  it('and a workbook its sheets', async () => {
    expect(await csv('SELECT count(*) AS n FROM "Archive"', WORKBOOK)).toMatch(/^n\n\d+\n$/);
    expect((await csv('SHOW TABLES', WORKBOOK)).split('\n')).toContain('Key_and_value');
  });
});

describe('a file that cannot be read', () => {
  it.each([
    ['empty.csv', '', /`empty\.csv` is empty: it has no columns/],
    ['broken.parquet', 'PAR1\u0015 nothing PAR1', /./],
  ])('matters only where it is used: %s', async (name, content, message) => {
    const broken = file(name, content);
    const page = file('page.csv', 'a\n1\n2\n');
    expect(await csv('SELECT count(*) AS n FROM page', broken, page)).toBe('n\n2\n');
    const table = name.split('.')[0];
    await expect(csv(`SELECT * FROM "${table}", page`, broken, page)).rejects.toMatchObject({
      code: 'CORRUPT_FILE',
      message: expect.stringMatching(message),
    });
  });
});

it('numbers beyond those of JSON are no error of the syntax tree', async () => {
  const page = file('page.csv', 'a\n1\n');
  expect(await csv('SELECT 1e400 AS x, -1e400 AS y, \'Infinity\' AS "Infinity" FROM page', page)).toBe(
    'x,y,Infinity\nInfinity,-Infinity,Infinity\n',
  );
});

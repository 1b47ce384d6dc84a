// Random queries, from a fixed seed, have the same answers as in SQLite over the same rows.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { afterAll, expect, it, vi } from 'vitest';
import { createReader } from '../../../src/index.ts';
import { createQueryEngine } from '../../../src/query/index.ts';

vi.setConfig({ testTimeout: 600_000 });

const QUERIES = 500;
/** Queries in one statement: each is a column of numbered rows, so that one process answers many. */
const TOGETHER = 25;

/** Numbers from 0 up to 1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomFrom(20261125);
const upTo = (most: number): number => Math.floor(random() * most);
const one = <T>(list: readonly T[]): T => {
  const found = list[upTo(list.length)];
  if (found === undefined) throw new Error('an empty list');
  return found;
};

const ORDERS = Array.from({ length: 600 }, (_, id) => ({
  id,
  customer: upTo(50),
  amount: upTo(10) === 0 ? null : upTo(4000) / 4,
  city: upTo(12) === 0 ? null : one(['Oslo', 'Porto', 'Köln', 'Łódź', 'a "b"', "it's, so"]),
}));
const CUSTOMERS = Array.from({ length: 40 }, (_, id) => ({ id, name: `n${id % 13}`, level: upTo(5) }));

const NUMBERS = ['o.id', 'o.customer', 'o.amount'];
const JOINED = [...NUMBERS, 'c.level'];

function condition(numbers: readonly string[]): string {
  switch (upTo(6)) {
    case 0:
      return `o.city = ${one(["'Oslo'", "'Köln'", '\'a "b"\'', "'it''s, so'"])}`;
    case 1:
      return `${one(numbers)} BETWEEN ${upTo(300)} AND ${300 + upTo(700)}`;
    case 2:
      return `o.city IS ${one(['', 'NOT '])}NULL`;
    case 3:
      return `o.customer IN (${upTo(50)}, ${upTo(50)}, ${upTo(50)})`;
    case 4:
      return `(${condition(numbers)} ${one(['AND', 'OR'])} ${condition(numbers)})`;
    default:
      return `${one(numbers)} ${one(['<', '>', '<=', '>=', '<>'])} ${upTo(600)}`;
  }
}

function aggregate(numbers: readonly string[]): string {
  const of = one(numbers);
  return one([
    'count(*)',
    `count(${of})`,
    `sum(${of})`,
    `min(${of})`,
    `max(${of})`,
    `count(DISTINCT ${of})`,
    'min(o.city)',
  ]);
}

/** Two columns that name an order, so that both databases give the rows in it. Ties are broken by every column. */
function query(): string {
  const joins = upTo(3) === 0;
  const numbers = joins ? JOINED : NUMBERS;
  const from = `orders o${joins ? ` ${one(['', 'LEFT '])}JOIN customers c ON c.id = o.customer` : ''}`;
  const where = upTo(4) === 0 ? '' : ` WHERE ${condition(numbers)}`;
  const limit = upTo(2) === 0 ? ` LIMIT ${1 + upTo(20)}` : '';
  const order = `ORDER BY a ${one(['', 'DESC '])}NULLS ${one(['FIRST', 'LAST'])}, b NULLS LAST`;
  if (upTo(2) === 0) {
    const key = one(joins ? ['o.city', 'o.customer', 'c.name', 'c.level'] : ['o.city', 'o.customer']);
    const having = upTo(3) === 0 ? ` HAVING count(*) > ${upTo(20)}` : '';
    return `SELECT ${key} AS a, ${aggregate(numbers)} AS b FROM ${from}${where} GROUP BY ${key}${having} ${order}${limit}`;
  }
  if (upTo(4) === 0)
    return `SELECT ${aggregate(numbers)} AS a, ${aggregate(numbers)} AS b FROM ${from}${where}`;
  return `SELECT ${one([...numbers, 'o.city'])} AS a, o.id AS b FROM ${from}${where} ${order}${limit}`;
}

const folder = mkdtempSync(join(tmpdir(), 'sqlite-test-'));
const engine = createQueryEngine({ from: import.meta.dirname });
const reader = createReader({ cache: false });
const sqlite = createClient({ url: ':memory:' });
afterAll(async () => {
  await engine.close();
  sqlite.close();
  rmSync(folder, { recursive: true });
});

const field = (value: string | number | null): string =>
  value === null
    ? ''
    : /[",]/.test(String(value))
      ? `"${String(value).replaceAll('"', '""')}"`
      : String(value);

function table(name: string, rows: readonly Readonly<Record<string, string | number | null>>[]): string {
  const path = join(folder, `${name}.csv`);
  const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  writeFileSync(path, `${lines.map((line) => line.map(field).join(',')).join('\n')}\n`);
  return path;
}

it(`${QUERIES} random queries have the answers of SQLite`, async () => {
  const files = [table('orders', ORDERS), table('customers', CUSTOMERS)];
  await sqlite.execute('CREATE TABLE orders (id INTEGER, customer INTEGER, amount REAL, city TEXT)');
  await sqlite.execute('CREATE TABLE customers (id INTEGER, name TEXT, level INTEGER)');
  const insert = (name: string, rows: readonly Readonly<Record<string, string | number | null>>[]) =>
    sqlite.batch(
      rows.map((row) => ({
        sql: `INSERT INTO ${name} VALUES (${Object.keys(row)
          .map(() => '?')
          .join(',')})`,
        args: Object.values(row),
      })),
    );
  await insert('orders', ORDERS);
  await insert('customers', CUSTOMERS);

  const all = Array.from({ length: QUERIES }, query);
  let compared = 0;
  for (let at = 0; at < all.length; at += TOGETHER) {
    const batch = all.slice(at, at + TOGETHER);
    const sql = batch
      .map(
        (text, number) =>
          `SELECT ${number} AS q, row_number() OVER () AS r, a::VARCHAR AS a, b::VARCHAR AS b FROM (${text}) AS t${number}`,
      )
      .join(' UNION ALL ');
    const rows = await engine.run({ sql: `SELECT * FROM (${sql}) ORDER BY q, r`, files, reader });
    const bytes: Uint8Array[] = [];
    for await (const chunk of rows.chunks()) bytes.push(chunk);
    await rows.close();
    const answers = batch.map((): string[] => []);
    const read = await reader.read(
      { name: 'a.csv', bytes: Buffer.concat(bytes) },
      { all: true, format: 'json' },
    );
    if (!read.success) throw new Error(read.error.message);
    for (const row of JSON.parse(read.text) as { q: string; a: string; b: string }[])
      answers[Number(row.q)]?.push(`${plain(row.a)}|${plain(row.b)}`);
    for (const [number, text] of batch.entries()) {
      const { rows: expected } = await sqlite.execute(text);
      const lines = expected.map((row) => `${plain(row['a'])}|${plain(row['b'])}`);
      expect({ text, answer: answers[number] }).toEqual({ text, answer: lines });
      compared += lines.length;
    }
  }
  expect(compared).toBeGreaterThan(QUERIES);
});

/** Numbers as both write them: SQLite has `1`, DuckDB `1.0`. */
const plain = (value: unknown): string => {
  const text = value === null || value === undefined ? '' : String(value);
  return /^-?\d+(?:\.\d+)?$/.test(text) ? String(Number(text)) : text;
};

// What is written in a file is what a query answers: digits, codes, dates, empty texts.

import { join } from 'node:path';
import { createClient } from '@libsql/client';
import papaparse from 'papaparse';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { QueryTrial } from './trial.ts';

// Starts a process for each query.
vi.setConfig({ testTimeout: 120_000 });

const trial = new QueryTrial();
const { folder, file, run, csv } = trial;
afterAll(() => trial.end());

describe('a column of a CSV file has a type that keeps', () => {
  type Case = readonly [string, readonly string[], string, readonly string[]];
  const NUMBERS: readonly Case[] = [
    ['integers', ['-20', '0'], 'BIGINT', ['-20', '0']],
    ['integers of 20 digits', ['12345678901234567890', '1'], 'HUGEINT', ['12345678901234567890', '1']],
    ['integers above fractions', ['9007199254740993', '1.5'], 'DECIMAL(17,1)', ['9007199254740993.0', '1.5']],
    ['decimals', ['1.50', '-2.25'], 'DOUBLE', ['1.5', '-2.25']],
    ['18 digits and 2', ['123456789012345678.12', '1'], 'DECIMAL(20,2)', ['123456789012345678.12', '1.00']],
    ['what a DOUBLE prints', ['0.30000000000000004', '1e-7'], 'DOUBLE', ['0.30000000000000004', '1e-7']],
    ['scientific numbers', ['3.141592653589793116e+00', 'nan'], 'DOUBLE', ['3.141592653589793', 'NaN']],
    ['more than a DOUBLE', ['1e400', '1'], 'VARCHAR', ['1e400', '1']],
    ['60 digits', ['1'.repeat(60), '0.5'], 'VARCHAR', ['1'.repeat(60), '0.5']],
    ['leading zeros', ['01234', '99'], 'VARCHAR', ['01234', '99']],
    ['leading zeros of fractions', ['007.5', '1.5'], 'VARCHAR', ['007.5', '1.5']],
    ['telephone numbers', ['+4712345678', '+15551234'], 'VARCHAR', ['+4712345678', '+15551234']],
    ['hexadecimal numbers', ['0x1F', '0x2F'], 'VARCHAR', ['0x1F', '0x2F']],
  ];
  const OTHERS: readonly Case[] = [
    ['words for numbers', ['nan', 'Inf'], 'VARCHAR', ['nan', 'Inf']],
    ['letters for truth', ['F', 'T'], 'VARCHAR', ['F', 'T']],
    ['truth', ['true', 'False'], 'BOOLEAN', ['true', 'false']],
    ['dates of ISO', ['2024-01-02', '2024-02-01'], 'DATE', ['2024-01-02', '2024-02-01']],
    ['dates of either order', ['01/02/2024', '03/04/2024'], 'VARCHAR', ['01/02/2024', '03/04/2024']],
    ['day first', ['01/02/2024', '13/02/2024'], 'DATE', ['2024-02-01', '2024-02-13']],
    ['month first', ['01/02/2024', '12/31/2024'], 'DATE', ['2024-01-02', '2024-12-31']],
    ['years of two digits', ['12/31/24', '01/02/24'], 'VARCHAR', ['12/31/24', '01/02/24']],
    [
      'nanoseconds',
      ['2024-01-01 00:00:00.123456789', '2024-01-01 00:00:01'],
      'VARCHAR',
      ['2024-01-01 00:00:00.123456789', '2024-01-01 00:00:01'],
    ],
    [
      'times of day-first dates',
      ['31.12.2024 10:00:00', '01.02.2024 11:00:01'],
      'TIMESTAMP',
      ['2024-12-31 10:00:00', '2024-02-01 11:00:01'],
    ],
  ];

  it.each([
    ['numbers', NUMBERS],
    ['words, truth and dates', OTHERS],
  ])('%s', async (_, cases) => {
    const paths = cases.map(([, values], at) => file(`c${at}.csv`, `v,n\n${values.join(',1\n')},2\n`));
    const columns = cases.map((_, at) => `typeof(c${at}.v) AS t${at}, c${at}.v AS v${at}`);
    const tables = cases.map((_, at) => (at === 0 ? 'c0' : `JOIN c${at} ON c${at}.n = c0.n`));
    const sql = `SELECT ${columns.join(', ')} FROM ${tables.join(' ')} ORDER BY c0.n`;
    const [, first = [], second = []] = papaparse.parse<string[]>(await csv(sql, ...paths)).data;
    expect(cases.map(([name], at) => [name, first[2 * at], first[2 * at + 1], second[2 * at + 1]])).toEqual(
      cases.map(([name, , type, shown]) => [name, type, ...shown]),
    );
  });

  it('codes and digits below the rows that types are inferred from', async () => {
    const pad = 'x'.repeat(100);
    const lines = Array.from({ length: 620_000 }, (_, n) => `${10_000 + (n % 80_000)},${n}.5,${n},${pad}`);
    const late = file('late.csv', `zip,n,i,pad\n${lines.join('\n')}\n01234,9007199254740993,1.5,last\n`);
    expect(await csv("SELECT zip, n, i FROM late WHERE pad = 'last'", late)).toBe(
      'zip,n,i\n01234,9007199254740993.0,1.5\n',
    );
  });
});

describe('JSON keeps', () => {
  it.each([
    ['integers among fractions', ['9007199254740993', '1.5'], 'DECIMAL(17,1)', ['9007199254740993.0', '1.5']],
    [
      'integers of 30 digits',
      ['123456789012345678901234567890', '1'],
      'HUGEINT',
      ['123456789012345678901234567890', '1'],
    ],
    ['fractions', ['0.1', '1e-7'], 'DOUBLE', ['0.1', '1e-7']],
    [
      'nested integers',
      ['{"x":9007199254740993}', '{"x":0.5}'],
      'JSON',
      ['{"x":9007199254740993}', '{"x":0.5}'],
    ],
    ['nested numbers', ['{"x":1}', '{"x":0.5}'], 'STRUCT(x DOUBLE)', ['{"x":1}', '{"x":0.5}']],
  ])('%s', async (_, values, type, expected) => {
    const path = file('kept.jsonl', values.map((value, n) => `{"v":${value},"n":${n}}\n`).join(''));
    const [, ...rows] = papaparse.parse<string[]>(
      await csv('SELECT typeof(v) AS t, v FROM kept ORDER BY n', path),
      { skipEmptyLines: true },
    ).data;
    expect(rows).toEqual(expected.map((value) => [type, value]));
  });
});

describe('an empty text and a missing value are', () => {
  it('two things in CSV', async () => {
    const path = file('empty.csv', 'id,t,n\n1,"","5"\n2,,""\n3,x,\n');
    expect(
      await csv("SELECT id, t = '' AS e, t IS NULL AS m, typeof(n) AS k, n IS NULL AS z FROM empty", path),
    ).toBe('id,e,m,k,z\n1,true,false,BIGINT,false\n2,,true,BIGINT,true\n3,false,false,BIGINT,true\n');
  });

  it('two things in SQLite', async () => {
    const path = join(folder, 'empty.sqlite');
    const client = createClient({ url: `file:${path}` });
    await client.executeMultiple(
      "CREATE TABLE c (y, t TEXT); INSERT INTO c VALUES (2, ''), (3, NULL), (4, 'NULL');",
    );
    client.close();
    expect(await csv("SELECT y, t = '' AS e, t IS NULL AS m FROM empty ORDER BY y", path)).toBe(
      'y,e,m\n2,true,false\n3,,true\n4,false,false\n',
    );
  });

  it('two things in a saved answer that is queried', async () => {
    const saved = file(
      'saved.csv',
      await csv("SELECT '' AS a, NULL AS b, 1 AS c", file('any.csv', 'a\n1\n')),
    );
    expect(await csv('SELECT a IS NULL AS a, b IS NULL AS b FROM saved', saved)).toBe('a,b\nfalse,true\n');
  });

  it('two things in answers within a budget, in each format', async () => {
    const any = file('any.csv', 'a\n1\n');
    const sql =
      "SELECT '' AS a, NULL AS b, 1 AS c, 'NULL' AS d, '7' AS e, true AS f, 9007199254740993 AS g, 2.50 AS h";
    const shown = (format: 'csv' | 'markdown' | 'json'): Promise<string> =>
      run([any], sql, async (rows) => {
        const answer = await rows.show({ format });
        return answer.success ? answer.text.replace(/^\[Note[^\n]*\n/, '') : answer.error.message;
      });
    expect(await shown('csv')).toBe('a,b,c,d,e,f,g,h\n"",,1,NULL,7,true,9007199254740993,2.50\n');
    expect(await shown('markdown')).toContain('|  | NULL | 1 | "NULL" | 7 | true |');
    expect(await shown('json')).toBe(
      '[\n{"a":"","b":null,"c":1,"d":"NULL","e":"7","f":true,"g":"9007199254740993","h":2.50}\n]\n',
    );
  });
});

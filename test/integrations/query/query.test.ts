// SQL over files with the real DuckDB, in real child processes.

import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createQueryEngine } from '../../../src/query/index.ts';
import { QueryTrial, textOf } from './trial.ts';

// Starts a process for each query.
vi.setConfig({ testTimeout: 120_000 });

const TABULAR = fileURLToPath(new URL('../../../fixtures/tabular/', import.meta.url));
const STRUCTURED = fileURLToPath(new URL('../../../fixtures/structured/', import.meta.url));
const trial = new QueryTrial();
const { folder, engine, reader, file, run, csv } = trial;
afterAll(() => trial.end());

describe('a query reads', () => {
  it.each([
    ['orders.csv', 'SELECT count(*) AS n, max(id) AS last FROM orders', 'n,last\n120,120\n'],
    ['points.tsv', 'SELECT count(*) AS n FROM points', 'n\n'],
    ['wide.psv', 'SELECT count(*) AS n FROM wide', 'n\n5\n'],
    ['utf-16.csv', 'SELECT Stadt FROM utf_16 ORDER BY Stadt', 'Stadt\nMünchen\nÅrhus\n'],
    ['soundings.parquet', 'SELECT count(*) AS n, max(id) AS last FROM soundings', 'n,last\n500,'],
    ['harbour.sqlite', 'SELECT count(*) AS n, count(crew) AS crews FROM ships', 'n,crews\n136,'],
    ['orders.xlsx', 'SELECT count(*) AS n FROM "Orders"', 'n\n400\n'],
    [
      'orders.xlsx',
      'SELECT typeof(amount) AS t, typeof("when") AS w, amount, share FROM "Orders" LIMIT 1',
      't,w,amount,share\nDOUBLE,TIMESTAMP,1459.5,0.18',
    ],
  ])('%s: %s', async (name, sql, expected) => {
    expect(await csv(sql, join(TABULAR, name))).toMatch(new RegExp(`^${expected}`));
  });

  it('JSON arrays and lines, and what is nested in them', async () => {
    const list = file('list.json', '[{"id":1,"tags":["a","b"]},{"id":2,"tags":[]}]');
    expect(await csv('SELECT id, tags FROM list', list)).toBe('id,tags\n1,"[""a"",""b""]"\n2,[]\n');
    expect(await csv('SELECT count(*) AS n FROM events', join(STRUCTURED, 'events.jsonl'))).toMatch(
      /^n\n\d+\n$/,
    );
  });

  it('a stream and bytes without a name', async () => {
    const bytes = Buffer.from('a,b\n1,x\n2,y\n');
    const stream = (async function* () {
      yield bytes;
    })();
    expect(await csv('SELECT sum(a) AS s FROM stdin', { name: 'stdin', stream })).toBe('s\n3\n');
    expect(await csv('SELECT sum(a) AS s FROM bytes', bytes)).toBe('s\n3\n');
  });

  it('several files as tables, under any of their names', async () => {
    const people = file('people-2024.csv', 'id,name\n1,Ann\n2,Bo\n');
    const visits = file('visits.jsonl', '{"who":1}\n{"who":1}\n{"who":2}\n');
    const sql = (table: string): string =>
      `SELECT name, count(*) AS n FROM ${table} p JOIN visits v ON v.who = p.id GROUP BY name ORDER BY name`;
    for (const table of ['people_2024', "'people-2024.csv'", `"${people}"`])
      expect(await csv(sql(table), people, visits)).toBe('name,n\nAnn,2\nBo,1\n');
    expect(await csv('SELECT 1 AS one FROM data LIMIT 1', file('!.csv', 'a\n1\n'))).toBe('one\n1\n');
  });
});

describe('values are exact:', () => {
  it.each([
    ['12345678901234567890::HUGEINT', '12345678901234567890'],
    ['1.10::DECIMAL(10,2)', '1.10'],
    ['-0.05::DECIMAL(5,2)', '-0.05'],
    ["DATE '2024-02-29'", '2024-02-29'],
    ["'infinity'::DATE", 'infinity'],
    ["TIMESTAMP '2024-01-02 03:04:05.678901'", '2024-01-02 03:04:05.678901'],
    ["TIMESTAMPTZ '2024-01-02 03:04:05+02'", '2024-01-02 01:04:05+00'],
    ["'-infinity'::TIMESTAMP", '-infinity'],
    ["TIME '01:02:03'", '01:02:03'],
    ['INTERVAL 3 DAY', '3 days'],
    ['0.1::FLOAT', '0.1'],
    ['0.1::DOUBLE + 0.2', '0.30000000000000004'],
    ["'nan'::DOUBLE", 'NaN'],
    ['[1, NULL, 12345678901234567890123]', '"[1,null,12345678901234567890123]"'],
    [
      `{'a': 1.50, 'b': 'x "y"', 'c': DATE '2020-01-01'}`,
      '"{""a"":1.50,""b"":""x \\""y\\"""",""c"":""2020-01-01""}"',
    ],
    ["MAP {'k': [true]}", '"{""k"":[true]}"'],
    ["'\\xAA\\x00z'::BLOB", '\\xAA\\x00z'],
    ["'101'::BIT", '101'],
  ])('%s is %s', async (sql, text) => {
    expect(await csv(`SELECT ${sql} AS v, 1 AS one`, file('any.csv', 'a\n1\n'))).toBe(`v,one\n${text},1\n`);
  });

  it('an empty text differs from a missing value, and names are unique', async () => {
    const any = file('any.csv', 'a\n1\n');
    expect(await csv(`SELECT '' AS e, NULL AS n, 1 AS e`, any)).toBe('e,n,e_2\n"",,1\n');
    expect(await csv('SELECT 1, 2', any)).toBe('column_1,column_2\n1,2\n');
  });

  it('integers and codes of a CSV file keep all digits', async () => {
    const codes = file(
      'codes.csv',
      'zip,account,mixed,price\n01234,12345678901234567890,1234567890123456789,1.5\n99999,1,1.5,2\n',
    );
    expect(await csv('SELECT zip, account + 1 AS next, mixed, price FROM codes', codes)).toBe(
      'zip,next,mixed,price\n01234,12345678901234567891,1234567890123456789.0,1.5\n99999,2,1.5,2\n',
    );
  });
});

describe('a file', () => {
  it('with a value below the sample that does not fit is read by all its rows', async () => {
    const lines = Array.from({ length: 300_000 }, (_, n) => `${n},${'x'.repeat(250)}`);
    const late = file('late.csv', `n,pad\n${lines.join('\n')}\nlast,y\n`);
    expect(await csv('SELECT n FROM late WHERE pad = $$y$$', late)).toBe('n\nlast\n');
  });

  it('that DuckDB cannot read is given to it as the reader reads it', async () => {
    const open = file('open.csv', 'a,b\n1,"x\n2,y\n3,z\n');
    expect(await csv('SELECT count(*) AS n FROM open', open)).toBe('n\n3\n');
    const ragged = file('ragged.csv', 'a,b\n1,2\n3\n4,5,6\n');
    expect(await csv('SELECT count(*) AS n, sum(a) AS s FROM ragged', ragged)).toBe('n,s\n3,8\n');
  });

  it.each([
    ['letter.rtf', '{\\rtf1 hello}', 'UNSUPPORTED_FORMAT'],
    ['none.csv', undefined, 'FILE_NOT_FOUND'],
  ])('%s is refused: %s', async (name, content, code) => {
    const path = content === undefined ? join(folder, name) : file(name, content);
    await expect(csv(`SELECT * FROM '${path}'`, path)).rejects.toMatchObject({ code });
  });
});

describe('SQL that fails says where and why:', () => {
  const orders = file('orders.csv', 'id,city,"the total"\n1,Oslo,2.5\n');
  it.each([
    [
      'SELECT\n  cty FROM orders',
      'SQL binder error (line 2, column 3): Referenced column "cty" not found',
      'Did you mean `city`? Tables: orders(id BIGINT, city VARCHAR, "the total" DOUBLE).',
    ],
    [
      'SELECT count(* FROM orders',
      'SQL parser error (line 1, column 16): syntax error at or near "FROM".',
      'Tables: orders(',
    ],
    [
      'SELECT * FROM order_s',
      'SQL catalog error (line 1, column 15): Table with name order_s does not exist',
      'Did you mean `orders`?',
    ],
    [
      'SELECT city::INT FROM orders',
      "SQL conversion error (line 1, column 12): Could not convert string 'Oslo' to INT32",
      'Tables: ',
    ],
    ['SELECT 1; SELECT 2', 'The query has 2 statements', 'Write one `SELECT` statement.'],
    [
      'UPDATE orders SET id = 2',
      'The statement is not a `SELECT`; a query can only read.',
      'Write a `SELECT`',
    ],
    [
      "FROM read_text('/etc/passwd')",
      'A query cannot use `read_text`; it reads only its tables.',
      'Tables: orders(',
    ],
    ['-- nothing', 'The query is empty.', 'Write one `SELECT` statement.'],
  ])('%s', async (sql, message, hint) => {
    await expect(csv(sql, orders)).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  it('without the package', async () => {
    const none = createQueryEngine({ from: tmpdir() });
    await expect(none.run({ sql: 'SELECT 1', files: [orders], reader })).rejects.toMatchObject({
      code: 'MISSING_DEPENDENCY',
      hint: expect.stringContaining('npm install @duckdb/node-api'),
    });
    await none.close();
  });
});

describe('an answer', () => {
  const many = file('many.csv', `n\n${Array.from({ length: 5000 }, (_, n) => n).join('\n')}\n`);

  it('has exact totals within a budget, and continues by rows and by cursor', async () => {
    const sql = 'SELECT n, n * 2 AS twice FROM many ORDER BY n DESC';
    const first = await run([many], sql, (rows) => rows.show({ maxTokens: 200 }));
    expect(first).toMatchObject({
      success: true,
      truncation: { next: { request: { rows: expect.any(String) } } },
    });
    if (!first.success) throw new Error();
    expect(first.text).toMatch(/^\[Note: 5000 rows: n BIGINT, twice BIGINT\.\]\nn,twice\n4999,9998\n/);
    expect(first.text).toContain('of 5000');
    expect(reader.count(first.text)).toBeLessThanOrEqual(200);
    const cursor = first.truncation?.next?.cursor ?? '';
    // The same query gives the same rows, so the cursor of one run continues in the next.
    const second = await run([many], sql, (rows) => rows.show({ maxTokens: 200, cursor }));
    expect(second.success && second.text).toMatch(/^n,twice\n|^\d+,\d+\n/);
    const rows = await run([many], sql, (all) => all.show({ rows: '2500-2501' }));
    expect(rows.success && rows.text).toContain('2500,5000\n2499,4998\n');
  });

  it('is the same every time, random numbers included', async () => {
    const sql = 'SELECT n, random() AS r FROM many ORDER BY r LIMIT 20';
    expect(await csv(sql, many)).toBe(await csv(sql, many));
  });
});

describe('rows as Parquet', () => {
  /** The rows of `sql` as Parquet, in a file. */
  const saved = async (name: string, sql: string): Promise<string> => {
    const path = join(folder, name);
    const table = file('t.csv', 'a,b\n1,x\n2,\n3,""\n');
    const rows = await engine.run({ sql, files: [table], reader, parquet: true });
    try {
      const pieces: Uint8Array[] = [];
      for await (const piece of rows.parquet()) pieces.push(piece);
      writeFileSync(path, Buffer.concat(pieces));
    } finally {
      await rows.close();
    }
    return path;
  };

  it('have equal values and types when read back by DuckDB and by lectern', async () => {
    const sql = `SELECT a, b, a % 2 = 0 AS even, 170141183460469231731687303715884105727 AS huge,
      12.345::DECIMAL(38,3) AS price, 0.1::FLOAT AS f, 1e300 AS d, DATE '2024-02-29' AS day, TIME '03:04:05.6' AS t,
      TIMESTAMP '2024-01-02 03:04:05.123456' AS ts, 9007199254740993 AS long, 'é😀"' AS text,
      NULL::INTEGER AS nothing, '' AS empty, a::UTINYINT AS tiny FROM t -- the end`;
    const path = await saved('all.parquet', sql);
    expect(await csv('SELECT * FROM "all"', path)).toBe(
      await csv(sql, file('t.csv', 'a,b\n1,x\n2,\n3,""\n')),
    );
    await run([path], 'SELECT * FROM "all"', async ({ facts }) => {
      const types = Object.fromEntries(facts.columns.map(({ name, type }) => [name, type]));
      expect(types).toMatchObject({ a: 'BIGINT', even: 'BOOLEAN', huge: 'VARCHAR', price: 'DECIMAL(38,3)' });
      expect(types).toMatchObject({
        f: 'FLOAT',
        day: 'DATE',
        ts: 'TIMESTAMP',
        long: 'BIGINT',
        tiny: 'UTINYINT',
      });
    });
    const read = await reader.read(path, { columns: 'a,b,huge,price,ts,long,nothing,empty', all: true });
    const rest =
      '170141183460469231731687303715884105727,12.345,2024-01-02 03:04:05.123456,9007199254740993,NULL,';
    expect(read.success && read.text).toContain(
      `a,b,huge,price,ts,long,nothing,empty\n1,x,${rest}\n2,NULL,${rest}\n3,,${rest}\n`,
    );
  });

  it('have nested values as JSON, and unique names', async () => {
    const path = await saved(
      'nested.parquet',
      "SELECT [1, NULL] AS l, {'x': [2]} AS s, MAP {'k': 1} AS m, 1 AS x, 2 AS x;",
    );
    expect(await csv('SELECT * FROM nested', path)).toBe(
      'l,s,m,x,x_2\n"[1,null]","{""x"":[2]}","{""k"":1}",1,2\n',
    );
  });

  it('come in bounded row groups', async () => {
    const path = await saved('many.parquet', 'SELECT range AS n, random() AS r FROM range(100000)');
    const read = await reader.read(path);
    expect(read.success && read.metadata).toMatchObject({ rows: 100_000, rowGroups: 5 });
    expect(await csv('SELECT count(DISTINCT n), min(n), max(n) FROM many', path)).toContain(
      '\n100000,0,99999\n',
    );
  });

  it('are of one SELECT only', async () => {
    const evil = join(folder, 'evil.csv');
    await expect(saved('x.parquet', `SELECT 1) TO '${evil}'; --`)).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
    await expect(saved('x.parquet', 'SUMMARIZE t')).rejects.toThrow('cannot be written as Parquet');
    await saved('y.parquet', 'DESCRIBE t');
  });
});

describe('a delimited file is read as its reader reads it:', () => {
  it.each([
    [
      'escaped quotes',
      'id,j,n\n1,"{\\"a\\": 1, \\"b\\": 2}",5\n2,"x",6\n',
      '1,"{""a"": 1, ""b"": 2}",5\n2,x,6\n',
    ],
    ['escaped delimiters', 'id,j,n\n1,a\\, b,5\n2,x,6\n', '1,"a, b",5\n2,x,6\n'],
    ['initial spaces', '"id", "j", "n"\n1, "a, b", 5\n2, "x", 6\n', '1,"a, b",5\n2,x,6\n'],
    ['a delimiter that its first line declares', 'sep=;\nid;j;n\n1;"a, b";5\n2;x;6\n', '1,"a, b",5\n2,x,6\n'],
  ])('%s', async (_, content, expected) => {
    expect(await csv('SELECT id, j, n FROM dialect ORDER BY id', file('dialect.csv', content))).toBe(
      `id,j,n\n${expected}`,
    );
  });

  it('an escape that only the end of a large file has', async () => {
    const lines = Array.from({ length: 90_000 }, (_, n) => `${n},"text, ${n}",${'z'.repeat(20)}`);
    lines.push('90000,"say \\"hi, you\\"",z', '90001,"a \\"b\\"",z');
    const late = file('late.csv', `id,j,z\n${lines.join('\n')}\n`);
    expect(await csv('SELECT j, z FROM late WHERE id >= 90000 ORDER BY id', late)).toBe(
      'j,z\n"say ""hi, you""",z\n"a ""b""",z\n',
    );
  });
});

describe('lines above the names of the columns are records, as in a read:', () => {
  it.each([
    ['blank', '\n\n', 2],
    ['blank, after a byte order mark', '\ufeff\r\n', 2],
    ['a title', 'Report of May\n', 3],
    ['a title and a blank line', 'Report\n\n', 3],
    ['a comment', '# made by hand\n', 3],
    ['a quoted title', '"Report, May"\n', 3],
  ])('%s', async (_, lines, rows) => {
    const top = file('top.csv', `${lines}id,name,v\n1,a,2\n2,b,3\n`);
    expect(await csv('SELECT count(*) AS n FROM top', top)).toBe(`n\n${rows}\n`);
    const read = await reader.inspect(top);
    expect(read.success && read.metadata['rows']).toBe(rows);
  });
});

describe('what is not a table', () => {
  it('is named', async () => {
    const answer = await run([join(TABULAR, 'harbour.sqlite')], 'SELECT count(*) FROM ships', (rows) =>
      rows.show(),
    );
    const message =
      'Not tables of the query: `long_ships` of `harbour.sqlite`; read the file to see what they hold.';
    expect(answer).toMatchObject({ warnings: [{ code: 'SKIPPED_CONTENT', message }] });
  });
});

describe('the first record', () => {
  const content = '1,Ann,30\n2,Bob,25\n3,Cy,41\n';

  it('is named if it looks like data', async () => {
    const people = file('people.csv', content);
    const answer = await run([people], 'SELECT count(*) AS n FROM people', (rows) => rows.show());
    const message =
      'The first record of `people.csv` looks like data; set `header` to false to read it as a row.';
    expect(answer).toMatchObject({
      success: true,
      text: `[Note: ${message}]\nn\n2\n`,
      warnings: [{ code: 'HEADER_GUESSED', message }],
    });
  });

  it.each([
    ['people.csv', content],
    ['people16.csv', Buffer.from(`\ufeff${content}`, 'utf16le')],
    ['people-escaped.csv', `${content}4,"D \\"x, y\\"",50\n`],
  ])('is a row if asked: %s', async (name, bytes) => {
    const people = file(name, bytes);
    const sql = `SELECT column_1, column_3 FROM '${name}' WHERE column_1 <= 3 ORDER BY column_1`;
    const asked = await run([people], sql, textOf, { header: false });
    expect(asked).toBe('column_1,column_3\n1,30\n2,25\n3,41\n');
  });

  it('of a file without a header is never lost, and its columns have the names of a read', async () => {
    const numbers = '1,2.5\n3,4.5\n5,6.5\n';
    for (const bytes of [numbers, Buffer.from(`\ufeff${numbers}`, 'utf16le')])
      expect(await csv('SELECT sum(column_1) AS s FROM numbers', file('numbers.csv', bytes))).toBe('s\n9\n');
  });

  it('of a sheet is a row if asked', async () => {
    const orders = join(TABULAR, 'orders.xlsx');
    const asked = await run([orders], 'SELECT count(*) AS n FROM "Orders"', textOf, { header: false });
    expect(asked).toBe('n\n401\n');
  });
});

// SQLite databases as tables, compared with what SQLite itself reads.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient, type InValue } from '@libsql/client/sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { tableShape } from '../../../processors/tabular/sqlite/create-table.ts';
import { sqlite } from '../../../processors/tabular/sqlite.ts';
import { ReaderError, wellFormed } from '../../../src/contract/index.ts';
import { createReader } from '../../../src/index.ts';
import { memorySource, type Outcome, run, type TestOptions, testContext } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';
import { randomly } from '../../support/randomly.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
/** A database that `fill` makes, and what `ask` asks of it. */
async function database<T>(fill: (client: Client) => Promise<T>): Promise<{ bytes: Uint8Array; answer: T }> {
  made += 1;
  const path = join(folder, `${made}.db`);
  const client = createClient({ url: `file:${path}`, intMode: 'bigint' });
  const answer = await fill(client);
  client.close();
  return { bytes: readFileSync(path), answer };
}

const read = (bytes: Uint8Array, options: TestOptions = {}): Promise<Outcome> =>
  run(sqlite, memorySource(bytes, 'a.sqlite'), options);

/** A value as a cell shows it. */
function shown(value: unknown): string | null {
  if (value === null) return null;
  if (value instanceof ArrayBuffer) {
    const bytes = Buffer.from(value);
    return bytes.length > 16 ? `(${bytes.length} bytes of data)` : `x'${bytes.toString('hex')}'`;
  }
  if (typeof value === 'number') return /^-?\d+$/.test(String(value)) ? `${value}.0` : String(value);
  return String(value);
}

async function rowsOf(client: Client, table: string): Promise<Record<string, string | null>[]> {
  const { rows, columns } = await client.execute(`SELECT * FROM ${table}`);
  return rows.map((row) => Object.fromEntries(columns.map((name) => [name, shown(row[name])])));
}

const TYPES = ['INTEGER', 'TEXT', 'REAL', 'BLOB', 'NUMERIC', '', 'VARCHAR(20)', 'DOUBLE PRECISION'];

function randomValue(random: () => number, pageSize: number): InValue {
  const kind = Math.floor(random() * 8);
  if (kind === 0) return null;
  if (kind === 1) return Math.floor((random() - 0.5) * 2 ** Math.floor(random() * 53));
  if (kind === 2)
    return BigInt.asIntN(
      64,
      BigInt(Math.floor(random() * 2 ** 32)) * 0x1_0000_0001n * (random() < 0.5 ? 1n : -1n),
    );
  if (kind === 3) return (random() - 0.5) * 10 ** Math.floor(random() * 20);
  const most = random() < 0.1 ? pageSize * 5 : 60;
  const length = Math.floor(random() * most);
  if (kind === 4) return Buffer.alloc(length, Math.floor(random() * 256));
  return wellFormed('aé東😀b\n,"x '.repeat(Math.ceil(length / 10)).slice(0, length));
}

interface Drawn {
  readonly pageSize: number;
  readonly encoding: string;
  readonly vacuum: string;
  readonly withoutRowid: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** A table of random columns and rows, some deleted, a column added afterwards. */
async function fillRandomly(
  client: Client,
  random: () => number,
  drawn: Drawn,
): Promise<Record<string, string | null>[]> {
  const { pageSize, encoding, vacuum, withoutRowid, columns, rows } = drawn;
  await client.executeMultiple(
    `PRAGMA page_size=${pageSize}; PRAGMA encoding='${encoding}'; PRAGMA auto_vacuum=${vacuum}; PRAGMA journal_mode=DELETE;`,
  );
  const names = Array.from({ length: columns }, (_, index) => `c${index}`);
  const declared = names.map((name) => `"${name}" ${TYPES[Math.floor(random() * TYPES.length)]}`);
  const key = withoutRowid ? 'c1, k' : 'k';
  await client.execute(
    `CREATE TABLE t (${declared.join(', ')}, k INTEGER, s AS (k + 1) STORED, PRIMARY KEY (${key})) ${withoutRowid ? 'WITHOUT ROWID' : ''}`,
  );
  const insert = `INSERT INTO t (${names.join(', ')}, k) VALUES (${names.map(() => '?').join(', ')}, ?)`;
  const all = Array.from({ length: rows }, (_, row) => ({
    sql: insert,
    args: [
      ...names.map((name) =>
        name === 'c1' ? `key ${row % 7}${'.'.repeat(row % 90)}` : randomValue(random, pageSize),
      ),
      row * 3,
    ],
  }));
  if (all.length > 0) await client.batch(all, 'write');
  await client.execute('DELETE FROM t WHERE k % 5 = 1');
  await client.execute('ALTER TABLE t ADD COLUMN added REAL DEFAULT 7');
  await client.execute("ALTER TABLE t ADD COLUMN text TEXT DEFAULT 'it''s'");
  return rowsOf(client, 't');
}

describe('what an SQLite database holds', () => {
  const reader = createReader({ environment: {} });
  const small = (): Promise<Uint8Array> =>
    database((client) =>
      client.executeMultiple(`
        CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT NOT NULL DEFAULT '', r REAL);
        INSERT INTO t VALUES (1, 'NULL', 1), (2, '', NULL);
        CREATE TABLE e (a INT, b TEXT)`),
    ).then(({ bytes }) => bytes);

  it.each([
    ['csv', '1,"NULL",1.0\n2,,NULL\n'],
    ['markdown', '| 1 | "NULL" | 1.0 |\n| 2 |  | NULL |\n'],
    ['json', '{"id":"1","v":"NULL","r":"1.0"},\n{"id":"2","v":"","r":null}\n'],
  ] as const)('distinguishes a missing value from text, in %s', async (format, rows) => {
    for (const all of [false, true]) {
      const result = await reader.read({ name: 'a.db', bytes: await small() }, { format, sheet: 't', all });
      expect(result).toMatchObject({ success: true, text: expect.stringContaining(rows) });
    }
  });

  it('distinguishes them at any budget', async () => {
    const bytes = await small();
    for (const maxTokens of [30, 60]) {
      let text = '';
      let cursor: string | undefined;
      do {
        const request = { sheet: 't', format: 'json', maxTokens, ...(cursor && { cursor }) } as const;
        const result = await reader.read({ name: 'a.db', bytes }, request);
        if (!result.success) throw new Error(result.error.message);
        text += result.content.map((part) => ('text' in part ? part.text : '')).join('');
        cursor = result.truncation?.next?.cursor;
      } while (cursor !== undefined);
      expect(text.match(/\bnull\b/g)).toHaveLength(1);
      expect(text.match(/"NULL"/g)).toHaveLength(1);
    }
  });

  it('is shown below the types of its columns, and a table without rows by its names', async () => {
    const bytes = await small();
    const result = await reader.read({ name: 'a.db', bytes });
    expect(result).toMatchObject({ success: true, truncation: null });
    const text = result.success ? result.text : '';
    expect(text).toContain('  id INTEGER PRIMARY KEY, v TEXT NOT NULL, r REAL\n');
    expect(text).toContain('Table "e": 0 rows x 2 columns\na,b\n');
    const whole = await reader.read({ name: 'a.db', bytes }, { all: true, sheet: 'e' });
    expect(whole).toMatchObject({ content: [{ text: 'a,b\n' }] });
    const json = await reader.read({ name: 'a.db', bytes }, { format: 'json', sheet: 'e' });
    expect(json).toMatchObject({ text: '[]\n' });
  });

  it('is read whole, also a text of more than a mebibyte', async () => {
    const { bytes } = await database((client) =>
      client.executeMultiple(`
        CREATE TABLE t (a TEXT, b TEXT);
        INSERT INTO t VALUES ('first', '${'x'.repeat(1_100_000)}end')`),
    );
    const source = { name: 'a.db', bytes };
    expect(await reader.read(source, { all: true })).toMatchObject({
      text: `a,b\nfirst,${'x'.repeat(1_100_000)}end\n`,
      warnings: [],
    });
    expect(await reader.read(source)).toMatchObject({
      truncation: { cellsCut: 1 },
      warnings: [{ code: 'TRUNCATED' }],
    });
    const limited = createReader({ environment: {}, limits: { maxBytesInMemory: 1_000_000 } });
    expect(await limited.read(source, { all: true })).toMatchObject({
      text: expect.stringContaining(`a,b\nfirst,${'x'.repeat(1_000_000)}\n[Note: Table \`t\`: 1 text is cut`),
      warnings: [
        {
          code: 'SKIPPED_CONTENT',
          message:
            'Table `t`: 1 text is cut after 1000000 bytes (limit `maxBytesInMemory`): row 1, column `b` (1100003 bytes).',
        },
      ],
    });
  });
});

describe('an SQLite database', () => {
  const random = randomly(11);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const cases = Array.from(
    { length: draws(120, 16) },
    (_, index): Drawn => ({
      pageSize: [512, 1024, 4096, 8192, 65_536][index % 5] ?? 512,
      encoding: pick(['UTF-8', 'UTF-16le', 'UTF-16be']),
      vacuum: pick(['NONE', 'FULL', 'INCREMENTAL']),
      withoutRowid: index % 3 === 2,
      columns: 2 + Math.floor(random() * 12),
      rows: [0, 1, 20, 300, 900][Math.floor(random() * 5)] ?? 20,
    }),
  );

  it.each(cases)(
    'is read as SQLite reads it: $pageSize $encoding $vacuum $withoutRowid $rows',
    async (drawn) => {
      const { bytes, answer } = await database((client) => fillRandomly(client, random, drawn));
      const { text, context } = await read(bytes, { selection: { all: true, format: 'json', sheet: 't' } });
      expect(answer.length === 0 ? [] : JSON.parse(text)).toEqual(answer);
      expect(context.warnings).toEqual([]);
      const from = Math.floor(answer.length / 2) + 1;
      if (answer.length < 20) return;
      const rows = { from, to: from + 8 };
      const some = await read(bytes, { selection: { all: true, format: 'json', sheet: 't', rows } });
      expect(JSON.parse(some.text)).toEqual(answer.slice(from - 1, from + 8));
    },
  );

  it('finds rows of a large table without reading it, and counts it exactly', {
    timeout: 120_000,
  }, async () => {
    const { bytes } = await database((client) =>
      client.executeMultiple(
        `CREATE TABLE big (id INTEGER PRIMARY KEY, words TEXT);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
         INSERT INTO big SELECT i * 2, 'row ' || i || ' of many, with some words' FROM n;
         CREATE TABLE small (a);`,
      ),
    );
    const { text, context } = await read(bytes, {
      selection: { all: true, sheet: 'big', rows: { from: 123_456, to: 123_457 } },
    });
    expect(text).toBe(
      'id,words\n246912,"row 123456 of many, with some words"\n246914,"row 123457 of many, with some words"\n',
    );
    expect(context.facts).toMatchObject({ rows: 200_000 });
  });

  it('tells that changes in a write-ahead log are not seen', async () => {
    const { bytes } = await database(async (client) => {
      await client.executeMultiple('PRAGMA journal_mode=WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1);');
    });
    const { context } = await read(bytes);
    expect(context.warnings).toMatchObject([{ message: expect.stringContaining('`-wal`') }]);
  });

  it('is recognised by its content under a name that others use too, and claims no other file of that name', async () => {
    const reader = createReader();
    const { bytes } = await database((client) =>
      client.executeMultiple('CREATE TABLE a (b); INSERT INTO a VALUES (1);'),
    );
    const found = await reader.read({ bytes, name: 'a.db' });
    expect(found).toMatchObject({ processor: 'sqlite', warnings: [] });
    await expect(reader.read({ bytes: Buffer.from('plain text\n'), name: 'a.db' })).resolves.toMatchObject({
      processor: 'text',
    });
    const other = Buffer.from('00061561000000020000000000000000', 'hex');
    expect(
      JSON.stringify(await reader.read({ bytes: other, name: 'a.db' }).catch((error: unknown) => error)),
    ).not.toContain('valid .db');
  });

  it('leaves out pages that a tree holds twice, and ends where it leads back to itself', async () => {
    const { bytes } = await database((client) =>
      client.executeMultiple(
        `PRAGMA page_size=512; CREATE TABLE a (b);
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) INSERT INTO a SELECT i FROM n;`,
      ),
    );
    const looped = Buffer.from(bytes);
    // The root of the table is the second page, here with more than one child.
    expect(looped[512]).toBe(5);
    looped.writeUInt32BE(2, 512 + 8);
    const { context } = await read(looped, { selection: { all: true } });
    expect(context.facts['rows']).toBeLessThan(400);
    expect(context.warnings).toMatchObject([
      { message: expect.stringContaining('1 page missing or damaged') },
    ]);
  });

  it('says that a table whose root page is damaged is not just empty', async () => {
    const { bytes } = await database(async (client) => {
      await client.execute('CREATE TABLE big (a, b)');
      for (let i = 0; i < 300; i += 1)
        await client.execute(`INSERT INTO big VALUES (${i}, '${'x'.repeat(200)}')`);
    });
    const broken = Buffer.from(bytes);
    broken.fill(0, 4096, 4096 + 12);
    const { context } = await read(broken);
    expect(context.warnings).toMatchObject([{ code: 'SKIPPED_CONTENT' }]);
  });

  it('reads what follows a large value in its row', async () => {
    const { bytes } = await database((client) =>
      client.execute(`CREATE TABLE t AS SELECT 1 AS id, zeroblob(20000000) AS data, 'small' AS note`),
    );
    const { text, context } = await read(bytes);
    expect(text).toContain('1,(20000000 bytes of data),small\n');
    expect(context.warnings).toEqual([]);
  });

  it('names its tables when another is asked for', async () => {
    const { bytes } = await database((client) =>
      client.executeMultiple('CREATE TABLE ships (b); CREATE TABLE calls (c);'),
    );
    await expect(read(bytes, { selection: { sheet: 'shps' } })).rejects.toThrow(
      'The database has no table `shps`. Did you mean `ships`?',
    );
  });

  it('terminates on damaged bytes', { timeout: 240_000 }, async () => {
    const fixture = readFileSync(new URL('../../../fixtures/tabular/harbour.sqlite', import.meta.url));
    const random = randomly(5);
    const outcomes = { read: 0, refused: 0 };
    for (let round = 0; round < draws(3000, 300); round += 1) {
      const bytes = Uint8Array.from(fixture);
      for (let flip = 0; flip < 1 + random() * 12; flip += 1) {
        // Half of them in the first bytes of a page, where its structure is.
        const page = Math.floor((random() * bytes.length) / 512) * 512;
        const at = Math.min(
          bytes.length - 1,
          random() < 0.5 ? page + Math.floor(random() * 40) : Math.floor(random() * bytes.length),
        );
        bytes[at] =
          random() < 0.5 ? (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8)) : Math.floor(random() * 256);
      }
      bytes.set(fixture.subarray(0, 16));
      const file = random() < 0.15 ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
      try {
        await read(file, random() < 0.3 ? { selection: { all: true } } : {});
        const lines = sqlite.outline?.(
          memorySource(file, 'a.sqlite'),
          testContext({ selection: { outline: true } }),
        );
        for await (const line of lines ?? []) expect(line.text).not.toBe('');
        outcomes.read += 1;
      } catch (error) {
        if (!(error instanceof ReaderError)) throw error;
        outcomes.refused += 1;
      }
    }
    expect(outcomes.read).toBeGreaterThan(outcomes.refused);
  });
});

describe('a CREATE TABLE statement', () => {
  it.each([
    ['CREATE TABLE t(a INTEGER PRIMARY KEY, b)', ['a', 'b'], 0],
    ['CREATE TABLE t(a INTEGER PRIMARY KEY DESC, b)', ['a', 'b'], undefined],
    ['CREATE TABLE t(a INTEGER, b, PRIMARY KEY(a DESC))', ['a', 'b'], 0],
    ['CREATE TABLE t(a INT PRIMARY KEY, b)', ['a', 'b'], undefined],
    [
      'CREATE TABLE "a b" ("x, y" TEXT DEFAULT \'),(\', [c d] INT CHECK ([c d] > (1)), `e``f`, \'g\')',
      ['x, y', 'c d', 'e`f', 'g'],
      undefined,
    ],
    [
      'CREATE TABLE t(a /* , b */ INTEGER -- , c\n, d UNIQUE, UNIQUE (a, d), FOREIGN KEY (a) REFERENCES u(x))',
      ['a', 'd'],
      undefined,
    ],
    ['CREATE TABLE t("primary" INTEGER PRIMARY KEY, "check")', ['primary', 'check'], 0],
    ['create table if not exists main.t(é INTEGER not null primary key)', ['é'], 0],
  ])('gives columns and the name of the rowid: %s', (sql, names, rowid) => {
    const shape = tableShape(sql);
    expect(shape?.columns.map(({ name }) => name)).toEqual(names);
    expect(shape?.rowidColumn).toBe(rowid);
  });

  it.each([
    '',
    'CREATE TABLE t',
    'CREATE TABLE t(',
    'CREATE TABLE t(a, "b)',
    `CREATE TABLE t(${'['.repeat(100_000)}`,
    'CREATE VIEW v AS SELECT (1)',
  ])('is not guessed where there is none: %.30s', (sql) => {
    expect(tableShape(sql)).toBeUndefined();
  });
});

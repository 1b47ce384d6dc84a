// Parquet files as tables, compared with hyparquet's own reading of the whole file.

import { parquetReadObjects } from 'hyparquet';
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import { cellOf } from '../../../processors/tabular/parquet/cell.ts';
import { parquet } from '../../../processors/tabular/parquet.ts';
import { ReaderError, type Source } from '../../../src/contract/index.ts';
import { createReader } from '../../../src/index.ts';
import { memorySource, run, type TestOptions } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';
import { randomly } from '../../support/randomly.ts';

type WriteOptions = Omit<Parameters<typeof parquetWriteBuffer>[0], 'columnData'>;

const write = (columnData: ColumnSource[], options: WriteOptions = {}): Uint8Array =>
  new Uint8Array(parquetWriteBuffer({ columnData, ...options }));

const read = (bytes: Uint8Array, options: TestOptions = {}) =>
  run(parquet, memorySource(bytes, 'a.parquet'), options);

/** The source with a count of the bytes read from it. */
function counted(source: Source): { source: Source; bytes: () => number } {
  let bytes = 0;
  const read: Source['read'] = async (position, length) => {
    const piece = await source.read(position, length);
    bytes += piece.length;
    return piece;
  };
  const proxy = new Proxy(source, {
    get: (target, key) => (key === 'read' ? read : Reflect.get(target, key, target)),
  });
  return { source: proxy, bytes: () => bytes };
}

const simple = (rows: number): ColumnSource[] => {
  const column = <T>(of: (row: number) => T): T[] => Array.from({ length: rows }, (_, row) => of(row));
  return [
    { name: 'id', data: column((row) => BigInt(row)), nullable: false },
    { name: 'name', data: column((row) => (row % 5 === 0 ? null : `name ${row % 1000}`)) },
    { name: 'text', data: column((row) => `a longer text of row ${(row * 7919) % 1_000_003}`) },
    { name: 'share', data: column((row) => row / 3), nullable: false },
    { name: 'flag', data: column((row) => row % 2 === 0) },
    {
      name: 'tags',
      data: column((row) => (row % 11 === 0 ? null : [`x${row}`, row % 3 === 0 ? null : 'y'])),
    },
    { name: 'place', data: column((row) => ({ x: row, label: row % 4 === 0 ? null : `p${row}` })) },
  ] as ColumnSource[];
};

/** What hyparquet reads, as the rows of a JSON answer. */
async function oracle(bytes: Uint8Array): Promise<unknown[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({ file });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)])),
  );
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

describe('a Parquet file', () => {
  it.each([
    ['one row group, one page', 300, {}],
    ['small pages', 3000, { pageSize: 500 }],
    ['small row groups', 3000, { rowGroupSize: 70, pageSize: 300 }],
    ['no compression', 1000, { codec: 'UNCOMPRESSED', rowGroupSize: 400 }],
  ] as [string, number, WriteOptions][])('is read whole: %s', async (_, rows, options) => {
    const bytes = write(simple(rows), options);
    const { text } = await read(bytes, { selection: { all: true, format: 'json' } });
    expect(JSON.parse(text)).toEqual(await oracle(bytes));
  });

  it('reads any rows as a read of the whole file shows them', async () => {
    const bytes = write(simple(2500), { rowGroupSize: 600, pageSize: 400 });
    const all = await oracle(bytes);
    for (let from = 1; from < 2500; from += 173) {
      const rows = { from, to: Math.min(from + 90, 2500) };
      const { text } = await read(bytes, { selection: { rows, all: true, format: 'json' } });
      expect(JSON.parse(text)).toEqual(all.slice(rows.from - 1, rows.to));
    }
  });

  it('reads only the selected columns', async () => {
    const bytes = write(simple(5000));
    const { source, bytes: read } = counted(memorySource(bytes, 'a.parquet'));
    const { text } = await run(parquet, source, {
      selection: { columns: 'id,flag', rows: { from: 4999, to: 5000 } },
    });
    expect(text).toBe('id,flag\n4998,true\n4999,false\n');
    expect(read()).toBeLessThan(bytes.length / 2 + 70_000);
  });

  it('has a first look at a million rows without reading the file', { timeout: 120_000 }, async () => {
    const bytes = write(simple(1_000_000).slice(0, 5), { pageSize: 64 * 1024, rowGroupSize: 250_000 });
    const { source, bytes: read } = counted(memorySource(bytes, 'a.parquet'));
    const { text, context } = await run(parquet, source, {});
    expect(context.facts).toMatchObject({ rows: 1_000_000, columns: 5, rowGroups: 4 });
    expect(text).toContain('\n999999,');
    expect(read()).toBeLessThan(bytes.length / 40);
  });

  it('tells a damaged file', async () => {
    const bytes = write(simple(100));
    await expect(read(bytes.subarray(0, -9))).rejects.toThrow('its footer is missing');
    const damaged = Uint8Array.from(bytes);
    damaged.fill(0xff, 4, 200);
    const { text, context } = await read(damaged);
    expect(text).toContain('(not read)');
    expect(context.warnings).toMatchObject([{ code: 'SKIPPED_CONTENT' }]);
  });

  it('terminates on damaged bytes', { timeout: 120_000 }, async () => {
    const whole = write(simple(120), { rowGroupSize: 50, pageSize: 300 });
    const whole2 = write(simple(40).slice(0, 3), { codec: 'UNCOMPRESSED' });
    const random = randomly(7);
    const outcomes = { read: 0, refused: 0 };
    for (let round = 0; round < draws(3000, 400); round += 1) {
      const bytes = Uint8Array.from(round % 2 === 0 ? whole : whole2);
      const isCut = random() < 0.1;
      const flips = 1 + Math.floor(random() * 6);
      for (let flip = 0; flip < flips; flip += 1) {
        // Half of them in the footer, where most of the structure is.
        const at = random() < 0.5 ? random() : 1 - random() * 0.3;
        const place = Math.min(bytes.length - 1, Math.floor(at * bytes.length));
        bytes[place] =
          random() < 0.5 ? (bytes[place] ?? 0) ^ (1 << Math.floor(random() * 8)) : Math.floor(random() * 256);
      }
      const file = isCut ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes;
      try {
        await read(file, { selection: { rows: { from: 1, to: 120 } } });
        outcomes.read += 1;
      } catch (error) {
        if (!(error instanceof ReaderError)) throw error;
        outcomes.refused += 1;
      }
    }
    expect(outcomes.read).toBeGreaterThan(draws(3000, 400) / 10);
  });
});

describe('what a Parquet file holds', () => {
  const columns: ColumnSource[] = [
    { name: 'id', data: [1, 2], type: 'INT32' },
    { name: 'v', data: ['NULL', null], type: 'STRING' },
  ];
  const reader = createReader({ environment: {} });

  it.each([
    ['csv', 'id,v\n1,"NULL"\n2,NULL\n'],
    ['markdown', '| 1 | "NULL" |\n| 2 | NULL |\n'],
    ['json', '{"id":"1","v":"NULL"},\n{"id":"2","v":null}\n'],
  ] as const)('distinguishes a missing value from text, in %s', async (format, rows) => {
    const result = await reader.read({ name: 'a.parquet', bytes: write(columns) }, { format });
    expect(result).toMatchObject({ success: true, text: expect.stringContaining(rows) });
  });

  it('is shown below the types of its columns, also without rows', async () => {
    const bytes = write(columns.map((column) => ({ ...column, data: [] })));
    const result = await reader.read({ name: 'a.parquet', bytes });
    expect(result).toMatchObject({ success: true, truncation: null, content: [{}, { text: 'id,v\n' }] });
    const text = result.success ? result.text : '';
    expect(text).toContain('0 rows in 0 row groups, 2 columns');
    expect(text).toContain('1. `id`: int32\n2. `v`: string\n');
    expect(text).toContain('Table: 0 rows x 2 columns\nid,v\n');
    const json = await reader.read({ name: 'a.parquet', bytes }, { format: 'json' });
    expect(json).toMatchObject({ text: '[]\n' });
  });
});

describe('a page that exceeds a limit', () => {
  const big: ColumnSource = { name: 'big', data: [`${'x'.repeat(60_000)}`], type: 'STRING' };
  const small: ColumnSource = { name: 'id', data: [1], type: 'INT32' };
  const limited = createReader({ environment: {}, limits: { maxBytesInMemory: 100_000 } });

  it('leaves out its column, and says why', async () => {
    const result = await limited.read({ name: 'a.parquet', bytes: write([small, big]) });
    const message =
      'Column `big` was not read in part: a page of it has 60006 bytes, and the limit is 50000.';
    expect(result).toMatchObject({
      text: expect.stringContaining(`id,big\n1,(not read)\n[Note: ${message}]`),
      warnings: [{ code: 'SKIPPED_CONTENT', message }],
    });
  });

  it('is not called damaged when nothing else can be read', async () => {
    const source = { name: 'a.parquet', bytes: write([big]) };
    expect(await limited.read(source)).toMatchObject({ success: false, error: { code: 'LIMIT_EXCEEDED' } });
    expect(await createReader({ environment: {} }).read(source)).toMatchObject({ success: true });
  });
});

describe('a cell', () => {
  const text = (value: unknown, element: object): string | null =>
    cellOf(
      value,
      { element: { name: 'a', ...element }, children: [], count: 1, path: ['a'] },
      { invalidText: 0 },
    );
  it.each([
    [-1n, { type: 'INT64', converted_type: 'UINT_64' }, '18446744073709551615'],
    [-1, { type: 'INT32', converted_type: 'UINT_32' }, '4294967295'],
    [-5n, { type: 'INT64', converted_type: 'DECIMAL', scale: 2 }, '-0.05'],
    [
      12345678901234567n,
      { type: 'INT64', logical_type: { type: 'DECIMAL', precision: 18, scale: 4 } },
      '1234567890123.4567',
    ],
    [
      Uint8Array.of(0xff, 0x85),
      { type: 'FIXED_LEN_BYTE_ARRAY', converted_type: 'DECIMAL', scale: 1 },
      '-12.3',
    ],
    [-1, { type: 'INT32', converted_type: 'DATE' }, '1969-12-31'],
    [2_000_000_000, { type: 'INT32', converted_type: 'DATE' }, '2000000000 days'],
    [
      1n,
      { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'NANOS' } },
      '1970-01-01 00:00:00.000000001',
    ],
    [-1n, { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }, '1969-12-31 23:59:59.999999Z'],
    [2n ** 63n - 1n, { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }, '9223372036854775807 ms'],
    [86_399_999, { type: 'INT32', converted_type: 'TIME_MILLIS' }, '23:59:59.999'],
    [Math.fround(0.1), { type: 'FLOAT' }, '0.1'],
    [16777217 / 3, { type: 'DOUBLE' }, '5592405.666666667'],
    [Uint8Array.of(0x00, 0xc0), { type: 'FIXED_LEN_BYTE_ARRAY', logical_type: { type: 'FLOAT16' } }, '-2'],
    [
      new Uint8Array(16).fill(0xab),
      { type: 'FIXED_LEN_BYTE_ARRAY', logical_type: { type: 'UUID' } },
      'abababab-abab-abab-abab-abababababab',
    ],
    [Buffer.from('plain'), { type: 'BYTE_ARRAY' }, 'plain'],
    [Buffer.from([1, 2]), { type: 'BYTE_ARRAY' }, "x'0102'"],
    [new Uint8Array(300), { type: 'BYTE_ARRAY' }, '(300 bytes of data)'],
    [Buffer.from([0xff]), { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, '\ufffd'],
    [null, { type: 'INT32' }, null],
  ])('shows %s', (value, element, expected) => {
    expect(text(value, element)).toBe(expected);
  });
});

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';
import { read as readWorkbook, utils } from '@e965/xlsx';
import ExcelJS from 'exceljs';
import fc from 'fast-check';
import Papa from 'papaparse';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ReaderError } from '../../../src/contract/index.ts';
import { createReader } from '../../../src/index.ts';
import { Root } from '../../../src/workspace/paths/root.ts';
import type { ResultFormat } from '../../../src/workspace/results/result.ts';
import { saveResult } from '../../../src/workspace/results/save/save.ts';
import type { SavedResult, SaveOptions } from '../../../src/workspace/workspace.ts';
import { draws } from '../../support/draws.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'lectern-formats-'));
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

function save(input: unknown, format: ResultFormat, options: SaveOptions = {}): Promise<SavedResult> {
  return saveResult(
    new Root({ base: root }),
    input,
    { overwrite: true, ...options, format },
    {
      limits: { previewTokens: 0 },
      preview: () => Promise.resolve(''),
    },
  );
}

async function textOf(input: unknown, format: ResultFormat): Promise<string> {
  return readFile(join(root, (await save(input, format)).path), 'utf8');
}

async function workbookOf(saved: SavedResult): Promise<ExcelJS.Workbook> {
  const workbook = new ExcelJS.Workbook();
  await workbook.xlsx.readFile(join(root, saved.path));
  return workbook;
}

type Cells = (string | number | boolean | Date | null)[][];

/** exceljs leaves the escapes of a cell's text as they are, unless it is in the shared strings. */
function decoded(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(/_x([0-9A-F]{4})_/g, (_, unit: string) =>
    String.fromCharCode(Number.parseInt(unit, 16)),
  );
}

/** Every sheet, one after the other, as exceljs reads it; a text that is empty is null to it. */
async function sheetsOf(input: unknown): Promise<Record<string, Cells>> {
  const workbook = await workbookOf(await save(input, 'xlsx'));
  const sheets: Record<string, Cells> = {};
  workbook.eachSheet((sheet) => {
    const rows: Cells = [];
    for (let row = 1; row <= sheet.rowCount; row += 1) {
      const cells: Cells[number] = [];
      for (let column = 1; column <= sheet.columnCount; column += 1) {
        const { value } = sheet.getRow(row).getCell(column);
        cells.push(
          typeof value === 'object' && value !== null && !(value instanceof Date) ? '?' : (value ?? null),
        );
      }
      rows.push(cells);
    }
    sheets[sheet.name] = rows;
  });
  return sheets;
}

const columnName = fc.oneof(
  fc.constantFrom('id', 'a b', '__proto__', 'constructor', '1', 'ünï', 'x,y', '"q"', ' edge '),
  fc.string(),
);
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      ',',
      '\n',
      '\r',
      ';',
      '\t',
      '|',
      ' ',
      'a',
      '=',
      '\0',
      '\ufeff',
      '_x000D_',
      '&',
      '<',
    ),
  }),
);
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const scalar = fc.oneof(text, number, fc.boolean(), fc.constant(null));
const rowsOf = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<[string, Value][][]> =>
  fc.array(fc.uniqueArray(fc.tuple(columnName, value), { selector: ([name]) => name, maxLength: 6 }), {
    maxLength: 20,
  });

/** An object that can have any key, `__proto__` too. */
function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries);
}

function columnsOf(rows: readonly (readonly (readonly [string, unknown])[])[]): string[] {
  return [...new Set(rows.flatMap((row) => Object.keys(objectOf(row))))];
}

describe('CSV', () => {
  test('parses back to what was saved', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(scalar), async (rows) => {
        const columns = columnsOf(rows);
        fc.pre(columns.length > 0);
        const { data, errors } = Papa.parse<string[]>(await textOf(rows.map(objectOf), 'csv'), {
          delimiter: ',',
          newline: '\n',
        });
        expect(errors).toEqual([]);
        expect(data.pop()).toEqual(['']);
        const shown = (value: unknown): string => (Object.is(value, -0) ? '-0' : `${value ?? ''}`);
        expect(data).toEqual([
          columns,
          ...rows.map((row) => columns.map((name) => shown(row.find(([key]) => key === name)?.[1]))),
        ]);
      }),
      { numRuns: draws(150) },
    );
  });

  test('tells nothing from an empty text, and keeps every value exact', async () => {
    const date = new Date('2026-01-02T03:04:05.678Z');
    const rows = [
      { a: '', b: null, c: undefined, d: -0, e: 12345678901234567890n, f: Number.NaN, g: -Infinity },
      {
        a: date,
        b: Buffer.from('hi'),
        c: { x: [1, 'a,"b"'] },
        d: true,
        e: new Set([1]),
        f: 'a\0b',
        g: 1e300,
      },
    ];
    expect(await textOf(rows, 'csv')).toBe(
      'a,b,c,d,e,f,g\n"",,,-0,12345678901234567890,NaN,-Infinity\n' +
        '2026-01-02T03:04:05.678Z,aGk=,"{""x"":[1,""a,\\""b\\""""]}",true,[1],a\0b,1e+300\n',
    );
  });

  test('of one column has no empty line', async () => {
    expect(await textOf([{ a: null }, { a: 1 }, {}], 'csv')).toBe('a\n""\n1\n""\n');
    const rows = Array.from({ length: 1500 }, () => ({ a: null }));
    expect(await textOf(rows, 'csv')).toBe(`a\n${'""\n'.repeat(1500)}`);
  });

  test('quotes whatever a reader could take for something else', async () => {
    expect(await textOf([['a;b', 'a\tb', 'a|b', ' a', 'a ', '\ufeffa', '=1+1']], 'csv')).toBe(
      'column_1,column_2,column_3,column_4,column_5,column_6,column_7\n"a;b","a\tb","a|b"," a","a ","\ufeffa",=1+1\n',
    );
  });
});

describe('JSON Lines and JSON', () => {
  const value = fc.jsonValue({ maxDepth: 3 });

  test('parse back to what was saved', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(value), async (rows) => {
        const objects = rows.map(objectOf);
        const lines = (await textOf(objects, 'jsonl')).split('\n');
        expect(lines.pop()).toBe('');
        expect(lines.map((line) => JSON.parse(line))).toEqual(objects);
        expect(JSON.parse(await textOf(objects, 'json'))).toEqual(objects);
      }),
      { numRuns: draws(100) },
    );
  });

  test('write one value as JSON.stringify does, to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (given) => {
        fc.pre(typeof given !== 'string' && !Array.isArray(given));
        // JSON.stringify has no -0.
        const expected = JSON.stringify(given, null, 2);
        expect(await textOf(JSON.parse(expected), 'json')).toBe(`${expected}\n`);
      }),
      { numRuns: draws(100) },
    );
  });

  test('keep what JSON.stringify loses', async () => {
    class Money {
      readonly cents = 5;
      readonly hidden = (): number => 1;
    }
    const other: unknown = vm.runInNewContext('({ date: new Date(0), map: new Map([[1, 2]]) })');
    const rows = [
      {
        big: 12345678901234567890n,
        negative: -0,
        not: Number.NaN,
        infinite: -Infinity,
        lone: '\ud800',
        pair: '😀',
      },
      {
        date: new Date(Number.NaN),
        bytes: Uint8Array.of(1, 2),
        map: new Map([['k', 1n]]),
        pairs: new Map([[1, 'a']]),
      },
      {
        set: new Set(['a', 2n]),
        money: new Money(),
        floats: Float32Array.of(1.5),
        buffer: Uint8Array.of(255).buffer,
      },
      {
        boxed: Object(5),
        text: Object('a'),
        error: new TypeError('no'),
        url: new URL('http://a/b'),
        reg: /a/g,
      },
      { symbol: Symbol('a'), fn: () => 1, nested: [undefined, { u: undefined, n: null }, [[], {}]] },
      { toJSON: () => ({ other }) },
      JSON.parse('{"__proto__":1,"constructor":2}'),
    ];
    const saved = await save(rows, 'jsonl');
    expect(await readFile(join(root, saved.path), 'utf8')).toBe(
      [
        '{"big":12345678901234567890,"negative":-0,"not":"NaN","infinite":"-Infinity","lone":"\ufffd","pair":"😀"}',
        '{"date":null,"bytes":"AQI=","map":{"k":1},"pairs":[[1,"a"]]}',
        '{"set":["a",2],"money":{"cents":5},"floats":[1.5],"buffer":"/w=="}',
        '{"boxed":5,"text":"a","error":"TypeError: no","url":"http://a/b","reg":"/a/g"}',
        '{"nested":[null,{"n":null},[[],{}]]}',
        '{"other":{"date":"1970-01-01T00:00:00.000Z","map":[[1,2]]}}',
        '{"__proto__":1,"constructor":2}',
        '',
      ].join('\n'),
    );
    expect(saved.notes).toMatchSnapshot();
  });

  test('read a row that is used again for the next one at once', async () => {
    const row = { a: 0 };
    const reused = (function* () {
      for (; row.a < 3; row.a += 1) yield row;
    })();
    expect(await textOf(reused, 'csv')).toBe('a\n0\n1\n2\n');
  });

  test.each<[string, unknown]>([
    ['a value that contains itself', Object.assign([], { 0: null, self: 1 }) && cyclic()],
    ['a value without end', endless()],
    ['a value that is too deep', deep(2000)],
    ['a toJSON that fails', [{ a: { toJSON: () => fail() } }]],
    ['a row whose keys cannot be listed', [new Proxy({}, { ownKeys: fail })]],
  ])('%s is refused', async (_, input) => {
    const error: ReaderError = await save(input, 'json').then(
      () => fail(),
      (thrown: ReaderError) => thrown,
    );
    expect({ code: error.code, message: error.message, hint: error.hint }).toMatchSnapshot();
  });

  test('a value of many characters is written piece by piece', async () => {
    const given = {
      list: Array.from({ length: 60_000 }, (_, at) => `text ${at}`),
      long: 'é'.repeat(300_000),
    };
    expect(JSON.parse(await textOf(given, 'json'))).toEqual(given);
  });
});

function fail(): never {
  throw new Error('no');
}

function cyclic(): unknown {
  const row: { list: unknown[] } = { list: [] };
  row.list.push({ row });
  return row;
}

function endless(): unknown {
  return {
    get more(): unknown {
      return endless();
    },
  };
}

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}

describe('XLSX', () => {
  const sheetText = text.filter((value) => !/\p{Surrogate}/u.test(value));

  test('reads back in exceljs and in SheetJS', async () => {
    await fc.assert(
      fc.asyncProperty(rowsOf(fc.oneof(sheetText, number, fc.boolean(), fc.constant(null))), async (rows) => {
        const columns = columnsOf(rows);
        fc.pre(columns.length > 0);
        const saved = await save(rows.map(objectOf), 'xlsx');
        const expected = [
          columns,
          ...rows.map((row) => columns.map((name) => row.find(([key]) => key === name)?.[1] ?? null)),
        ];
        const sheet = (await workbookOf(saved)).getWorksheet('Data');
        const found = expected.map((cells, row) =>
          cells.map((_, column) => decoded(sheet?.getRow(row + 1).getCell(column + 1).value ?? null)),
        );
        // exceljs reads an empty text as nothing.
        const blank = (cells: unknown[][]): unknown[][] =>
          cells.map((row) => row.map((value) => (value === '' ? null : Object.is(value, -0) ? 0 : value)));
        expect(blank(found)).toEqual(blank(expected));

        const other = readWorkbook(await readFile(join(root, saved.path)), { type: 'buffer' }).Sheets['Data'];
        const cells = utils.sheet_to_json<unknown[]>(other ?? {}, {
          header: 1,
          defval: null,
          raw: true,
          blankrows: true,
        });
        // SheetJS folds CR LF into LF more than once, so a run of CR before LF is lost to it, and it knows
        // no rows past the last cell. exceljs has compared every unit above.
        const lines = (given: unknown[][]): unknown[][] =>
          blank(given).map((row) =>
            row.map((one) => (typeof one === 'string' ? one.replace(/\r+\n?/g, '\n') : one)),
          );
        expect(lines(cells)).toEqual(lines(expected).slice(0, cells.length));
      }),
      { numRuns: draws(60) },
    );
  });

  test('keeps types, and every character of a text', async () => {
    const midnight = new Date('2026-01-02T00:00:00Z');
    const second = new Date('2026-01-02T03:04:05Z');
    const exact = new Date('2026-01-02T03:04:05.678Z');
    const early = new Date('1850-01-01T00:00:00Z');
    const texts = ['=1+1', '007', '_x000D_', '\0\u0001\r\n\t', '\ud800', 'a\uffffb', '<&>"\'', ' a '];
    const saved = await save(
      [[midnight, second, exact, early, true, 5n, 2n ** 60n, Number.NaN], texts],
      'xlsx',
    );
    const sheet = (await workbookOf(saved)).getWorksheet('Data');
    const values = [2, 3].map((row) =>
      Array.from({ length: 8 }, (_, at) => decoded(sheet?.getRow(row).getCell(at + 1).value)),
    );
    expect(values).toEqual([
      [midnight, second, exact, '1850-01-01T00:00:00.000Z', true, 5, '1152921504606846976', 'NaN'],
      texts.map((text) => (text === '\ud800' ? '\ufffd' : text)),
    ]);
    expect(saved.notes).toMatchSnapshot();

    const shown = await createReader({ cache: false }).read(join(root, saved.path));
    expect(shown.success && shown.text).toContain('2026-01-02,2026-01-02 03:04:05,2026-01-02 03:04:05.678');
  });

  test('gives columns that appear late their header', async () => {
    const rows = Array.from({ length: 2500 }, (_, row) => ({
      id: row,
      ...(row >= 1800 && { late: `l${row}` }),
    }));
    const { Data } = await sheetsOf(rows.values());
    expect(Data?.[0]).toEqual(['id', 'late']);
    expect(Data?.slice(1)).toEqual(rows.map(({ id, late }) => [id, late ?? null]));
  });

  test('orders cells by column however a row orders them', async () => {
    expect(await sheetsOf([{ a: 1, b: 2 }, { b: 3, a: 4 }, { b: 5 }])).toEqual({
      Data: [
        ['a', 'b'],
        [1, 2],
        [4, 3],
        [null, 5],
      ],
    });
  });

  test.each(process.env['CI'] ? [1_048_575, 1_048_576] : [1_048_576])(
    'goes on in a further sheet when %d rows do not fit',
    async (count) => {
      const saved = await save(
        (function* () {
          for (let id = 1; id <= count; id += 1) yield id === 1_048_576 ? { id, late: 1 } : { id };
        })(),
        'xlsx',
      );
      expect(saved.rows).toBe(count);
      const answer = await createReader({ cache: false }).inspect(join(root, saved.path));
      const full = { name: 'Data', state: 'visible', rows: 1_048_576, columns: 1 };
      const sheets =
        count === 1_048_575
          ? [full]
          : [
              { ...full, columns: 2 },
              { ...full, name: 'Data 2', rows: 2, columns: 2 },
            ];
      expect(answer).toMatchObject({ metadata: { sheets } });
      expect(saved.notes).toEqual(
        sheets.length === 1 ? [] : ['The rows are split over 2 sheets, each with the header.'],
      );
    },
  );

  test.each<[string, unknown]>([
    ['a text too long for a cell', [{ a: 1 }, { 'the body': 'x'.repeat(32_768) }]],
    ['JSON too long for a cell', [{ a: Array.from({ length: 20_000 }, () => 1) }]],
    ['a name too long for a cell', [{ ['n'.repeat(32_768)]: 1 }]],
  ])('%s is refused', async (_, input) => {
    const error: ReaderError = await save(input, 'xlsx').then(
      () => fail(),
      (thrown: ReaderError) => thrown,
    );
    expect({ code: error.code, message: error.message, hint: error.hint }).toMatchSnapshot();
  });

  test('takes a text that just fits', async () => {
    expect(await sheetsOf([{ a: 'x'.repeat(32_767) }])).toEqual({ Data: [['a'], ['x'.repeat(32_767)]] });
  });
});

test('what cannot be UTF-8 is told', async () => {
  const saved = await save([{ a: 'x\ud800' }, { a: '\ud83d\ude00' }, { a: 'é' }], 'csv');
  expect(await readFile(join(root, saved.path), 'utf8')).toBe('a\nx\ufffd\n😀\né\n');
  expect(saved.notes).toMatchSnapshot();
});

// Delimited text as people write it, and as they should not: dialects, counts, headers, quotes that do not hold.

import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test, vi } from 'vitest';
import { csv } from '../../../processors/tabular/csv.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';

// Works through large and hostile files.
vi.setConfig({ testTimeout: 180_000 });

const read = (content: string | Uint8Array, options: TestOptions = {}, name = 'file.csv'): Promise<Outcome> =>
  run(csv, memorySource(content, name), options);
const rowsOf = (text: string): string[][] =>
  Papa.parse<string[]>(text.replace(/\n$/, ''), { delimiter: ',', newline: '\n' }).data;
const codes = ({ context }: Outcome): string[] => context.warnings.map(({ code }) => code);
const numbered = (count: number, line = (n: number): string => `${n},name ${n}`): string =>
  Array.from({ length: count }, (_, index) => line(index + 1)).join('\n');
const all: TestOptions = { selection: { all: true } };

describe('dialects', () => {
  test.each([
    ['comma', 'a,b\n1,2\n3,4\n', 'x.csv', ','],
    ['semicolon with decimal commas', 'a;b;c\n1,5;2,5;3\n4,5;5,5;6\n', 'x.csv', ';'],
    ['semicolon by its header', `a;b\n${'1,5;2,5\n'.repeat(10)}`, 'x.csv', ';'],
    ['tab', 'a\tb\n1\t2,5\n', 'x.tsv', '\t'],
    ['tab under a comma name', 'a\tb\n1\t2\n3\t4\n', 'x.csv', '\t'],
    ['pipe', 'a|b\n1|2\n3|4\n', 'x.csv', '|'],
    ['pipe by name', 'a|b,c\n1|2\n', 'x.psv', '|'],
    ['said by the first line', 'sep=;\r\na;b\r\n1,1;2\r\n', 'x.csv', ';'],
    ['delimiters inside quotes', 'a;b\n"1,2,3";x\n"4,5,6";y\n', 'x.csv', ';'],
    ['one column', 'a\n1\n2\n', 'x.csv', ','],
    ['one column of sentences', 'text\nA man, a plan\nNo comma here\nx, y, z\nend\n', 'x.tsv', '\t'],
  ])('finds the delimiter: %s', async (_, content, name, delimiter) => {
    const { context } = await read(content, {}, name);
    expect(context.facts['delimiter']).toBe(delimiter);
    expect(codes({ context } as Outcome)).toEqual([]);
  });

  test('a sep= line is no record', async () => {
    const { text, context } = await read('sep=;\na;b\n1;2\n');
    expect(text).toBe('a,b\n1,2\n');
    expect(context.facts['rows']).toBe(1);
  });

  test('single quotes only where everything says so', async () => {
    const quotedText = `a,b\n${numbered(5, (n) => `'x, ${n}','y'`)}\n`;
    expect(rowsOf((await read(quotedText)).text)[1]).toEqual(['x, 1', 'y']);
    expect((await read(`a,b\n${numbered(5, (n) => `don't ${n},y`)}\n`)).context.facts['quote']).toBe('"');
  });

  test.each(['\n', '\r\n', '\r'])('line ends %j, quoted ones kept', async (end) => {
    const { text, context } = await read(['a,b', `"1${end}2",3`, '4,5', ''].join(end));
    expect(context.facts['rows']).toBe(2);
    expect(rowsOf(text)).toEqual([
      ['a', 'b'],
      [`1${end}2`, '3'],
      ['4', '5'],
    ]);
  });

  test('a byte order mark and UTF-16 leave no trace', async () => {
    const content = 'näme,b\n1,2\n';
    for (const bytes of [
      Buffer.from(`\ufeff${content}`),
      Buffer.from(`\ufeff${content}`, 'utf16le'),
      Buffer.from(`\ufeff${content}`, 'utf16le').swap16(),
    ])
      expect((await read(bytes)).text).toBe(content);
  });
});

describe('an escape', () => {
  const cells = async (content: string, name?: string): Promise<{ rows: string[][]; outcome: Outcome }> => {
    const outcome = await read(content, all, name);
    return { rows: rowsOf(outcome.text).slice(1), outcome };
  };

  test.each([
    [
      'Spark',
      'id,j,n\n1,"{\\"a\\":1,\\"b\\":\\"\\"}",5\n2,"{\\"a\\":\\"x\\\\ny\\"}",6\n',
      '{"a":1,"b":""}',
      '{"a":"x\\ny"}',
    ],
    ['quotes without delimiters', 'id,j,n\n1,"5\\" x",5\n2,"C:\\new",6\n', '5" x', 'C:\\new'],
    ['no quotes', 'id,j,n\n1,a\\, b,5\n2,"x,6\n', 'a, b', '"x'],
    ['line ends', 'id,j,n\n1,a\\\nb,5\n2,\\N,6\n', 'a\nb', '\\N'],
    ['doubled quotes too', 'id,j,n\n1,"a \\"b, c\\"",5\n2,"a ""b""",6\n', 'a "b, c"', 'a "b"'],
  ])('is found where RFC 4180 fails and it does not: %s', async (_, content, first, second) => {
    const { rows, outcome } = await cells(content);
    expect(rows).toEqual([
      ['1', first, '5'],
      ['2', second, '6'],
    ]);
    expect(outcome.context.facts).toMatchObject({ rows: 2, columns: 3, escape: '\\' });
    expect(outcome.context.warnings).toContainEqual({
      code: 'DIALECT_GUESSED',
      message: 'Detected dialect: a backslash before a quote, delimiter or line end is left out.',
    });
  });

  test.each([
    ['a folder at the end of a quoted field', (n: number) => `${n},"C:\\dir ${n}\\",x`],
    ['two of them', (n: number) => `${n},"C:\\dir ${n}\\","D:\\"`],
    ['one without quotes', (n: number) => `${n},C:\\dir ${n}\\,x`],
    ['one at the end of a line', (n: number) => `${n},x,C:\\dir ${n}\\`],
    ['JSON in RFC 4180', (n: number) => `${n},"{""a"":""\\"", ${n}""}",x`],
  ])('is not %s', async (_, line) => {
    const outcome = await read(`a,b,c\n${numbered(30, line)}\n`);
    expect(outcome.context.facts).toMatchObject({ rows: 30, columns: 3 });
    expect(outcome.context.facts['escape']).toBeUndefined();
    expect(codes(outcome)).toEqual([]);
  });

  test('is not found for one row among many that end in folders', async () => {
    const outcome = await read(`a,b\n${numbered(30, (n) => `${n},"C:\\${n}\\"`)}\n31,"a \\"b\\" c"\n`);
    expect(outcome.context.facts['escape']).toBeUndefined();
    expect(codes(outcome)).toEqual(['UNBALANCED_QUOTES']);
  });

  test.each([200_000, 3000])('first used below %i rows is found, counted and located', async (count) => {
    const lines = [numbered(count, (n) => `${n},"text, ${n}",${'z'.repeat(20)}`)];
    for (let n = count + 1; n <= count + 40; n += 1) lines.push(`${n},"{\\"a\\": 1, \\"b\\": ${n}}\\\\",z`);
    const content = `id,j,z\n${lines.join('\n')}\n`;
    const first = await read(content);
    expect(first.context.facts).toMatchObject({ rows: count + 40, columns: 3, escape: '\\' });
    expect(codes(first)).toEqual(['DIALECT_GUESSED']);
    const rows = { from: count + 40, to: count + 40 };
    const last = await read(content, { selection: { rows } });
    expect(rowsOf(last.text)[1]).toEqual([String(count + 40), `{"a": 1, "b": ${count + 40}}\\`, 'z']);
  });

  test('reads what was written with it, quoted or not', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', ',', '\n', ' ', 'N', 'é'), maxLength: 8 });
    const table = fc.array(fc.tuple(text, text, text), { minLength: 1, maxLength: 30 });
    const written = (isQuoted: boolean) => (cell: string) =>
      isQuoted ? `"${cell.replace(/["\\]/g, '\\$&')}"` : cell.replace(/[",\\\n]/g, '\\$&');
    await fc.assert(
      fc.asyncProperty(table, fc.boolean(), async (rows, isQuoted) => {
        // Rows that only an escape explains, for the detection.
        const given = [...Array<string[]>(3).fill(['a"b, c"d', 'x,y"z', 'q']), ...rows];
        const lines = given.map((row) => row.map(written(isQuoted)).join(','));
        const { rows: found } = await cells(`id,b,c\n${lines.join('\n')}\n`);
        expect(found).toEqual(given);
      }),
      { numRuns: draws(300) },
    );
  });
});

test('white space after a closing quote is named', async () => {
  const outcome = await read('a,b\n"x" ,y\nz,"w"\t\n"q",1\n', all);
  expect(outcome.text).toBe('a,b\nx,y\nz,w\nq,1\n');
  expect(outcome.context.warnings).toContainEqual({
    code: 'DIALECT_GUESSED',
    message: 'White space between a closing quote and the delimiter is left out.',
  });
  expect(codes(await read('a,b\r\n"x","y"\r\n', all))).toEqual([]);
});

describe('initial spaces', () => {
  test('are left out where a quote follows them', async () => {
    const outcome = await read('"a", "b", "c"\n"1", "x, y", "z"\n"2", 5, "z"\n', all);
    expect(outcome.text).toBe('a,b,c\n1,"x, y",z\n2,5,z\n');
    expect(outcome.context.facts).toMatchObject({ rows: 2, columns: 3, initialSpaces: true });
    expect(outcome.context.warnings).toEqual([
      { code: 'DIALECT_GUESSED', message: 'Detected dialect: spaces before fields are left out.' },
    ]);
  });

  test.each([
    ['in quoted text', 'a,b\n1,"x, ""y"""\n2,"z, ""w"""\n'],
    ['without quotes', 'a, b\n1, x\n2, y\n'],
    ['before a quote that ends inside the field', 'a,b\n1, "x" y\n2, "z" w\n'],
  ])('are kept %s', async (_, content) => {
    expect((await read(content)).context.facts['initialSpaces']).toBeUndefined();
  });
});

describe('the first record', () => {
  const note = 'The first record looks like data; set `header` to false to read it as a row.';

  test.each([
    ['numbers in the range of their columns', '1,Ann,30\n2,Bob,25\n3,Cy,41\n'],
    ['a number', 'Ann,30\nBob,25\nCy,41\n'],
    ['codes of the same form', 'INV-001,open\nINV-002,paid\nINV-003,late\n'],
    ['values that recur', 'Oslo,red\nRome,red\nOslo,blue\nBonn,red\n'],
    ['years above years', 'Alien,1979\nHeat,1995\nUp,2009\n'],
  ])('looks like data: %s', async (_, content) => {
    const outcome = await read(content);
    expect(outcome.context.warnings).toEqual([{ code: 'HEADER_GUESSED', message: note }]);
    const rows = content.split('\n').length - 1;
    expect(outcome.context.facts).toMatchObject({ rows: rows - 1, header: true });
    const asked = await read(content, { selection: { header: false } });
    expect(asked.context.facts).toMatchObject({ rows, header: false });
    expect(asked.view).toMatch(/^column_1,column_2/);
    expect(asked.text).toBe(content);
    expect(codes(asked)).toEqual([]);
  });

  test.each([
    ['words', 'id,name\n1,Ann\n2,Bob\n'],
    ['years', 'Country,2019,2020,2021\nNO,1990,2030,2010\nSE,2000,2015,2040\n'],
    ['one year', 'Country,2020\nNO,1500\nSE,2500\n'],
    ['numbered columns', 'name,1,2,3\nAnn,1,4,2\nBob,3,2,1\n'],
    ['the columns of a data frame without names', ',0\na,1\nb,0\n'],
    ['sizes far from the values', 'Product,100,250,500\nx,9.5,8.5,8\ny,7.5,7,6.5\n'],
    ['a word that is also a value', 'name,type\nid,int\nname,text\n'],
    ['a header that is repeated', 'a,b\nx,y\na,b\nx,z\n'],
  ])('names the columns: %s', async (_, content) => {
    expect(codes(await read(content))).toEqual([]);
  });

  test('names the columns if asked, also of numbers', async () => {
    const { text, context } = await read('1,2.5\n3,4.5\n', { selection: { header: true } });
    expect(context.facts).toMatchObject({ rows: 1, header: true });
    expect(text).toBe('1,2.5\n3,4.5\n');
  });

  test('as a row is selected by generated names', async () => {
    const selection = { header: false, columns: 'column_3,column_1' };
    expect((await read('1,Ann,30\n2,Bob,25\n', { selection })).text).toBe('30,1\n25,2\n');
  });
});

describe('shapes', () => {
  test('an empty file has no rows', async () => {
    for (const content of ['', '\n\n\r\n']) {
      const { parts, context } = await read(content);
      expect(parts).toEqual([]);
      expect(context.facts['rows']).toBe(0);
    }
  });

  test('a header alone', async () => {
    const { text, context } = await read('a,b,c\n');
    expect(text).toBe('a,b,c\n');
    expect(context.facts).toMatchObject({ rows: 0, columns: 3, header: true });
  });

  test('blank lines are no rows, empty fields are', async () => {
    const { text, context } = await read('\na,b\n\n1,2\r\n\r\n,\n\n');
    expect(text).toBe('a,b\n1,2\n,\n');
    expect(context.facts['rows']).toBe(2);
  });

  test('one column with an empty quoted field survives a round trip', async () => {
    const { text, context } = await read('a\nx\n""\ny\n');
    expect(text).toBe('a\nx\n""\ny\n');
    expect(context.facts['rows']).toBe(3);
    expect((await read(text)).text).toBe(text);
  });

  test('data without a header is all rows', async () => {
    const { text, view, context } = await read('1,2.5\n3,4.5\n5,6.5\n');
    expect(context.facts).toMatchObject({ rows: 3, header: false });
    expect(text).toBe('1,2.5\n3,4.5\n5,6.5\n');
    expect(view).toBe(`column_1,column_2\n${text}`);
  });

  test('years over text are names', async () => {
    expect((await read('2023,2024\nlow,high\n')).context.facts['header']).toBe(true);
    expect(
      (await read('Ann,a@b.example,2024-01-01\nBob,b@c.example,2024-01-02\n')).context.facts['header'],
    ).toBe(false);
  });

  test('short rows are filled, long ones kept, both counted', async () => {
    const outcome = await read('a,b,c\n1,2\n1,2,3,4\n1,2,3\n');
    expect(outcome.text).toBe('a,b,c,\n1,2,,\n1,2,3,4\n1,2,3,\n');
    expect(codes(outcome)).toEqual(['RAGGED_ROWS']);
    expect(outcome.context.warnings[0]?.message).toMatch(/2 records .* 1 with fewer and 1 with more/);
  });

  test('names stay what they are', async () => {
    const header = '__proto__,constructor,id,id,,"a ""b""",…';
    const { text } = await read(`${header}\n1,2,3,4,5,6,7\n`);
    expect(text).toBe(`${header}\n1,2,3,4,5,6,7\n`);
    const json = await read(`${header}\n1,2,3,4,5,6,7\n`, { selection: { format: 'json' } });
    expect(json.text).toBe(
      '[\n{"__proto__":"1","constructor":"2","id":"3","id_2":"4","column_5":"5","a \\"b\\"":"6","…":"7"}\n]\n',
    );
  });

  test('cells are text, whatever they look like', async () => {
    const long = '9'.repeat(400);
    const content = `id,code,formula,zero\n${long},007,=cmd|' /C calc'!A0,1e5\n2,2/3,+1,-0\n`;
    expect((await read(content)).text).toBe(content);
  });

  test('NUL characters stay', async () => {
    const content = `a,b\n1\u00002,3\n${numbered(200)}\n`;
    expect((await read(content, all)).text).toBe(content);
  });
});

describe('quotes that do not hold', () => {
  test('inch marks are text and no reason to lose a row', async () => {
    const outcome = await read(`size,name\n${numbered(40, (n) => `5" pipe ${n},x`)}\n`, all);
    expect(outcome.context.facts['rows']).toBe(40);
    expect(rowsOf(outcome.text)[1]).toEqual(['5" pipe 1', 'x']);
    expect(codes(outcome)).toEqual([]);
  });

  test('text after a closing quote is kept with its quotes', async () => {
    const outcome = await read('x,y\n"a"b,c\n"d" ,e\n', all);
    expect(rowsOf(outcome.text).slice(1)).toEqual([
      ['"a"b', 'c'],
      ['d', 'e'],
    ]);
  });

  test('one open quote does not swallow the rest', async () => {
    for (const place of [0, 7, 29]) {
      const lines = Array.from({ length: 30 }, (_, index) => `${index},${index === place ? '"' : ''}name,z`);
      const outcome = await read(`a,b,c\n${lines.join('\n')}\n`, all);
      expect(outcome.context.facts['rows']).toBe(30);
      expect(rowsOf(outcome.text)[place + 1]?.[1]).toBe('"name');
      expect(codes(outcome)).toEqual(['UNBALANCED_QUOTES']);
    }
  });

  test('a quote closed rows later is found by the rows inside it', async () => {
    const lines = Array.from(
      { length: 100 },
      (_, index) => `${index},${index === 10 ? '"x' : index === 80 ? 'y"' : 'n'},z`,
    );
    const { context, text } = await read(`a,b,c\n${lines.join('\n')}\n`, all);
    expect(context.facts['rows']).toBe(100);
    expect(rowsOf(text)[11]).toEqual(['10', '"x', 'z']);
  });

  test('long quoted texts are one cell', async () => {
    const poem = Array.from({ length: 200 }, (_, line) => `line ${line}`).join('\n');
    const outcome = await read(`a,b\n1,"${poem}"\n2,x\n`, all);
    expect(outcome.context.facts['rows']).toBe(2);
    expect(rowsOf(outcome.text)[1]?.[1]).toBe(poem);
    expect(codes(outcome)).toEqual([]);
  });

  test('a long quoted text with a comma in every line is one cell of two', async () => {
    const outcome = await read(`a,b\n1,"${'some text, with words\n'.repeat(500)}"\n2,x\n`);
    expect(outcome.context.facts['rows']).toBe(2);
    expect(codes(outcome)).toEqual([]);
  });
});

describe('agreement', () => {
  test('with papaparse on every well-formed file', async () => {
    const cell = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r', ' ', 'é', '1'), maxLength: 8 }),
      fc.integer().map(String),
    );
    const table = fc
      .integer({ min: 2, max: 6 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 40 }),
      );
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom('\n', '\r\n'), async (rows, newline) => {
        const records = [rows.map((_, column) => `h${column}`).slice(0, 0), ...rows];
        const header = (rows[0] ?? []).map((_, column) => `head ${column}`);
        const content = Papa.unparse([header, ...rows], { newline, quotes: true });
        const { text, context } = await read(content, all);
        expect(rowsOf(text)).toEqual(Papa.parse<string[]>(content, { newline, delimiter: ',' }).data);
        expect(context.facts['rows']).toBe(records.length - 1);
      }),
      { numRuns: draws(300) },
    );
  });

  test('with itself on any bytes: every row counted can be read', async () => {
    const soup = fc.string({
      unit: fc.constantFrom('a', '"', '"', ',', '\n', '\n', '\r', ' ', ';', "'"),
      maxLength: 200,
    });
    await fc.assert(
      fc.asyncProperty(soup, async (content) => {
        const { context, parts } = await read(content, all);
        const rows = Number(context.facts['rows']);
        const shown = parts.flatMap((part) => part.shown).filter(({ unit }) => unit === 'row');
        expect(shown.reduce((sum, { from, to }) => sum + to - from + 1, 0)).toBe(rows);
        if (rows === 0) return;
        const last = await read(content, { selection: { rows: { last: 1 } } });
        expect(last.parts.length).toBeGreaterThan(0);
        const lines = rowsOf((await read(content, all)).text).length;
        expect(lines).toBe(rows + (context.facts['header'] === true ? 1 : 0));
      }),
      { numRuns: draws(1000) },
    );
  });
});

describe('the seed', () => {
  test('100 columns, 5000 rows, cells of 2000 characters', async () => {
    const header = Array.from({ length: 100 }, (_, column) => `c${column}`).join(',');
    const row = `${Array(99).fill('v').join(',')},${'x'.repeat(2000)}`;
    const content = `${header}\n${numbered(5000, (n) => (n <= 15 ? `${'y'.repeat(2000)},${row.slice(2)}` : row))}\n`;
    const { parts, context, text } = await read(content, {
      tokens: 50_000,
      limits: { maxTotalOutput: 400_000 },
    });
    expect(context.wholes).toContainEqual({ unit: 'row', of: 5000 });
    expect(context.wholes).toContainEqual({ unit: 'column', of: 100 });
    expect(parts.map((part) => part.shown[0])).toEqual([
      { unit: 'row', from: 1, to: 20, of: 5000 },
      { unit: 'row', from: 4991, to: 5000, of: 5000 },
    ]);
    expect(parts[0]).toMatchObject({ cellsCut: 15 });
    expect(rowsOf(text).every((cells) => cells.length === 50)).toBe(true);
    expect(parts.at(-1)?.next?.request).toEqual({ rows: '21-4990' });
  });
});

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

  test('a million rows after an open quote', async () => {
    const content = `a,b\n1,"x\n${'2,y\n'.repeat(1_000_000)}`;
    const outcome = await read(content);
    expect(outcome.context.facts['rows']).toBe(1_000_001);
    expect(codes(outcome)).toContain('UNBALANCED_QUOTES');
    expect(outcome.text.endsWith('2,y\n')).toBe(true);
  });

  test('two hundred thousand stray quotes, with and without line breaks', async () => {
    for (const unit of ['"a"b', '"a"b\n', ',"\n', '"\n"', '""\n"x', '"a,b\n']) {
      const { context } = await read(`x,y\n${unit.repeat(200_000)}`);
      expect(Number(context.facts['rows'])).toBeGreaterThan(0);
    }
  });
});

describe('sizes', () => {
  test('two million columns', async () => {
    const { context, parts, text } = await read(`${'a,'.repeat(2_000_000)}\n${'1,'.repeat(2_000_000)}\n`);
    expect(context.facts['columns']).toBe(2_000_001);
    expect(parts[0]?.shown).toContainEqual({ unit: 'column', from: 1, to: 50, of: 2_000_001 });
    expect(text.length).toBeLessThan(500);
  });

  test('one field of 30 MB', async () => {
    const { text, parts } = await read(`a,b\n1,"${'x\n'.repeat(15_000_000)}"\n2,y\n`);
    expect(rowsOf(text).map((row) => row[1]?.length)).toEqual([1, 500, 1]);
    expect(parts[0]).toMatchObject({ cellsCut: 1 });
  });

  test('twenty thousand equal names', async () => {
    const { context, text } = await read(`${Array(20_000).fill('n').join(',')}\n1\n`, {
      selection: { format: 'json' },
    });
    expect(context.facts['columns']).toBe(20_000);
    expect(text).toContain('"n_50":');
  });

  test('a large file is counted and located exactly, quoted line breaks, blank lines and all', async () => {
    const line = (n: number): string => `${n},"a ${n % 7 === 0 ? '\n\n' : ''}""b""",${'z'.repeat(60)}\n`;
    const lines = Array.from(
      { length: 130_000 },
      (_, index) => line(index + 1) + (index % 100 === 0 ? '\r\n' : ''),
    );
    const content = `sep=,\n\nn,text,z\n${lines.join('')}`;
    expect(content.length).toBeGreaterThan(9 * 1024 * 1024);
    const outcome = await read(content);
    expect(outcome.context.facts).toMatchObject({ rows: 130_000, columns: 3 });
    expect(rowsOf(outcome.text).at(-1)?.[0]).toBe('130000');
    for (const from of [1, 101, 77_777, 130_000]) {
      const { text } = await read(content, { selection: { rows: { from, to: from } } });
      expect(rowsOf(text)[1]?.[0]).toBe(String(from));
    }
    expect(codes(outcome)).toEqual([]);
  });

  test('a large file with one open quote in its middle', async () => {
    const lines = Array.from(
      { length: 130_000 },
      (_, n) => `${n + 1},"q",${n === 66_666 ? '"' : ''}${'z'.repeat(70)}\n`,
    );
    const outcome = await read(`a,b,c\n${lines.join('')}`);
    expect(outcome.context.facts['rows']).toBe(130_000);
    expect(codes(outcome)).toEqual(['UNBALANCED_QUOTES']);
    const { text } = await read(`a,b,c\n${lines.join('')}`, {
      selection: { rows: { from: 100_000, to: 100_000 } },
    });
    expect(rowsOf(text)[1]?.[0]).toBe('100000');
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

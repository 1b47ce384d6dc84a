// The grammar of addresses: what each form means, and that every printed place is parsed to the same place.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePlace, requestOf } from '../../src/address/index.ts';
import { type Place, parseAddress, printAddress, ReaderError } from '../../src/index.ts';

const BOOK = { name: 'xlsx', selects: ['rows', 'columns', 'header', 'sheet'] };
const CODE = { name: 'code', selects: ['lines', 'symbol'] };
const WORD = { name: 'docx', selects: ['lines', 'changes', 'section', 'table', 'rows', 'comment'] };
const ALL = {
  name: 'any',
  selects: ['lines', 'rows', 'columns', 'pages', 'pointer', 'region'],
};

it.each<[string, typeof BOOK, Place]>([
  ['page=12', ALL, { pages: '12' }],
  ['page=3-5', ALL, { pages: '3-5' }],
  ['page=1-3,7-*', ALL, { pages: '1-3,7-' }],
  ['slide=111', ALL, { pages: '111' }],
  ['Orders', BOOK, { sheet: 'Orders' }],
  ['Orders!B4:C9', BOOK, { sheet: 'Orders', cells: 'B4:C9' }],
  ['Orders!$b$4', BOOK, { sheet: 'Orders', cells: 'B4' }],
  ["'My sheet'!B4", BOOK, { sheet: 'My sheet', cells: 'B4' }],
  ['My%20sheet!B:C', BOOK, { sheet: 'My sheet', cells: 'B:C' }],
  ["'Ann''s!B4'", BOOK, { sheet: "Ann's!B4" }],
  ['A!B', BOOK, { sheet: 'A!B' }],
  ['L10', BOOK, { sheet: 'L10' }],
  ['row=5-7', ALL, { rows: '5-7' }],
  ['row=5', ALL, { rows: '5' }],
  ['row=5-*', ALL, { rows: '5-' }],
  ['col=2-3', ALL, { columns: '2-3' }],
  ['/paths/~1repos', ALL, { pointer: '/paths/~1repos' }],
  ['/items/*/price%25', ALL, { pointer: '/items/*/price%' }],
  ['', ALL, { pointer: '' }],
  ['L10', CODE, { lines: '10' }],
  ['L10-L20', CODE, { lines: '10-20' }],
  ['L10-20', CODE, { lines: '10-20' }],
  ['L10C2-L20C7', CODE, { lines: '10-20' }],
  ['YoutubeDL._match_entry', CODE, { symbol: 'YoutubeDL._match_entry' }],
  ["'L10'", CODE, { symbol: 'L10' }],
  ['xywh=0,0,100,80', ALL, { region: '0,0,100,80' }],
  ['xywh=pixel:0,0,100,80', ALL, { region: '0,0,100,80' }],
  ['Scope', WORD, { section: 'Scope' }],
  ['section=7.2', WORD, { section: '7.2' }],
  ['table=3', WORD, { table: '3' }],
  ['comment=4', WORD, { comment: '4' }],
])('parses #%s', (fragment, format, place) => {
  expect(parsePlace(fragment, format)).toEqual(place);
});

it('reads cells as rows and columns of the sheet', () => {
  const request = (cells: string) => requestOf({ sheet: 'A', cells });
  expect(request('B4:C9')).toEqual({ sheet: 'A', rows: '4-9', columns: 'B-C' });
  // A range, because a column may be named `B`.
  expect(request('B4')).toEqual({ sheet: 'A', rows: '4-4', columns: 'B-B' });
  expect(request('B:C')).toEqual({ sheet: 'A', columns: 'B-C' });
  expect(request('4:9')).toEqual({ sheet: 'A', rows: '4-9' });
});

const refusal = (fragment: string, format: typeof BOOK): string => {
  try {
    return JSON.stringify(parsePlace(fragment, format));
  } catch (error) {
    if (!(error instanceof ReaderError)) throw error;
    return `${error.code}: ${error.message} ${error.hint}`;
  }
};

it.each([
  'page=x',
  'page=',
  'row=7,9',
  'row=5-*7',
  'xywh=percent:0,0,50,50',
  'xywh=1,2,3',
  'zoom=100',
  'section=',
  'word',
  "'quoted'",
])('refuses #%s with the forms of the format', (fragment) => {
  expect(refusal(fragment, { ...ALL, selects: ['rows', 'pages', 'region'] })).toBe(
    `BAD_INPUT: \`#${fragment}\` is not a place in any files. Use a form such as \`#page=12\`, \`#row=5-7\`, \`#xywh=0,0,100,80\`, or omit it.`,
  );
});

it('names what is wrong with other fragments', () => {
  expect(refusal("'a'!", BOOK)).toContain("Use a form such as `#'My sheet'!B4:C9`, `#row=5-7`, `#col=2-3`");
  expect(refusal("'a'b", BOOK)).toContain('is not a place');
  expect(refusal('row=2', WORD)).toContain(
    'Use a form such as `#section=7.2`, `#table=3`, `#comment=4`, `#L10-L20`,',
  );
  expect(refusal('a%', BOOK)).toContain('Write `%25` for each `%`');
  expect(refusal('x', { name: 'zip', selects: [] })).toBe(
    'BAD_INPUT: `#x` is not a place in zip files. Omit it.',
  );
  expect(refusal('t=10,20', { name: 'audio', selects: [] })).toBe(
    'BAD_INPUT: `#t=10,20` is a part of a recording, which cannot be read. Read the whole recording, or cut it with another program first.',
  );
});

describe('printing', () => {
  it('prints the forms that people write', () => {
    expect(printAddress('book.xlsx', { sheet: 'My sheet', cells: 'B4' })).toBe("book.xlsx#'My sheet'!B4");
    expect(printAddress('a.py', { lines: '10-20' })).toBe('a.py#L10-L20');
    expect(printAddress('a.py', { symbol: 'Reader.read' })).toBe('a.py#Reader.read');
    expect(printAddress('a.pptx', { pages: '3' }, 'slide')).toBe('a.pptx#slide=3');
    expect(printAddress('a.csv', { rows: '5-' })).toBe('a.csv#row=5-*');
    expect(printAddress('a.json', { pointer: '/a%/#' })).toBe('a.json#/a%25/%23');
  });

  const name = fc.oneof(
    fc.string({ minLength: 1, unit: 'binary' }),
    fc.string({
      minLength: 1,
      unit: fc.constantFrom("'", '!', '#', '%', '/', '~', '=', 'B4', ':', ' ', 'L1'),
    }),
    fc.constantFrom('L10', 'page=2', 't=1', 'row=5', 'A1', "'", '%41', 'x!B4', '/a', 'section=1'),
  );
  const number = fc.integer({ min: 1, max: 10_000 });
  const range = fc.oneof(
    number.map(String),
    number.map((last) => `-${last}`),
    number.map((from) => `${from}-`),
    fc.tuple(number, number).map(([from, more]) => `${from}-${from + more}`),
  );
  const cells = fc.constantFrom('B4', 'B4:C9', 'B:C', '4:9', 'XFD1048576');
  const place: fc.Arbitrary<readonly [Place, string]> = fc.oneof(
    ...(['lines', 'rows'] as const).map((field) =>
      range.map((value) => [{ [field]: value } as unknown as Place, field] as const),
    ),
    fc
      .array(range, { minLength: 1, maxLength: 3 })
      .map((all) => [{ pages: all.join(',') }, 'pages'] as const),
    ...(['columns', 'symbol', 'section', 'table', 'comment'] as const).map((field) =>
      name.map((value) => [{ [field]: value } as unknown as Place, field] as const),
    ),
    name.map((sheet) => [{ sheet }, 'sheet'] as const),
    fc.tuple(name, cells).map(([sheet, range]) => [{ sheet, cells: range }, 'sheet'] as const),
    fc
      .array(fc.oneof(fc.string({ unit: 'binary' }), name, fc.constant('*')))
      .map((keys) => [{ pointer: keys.map((key) => `/${key}`).join('') }, 'pointer'] as const),
    fc.tuple(number, number).map(([x, y]) => [{ region: `${x},${y},1,2` }, 'region'] as const),
  );

  it('is parsed back to the same place, for any names', () => {
    const path = fc.oneof(name, fc.constant('a.zip!/b#1.csv'));
    fc.assert(
      fc.property(path, place, (file, [where, field]) => {
        const format = { name: 'any', selects: [field, 'rows', 'columns'] };
        const address = printAddress(file, where);
        expect(parseAddress(address, format)).toEqual({ path: file, place: where });
        // Nothing in it ends a line, hides or begins another place.
        expect(address.slice(file.length + 1)).not.toMatch(/[#\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 2000 },
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type LineMatch,
  type LinePlace,
  LineSearch,
  startOf,
} from '../../../src/workspace/find/line-search.ts';
import { compilePattern, type Pattern } from '../../../src/workspace/find/pattern.ts';
import { requiredText } from '../../../src/workspace/find/required-text.ts';
import type { SearchedText } from '../../../src/workspace/find/searched-text.ts';
import { draws } from '../../support/draws.ts';

type Encoding = SearchedText['encoding'];

function textOf(content: string, encoding: Encoding = 'utf-8', newline: 10 | 13 = 10): SearchedText {
  const body = Buffer.from(content, encoding === 'utf-8' ? 'utf8' : 'utf16le');
  if (encoding === 'utf-16be') body.swap16();
  const mark = { 'utf-8': [], 'utf-16le': [0xff, 0xfe], 'utf-16be': [0xfe, 0xff] }[encoding];
  const bytes = Buffer.concat([Buffer.from(mark), body]);
  return {
    encoding,
    start: mark.length,
    size: bytes.length,
    newline,
    legacy: false,
    inMemory: false,
    // What was read before is gone, as in a buffer that is used again.
    read: async (position, length, into) => {
      const target = into().subarray(0, length);
      return target.subarray(0, bytes.copy(target, 0, position));
    },
  };
}

/** Every match, begun anew after each block, and after each match, from the place that a cursor would keep. */
async function allOf(text: SearchedText, pattern: Pattern, context: number = 0): Promise<LineMatch[]> {
  const found: LineMatch[] = [];
  let place: LinePlace = startOf(text);
  for (;;) {
    const search = new LineSearch(text, pattern, JSON.parse(JSON.stringify(place)), context);
    const { matches } = await search.step();
    const [match, second] = matches;
    if (match) found.push(match);
    if (match && second) place = match.resume;
    else {
      if (search.ended) return found;
      place = search.place;
    }
  }
}

const first = (pattern: Pattern, line: string): number => {
  for (const { start } of pattern.matches(line)) return start;
  return -1;
};

const small = (pattern: Pattern, blockBytes: number): Pattern => ({
  ...pattern,
  blockBytes,
  overlapBytes: Math.min(pattern.overlapBytes, blockBytes / 2),
});

const literal = (query: string, caseSensitive: boolean = true): Promise<Pattern> =>
  compilePattern(query, { regex: false, caseSensitive });
const regex = (query: string, caseSensitive: boolean = true): Promise<Pattern> =>
  compilePattern(query, { regex: true, caseSensitive });

/** Line by line with V8's own expressions. */
function naive(content: string, expression: RegExp, newline: RegExp = /\r?\n/): [number, number][] {
  const found: [number, number][] = [];
  for (const [i, line] of content.split(newline).entries()) {
    const at = line.search(expression);
    if (at >= 0) found.push([i + 1, at + 1]);
  }
  return found;
}

const places = (matches: readonly LineMatch[]): [number, number][] =>
  matches.map(({ line, column }) => [line, column]);

const characters = fc.constantFrom('a', 'b', 'A', ' ', 'é', '😀', 'k', '\u212a', '\n', '\n', '\r\n');
const content = fc.array(characters, { maxLength: 120 }).map((all) => all.join(''));
const encodings = fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'utf-16be');
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

describe('LineSearch', () => {
  it('finds the lines and columns of literal text, however it is cut into blocks', async () => {
    const query = fc.array(fc.constantFrom('a', 'b', 'é', '😀', ' ', 'k'), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        content,
        encodings,
        query.map((all) => all.join('')),
        fc.integer({ min: 6, max: 40 }).map((half) => 2 * half),
        fc.boolean(),
        async (text, encoding, wanted, block, caseSensitive) => {
          const pattern = small(await literal(wanted, caseSensitive), block);
          const expression = new RegExp(escaped(wanted), caseSensitive ? 'u' : 'iu');
          const found = await allOf(textOf(text, encoding), { ...pattern, overlapBytes: block / 2 });
          // A match longer than the overlap is not asked of blocks this small.
          if (4 * wanted.length > block / 2) return;
          expect(places(found)).toEqual(naive(text, expression));
        },
      ),
      { numRuns: draws(500) },
    );
  });

  it('finds what a regular expression matches, line by line', async () => {
    const expressions = [
      'a+b',
      '^a',
      'b$',
      '^$',
      '[^a]b',
      '\\bab?\\b',
      '(a|é)+ ',
      '\\s',
      'x*',
      '^.{3}$',
      'b.*a',
    ];
    await fc.assert(
      fc.asyncProperty(
        content,
        encodings,
        fc.constantFrom(...expressions),
        async (text, encoding, wanted) => {
          const found = await allOf(textOf(text, encoding), await regex(wanted));
          const lines = text.endsWith('\n') ? text.slice(0, -1).replace(/\r$/, '') : text;
          expect(places(found)).toEqual(text === '' ? [] : naive(lines, new RegExp(wanted, 'u')));
        },
      ),
      { numRuns: draws(500) },
    );
  });

  it('searches whole blocks and single lines alike', async () => {
    const text = textOf('abc\nx\n\nabc\r\ndef');
    expect(places(await allOf(text, await regex('\\Aabc\\z')))).toEqual([
      [1, 1],
      [4, 1],
    ]);
    expect(places(await allOf(text, await regex('(?-m)^abc$')))).toEqual([
      [1, 1],
      [4, 1],
    ]);
    expect(places(await allOf(text, await regex('c\\s*x')))).toEqual([]);
    expect(places(await allOf(text, await regex('(?s)c.d')))).toEqual([]);
  });

  it('ends lines at CR where there is no LF', async () => {
    expect(places(await allOf(textOf('a\rba\r\rca', 'utf-8', 13), await literal('a')))).toEqual([
      [1, 1],
      [2, 2],
      [4, 2],
    ]);
  });

  it('goes on inside a line that has no end', async () => {
    const line = `${'é'.repeat(5000)}needle${'x'.repeat(5000)}needle`;
    const text = textOf(`first\n${line}\nneedle`);
    const found = await allOf(text, small(await literal('needle'), 64));
    expect(places(found)).toEqual([
      [2, 5001],
      [2, 10007],
      [3, 1],
    ]);
    expect(found[0]?.cut).toBe(true);
    expect(found[0]?.text).toContain('needle');
  });

  it('takes no cut for the start or end of a line', async () => {
    const text = textOf(`${'ab'.repeat(1000)}c`);
    for (const [wanted, expected] of [
      ['^b', []],
      ['a$', []],
      ['b$', []],
      ['\\bb', []],
      ['b\\b', []],
      ['^a', [[1, 1]]],
      ['c$', [[1, 2001]]],
      ['bc', [[1, 2000]]],
    ] as const)
      for (const block of [16, 34, 64])
        expect([wanted, places(await allOf(text, small(await regex(wanted), block)))]).toEqual([
          wanted,
          expected,
        ]);
  });

  it('says when pieces of a line may hide a match', async () => {
    const text = textOf('a'.repeat(100));
    const search = new LineSearch(text, small(await regex('b'), 16), startOf(text), 0);
    while (!search.ended) await search.step();
    expect(search.hasLongLines).toBe(true);
    const exact = new LineSearch(text, small(await literal('b'), 16), startOf(text), 0);
    while (!exact.ended) await exact.step();
    expect(exact.hasLongLines).toBe(false);
  });

  it('cuts a long line around its match, at whole characters', async () => {
    const line = `${'👨‍👩‍👧'.repeat(200)}needle${'👨‍👩‍👧'.repeat(200)}`;
    const [match] = await allOf(textOf(line), await literal('needle'));
    expect(match?.cut).toBe(true);
    expect(match?.column).toBe(1601);
    expect(match?.text.length).toBeLessThanOrEqual(500);
    expect(match?.text).toMatch(/^(?:👨‍👩‍👧)+needle(?:👨‍👩‍👧)+$/u);
    const [short] = await allOf(textOf('a needle'), await literal('needle'));
    expect(short).toMatchObject({ line: 1, column: 3, text: 'a needle', cut: false });
  });

  it('gives the lines around a match, wherever blocks end', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i + 1} é`);
    for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const)
      for (const block of [64, 100, 4096]) {
        const text = textOf(lines.join('\r\n'), encoding);
        const found = await allOf(text, small(await literal('0 é'), block), 2);
        expect(found.map(({ line, before, after }) => [line, before, after])).toEqual(
          [10, 20, 30, 40].map((line) => [
            line,
            lines.slice(line - 3, line - 1),
            lines.slice(line, line + 2),
          ]),
        );
      }
  });

  it('cuts long lines of context', async () => {
    const [match] = await allOf(
      textOf(`${'x'.repeat(1000)}\nneedle\n${'y'.repeat(100_000)}\nz`),
      await literal('needle'),
      1,
    );
    expect(match?.before).toEqual([`${'x'.repeat(200)}…`]);
    expect(match?.after).toEqual([`${'y'.repeat(200)}…`]);
  });

  it('lets bytes that are no UTF-8 be', async () => {
    const bytes = Buffer.from([0x61, 0xff, 0x62, 10, 0xe2, 0x82, 10, 0x62]);
    const text: SearchedText = {
      ...textOf(''),
      size: bytes.length,
      read: async (position, length) => bytes.subarray(position, position + length),
    };
    expect(places(await allOf(text, await literal('b')))).toEqual([
      [1, 3],
      [3, 1],
    ]);
  });
});

describe('compilePattern', () => {
  it.each([
    ['', false],
    ['x'.repeat(1001), false],
    ['a\nb', false],
    ['(', true],
    ['a**', true],
    ['(?=x)', true],
    ['(?<=x)y', true],
    ['\\1', true],
    ['[z-a]', true],
    ['x{2000}', true],
    ['(?:(?:x{30}){30}|\\pL{900}){1}(?:\\pN{900}\\pL{900}){1}(?:\\pN{900}\\pL{900}){1}\\pN{999}', true],
  ])('refuses %.20j', async (query, isRegex) => {
    const error = await compilePattern(query, { regex: isRegex, caseSensitive: true }).catch(
      (thrown) => thrown,
    );
    expect(error).toMatchObject({ code: 'BAD_INPUT' });
    expect(error.message).not.toContain('(?m)');
  });

  it('refuses a pattern of a megabyte', async () => {
    await expect(regex('x'.repeat(1_000_000))).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: 'The query has 1000000 characters; expected at most 1000.',
    });
  });

  it('says in words what is wrong with an expression', async () => {
    await expect(regex('(a')).rejects.toMatchObject({
      message: '`(a` is not a valid RE2 regular expression: a `(` is not closed.',
      hint: 'Correct it, or omit `regex` to search for it literally.',
    });
  });

  it('needs linear time', async () => {
    const line = `${'a'.repeat(60_000)}!`;
    for (const query of ['(a+)+$', '(a|aa)+$', '(.*)*x', '(x+x+)+y', '^(([a-z])+.)+[A-Z]([a-z])+$']) {
      const pattern = await regex(query);
      expect(first(pattern, line)).toBe(-1);
    }
  });

  it('folds letters by case, those that fold with others too', async () => {
    for (const [query, line, at] of [
      ['KELVIN', 'x \u212aelvin', 2],
      ['mass', 'MA\u017fS', 0],
      ['straße', 'STRAẞE', 0],
      ['ÉTÉ', 'été', 0],
      ['$&', 'a$&', 1],
      ['a.b', 'AxB', -1],
      ['A.B', 'a.b', 0],
      ['a-b/c', 'A-B/C', 0],
    ] as const) {
      const pattern = await literal(query, false);
      const bytes = Buffer.from(line);
      expect([query, first(pattern, line)]).toEqual([query, at]);
      if (at >= 0) expect([query, pattern.mayBeInBytes(bytes)]).toEqual([query, true]);
    }
  });

  it.each([
    ['needle-\\d+@example\\.com', false, '@example.com'],
    ['foo.*barbaz', false, 'barbaz'],
    ['abc?def', false, 'def'],
    ['abc+def', false, 'abc'],
    ['abcd{2}ef', false, 'abc'],
    ['abc|def', false, ''],
    ['(abc|def)ghij', false, 'ghij'],
    ['[abc]{3}xyz', false, 'xyz'],
    ['\\x41bcdef', false, ''],
    ['\\Qa.b\\E', false, ''],
    ['(?i)abc', false, ''],
    ['(?:a(?i)b)cdef', false, ''],
    ['ab', false, ''],
    ['kiosk-error', true, 'kiosk-error'],
    ['größer als', true, 'er als'],
    ['größer als', false, 'größer als'],
    ['[]x]abc', false, 'abc'],
    ['[[:alpha:]]abc', false, 'abc'],
    ['a{,3}bcd', false, ''],
  ])('finds the text that %j needs', (expression, folded, expected) => {
    expect(requiredText(expression, folded).literal).toBe(expected);
  });

  it.each([
    ['[0-9]{2}:[0-9]{2}:[1-9][0-9]Z', false, '[0-9][0-9]:[0-9][0-9]:[1-9][0-9]Z'],
    ['\\d+-\\d+', false, '\\d-\\d'],
    ['[A-F]*x\\d{2,}y', false, 'x\\d\\d'],
    ['\\w+@\\w+', true, '@'],
    ['k\\d\\d', true, '\\d\\d'],
    ['[^a]b', false, 'b'],
    ['[é-ü]9', false, '9'],
    ['[[:digit:]]:', false, ':'],
    ['[]a]b', false, 'b'],
    ['\\d{1000}', false, '\\d'.repeat(32)],
    ['.*', false, ''],
    ['a|b', false, 'a|b'],
    ['error: .*|\\d{3} fatal', false, 'error: | fatal'],
    ['(a|b)c|x', false, 'c|x'],
    ['[|]|\\|', false, '[|]|\\|'],
    ['time|kiosk', true, ''],
    ['größer|kleiner', false, ''],
    ['error|.*', false, ''],
    ['error|', false, ''],
  ])('finds the kinds of characters that %j needs', (expression, folded, expected) => {
    expect(requiredText(expression, folded)).toEqual({ literal: '', run: expected });
  });

  it('needs no text that a match may lack', async () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      'c',
      'ab',
      'abc',
      'a*',
      'b+',
      'c?',
      '(ab)',
      '(a|b)',
      '[ab]',
      '.',
      '\\.',
      'a{2}',
      '(?:abc)?',
      '\\w',
      '[a-b.]{2}',
      '[bc]+',
      '[^a]',
      '\\s',
      '^',
      '$',
      '\\b',
      '|',
    );
    const line = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '.', 'A', 'B'), maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 6 }).map((all) => all.join('')),
        line,
        fc.boolean(),
        async (expression, tried, caseSensitive) => {
          const pattern = await regex(expression, caseSensitive).catch(() => undefined);
          if (!pattern) return;
          const at = first(pattern, tried);
          expect(at).toBe(tried.search(new RegExp(expression, caseSensitive ? 'u' : 'iu')));
          if (at >= 0) {
            expect(pattern.mayBeInBytes(Buffer.from(tried))).toBe(true);
            const next = pattern.nextIn(`x\n${tried}\ny`, 0);
            expect(next).toBeGreaterThanOrEqual(0);
            expect(next).toBeLessThanOrEqual(2 + tried.length);
          }
        },
      ),
      { numRuns: draws(2000) },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { general } from '../../../../processors/tabular/xlsx/number-format/decimal.ts';
import { compileFormat } from '../../../../processors/tabular/xlsx/number-format/format.ts';
import { clockOf, serialOf } from '../../../../processors/tabular/xlsx/number-format/serial-date.ts';

const show = (code: string, value: number, date1904 = false): string | undefined =>
  compileFormat(code, date1904).number(value);

describe('General', () => {
  it.each([
    [0, '0'],
    [-1.5, '-1.5'],
    [0.1 + 0.2, '0.3'],
    [12345678901, '12345678901'],
    [123456789012, '1.23457E+11'],
    [99999999999.9, '1E+11'],
    [0.12345678901234, '0.123456789'],
    [0.000123456789, '0.000123457'],
    [0.00001234, '0.00001234'],
    [0.0000123456, '1.23456E-05'],
    [1e-10, '1E-10'],
    [1e100, '1E+100'],
    [1234567.891234, '1234567.891'],
  ])('shows %d as %s', (value, shown) => {
    expect(general(value)).toBe(shown);
  });
});

describe('numbers', () => {
  it.each([
    ['0', 12345.6789, '12346'],
    ['0.00', 1.005, '1.01'],
    ['#,##0.00', 2.675, '2.68'],
    ['#,##0', 1234567, '1,234,567'],
    ['#,##0', 12, '12'],
    ['00000', 12, '00012'],
    ['0.###', 1.5, '1.5'],
    ['#.##', 0, '.'],
    ['???.??', 1.5, '  1.5 '],
    ['0%', 0.123, '12%'],
    ['0.00%', 12345.6789, '1234567.89%'],
    ['#,##0,', 12345678, '12,346'],
    ['0.0,,"M"', 12345678, '12.3M'],
    ['"$"#,##0.00', -5, '-$5.00'],
    ['000\\-00\\-0000', 123456789, '123-45-6789'],
    ['[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', 5551234, '555-1234'],
    ['[<=9999999]###\\-####;\\(###\\)\\ ###\\-####', 2125551234, '(212) 555-1234'],
    ['#,##0.00\\ [$€-407]', 1234.5, '1,234.50 €'],
    ['General" u"', 1.5, '1.5 u'],
    ['"x"General\\ ;"minus "General;"none"General', 5, 'x5 '],
    ['"x"General\\ ;"minus "General;"none"General', -5, 'minus 5'],
    ['"x"General\\ ;"minus "General;"none"General', 0, 'none0'],
    ['[>5]General\\ ;[<2]"low "General;"mid "General', 7, '7 '],
    ['[>5]General\\ ;[<2]"low "General;"mid "General', 1, 'low 1'],
    ['[>5]General\\ ;[<2]"low "General;"mid "General', 3, 'mid 3'],
    ['0;-0;0;General\\ ', 0, '0'],
    ['@', 12345.6789, '12345.6789'],
    ['"only text"', 5, 'only text (5)'],
    ['0*-', 7, '7'],
  ])('%s shows %d as %j', (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it('chooses sections by sign', () => {
    const code = '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)';
    expect(show(code, 1234.5)).toBe(' 1,234.50 ');
    expect(show(code, -1234.5)).toBe(' (1,234.50)');
    expect(show(code, 0)).toBe(' -   ');
    expect(compileFormat(code, false).text('word')).toBe(' word ');
    expect(show('0;;', -1)).toBeUndefined();
    expect(show('[Red]0;[Blue]-0;"zero"', 0)).toBe('zero');
  });

  it('chooses sections by condition', () => {
    const code = '[>100]"big";[<-5]"small";0';
    expect(show(code, 101)).toBe('big (101)');
    expect(show(code, -6)).toBe('small (-6)');
    expect(show(code, 7)).toBe('7');
  });

  it.each([
    ['0.00E+00', 12345.6789, '1.23E+04'],
    ['##0.0E+0', 123.45, '123.5E+0'],
    ['##0.0E+0', 12345.6789, '12.3E+3'],
    ['##0.0E+0', 0.999999, '1.0E+0'],
    ['0.0E-0', 0.00123, '1.2E-3'],
    ['0.00E+00', 0, '0.00E+00'],
  ])('scientific %s shows %d as %s', (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it.each([
    ['# ?/?', 12345.6789, '12345 2/3'],
    ['# ??/??', 12345.6789, '12345 55/81'],
    ['# ?/?', 0.5, ' 1/2'],
    ['# ?/8', 1.5, '1 4/8'],
    ['# ??/100', 2.675, '2 68/100'],
    ['# ?/?', 3, '3    '],
    ['?/?', 1.5, '3/2'],
  ])('fraction %s shows %d as %j', (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it.each([
    ['0.00', -0.004, '0.00'],
    ['#,##0', -0.4, '0'],
    ['[Red]0%', -0.001, '0%'],
    ['0.0,', -1, '0.0'],
    ['0.00', -0.005, '-0.01'],
    ['0.0;-0.0', -0.01, '-0.0'],
    ['0.0;@', -0.01, '-0.0'],
    ['-0.0', -0.01, '-0.0'],
    ['# ?/?', -0.01, '-0    '],
  ])('%s shows %d as %j: no minus sign before zeros that rounding left', (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it('shows numbers far beyond 15 digits without an exponent that no format asked for', () => {
    expect(show('0', 1e21)).toBe(`1${'0'.repeat(21)}`);
  });
});

describe('texts', () => {
  it.each([
    ['0;-0;0;General\\ ', 'word '],
    ['0;-0;0;General', 'word'],
    ['0;-0;0;GENERAL', 'word'],
    ['0;0;0;[Red]"<"General">"', '<word>'],
    ['General;-General;General;General\\ ', 'word '],
    ['[>5]General\\ ;[<2]"low";"mid";_(General_)', ' word '],
    ['0;0;0;[$-409]@', 'word'],
    ['0;0;0;[$€-2]@', '€word'],
    ['0;0;0;*-@\\!', 'word!'],
    ['0;0;0;@,@.@/@%', 'word,word.word/word%'],
    ['"a"@', 'aword'],
    ['0;General @', 'word word'],
  ])('%s shows a text as %j', (code, shown) => {
    expect(compileFormat(code, false).text('word')).toBe(shown);
  });

  it.each(['General\\ ', '0;General', '0;-0;General\\ ', '"plus";"minus";"zero"', '[>5]"big";"small"'])(
    '%s, without a section for texts, leaves a text as it is',
    (code) => {
      expect(compileFormat(code, false).text('word')).toBe('word');
    },
  );

  it.each([
    ['0;0;0;', undefined],
    ['General;-General;;', undefined],
    ['"plus";"minus";"zero";"text"', 'text (word)'],
  ])('%s hides a text: its fourth section has no place for one', (code, shown) => {
    expect(compileFormat(code, false).text('word')).toBe(shown);
  });

  it.each(['0;0;0;0', '0;0;0;#,##0.00', '0;0;0;d/m/y', '0;0;0;0@', '0;0;0;[h]@', '0;0;0;E+@', '0;0;0;@;"x"'])(
    '%s leaves a text as it is: a text cannot fill its fourth section, or it has a fifth',
    (code) => {
      expect(compileFormat(code, false).text('word')).toBe('word');
    },
  );

  it.each(['[;0;0;General\\ ', '0.0.0;?/?/?;E+E+;General\\ ', '[>]0;[<;>]0;0;General\\ '])(
    '%s shows a text in its fourth section though another makes no sense',
    (code) => {
      expect(compileFormat(code, false).text('word')).toBe('word ');
    },
  );
});

describe('dates', () => {
  it.each([
    ['m/d/yy', 12345.6789, '10/18/33'],
    ['d-mmm-yy', 12345.6789, '18-Oct-33'],
    ['h:mm:ss', 12345.6789, '16:17:37'],
    ['mmss.0', 12345.6789, '1737.0'],
    ['[h]:mm:ss', 12345.6789, '296296:17:37'],
    ['[mm]:ss', 1.5, '2160:00'],
    ['h:mm AM/PM', 0.75, '6:00 PM'],
    ['yyyy-mm-dd hh:mm', 45293.645833333336, '2024-01-02 15:30'],
    ['dddd, mmmm dd, yyyy', 1, 'Sunday, January 01, 1900'],
    ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', 1, 'Sunday, January 1, 1900'],
    ['yyyy-mm-dd', 60, '1900-02-29'],
    ['yyyy-mm-dd', 61, '1900-03-01'],
    ['yyyy-mm-dd', 43831.999999, '2020-01-01'],
    ['h:mm:ss', 0.999999, '0:00:00'],
    ['mm:ss', 0.5, '00:00'],
    ['mm/dd', 45293, '01/02'],
    ['h:mm;@', 0.5, '12:00'],
  ])('%s shows %d as %s', (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });

  it('counts from 1904 where the workbook does', () => {
    expect(show('yyyy-mm-dd', 0, true)).toBe('1904-01-01');
    expect(show('yyyy-mm-dd', 42735, true)).toBe('2021-01-01');
  });

  it('does not show what lies outside 1900 to 9999', () => {
    expect(show('m/d/yy', -1)).toBeUndefined();
    expect(show('m/d/yy', 2958466)).toBeUndefined();
    expect(show('m/d/yy', 2958465)).toBe('12/31/9999');
  });

  it('agrees with the calendar on every day', () => {
    const wrong: number[] = [];
    for (let serial = 61; serial <= 2958465; serial += 1) {
      const date = new Date(Date.UTC(1899, 11, 30) + serial * 86_400_000);
      const clock = clockOf(serial, false, 3);
      if (
        clock?.year !== date.getUTCFullYear() ||
        clock.month !== date.getUTCMonth() + 1 ||
        clock.day !== date.getUTCDate() ||
        clock.weekday !== date.getUTCDay()
      )
        wrong.push(serial);
    }
    expect(wrong).toEqual([]);
  });

  it('reads ISO 8601 back into serial numbers', () => {
    expect(serialOf('2024-01-02T12:00:00', false)).toBe(45293.5);
    expect(serialOf('2024-01-02', true)).toBe(45293 - 1462);
    expect(serialOf('12:00:00', false)).toBe(0.5);
    expect(serialOf('tomorrow', false)).toBeUndefined();
  });
});

describe('hostile codes', () => {
  it.each([
    '"',
    '[',
    '\\',
    '_',
    '*',
    ';;;;;;;',
    '[$',
    '0'.repeat(5000),
    '#,'.repeat(3000),
    '?/?/?/?',
    'E+E+',
    '[>]0',
    '.....',
    '[h',
  ])('takes %j without an error', (code) => {
    for (const value of [0, 1, -1, 1e308, -1e-308, 12345.678])
      expect(typeof (show(code, value) ?? '')).toBe('string');
  });
});

describe('dates of other languages', () => {
  it.each([
    ['[$-411]ge.m.d', 45366, '2024.3.15'],
    ['[$-404]e/m/d', 45366, '2024/3/15'],
    ['B2yyyy/mm/dd', 45366, '2024/03/15'],
    ['yyyy/m/d(aaa)', 45366, '2024/3/15(Fri)'],
    ['aaaa', 45366, 'Friday'],
    ['上午/下午h:mm', 45366.75, '下午6:00'],
    ['오전/오후 h:mm', 45366.25, '오전 6:00'],
  ])('shows %s of %d as %s', (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });
});

describe('two-digit years', () => {
  it('are written in full outside the century that Excel takes them for', () => {
    expect(show('d-mmm-yy', 45366)).toBe('15-Mar-24');
    expect(show('d-mmm-yy', 8841)).toBe('15-Mar-1924');
    expect(show('m/d/yy', 47484)).toBe('1/1/2030');
  });
});

describe('formats that show none of the value', () => {
  it.each([
    [';;;', 5, undefined],
    ['0;;', -5, undefined],
    ['0;-0;;@', 0, undefined],
    ['**', 5, undefined],
    ['0;;', 5, '5'],
    ['0;-0;"none"', 0, 'none'],
    ['[=1]"yes";0', 1, 'yes'],
    ['"***"', 5, '*** (5)'],
    ['[>100]"big";0', 150, 'big (150)'],
  ])('%s of %d: %s', (code, value, shown) => {
    expect(show(code, value)).toBe(shown);
  });
});

// White space and endings taken off texts of any length: as the regular expressions of the same meaning, but linear.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRange, spaced, visibleName, withoutEnd } from '../../src/contract/index.ts';
import { draws } from '../support/draws.ts';

const text = fc
  .array(fc.constantFrom(' ', '\n', '\t', '\r', '\u00a0', 'a', '/', 'b c'), { maxLength: 20 })
  .map((pieces) => pieces.join(''));
const LONG = 1_000_000;

describe('spaced', () => {
  it('puts a space for white space around a mark', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(spaced(given, '\n')).toBe(given.replace(/\s*\n\s*/g, ' '));
        expect(spaced(given, '\t')).toBe(given.replace(/\s*\t\s*/g, ' '));
      }),
      { numRuns: draws(500) },
    );
  });

  it('is linear', () => {
    expect(spaced(`${' '.repeat(LONG)}x`, '\n')).toHaveLength(LONG + 1);
    expect(spaced(`${'\n'.repeat(LONG)}x`, '\n')).toBe(' x');
  });
});

describe('withoutEnd', () => {
  it('takes off what stands at the end', () => {
    fc.assert(
      fc.property(text, (given) => {
        expect(withoutEnd(given, '\r\n')).toBe(given.replace(/[\r\n]+$/, ''));
        expect(withoutEnd(given, '/')).toBe(given.replace(/\/+$/, ''));
      }),
      { numRuns: draws(500) },
    );
  });

  it('is linear', () => {
    expect(withoutEnd(`${'\r'.repeat(LONG)}x`, '\r\n')).toHaveLength(LONG + 1);
  });
});

describe('names and ranges from outside', () => {
  it('are read in linear time', () => {
    expect(visibleName(`a${' '.repeat(LONG)}b`)).toHaveLength(LONG + 2);
    expect(() => parseRange('rows', `${' '.repeat(LONG)}x`)).toThrow('expected');
    expect(parseRange('rows', `${' '.repeat(LONG)}3${' '.repeat(LONG)}-${' '.repeat(LONG)}`)).toMatchObject({
      from: 3,
    });
  });
});

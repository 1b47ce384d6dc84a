import { describe, expect, it } from 'vitest';
import { PositionReader } from '../../src/contract/index.ts';

const stale = expect.objectContaining({ code: 'STALE_CURSOR', message: 'Not here.' });
const reading = (...position: (number | string)[]): PositionReader =>
  new PositionReader(position, 'Not here.');

describe('a position', () => {
  it('is read field by field', () => {
    const fields = reading('view', 3, 0, 1, 2, 'a', 5, 6);
    expect(fields.oneOf(['range', 'view'])).toBe('view');
    expect(fields.count(3)).toBe(3);
    expect(fields.counts()).toEqual([0, 1, 2]);
    expect(fields.word()).toBe('a');
    expect(fields.take(2)).toEqual([5, 6]);
    expect(fields.more).toBe(false);
    expect(fields.countOr(7)).toBe(7);
    fields.end();
  });

  it.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 10, 'x'])(
    'refuses the count %s',
    (value) => {
      expect(() => reading(value).count(9)).toThrow(stale);
      expect(() => reading(value, value).countOr(0, 9)).toThrow(stale);
    },
  );

  it('refuses what is missing, too long, too low or too much', () => {
    expect(() => reading().count()).toThrow(stale);
    expect(() => reading(1).count(9, 2)).toThrow(stale);
    expect(() => reading(4, 11).counts(10)).toThrow(stale);
    expect(() => reading(1).word()).toThrow(stale);
    expect(() => reading('a'.repeat(2001)).word()).toThrow(stale);
    expect(() => reading('c').oneOf(['a', 'b'])).toThrow(stale);
    expect(() => reading(1).take(2)).toThrow(stale);
    expect(() => reading(1).end()).toThrow(stale);
    expect(() => reading(1).check(false)).toThrow(stale);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  argumentsOf,
  joined,
  jsonValue,
  listOf,
  nativeOf,
  textIn,
  weightOf,
} from '../../../src/history/codecs/native.ts';
import { draws } from '../../support/draws.ts';

describe('native values', () => {
  it('reads fields of objects only', () => {
    expect(nativeOf([])).toBe(null);
    expect(nativeOf(null)).toBe(null);
    expect(textIn({ a: 'x' }, 'a')).toBe('x');
    expect(textIn({ a: 1 }, 'a')).toBe(null);
    expect(listOf('ab')).toEqual([]);
    expect(joined(['a', '', null, 'b'])).toBe('a\nb');
  });

  it('reads arguments that are an object', () => {
    expect(argumentsOf(' {"a":1}')).toEqual({ a: 1 });
    expect(argumentsOf({ a: 1 })).toEqual({ a: 1 });
    for (const none of ['', '[1]', 'null', '{"a":', '"x"', 7, null, [1]])
      expect(argumentsOf(none)).toBe(null);
    expect(Object.keys(argumentsOf('{"__proto__":1}') ?? {})).toEqual(['__proto__']);
  });

  it('converts values like JSON.stringify', () => {
    fc.assert(
      fc.property(fc.anything({ withDate: true, withSparseArray: true }), (value) => {
        const text = JSON.stringify(value) as string | undefined;
        expect(JSON.stringify(jsonValue(value))).toBe(text ?? 'null');
      }),
      { numRuns: draws(1000) },
    );
  });

  it('converts values that JSON.stringify rejects', () => {
    const loop: Record<string, unknown> = { a: 1 };
    loop['self'] = [loop];
    let deep: unknown = 'x';
    for (let level = 0; level < 20_000; level += 1) deep = [deep];
    expect(jsonValue({ loop, big: 10n, bytes: new Uint8Array([1, 2]) })).toEqual({
      loop: { a: 1, self: [null] },
      big: '10',
      bytes: { $bytes: 'AQI=' },
    });
    expect(() => JSON.stringify(jsonValue(deep))).not.toThrow();
    const twice = { a: 'x' };
    expect(jsonValue([twice, twice])).toEqual([twice, twice]);
    const proto = '{"__proto__":{"a":1},"b":2}';
    expect(JSON.stringify(jsonValue(JSON.parse(proto)))).toBe(proto);
  });

  it('weighs about the size of the JSON, without base64', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true }), (value) => {
        const weight = weightOf(value);
        expect(weight).toBeGreaterThan(0);
        expect(weight).toBeLessThanOrEqual(JSON.stringify(value).length * 2 + 2);
      }),
    );
    const base64 = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 37) % 251)).toString(
      'base64',
    );
    expect(weightOf({ data: base64 })).toBeLessThan(20);
    expect(weightOf({ url: `data:image/png;base64,${base64}` })).toBeLessThan(20);
    expect(weightOf({ text: 'plain words '.repeat(400) })).toBeGreaterThan(4800);
    expect(weightOf({ a: 'xxxx', b: 'y' }, ['a'])).toBe(weightOf({ b: 'y' }));
    expect(weightOf(Array.from({ length: 200_000 }, () => 1))).toBe(400_002);
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ReaderError } from '../../src/index.ts';
import { readCursor, type Walk, writeCursor } from '../../src/reader/cursor.ts';
import { draws } from '../support/draws.ts';

const entry = fc.oneof(
  fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.stringMatching(/^[\w-]{0,12}$/),
);
const cursor = fc.record({
  processor: fc.constantFrom('text', 'csv', 'spreadsheet'),
  kept: fc.constantFrom({}, { sheet: 'Dåta.1', numbered: true } as const, { pointer: '/a~1b/…' }),
  walk: fc.constantFrom<Walk[]>('content', 'outline', 'content after outline'),
  position: fc.array(entry, { maxLength: 20 }),
});

it('comes back as it was written, in characters a URL leaves alone', () => {
  fc.assert(
    fc.property(cursor, (made) => {
      const written = writeCursor(made, 'content');
      expect(written).toMatch(/^[\w.~-]+$/);
      expect(readCursor(written, 'content')).toEqual({ cursor: made, isCurrent: true });
      expect(readCursor(written, 'other')).toMatchObject({ isCurrent: false });
    }),
  );
});

it('is short where positions are numbers', () => {
  const made = { processor: 'text', kept: {}, walk: 'content' as const, position: [123_456_789, 4000, 17] };
  expect(writeCursor(made, 'content')).toHaveLength(26);
});

it('is refused with a typed error when it is anything else', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[\w-]{8}\.text(\.[\w~-]{0,6}){0,5}$/)), (text) => {
      try {
        readCursor(text, 'content');
      } catch (error) {
        expect(error).toBeInstanceOf(ReaderError);
      }
    }),
    { numRuns: draws(500) },
  );
  for (const text of [
    '',
    'abc',
    'a'.repeat(5000),
    'Z3ge5jdR.text._kAAAA',
    'Z3ge5jdR.text._pAAAAAAAA._pAAAAAAAA',
    'Z3ge5jdR.text.ZZ',
  ])
    expect(() => readCursor(text, 'content')).toThrow(ReaderError);
});

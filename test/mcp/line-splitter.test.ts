import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter } from '../../src/mcp/line-splitter.ts';

function split(chunks: readonly Buffer[], maxBytes: number): (string | undefined)[] {
  const splitter = createLineSplitter(maxBytes);
  return chunks.flatMap((chunk) => [...splitter.push(chunk)].map((line) => line?.toString('latin1')));
}

test('lines are the same however the bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '\n', '\r\n', '\r', 'bcd'), { maxLength: 40 }),
      fc.array(fc.nat({ max: 60 }), { maxLength: 10 }),
      fc.integer({ min: 1, max: 8 }),
      (pieces, cuts, maxBytes) => {
        const bytes = Buffer.from(pieces.join(''), 'latin1');
        const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = places.slice(1).map((to, i) => bytes.subarray(places[i], to));
        const whole = bytes.toString('latin1').split('\n').slice(0, -1);
        expect(split(chunks, maxBytes)).toEqual(
          whole.map((line) => (line.length > maxBytes ? undefined : line.replace(/\r$/, ''))),
        );
      },
    ),
  );
});

test('a line over the limit is given up, and the next is read', () => {
  const long = Buffer.alloc(1000, 'x');
  expect(split([long, long, Buffer.from('\nnext\n')], 1500)).toEqual([undefined, 'next']);
});

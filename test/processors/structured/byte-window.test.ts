import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteWindow, bytesOf } from '../../../processors/structured/byte-window.ts';
import { memorySource } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

test('the bytes of a stretch of text rebuild it, damaged or not', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => new Uint8Array(Buffer.from(text))),
    fc
      .array(fc.constantFrom(0x61, 0xc3, 0xa4, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80), { maxLength: 30 })
      .map((list) => Uint8Array.from(list)),
  );
  fc.assert(
    fc.property(bytes, fc.nat(50), (all, wanted) => {
      const text = decoder.decode(all);
      const units = Math.min(wanted, text.length);
      // A cut inside a pair is nobody's wish.
      fc.pre(units === 0 || !/[\ud800-\udbff]/.test(text.charAt(units - 1)));
      const length = bytesOf(all, text, units);
      const rebuilt = decoder.decode(all.subarray(0, length)) + decoder.decode(all.subarray(length));
      expect(rebuilt).toBe(text);
    }),
    { numRuns: draws(3000) },
  );
});

test('a window holds what is asked for, wherever it is', async () => {
  const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
  const window = new ByteWindow(memorySource(content), new AbortController().signal);
  for (const position of [0, 70_000, 65_536, 299_999, 5, 100_000]) {
    expect(await window.load(position)).toBe(true);
    expect(window.bytes[position - window.start]).toBe(position % 251);
  }
  expect(await window.load(300_000)).toBe(false);
});

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createReader } from '../../../src/index.ts';
import { draws } from '../../support/draws.ts';
import { contentOf, readOk, walk } from '../../support/walk.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const ending = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '');
const line = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom('a', ' ', '漢', '😀', 'é', 'e\u0301', '\t', '<|endoftext|>'),
    maxLength: 400,
  }),
  fc.integer({ min: 900, max: 5000 }).map((length) => 'long line '.repeat(length / 10)),
);
const document = fc
  .array(fc.tuple(line, ending), { maxLength: 60 })
  // By way of UTF-8, so that lone surrogates are what a file would hold of them.
  .map((lines) => Buffer.from(lines.map(([body, end]) => body + end).join('')).toString());

describe('a walk through text', () => {
  it('rebuilds any text exactly, whatever the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        document,
        fc.integer({ min: 12, max: 2000 }),
        fc.integer({ min: 0, max: 300 }),
        async (text, maxTokens, maxLines) => {
          const reader = createReader({ limits: { maxLines } });
          const bytes = Buffer.from(text);
          const answers = await walk(reader, () => ({ bytes, name: 'a.txt' }), { maxTokens });
          expect(contentOf(answers)).toBe(text.replace(/^\ufeff/, ''));
        },
      ),
      { numRuns: draws(150) },
    );
  });

  it('names as shown only what is there when a page holds no more than the end of a line', async () => {
    const reader = createReader();
    for (const end of ['\n', '\r\n', '\r\r\n', '\r'])
      for (let length = 0; length < 40; length += 1) {
        const text = `${'漢 '.repeat(length)}${end}more${end}`;
        for (let maxTokens = 12; maxTokens < 16; maxTokens += 1)
          expect(
            contentOf(await walk(reader, () => ({ bytes: Buffer.from(text), name: 'a.txt' }), { maxTokens })),
          ).toBe(text);
      }
  });

  it('gets on even when the limits allow no line and no character', async () => {
    const reader = createReader({ limits: { maxLines: 0, maxLineLength: 0 } });
    const text = 'one\ntwo\n\nthree\n';
    const answers = await walk(reader, () => ({ bytes: Buffer.from(text), name: 'a.txt' }));
    expect(contentOf(answers)).toBe(text);
  });

  it('keeps the budget from 0 tokens up', async () => {
    const reader = createReader();
    const bytes = Buffer.from(Array.from({ length: 300 }, (_, i) => `line ${i} of the file 漢字\n`).join(''));
    for (let maxTokens = 0; maxTokens < 400; maxTokens += 1)
      await readOk(reader, { bytes, name: 'a.txt' }, { maxTokens });
  });
});

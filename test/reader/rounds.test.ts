// How often the content of a file is gathered for one answer, and what a budget says that text costs.

import { expect, it } from 'vitest';
import { disarmed, OWN, type ProcessContext } from '../../src/contract/index.ts';
import type { Part } from '../../src/index.ts';
import { createBudget } from '../../src/reader/budget.ts';
import { createReaderOf } from '../../src/reader/reader.ts';
import { createTokenCounter } from '../../src/tokens/index.ts';
import { mockProcessor } from '../support/mock-processor.ts';

/** A reader of lines below an outline, and how often it has gathered them. */
function counting(length: number, cursorWords: number) {
  const rounds = { gathered: 0, outlined: 0 };
  const line = 'word '.repeat(length).trim();
  async function* process(_source: unknown, { budget, whole }: ProcessContext): AsyncGenerator<Part> {
    rounds.gathered += 1;
    const lines = 400;
    whole({ unit: 'line', of: lines });
    let left = budget.tokensBesideNotes;
    for (let number = 1; number <= lines; number += 1) {
      const text = `${number} ${line}\n`;
      left -= budget.count(text);
      if (left < 0) return;
      const position = Array.from({ length: cursorWords }, (_, at) => `place${number}x${at}`);
      yield {
        kind: 'text',
        text,
        shown: [{ unit: 'line', from: number, to: number, of: lines }],
        next: { position },
      };
    }
  }
  const processor = mockProcessor(process, {
    introduces: true,
    async *outline() {
      rounds.outlined += 1;
      yield { text: '1 First part of the file, with a title', level: 1 };
      yield { text: '200 Second part of the file, with another title', level: 1 };
    },
  });
  return { reader: createReaderOf([processor], { environment: {} }), rounds };
}

it('gathers content once where the size of the file says that not all fits', async () => {
  const { reader, rounds } = counting(10, 1);
  const answer = await reader.read({ bytes: Buffer.alloc(20_000, 'x'), name: 'a.txt' }, { maxTokens: 500 });
  expect(answer).toMatchObject({ success: true, text: expect.stringContaining('[Outline]\n1 First') });
  expect(rounds).toEqual({ gathered: 1, outlined: 1 });
});

it('gathers content twice where only the content says so', async () => {
  const { reader, rounds } = counting(10, 1);
  const answer = await reader.read({ bytes: Buffer.alloc(200, 'x'), name: 'a.txt' }, { maxTokens: 500 });
  expect(answer).toMatchObject({ success: true, text: expect.stringContaining('[Outline]\n1 First') });
  expect(rounds).toEqual({ gathered: 2, outlined: 1 });
});

it.each([100, 300, 1000])('gathers at most twice for a long note, within %i tokens', async (maxTokens) => {
  for (const words of [1, 8, 16, 24])
    for (const length of [1, 5, 20]) {
      const { reader, rounds } = counting(length, words);
      const input = { bytes: Buffer.alloc(20_000, 'x'), name: 'a.txt' };
      const answer = await reader.read(input, { maxTokens });
      const text = answer.success ? answer.text : '';
      expect(rounds.gathered).toBeLessThanOrEqual(2);
      expect(reader.count(text)).toBeLessThanOrEqual(maxTokens);
      // A note that takes more than half of what the outline leaves has a shorter form.
      if (maxTokens === 1000) expect(text).toMatch(/ Continue with cursor "[^"]+"\.\]\n?$/);
    }
});

it('costs text with the escapes of lines that look like notes', () => {
  const counter = createTokenCounter();
  const { limits } = createReaderOf([], { environment: {} });
  const budget = createBudget({ counter, limits }, 100);
  const text = `==> a.txt <==\nplain text\n${OWN.note}two]\n`.repeat(20);
  const tokens = counter.count(disarmed(text));
  expect(tokens).toBeGreaterThan(counter.count(text));
  expect(budget.count(text)).toBe(tokens);
  expect(budget.fits(text, tokens, Number.POSITIVE_INFINITY)).toBe(true);
  expect(budget.fits(text, tokens - 1, Number.POSITIVE_INFINITY)).toBe(false);
  const start = text.slice(0, budget.prefix(text, 100));
  expect(counter.count(disarmed(start))).toBeLessThanOrEqual(100);
  expect(counter.count(disarmed(start))).toBeGreaterThan(90);
});

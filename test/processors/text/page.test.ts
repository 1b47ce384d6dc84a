// What a page of lines holds before a line that is longer than the rest of it.

import { describe, expect, it } from 'vitest';
import { createReader } from '../../../src/index.ts';
import { contentOf, readOk, walk } from '../../support/walk.ts';

const reader = createReader({ environment: {}, cache: false });
const bytesOf = (text: string): Uint8Array => Buffer.from(text);

describe('a page before a long line', () => {
  const head = Array.from({ length: 35 }, (_, at) => `value_${at} = ${at}\n`).join('');
  const long = `DATA = "${'lorem ipsum dolor sit amet, '.repeat(600)}"\n`;
  const text = `${head}${long}${head.replaceAll('value', 'other')}`;

  it.each([
    ['a.py', 1000],
    ['a.py', 3000],
    ['a.txt', 1000],
    ['a.md', 3000],
  ])('of %s is filled with its beginning at %i tokens', async (name, maxTokens) => {
    const answer = await readOk(reader, { name, bytes: bytesOf(text) }, { maxTokens });
    expect(reader.count(answer.text)).toBeGreaterThan(0.8 * maxTokens);
    expect(answer.text).toContain('value_34');
    expect(answer.text).toContain('DATA = "lorem');
    const answers = await walk(reader, () => ({ name, bytes: bytesOf(text) }), { maxTokens });
    expect(contentOf(answers)).toBe(text);
  });

  it('ends with a whole line where the next one is of ordinary length', async () => {
    const lines = Array.from({ length: 400 }, (_, at) => `line ${at} ${'word '.repeat(20)}\n`).join('');
    for (const maxTokens of [60, 100, 500]) {
      const answer = await readOk(reader, { name: 'a.txt', bytes: bytesOf(lines) }, { maxTokens });
      expect(contentOf([answer])).toMatch(/\n$/);
    }
  });
});

import fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { ReaderError } from '../../src/contract/index.ts';
import { createTokenCounter, type EncodingName, type TokenCounter } from '../../src/tokens/index.ts';
import { loadVocabulary } from '../../src/tokens/vocabulary.ts';
import { draws } from '../support/draws.ts';
import { anyText, SPECIAL } from './texts.ts';

const ENCODINGS = [
  { counter: createTokenCounter('cl100k_base'), reference: new Tiktoken(cl100k) },
  { counter: createTokenCounter('o200k_base'), reference: new Tiktoken(o200k) },
];

describe.each(ENCODINGS)('counts of $counter.encoding', ({ counter, reference }) => {
  const expected = (text: string): number => reference.encode(text, [], []).length;

  it('equal js-tiktoken on any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(counter.count(text)).toBe(expected(text));
      }),
      { numRuns: draws(3000) },
    );
  });

  it('equal js-tiktoken on texts of its own tokens', () => {
    const token = fc.integer({ min: 0, max: 100_000 }).map((rank) => reference.decode([rank]));
    fc.assert(
      fc.property(fc.array(token, { maxLength: 20 }), (tokens) => {
        const text = tokens.join('');
        expect(counter.count(text)).toBe(expected(text));
      }),
      { numRuns: draws(3000) },
    );
  });

  it('equal js-tiktoken on every code point of the basic plane', () => {
    for (let first = 0; first < 0x10000; first += 8) {
      let text = '';
      for (let code = first; code < first + 8; code++)
        text += `${String.fromCharCode(code)}a${String.fromCharCode(code)} `;
      expect(counter.count(text), `U+${first.toString(16)}`).toBe(expected(text));
    }
  });

  it('equal js-tiktoken on runs of one character', () => {
    for (const character of [
      'a',
      ' ',
      '_',
      '-',
      '\n',
      '\r\n',
      '=',
      '0',
      'é',
      '中',
      '🎉',
      '\u0301',
      'A',
      '\t',
      '/',
    ])
      for (let length = 50; length <= 300; length += 50) {
        const text = character.repeat(length);
        expect(counter.count(text), `${length} of ${JSON.stringify(character)}`).toBe(expected(text));
        expect(counter.count(`${text}x`)).toBe(expected(`${text}x`));
      }
  });

  it('take the text of special tokens for plain text', () => {
    for (const text of SPECIAL) expect(counter.count(text)).toBe(expected(text));
    expect(counter.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('stop early, never below the maximum', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 40 }), (text, max) => {
        const whole = counter.count(text);
        const counted = counter.countUpTo(text, max);
        if (whole <= max) expect(counted).toBe(whole);
        else expect(counted).toBeGreaterThan(max);
        expect(counter.fits(text, max)).toBe(whole <= max);
      }),
      { numRuns: draws(1000) },
    );
  });

  it('find the longest prefix', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 40 }), (text, tokens) => {
        expect(counter.prefix(text, tokens)).toBe(longestPrefix(counter, text, tokens));
      }),
      { numRuns: draws(1000) },
    );
  });

  it('find a prefix of long runs that fits and leaves less than one token', () => {
    for (const character of ['a', ' ', '-', '中', '🎉', 'é\u0301', 'aB3', '\n'])
      for (const tokens of [1, 2, 7, 50]) {
        const text = `${character.repeat(10_000)} end`;
        const cut = counter.prefix(text, tokens);
        expect(counter.count(text.slice(0, cut))).toBeLessThanOrEqual(tokens);
        expect(text.slice(0, cut)).not.toMatch(/[\ud800-\udbff]$/);
        expect(counter.count(text.slice(0, cut + 128))).toBeGreaterThan(tokens);
      }
  });
});

function longestPrefix(counter: TokenCounter, text: string, tokens: number): number {
  for (let cut = text.length; cut > 0; cut--) {
    const parts = /[\ud800-\udbff]/.test(text[cut - 1] ?? '') && /[\udc00-\udfff]/.test(text[cut] ?? '');
    if (!parts && counter.count(text.slice(0, cut)) <= tokens) return cut;
  }
  return 0;
}

it('refuses an encoding it does not know', () => {
  // Callers without types can ask for anything.
  expect(() => createTokenCounter('gpt2' as EncodingName)).toThrow('Unknown encoding `gpt2`');
  expect(() => createTokenCounter('toString' as EncodingName)).toThrow(ReaderError);
});

it('says so when the token table is missing', () => {
  // No file stands for an encoding that does not exist.
  expect(() => loadVocabulary('gpt2' as EncodingName)).toThrow('The token table of `gpt2` is missing.');
});

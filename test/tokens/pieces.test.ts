import fc from 'fast-check';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { describe, expect, it } from 'vitest';
import { cl100kPieceEnd, o200kPieceEnd, type PieceEnd } from '../../src/tokens/pieces.ts';
import { draws } from '../support/draws.ts';
import { anyText } from './texts.ts';

const PATTERNS = [
  { name: 'cl100k_base', pieceEnd: cl100kPieceEnd, pattern: new RegExp(cl100k.pat_str, 'gu') },
  { name: 'o200k_base', pieceEnd: o200kPieceEnd, pattern: new RegExp(o200k.pat_str, 'gu') },
];

function split(pieceEnd: PieceEnd, text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const to = pieceEnd(text, from);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

describe.each(PATTERNS)('pieces of $name', ({ pieceEnd, pattern }) => {
  it('equal what the pattern matches on any text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(split(pieceEnd, text)).toEqual(text.match(pattern) ?? []);
      }),
      { numRuns: draws(5000) },
    );
  });

  it('equal what the pattern matches around every code point', () => {
    const [assignedEnd, tags, tagsEnd] = [0x33480, 0xe0000, 0xe0200];
    // A letter, a capital, a sign, and white space on either side, so that every alternative meets it.
    for (let first = 0; first < tagsEnd; first += 64) {
      if (first >= assignedEnd && first < tags) continue;
      let text = '';
      for (let code = first; code < first + 64; code++) {
        const character = String.fromCodePoint(code);
        text += `${character}a${character}A ${character} ${character}${character}.${character}\n`;
      }
      if (split(pieceEnd, text).join('\0') !== text.match(pattern)?.join('\0'))
        expect(split(pieceEnd, text), `U+${first.toString(16)}`).toEqual(text.match(pattern));
    }
  });
});

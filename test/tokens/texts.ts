// Random texts in which the alternatives of the encodings' patterns compete. No expectations.

import fc from 'fast-check';

const LETTERS = ['a', 'B', 'e', 's', 'T', 'hello', 'World', 'don', 'naïve', 'ß', 'ǅ', 'ʰ', 'É', 'Жук', 'ا'];
const CHINESE = ['的', '中文', '国', '漢字', 'かな', 'カタカナ', '한국', '，', '。', '　'];
const EMOJI = ['🎉', '👩‍👩‍👧', '🏳️‍🌈', '❤️', '𝒳', '𐐀', '𐐨', '🇪🇺', '\u{1d7d8}', '\u{1e900}'];
const DIGITS = ['0', '12', '345', '6789', '٣', '½', '²', 'Ⅷ'];
const SPACES = [
  ' ',
  '  ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\u00a0',
  '\u2003',
  '\u2028',
  '\ufeff',
  '\v',
  '\f',
];
const SIGNS = [
  '.',
  ',',
  '!',
  '/',
  '//',
  '/*',
  '"',
  '_',
  '-',
  '==',
  '{',
  '}',
  ');',
  '€',
  '™',
  '\u200b',
  '\u200d',
];
const MARKS = ['\u0301', '\u0308', '\u20dd', '\u0903', '\ufe0f', '\u{1d165}'];
const CONTRACTIONS = [
  "'s",
  "'T",
  "'re",
  "'rE",
  "'Ve",
  "'m",
  "'LL",
  "'l",
  "'r",
  "'d",
  "'",
  "''",
  "'ſ",
  "'x",
  '’s',
];
const SURROGATES = ['\ud800', '\udbff', '\udc00', '\udfff', '\ud83d'];
const CONTROLS = ['\0', '\u0001', '\u001b', '\u007f', '\u0085', '\u009f'];
export const SPECIAL: readonly string[] = ['<|endoftext|>', '<|fim_prefix|>', '<|endofprompt|>', '<|', '|>'];
const EVERYTHING = [
  ...LETTERS,
  ...CHINESE,
  ...EMOJI,
  ...DIGITS,
  ...SPACES,
  ...SIGNS,
  ...MARKS,
  ...CONTRACTIONS,
  ...SURROGATES,
  ...CONTROLS,
  ...SPECIAL,
];

const of = (...pieces: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));

/** Any text, and texts of few kinds of characters, where the alternatives of the patterns compete. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  of(...EVERYTHING),
  of(...LETTERS, ...MARKS, ' ', "'s"),
  of('A', 'b', 'ʰ', '中', '\u0301', '\u{1d165}', '𐐀', ' ', '.'),
  of(...SPACES, 'a', '1', '!'),
  of(...CONTRACTIONS, 'a', ' ', 'S'),
  of(...SIGNS, ...SPACES),
  of(...SURROGATES, ...EMOJI, 'x', ' '),
  of(...CHINESE, ...DIGITS),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
);

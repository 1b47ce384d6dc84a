// Texts that break careless text handling: all kinds of line breaks, lone surrogates, replacement patterns, Markdown.

import fc from 'fast-check';

const PIECES = [
  '\r',
  '\n',
  '\r\n',
  '\ud800',
  '\udc00',
  '\u{1f600}',
  '\ufeff',
  '\u2028',
  '\u0000',
  '$&',
  '$`',
  "$'",
  '```',
  '````\n',
  '## 2. user\n\n',
  '### Result of read\n',
  '[history: ',
  ' ',
  '\t',
  '{"a":1}',
  'line',
  'é漢字',
];

/** Any text, mostly built from awkward pieces. */
export const awkwardText: fc.Arbitrary<string> = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '\n', '\r', 'plain text'),
);

// Names from outside are shown on one line, hidden characters escaped, and no two alike.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  headingOf,
  named,
  oneLine,
  quoted,
  shortName,
  visibleJson,
  visibleName,
} from '../../src/contract/index.ts';
import { draws } from '../support/draws.ts';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'binary-ascii', maxLength: 30 }),
  fc
    .array(
      fc.constantFrom(
        '\\',
        'u',
        'x',
        '{',
        '}',
        '5c',
        'a',
        ' ',
        '\n',
        '\u202e',
        '\ud800',
        '\u200d',
        '👩',
        '💻',
        '\\u{5c}',
      ),
    )
    .map((pieces) => pieces.join('')),
);
const ACTING = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u00ad\u200b\u2060\ufeff\u{e0001}]/u;
const RUNS = { numRuns: draws(5000) };

/** The name that `visibleName` shows. */
const unescaped = (shown: string): string =>
  shown.replace(/\\u\{([0-9a-f]{1,6})\}/g, (_, hex: string) =>
    String.fromCodePoint(Number.parseInt(hex, 16)),
  );

describe('a name', () => {
  it.each([
    ['report (final) v2.csv', 'report (final) v2.csv'],
    ['naïve 日本 العربية עברית.txt', 'naïve 日本 العربية עברית.txt'],
    ['👩‍💻 ❤️ 👍🏽 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿.md', '👩‍💻 ❤️ 👍🏽 1️⃣ 🏴󠁧󠁢󠁥󠁮󠁧󠁿.md'],
    ['می‌خواهم.txt', 'می‌خواهم.txt'],
    ['葛\u{e0100}城.txt', '葛\u{e0100}城.txt'],
    ['a\r\nb\u2028c\u0085d', 'a\\u{d}\\u{a}b\\u{2028}c\\u{85}d'],
    ['\u001b[31mred\u009b0m\u007f', '\\u{1b}[31mred\\u{9b}0m\\u{7f}'],
    ['invoice\u202efdp.exe', 'invoice\\u{202e}fdp.exe'],
    ['a\u200db\u200cc\u00ad\ufe0f', 'a\\u{200d}b\\u{200c}c\\u{ad}\\u{fe0f}'],
    ['🏴\u{e0061}\u{e0062}', '🏴\\u{e0061}\\u{e0062}'],
    ['half \ud83d', 'half \\u{d83d}'],
    [' blank ', '\\u{20}blank\\u{20}'],
    ['back\\slash', 'back\\slash'],
    ['\\u{a} \\x41', '\\u{5c}u{a} \\u{5c}x41'],
  ])('of %j is shown as %j', (name, shown) => {
    expect(visibleName(name)).toBe(shown);
  });

  it('is never shown as another name is, and nothing in it acts', () => {
    fc.assert(
      fc.property(text, (name) => {
        const shown = visibleName(name);
        expect(shown).not.toMatch(ACTING);
        expect(unescaped(shown)).toBe(name);
        expect(oneLine(shown)).toBe(shown);
      }),
      RUNS,
    );
  });

  it('stays between its backticks, and short where it is quoted', () => {
    expect(named('it`s.txt')).toBe('`it\\u{60}s.txt`');
    fc.assert(
      fc.property(text, (name) => {
        expect(named(name)).toMatch(/^`[^`\n]*`$/);
        expect(quoted(name.repeat(20))).toMatch(/^`[^`\n]*`$/);
      }),
      RUNS,
    );
    expect(quoted('n'.repeat(1_000_000))).toBe(`\`${'n'.repeat(60)}…\``);
    expect(shortName('\n'.repeat(1_000_000))).toHaveLength(201);
    expect(headingOf('a\nb <==')).toBe('==> a\\u{a}b <== <==\n');
  });

  it('is exact in JSON, where nothing acts either', () => {
    fc.assert(
      fc.property(text, (name) => {
        const json = visibleJson(JSON.stringify({ name }, null, 1));
        expect(json.replaceAll('\n', '')).not.toMatch(ACTING);
        expect(JSON.parse(json)).toEqual({ name });
      }),
      RUNS,
    );
  });
});

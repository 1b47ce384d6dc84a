import fc from 'fast-check';
import ignore from 'ignore';
import { describe, expect, it } from 'vitest';
import { IgnoreRules, MAX_IGNORE_RULES, parseIgnore } from '../../../src/workspace/find/ignore.ts';
import { draws } from '../../support/draws.ts';

/** As a walk asks: a folder that is left out is not entered. */
function leavesOut(rules: IgnoreRules, path: string): boolean {
  const isFolder = path.endsWith('/');
  const names = path.split('/').filter((name) => name !== '');
  return names.some((_, i) => {
    const last = i === names.length - 1;
    return rules.leavesOut(names.slice(0, i + 1).join('/'), !last || isFolder);
  });
}

const under = (text: string): IgnoreRules => IgnoreRules.none.within('', [parseIgnore(text)]);

describe('ignore rules', () => {
  it.each([
    ['node_modules/', 'node_modules/a/b.js', true],
    ['node_modules/', 'deep/node_modules/b.js', true],
    ['node_modules/', 'node_modules', false],
    ['*.log\n!keep.log', 'a/keep.log', false],
    ['*.log\n!keep.log', 'a/b.log', true],
    ['build/\n!build/keep.txt', 'build/keep.txt', true],
    ['build/*\n!build/keep.txt', 'build/keep.txt', false],
    ['/a.txt', 'a.txt', true],
    ['/a.txt', 'b/a.txt', false],
    ['src/a.txt', 'x/src/a.txt', false],
    ['**/src/a.txt', 'x/src/a.txt', true],
    ['a/**/z', 'a/z', true],
    ['a/**/z', 'a/b/c/z', true],
    ['a/**', 'a/b', true],
    ['a/**\n!a/', 'a/', false],
    ['#a', '#a', false],
    ['\\#a', '#a', true],
    ['\\!a', '!a', true],
    ['a   ', 'a', true],
    ['a\\ ', 'a ', true],
    ['a\\\\ ', 'a\\', true],
    ['a\r\nb\r\n', 'b', true],
    ['[ab]', 'b', true],
    ['[ab', '[ab', false],
    ['a\\', 'a\\', false],
    ['{a,b}', 'a', false],
    ['{a,b}', '{a,b}', true],
    ['*', 'a', true],
    ['*\n!*.md\n!*/', 'x/a.md', false],
    ['', 'a', false],
    ['/', 'a', false],
    ['\ufeffa', 'a', true],
    ['a\n!a\na', 'a', true],
    ['a/\n!a', 'a', false],
  ])('%j of %j: %s', (text, path, expected) => {
    expect(leavesOut(under(text), path)).toBe(expected);
  });

  it('lets a deeper file, and `.ignore`, have the last word', () => {
    const outer = IgnoreRules.none.within('', [parseIgnore('*.txt\n/top')]);
    const inner = outer.within('sub', [parseIgnore('!keep.txt\n/only'), parseIgnore('keep.md')]);
    expect(inner.leavesOut('sub/keep.txt', false)).toBe(false);
    expect(inner.leavesOut('sub/other.txt', false)).toBe(true);
    expect(inner.leavesOut('sub/only', false)).toBe(true);
    expect(inner.leavesOut('sub/deep/only', false)).toBe(false);
    expect(inner.leavesOut('sub/top', false)).toBe(false);
    expect(inner.leavesOut('sub/keep.md', false)).toBe(true);
    const both = IgnoreRules.none.within('', [parseIgnore('a'), parseIgnore('!a')]);
    expect(both.leavesOut('a', false)).toBe(false);
  });

  it('always leaves `.git` out', () => {
    expect(IgnoreRules.none.leavesOut('.git', true)).toBe(true);
    expect(under('!.git').leavesOut('sub/.git', true)).toBe(true);
    expect(IgnoreRules.none.leavesOut('.github', true)).toBe(false);
  });

  it('bounds rules and says how many it dropped', () => {
    const many = parseIgnore(Array.from({ length: MAX_IGNORE_RULES + 5 }, (_, i) => `name${i}`).join('\n'));
    expect(many.dropped).toBe(5);
    expect(many.says(`name${MAX_IGNORE_RULES - 1}`, false)).toBe(true);
    expect(many.says(`name${MAX_IGNORE_RULES}`, false)).toBeUndefined();
    expect(parseIgnore('a'.repeat(1001)).dropped).toBe(1);
  });

  it('needs no more work than the product of the lengths', () => {
    const hostile = parseIgnore(`/${'**/a/'.repeat(150)}b\n${'a*'.repeat(400)}b`);
    expect(hostile.says(`${'a/'.repeat(100)}c`, false)).toBeUndefined();
    expect(hostile.says('a'.repeat(250), false)).toBeUndefined();
  });

  const name = fc
    .string({ unit: fc.constantFrom(...'ab.#! '), minLength: 1, maxLength: 4 })
    .filter((text) => !/^\.+$/.test(text));
  const piece = fc.constantFrom('a', 'b', '.', '*', '?', '[ab]', '[!a]', '\\!', ' ');
  const segment = fc.oneof(
    { weight: 1, arbitrary: fc.constant('**') },
    {
      weight: 4,
      arbitrary: fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')),
    },
  );
  const rule = fc
    .tuple(
      fc.constantFrom('', '', '!', '/'),
      fc.array(segment, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '', '/'),
    )
    .map(([before, segments, after]) => `${before}${segments.join('/')}${after}`)
    .filter((text) => !/(?:^|\/)\.+(?:\/|$)/.test(text));

  it('agrees with the ignore package', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 5 }),
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (rules, names, isFolder) => {
          const path = `${names.join('/')}${isFolder ? '/' : ''}`;
          const oracle = ignore({ ignorecase: false }).add(rules.join('\n'));
          expect(leavesOut(under(rules.join('\n')), path)).toBe(oracle.ignores(path));
        },
      ),
      { numRuns: draws(3000) },
    );
  });
});

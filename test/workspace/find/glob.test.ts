import fc from 'fast-check';
import picomatch from 'picomatch';
import { describe, expect, it } from 'vitest';
import { compileGlob } from '../../../src/workspace/find/glob.ts';
import { draws } from '../../support/draws.ts';

const matches = (pattern: string, path: string): boolean => compileGlob(pattern).matches(path);

describe('compileGlob', () => {
  it.each([
    ['*.csv', 'a.csv', true],
    ['*.csv', 'deep/er/a.csv', true],
    ['*.csv', 'a.csv.bak', false],
    ['**/*.csv', 'a.csv', true],
    ['**/*.csv', 'x/y/a.csv', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**', 'src/b/a.ts', true],
    ['src/**', 'src', false],
    ['src/', 'src/b/a.ts', true],
    ['src/**/a.ts', 'src/a.ts', true],
    ['src/**/test/**/*.ts', 'src/x/y/test/a.ts', true],
    ['a**b', 'axxb', true],
    ['x/a**b', 'x/a/b', false],
    ['?.md', 'é.md', true],
    ['?.md', '😀.md', true],
    ['?.md', 'ab.md', false],
    ['[a-c]1', 'b1', true],
    ['[!a-c]1', 'b1', false],
    ['[^a-c]1', 'd1', true],
    ['[]]x', ']x', true],
    ['[a\\]]x', ']x', true],
    ['[a-]x', '-x', true],
    ['[😀-😂]', '😁', true],
    ['[abc', '[abc', true],
    ['*[abc', 'x[abc', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['x\\', 'x\\', true],
    ['{a,b}.md', 'b.md', true],
    ['{src,test}/{a,{b,c}}.ts', 'test/c.ts', true],
    ['{src,test}/{a,{b,c}}.ts', 'test/d.ts', false],
    ['{a}.md', '{a}.md', true],
    ['{a.md', '{a.md', true],
    ['{x{a,b}', '{xb', true],
    ['a{,.bak}', 'a', true],
    ['\\{a,b}', '{a,b}', true],
    ['/workspace/src/*.ts', 'src/a.ts', true],
    ['./src/*.ts', 'src/a.ts', true],
    ['src//*.ts', 'src/a.ts', true],
    ['.*', '.env', true],
    ['*', '.env', true],
    ['[...slug].tsx', 'app/..slug].tsx', false],
    ['\\[...slug].tsx', 'app/[...slug].tsx', true],
    ['report..final.md', 'report..final.md', true],
    ['!x', '!x', true],
    ['+(a|b)', '+(a|b)', true],
    ['$&', '$&', true],
    ['line\nbreak*', 'line\nbreaks', true],
  ])('%j against %j: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it.each(['', './', '.', 'a'.repeat(1001), 'a\0b'])('refuses %j', (pattern) => {
    expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
  });

  it.each(['/etc/*', '/workspacex/*', '../*', 'a/../../b', '{..,a}/b', '/workspace/../x'])(
    'refuses %j, which leads outside',
    (pattern) => {
      expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ code: 'PATH_ESCAPES_WORKSPACE' }));
    },
  );

  it('bounds what braces stand for', () => {
    expect(compileGlob('{a,b}'.repeat(8)).matches('abababab')).toBe(true);
    expect(() => compileGlob('{a,b}'.repeat(9))).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    expect(() => compileGlob('{a,b}'.repeat(200))).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
    expect(() => compileGlob('{a,'.repeat(300) + '}'.repeat(300))).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT' }),
    );
    expect(compileGlob('{'.repeat(999)).matches('{'.repeat(999))).toBe(true);
  });

  it('needs no more work than the product of the lengths', () => {
    // Each of these takes a backtracking matcher longer than a test may run.
    expect(matches(`${'a*'.repeat(400)}b`, 'a'.repeat(255))).toBe(false);
    expect(matches(`${'**/a/'.repeat(150)}b`, `${'a/'.repeat(10_000)}c`)).toBe(false);
    expect(matches(`${'*a/**/'.repeat(100)}b`, `${`${'a'.repeat(100)}/`.repeat(300)}c`)).toBe(false);
  });

  it('knows which folders lead on', () => {
    const glob = compileGlob('src/{lib,app}/**/*.ts');
    expect(['', 'src', 'src/lib', 'src/lib/deep/er'].every((folder) => glob.mayEnter(folder))).toBe(true);
    expect(['test', 'src/other', 'lib'].some((folder) => glob.mayEnter(folder))).toBe(false);
    expect(compileGlob('src/*.ts').mayEnter('src/lib')).toBe(false);
    expect(compileGlob('*.ts').mayEnter('any/where')).toBe(true);
  });

  const name = fc
    .string({ unit: fc.constantFrom(...'ab.-1'), minLength: 1, maxLength: 6 })
    .filter((text) => !/^\.+$/.test(text));
  const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
  const piece = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[^a]', '{a,b}', '{a,b1}', '-', '1', '.');
  const segment = fc.oneof(
    { weight: 1, arbitrary: fc.constant('**') },
    {
      weight: 4,
      arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
    },
  );
  // picomatch takes `[!a]` for `!` or `a`, lets `a/**` match `a`, and has rules of its own for stars and dots side by side.
  const isPlain = (pattern: string): boolean =>
    !/\*\*$|\*\*\*|(?:^|\/)\.+(?:\/|$)|[^/]\*\*|\*\*[^/]|\.\./.test(pattern);

  it('agrees with picomatch', () => {
    fc.assert(
      fc.property(
        fc
          .array(segment, { minLength: 2, maxLength: 4 })
          .map((parts) => parts.join('/'))
          .filter(isPlain),
        path,
        (pattern, tried) => {
          expect(matches(pattern, tried)).toBe(picomatch(pattern, { dot: true, strictSlashes: true })(tried));
        },
      ),
      { numRuns: draws(3000) },
    );
  });

  it('never keeps out of a folder that holds a match', () => {
    fc.assert(
      fc.property(
        fc
          .array(segment, { minLength: 1, maxLength: 4 })
          .map((parts) => parts.join('/'))
          .filter(isPlain),
        path,
        (pattern, tried) => {
          const glob = compileGlob(pattern);
          if (!glob.matches(tried)) return;
          const names = tried.split('/');
          for (let depth = 0; depth < names.length; depth += 1)
            expect(glob.mayEnter(names.slice(0, depth).join('/'))).toBe(true);
        },
      ),
    );
  });
});

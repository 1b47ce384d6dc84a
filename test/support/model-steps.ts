// What may be done to a workspace and to its folder behind its back, at random: few names, so that steps meet each other,
// and paths and links that lead out, round and nowhere.

import * as fc from 'fast-check';

/** A text that lies outside every workspace. */
export const SECRET = 'SECRET-MARKER';

/** Who does something: any number, of which there may be fewer. */
interface By {
  readonly who: number;
}

interface At extends By {
  readonly path: string;
}

interface Paged extends By {
  readonly limit: number | undefined;
}

/** One thing that is done. */
export type Step =
  | (At & {
      readonly op: 'write';
      readonly size: number;
      readonly overwrite: boolean;
      readonly sha: 'none' | 'right' | 'wrong';
    })
  | (At & { readonly op: 'remove'; readonly recursive: boolean })
  | (At & { readonly op: 'move'; readonly to: string; readonly overwrite: boolean })
  | (At & { readonly op: 'stat' | 'read' })
  | (At & Paged & { readonly op: 'list'; readonly depth: number })
  | (Paged & { readonly op: 'glob'; readonly pattern: string })
  | (At & Paged & { readonly op: 'search'; readonly word: string })
  | (By & { readonly op: 'save'; readonly name: string; readonly rows: number; readonly overwrite: boolean })
  | (By & { readonly op: 'odd' })
  | (At & { readonly op: 'folder' | 'file' | 'pipe' | 'gone' })
  | (At & { readonly op: 'link'; readonly target: string })
  | (At & { readonly op: 'second'; readonly to: string })
  | (At & { readonly op: 'mode'; readonly mode: number });

const NAMES = ['a', 'b', 'b-c', 'd.txt', 'é', 'n\\xff'];
const path = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((p) => p.join('/')),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '/workspace',
      '/workspace/a',
      'a/../b',
      './a//b',
      '..',
      '../outside/marker',
      '/etc/passwd',
      '/workspacex/a',
      'a/../../outside',
      'results',
      'results/r.csv',
    ),
  },
);
const target = fc.oneof(
  fc
    .array(fc.constantFrom('a', 'b', 'd.txt', '..', 'new'), { minLength: 1, maxLength: 3 })
    .map((p) => p.join('/')),
  fc.constantFrom(
    '.',
    '/workspace',
    '/workspace/a',
    '/workspace/../outside',
    '../outside',
    '../outside/marker',
    '../../outside',
    '/etc',
    'OUTSIDE',
    '/workspace/b/..',
  ),
);
const who = fc.nat(2);
const record = fc.record;
const limit = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });

const inside: readonly fc.WeightedArbitrary<Step>[] = [
  {
    weight: 8,
    arbitrary: record({
      op: fc.constant('write' as const),
      who,
      path,
      size: fc.nat(120),
      overwrite: fc.boolean(),
      sha: fc.constantFrom('none' as const, 'none' as const, 'right' as const, 'wrong' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: record({ op: fc.constant('remove' as const), who, path, recursive: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: record({ op: fc.constant('move' as const), who, path, to: path, overwrite: fc.boolean() }),
  },
  { weight: 2, arbitrary: record({ op: fc.constant('stat' as const), who, path }) },
  {
    weight: 3,
    arbitrary: record({
      op: fc.constant('list' as const),
      who,
      path,
      depth: fc.integer({ min: 1, max: 4 }),
      limit,
    }),
  },
  {
    weight: 2,
    arbitrary: record({
      op: fc.constant('glob' as const),
      who,
      pattern: fc.constantFrom('**', '*', '*.txt', 'a/**', '**/b', 'a/*', '{a,b}', '[ab]*', '/workspace/a/*'),
      limit,
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      op: fc.constant('search' as const),
      who,
      path,
      word: fc.constantFrom('w1', 'w2', SECRET),
      limit,
    }),
  },
  {
    weight: 3,
    arbitrary: record({
      op: fc.constant('save' as const),
      who,
      name: fc.constantFrom('r', 'r.csv', 'a/r.jsonl', 'b/../r.txt', '../outside/r', '.'),
      rows: fc.nat(4),
      overwrite: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: record({ op: fc.constant('read' as const), who, path }) },
];
const behind: readonly fc.WeightedArbitrary<Step>[] = [
  { weight: 4, arbitrary: record({ op: fc.constant('link' as const), who, path, target }) },
  { weight: 2, arbitrary: record({ op: fc.constant('folder' as const), who, path }) },
  { weight: 2, arbitrary: record({ op: fc.constant('file' as const), who, path }) },
  { weight: 1, arbitrary: record({ op: fc.constant('second' as const), who, path, to: path }) },
  { weight: 1, arbitrary: record({ op: fc.constant('pipe' as const), who, path }) },
  { weight: 1, arbitrary: record({ op: fc.constant('odd' as const), who }) },
  {
    weight: 1,
    arbitrary: record({
      op: fc.constant('mode' as const),
      who,
      path,
      mode: fc.constantFrom(0o000, 0o444, 0o700),
    }),
  },
  { weight: 1, arbitrary: record({ op: fc.constant('gone' as const), who, path }) },
];

/** Operations alone. */
export const calm: fc.Arbitrary<Step> = fc.oneof(...inside);

/** Also what others do to the folder. */
export const wild: fc.Arbitrary<Step> = fc.oneof(...inside, ...behind);

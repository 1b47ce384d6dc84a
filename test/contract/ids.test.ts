// Which ids may become folder names.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkId, ReaderError } from '../../src/contract/index.ts';
import { draws } from '../support/draws.ts';

it.each([
  'a',
  'alice',
  'ALICE',
  'user-1',
  '3f2504e0-4f89-11d3-9a0c-0305e82c3301',
  'a.b_c',
  'x'.repeat(128),
  'console',
])('takes %j', (id) => {
  expect(checkId('user', id)).toBe(id);
});

it.each([
  '',
  '.',
  '..',
  '_private-data',
  '_staging',
  '__proto__',
  'a/b',
  'a\\b',
  'a%2fb',
  '%2e%2e',
  'a\n',
  'a\0',
  ' A',
  'A ',
  'a b',
  'ａ',
  'é',
  '.hidden',
  '-rf',
  'a.',
  'x'.repeat(129),
  'x'.repeat(300),
  'CON',
  'nul.txt',
  'com1',
  'LPT9.log',
  'conin$',
  7,
  null,
  undefined,
  ['a'],
  { toString: () => 'a' },
])('refuses %j', (id) => {
  for (const kind of ['user', 'session'] as const)
    expect(() => checkId(kind, id)).toThrow(expect.objectContaining({ code: 'BAD_INPUT' }));
});

it('lets nothing through that is not one plain name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (id) => {
      try {
        expect(checkId('session', id)).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
      } catch (error) {
        expect(error).toBeInstanceOf(ReaderError);
      }
    }),
    { numRuns: draws(2000) },
  );
});

// Maps that last for the life of a process, and are emptied between users.

import { expect, it } from 'vitest';
import { createContentMap, forgetContents } from '../../src/contract/index.ts';

it('forgets every map, and fills them again within their limits', () => {
  const one = createContentMap<number>({ most: 2 });
  const two = createContentMap<string>({ most: 10, weigh: ({ length }) => length });
  one.set('a', 1);
  two.set('a', 'a'.repeat(10));
  forgetContents();
  expect([one.get('a'), two.get('a')]).toEqual([undefined, undefined]);
  two.set('b', 'b'.repeat(10));
  expect(two.get('b')).toBe('b'.repeat(10));
});

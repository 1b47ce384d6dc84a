import { expect, it } from 'vitest';
import { BoundedMap } from '../../src/contract/index.ts';

it('drops what was used longest ago', () => {
  const map = new BoundedMap<string, number>({ most: 2 });
  map.set('a', 1);
  map.set('b', 2);
  map.get('a');
  map.set('c', 3);
  expect([...map.keys()]).toEqual(['a', 'c']);
  map.set('a', 4);
  map.set('d', 5);
  expect([...map.keys()]).toEqual(['a', 'd']);
  expect(map.get('a')).toBe(4);
});

it('weighs values, replaced and deleted ones no more', () => {
  const map = new BoundedMap<string, string>({ most: 5, weigh: ({ length }) => length });
  map.set('a', '1234');
  map.set('a', '12');
  map.set('b', '123');
  expect([...map.keys()]).toEqual(['a', 'b']);
  map.delete('a');
  map.delete('a');
  map.set('c', '12');
  expect([...map.keys()]).toEqual(['b', 'c']);
});

it('does not keep a value that weighs more than the bound, nor what it replaces', () => {
  const map = new BoundedMap<string, string>({ most: 3, weigh: ({ length }) => length });
  map.set('a', '1');
  map.set('b', '1');
  map.set('a', '1234');
  expect([...map.keys()]).toEqual(['b']);
});

import { expect, it } from 'vitest';
import { itemsOf, piecesOf } from '../../../src/service/playground/page/places.ts';

const contents = (text: string) => ({ text, shown: [1, 3] as const, of: 3, next: null });

it('makes an item of each line of the contents, with its place and its level', () => {
  expect(
    itemsOf(contents('2 headings\n#page=1: # River\n#page=2: ### Floods\n#table=1: 3 rows: a, # b\n')),
  ).toEqual([
    { place: null, level: 0, text: '2 headings' },
    { place: '#page=1', level: 0, text: 'River' },
    { place: '#page=2', level: 2, text: 'Floods' },
    { place: '#table=1', level: 0, text: '3 rows: a, # b' },
  ]);
});

it('splits text at what was looked for, in any case, as literal text', () => {
  expect(piecesOf('a (B) (b)', '(b)')).toEqual(['a ', '(B)', ' ', '(b)', '']);
  expect(piecesOf('text', '')).toEqual(['text']);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inReadingOrder } from '../../../processors/documents/slide-order.ts';

const INCH = 914_400;

/** A shape of 3 by 1 inches, unless a size is given. */
const shape = (name: string, x: number, y: number, width = 3, height = 1) => ({
  name,
  box: { x: x * INCH, y: y * INCH, width: width * INCH, height: height * INCH },
});
const order = (...shapes: readonly ReturnType<typeof shape>[]): string =>
  inReadingOrder(shapes)
    .map(({ name }) => name)
    .join(' ');

describe('the reading order of shapes on a slide', () => {
  it('is from top to bottom and from left to right, for any order in the file', () => {
    expect(order(shape('c', 0, 4), shape('b', 4, 0.1), shape('a', 0, 0))).toBe('a b c');
  });

  it('keeps columns that the file gives one after the other', () => {
    const head = [shape('head 1', 0, 0), shape('head 2', 4, 0)] as const;
    const text = [shape('text 1', 0, 2), shape('text 2', 4, 2)] as const;
    expect(order(head[0], text[0], head[1], text[1])).toBe('head 1 text 1 head 2 text 2');
    expect(order(head[0], head[1], text[0], text[1])).toBe('head 1 head 2 text 1 text 2');
    const top = shape('top', 0, -2, 7);
    expect(order(head[0], text[0], head[1], text[1], top)).toBe('top head 1 text 1 head 2 text 2');
  });

  it('is by rows where the file has no order', () => {
    const first = [shape('a1', 0, 0), shape('a2', 4, 0), shape('a3', 8, 0)] as const;
    const second = [shape('b1', 0, 2), shape('b2', 4, 2), shape('b3', 8, 2)] as const;
    expect(order(first[0], first[1], second[2], second[1], second[0], first[2])).toBe('a1 a2 a3 b1 b2 b3');
  });

  it('keeps the file order of shapes that cover each other', () => {
    expect(order(shape('picture', 1, 1, 8, 6), shape('label', 2, 1, 2, 1), shape('sign', 2, 4, 2, 1))).toBe(
      'picture label sign',
    );
  });

  it('reads frames that overlap at their edges by position', () => {
    expect(order(shape('below', 0, 0.9), shape('above', 0, 0))).toBe('above below');
    expect(order(shape('right', 2.8, 0), shape('left', 0, 0))).toBe('left right');
  });

  it('keeps every shape, also in a pinwheel and with many shapes', () => {
    const number = fc.integer({ min: 0, max: 20 });
    const boxes = fc.array(fc.option(fc.tuple(number, number, number, number), { nil: undefined }), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(boxes, (places) => {
        const items = places.map((place) => ({ box: place && shape('', ...place).box }));
        const ordered = inReadingOrder(items);
        expect(ordered).toHaveLength(items.length);
        expect(new Set(ordered)).toEqual(new Set(items));
      }),
    );
    const many = Array.from({ length: 2000 }, (_, at) => shape(String(at), 0, 2000 - at));
    expect(inReadingOrder(many)).toEqual([...many].reverse());
  });
});

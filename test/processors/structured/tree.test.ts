import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { writeJson } from '../../../processors/structured/json/text.ts';
import { extents } from '../../../processors/structured/tree/extents.ts';
import { fitTree, STEPS, tighten } from '../../../processors/structured/tree/fit.ts';
import type { Node } from '../../../processors/structured/tree/node.ts';
import {
  glyphFor,
  isWhole,
  shape,
  stringCut,
  type TreeLimits,
} from '../../../processors/structured/tree/shape.ts';
import { testContext } from '../../support/context.ts';

const limits: TreeLimits = { depth: 5, items: 50, keys: 50, string: 500 };

function nodeOf(value: unknown): Node {
  if (typeof value === 'string') return { kind: 'string', text: value, of: value.length };
  if (Array.isArray(value)) return { kind: 'array', items: value.map(nodeOf), of: value.length };
  if (value === null || typeof value !== 'object') return { kind: 'literal', text: String(value) };
  const entries = Object.entries(value).map(([key, inner]) => ({ key, value: nodeOf(inner) }));
  return { kind: 'object', entries, of: entries.length };
}

test('the scale only ever tightens, and ends in the bare count', () => {
  fc.assert(
    fc.property(
      fc.record({
        depth: fc.integer({ min: 1, max: 9 }),
        items: fc.nat(99),
        keys: fc.nat(99),
        string: fc.nat(999),
      }),
      (base) => {
        let before = base;
        for (let step = 0; step <= STEPS; step++) {
          const now = tighten(base, step);
          for (const name of ['depth', 'items', 'keys', 'string'] as const)
            expect(now[name]).toBeLessThanOrEqual(before[name]);
          before = now;
        }
        expect(before).toMatchObject({ items: 0, keys: 0 });
      },
    ),
  );
});

test('shaping in two steps is shaping by the tighter', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(STEPS), fc.nat(STEPS), (value, a, b) => {
      const [loose, tight] = [tighten(limits, Math.min(a, b)), tighten(limits, Math.max(a, b))];
      expect(shape(shape(nodeOf(value), loose), tight)).toEqual(shape(nodeOf(value), tight));
    }),
  );
});

test('a cut string and its mark keep the limit, and part no pair', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }), fc.nat(200), (text, limit) => {
      const shown = stringCut(text, text.length, limit);
      const node = shape(nodeOf(text), { ...limits, string: limit });
      const written = JSON.parse(writeJson(node, '…')) as string;
      if (text.length <= limit) expect(shown).toBe(text.length);
      else if (limit >= 20) expect(written.length).toBeLessThanOrEqual(limit);
      expect(/[\ud800-\udbff]$/.test(text.slice(0, shown))).toBe(false);
    }),
  );
});

test('marks occur in no data', () => {
  expect(glyphFor(nodeOf({ a: 'b' }))).toBe('…');
  expect(glyphFor(nodeOf({ a: '…' }))).toBe('⋯');
  expect(glyphFor(nodeOf(['…', { '⋯': 1 }, '‥']))).toBe('…1');
  expect(glyphFor(nodeOf(['…1', { '⋯': 1 }, '‥']))).toBe('…2');
});

describe('fitting', () => {
  const document = nodeOf({
    name: 'x',
    list: Array.from({ length: 40 }, (_, id) => ({
      id,
      text: 'word '.repeat(id),
      deep: { a: { b: [1, 2, { c: id }] } },
    })),
    more: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`key ${i}`, i])),
  });

  test.each([20, 30, 50, 100, 300, 1000, 5000])('within %i tokens is valid and within', async (tokens) => {
    const { budget } = testContext({ tokens });
    const fitted = await fitTree(document, limits, budget, (node) => writeJson(node, '…'));
    if (!fitted) throw new Error('a view is possible');
    JSON.parse(fitted.text);
    expect(budget.fits(fitted.text, fitted.whole ? budget.tokens : budget.tokensBesideNotes, 50_000)).toBe(
      true,
    );
    expect(fitted.node).toEqual(shape(document, fitted.limits));
    expect(fitted.whole).toBe(isWhole(fitted.node));
  });

  test('uses most of the budget there is', async () => {
    const { budget } = testContext({ tokens: 1500 });
    const fitted = await fitTree(document, limits, budget, (node) => writeJson(node, '…'));
    expect(budget.count(fitted?.text ?? '')).toBeGreaterThan(1000);
  });

  test('counts each line once, in few tries', async () => {
    const { budget } = testContext({ tokens: 1500 });
    let tries = 0;
    let written = 0;
    let counted = 0;
    const watched = {
      ...budget,
      count: (text: string) => {
        counted += text.length;
        return budget.count(text);
      },
      fits: (text: string, tokens: number, characters: number) => {
        counted += text.length;
        return budget.fits(text, tokens, characters);
      },
    };
    await fitTree(document, limits, watched, (node) => {
      const text = writeJson(node, '…');
      tries++;
      written += text.length;
      return text;
    });
    expect(tries).toBeLessThan(60);
    expect(counted).toBeLessThan(written / 4);
  });

  test('shows what lies deep rather than many alike', async () => {
    const { budget } = testContext({ tokens: 140 });
    const part = (id: number): unknown => ({ a: { b: { deep: id, deeper: `text ${id}` } } });
    const alike = nodeOf({ parts: Array.from({ length: 50 }, (_, id) => part(id)) });
    const fitted = await fitTree(alike, limits, budget, (node) => writeJson(node, '…'));
    expect(fitted?.text).toContain('"deeper": "text 0"');
  });

  test('gives nothing where nothing fits', async () => {
    const { budget } = testContext({ tokens: 1 });
    expect(await fitTree(document, limits, budget, (node) => writeJson(node, '…'))).toBeUndefined();
  });
});

test('extents add up with what is left out', () => {
  const node = shape(
    nodeOf({ a: Array.from({ length: 60 }, () => 1), b: 'x'.repeat(600), c: [[[[[1]]]]] }),
    limits,
  );
  expect(extents(node, '/at', 6)).toEqual({
    shown: [
      { unit: 'key', from: 1, to: 3, of: 3, name: '/at' },
      { unit: 'item', from: 1, to: 50, of: 60, name: '/at/a' },
      { unit: 'character', from: 1, to: 483, of: 600, name: '/at/b' },
      { unit: 'level', from: 1, to: 5, of: 6, name: '/at' },
    ],
    wholes: [
      { unit: 'key', of: 3, name: '/at' },
      { unit: 'item', of: 60, name: '/at/a' },
      { unit: 'character', of: 600, name: '/at/b' },
      { unit: 'item', of: 1, name: '/at/c/0/0/0/0' },
      { unit: 'level', of: 6, name: '/at' },
    ],
    places: 3,
  });
});

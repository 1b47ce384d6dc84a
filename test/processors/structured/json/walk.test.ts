// Walks JSON from the first view to the end and puts the document together again from what was given.

import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { json } from '../../../../processors/structured/json.ts';
import type { Limits, TextPart } from '../../../../src/contract/index.ts';
import { memorySource, run } from '../../../support/context.ts';
import { draws } from '../../../support/draws.ts';
import { Assembly, type Json, put } from './assembly.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

async function walked(
  text: string,
  options: { limits: Partial<Limits>; tokens: number },
): Promise<{ value: Json; pages: number; parts: TextPart[] }> {
  const source = memorySource(text, 'x.json');
  const first = await run(json, source, options);
  const parts: TextPart[] = [];
  let page = first;
  let pages = 1;
  for (let number = 0; ; number++) {
    const { budget } = page.context;
    const limit = page.next === undefined && number === 0 ? budget.tokens : budget.tokensBesideNotes;
    expect(budget.fits(page.view, limit, budget.characters)).toBe(true);
    for (const [index, part] of page.parts.entries()) {
      if (part.kind !== 'text') throw new Error('text expected');
      parts.push(part);
      if (number === 0 && index === 0) expect(page.parts.length === 1 || part.view !== undefined).toBe(true);
    }
    if (!page.next) break;
    expect(page.parts.length).toBeGreaterThan(0);
    page = await run(json, source, { ...options, selection: { resume: page.next.position } });
    pages++;
    if (pages > 5000) throw new Error('the walk does not end');
  }
  const assembly = new Assembly(parts);
  for (const part of parts) assembly.add(part);
  return { value: assembly.value, pages, parts };
}

/** Unmarked, short-keyed values: what a mark could be taken for is tested apart. */
const key = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('a', 'b', 'a/b', '~', '__proto__', '', '0'),
);
const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 50, maxLength: 400 }) },
);
const { value: jsonValue } = fc.letrec<{ value: Json; array: Json[]; object: { [key: string]: Json } }>(
  (tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(
        text,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      tie('array'),
      tie('object'),
    ),
    array: fc.array(tie('value'), { maxLength: 9 }),
    object: fc.array(fc.tuple(key, tie('value')), { maxLength: 6 }).map((entries) => {
      const object: { [key: string]: Json } = {};
      for (const [name, value] of entries) put(object, name, value);
      return object;
    }),
  }),
);

const noMark = (value: Json): boolean => !/[…⋯‥]/.test(JSON.stringify(value));

describe('a walk over JSON', () => {
  test('gives back the document, whatever the limits and the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        jsonValue.filter(noMark),
        fc.record({
          maxNestingDepth: fc.integer({ min: 1, max: 6 }),
          maxArrayItems: fc.integer({ min: 0, max: 20 }),
          maxObjectKeys: fc.integer({ min: 0, max: 20 }),
          maxStringValueLength: fc.integer({ min: 1, max: 600 }),
        }),
        fc.integer({ min: 30, max: 2000 }),
        fc.constantFrom(undefined, 2),
        async (document, limits, tokens, indent) => {
          const { value } = await walked(JSON.stringify(document, null, indent), { limits, tokens });
          expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(JSON.stringify(document))));
        },
      ),
      { numRuns: draws(600) },
    );
  });

  test('goes down a document of any depth, byte by byte where it is too deep to enter', async () => {
    const deep = `${'['.repeat(300)}"${'text '.repeat(2000)}"${']'.repeat(300)}`;
    const source = memorySource(`{"a": ${deep}, "b": 1}`, 'x.json');
    let page = await run(json, source, { tokens: 600 });
    let raw = '';
    let pages = 1;
    for (; page.next; pages++) {
      page = await run(json, source, { tokens: 600, selection: { resume: page.next.position } });
      for (const part of page.parts)
        if (part.kind === 'text' && part.shown[0]?.unit === 'byte') raw += part.text;
    }
    expect(raw.length).toBeGreaterThan(10_000);
    expect(deep).toContain(raw);
    expect(deep.replace(raw, '')).toMatch(/^\[*\]*$/);
    expect(pages).toBeLessThan(30);
  });

  test('shows every key, however small the budget', async () => {
    const customers = Array.from({ length: 20 }, (_, at): [string, Json] => [
      `customer_${at}_`,
      {
        [`contact_${at}`]: {
          first: 'alpha beta '.repeat((at * 7) % 12),
          last: 'delta gamma '.repeat(at % 9),
        },
      },
    ]);
    const source = memorySource(JSON.stringify(Object.fromEntries(customers)), 'x.json');
    for (const tokens of [80, 100, 140, 200]) {
      let page = await run(json, source, { tokens });
      let seen = page.view;
      while (page.next) {
        page = await run(json, source, { tokens, selection: { resume: page.next.position } });
        seen += page.view;
      }
      expect(customers.filter(([name]) => !seen.includes(name))).toEqual([]);
    }
  });

  test('ends on any budget that holds a few characters', async () => {
    await fc.assert(
      fc.asyncProperty(jsonValue, fc.integer({ min: 8, max: 30 }), async (document, tokens) => {
        const source = memorySource(JSON.stringify(document), 'x.json');
        let page = await run(json, source, { tokens });
        for (let pages = 0; page.next; pages++) {
          expect(pages).toBeLessThan(3000);
          page = await run(json, source, { tokens, selection: { resume: page.next.position } });
          expect(page.parts.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: draws(60) },
    );
  });
});

// Walks JSON from the first view to the end and puts the document together again from what was given.

import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { json } from '../../../../processors/structured/json.ts';
import type { Extent, Limits, TextPart, Unit } from '../../../../src/contract/index.ts';
import { memorySource, run } from '../../../support/context.ts';
import { draws } from '../../../support/draws.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const MARK = /^(?:…|⋯|‥|…\d+)$/;

/** The view without its marks; containers that were not entered are empty. */
function stripped(value: Json): Json {
  if (typeof value === 'string') return value.replace(/(?:…\d*|⋯|‥)\+\d+ characters?$/, '');
  if (Array.isArray(value)) return value.filter((item) => !isMark(item)).map(stripped);
  if (value === null || typeof value !== 'object') return value;
  if (isMark(value)) return isMark(value) === 'array' ? [] : {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !MARK.test(key))
      .map(([key, inner]) => [key, stripped(inner)]),
  );
}

function isMark(value: Json): 'array' | 'object' | 'more' | false {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  const [entry] = entries;
  if (entries.length !== 1 || !entry || !MARK.test(entry[0]) || typeof entry[1] !== 'string') return false;
  if (entry[1].startsWith('array of ')) return 'array';
  if (entry[1].startsWith('object of ')) return 'object';
  if (/^\d+ keys?$/.test(entry[1])) return 'object';
  return /^\d+ (?:more )?items?$/.test(entry[1]) ? 'more' : false;
}

/** Like `stripped`, but told apart by the mark which container it was. */
function build(value: Json): Json {
  if (Array.isArray(value)) {
    const kept = value.filter((item) => isMark(item) !== 'more');
    return kept.map(build);
  }
  const mark = isMark(value);
  if (mark === 'array') return [];
  if (mark) return {};
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key, inner]) => !(MARK.test(key) && typeof inner === 'string'))
        .map(([key, inner]) => [key, build(inner)]),
    );
  return stripped(value);
}

function tokens(name: string): string[] {
  return name === ''
    ? []
    : name
        .slice(1)
        .split('/')
        .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function child(parent: Json | undefined, token: string): Json | undefined {
  if (Array.isArray(parent)) return parent[Number(token)];
  if (parent === null || typeof parent !== 'object') return undefined;
  return Object.hasOwn(parent, token) ? parent[token] : undefined;
}

function put(parent: Json, token: string, value: Json): void {
  if (Array.isArray(parent)) parent[Number(token)] = value;
  else if (parent !== null && typeof parent === 'object')
    Object.defineProperty(parent, token, { value, enumerable: true, writable: true, configurable: true });
}

/** Puts pieces in the places their extents name. `kinds` knows which places are arrays. */
class Assembly {
  readonly #holder: Json[] = [];
  readonly #kinds: Map<string, Unit>;
  /** Bytes of members and values that fit no page. */
  #raw = '';

  constructor(parts: readonly TextPart[]) {
    this.#kinds = new Map(
      parts
        .flatMap((part) => part.shown)
        .filter(({ unit }) => unit === 'item' || unit === 'key')
        .map(({ name = '', unit }) => [name, unit]),
    );
  }

  get value(): Json {
    return this.#holder[0] ?? null;
  }

  view(value: Json): void {
    this.#holder[0] = build(value);
  }

  /** Puts a part in its place; bytes once they are all there. */
  add({ text, shown: [extent] }: TextPart): void {
    if (extent?.unit !== 'byte') {
      if (extent) this.piece(extent, JSON.parse(text) as Json);
      return;
    }
    this.#raw = extent.from === 1 ? text : this.#raw + text;
    if (extent.to !== extent.of) return;
    const name = extent.name ?? '';
    const member = /^(?:(.*), )?key \d+$/s.exec(name);
    if (member)
      this.piece({ ...extent, unit: 'key', name: member[1] ?? '' }, JSON.parse(`{${this.#raw}}`) as Json);
    else this.piece({ ...extent, unit: 'value' }, JSON.parse(this.#raw) as Json);
  }

  piece(extent: Omit<Extent, 'unit'> & { unit: string }, value: Json): void {
    const name = extent.name ?? '';
    const path = tokens(name);
    let parent: Json = this.#holder;
    let token = '0';
    for (const [level, next] of path.entries()) {
      let inner = child(parent, token);
      if (inner === undefined || inner === null || typeof inner !== 'object') {
        const kind = this.#kinds.get(
          name
            .split('/')
            .slice(0, level + 1)
            .join('/'),
        );
        expect(kind).toBeDefined();
        inner = kind === 'item' ? [] : {};
        put(parent, token, inner);
      }
      parent = inner;
      token = next;
    }
    const place = child(parent, token);
    if (extent.unit === 'value') put(parent, token, value);
    else if (extent.unit === 'character') {
      expect(typeof value).toBe('string');
      const before = typeof place === 'string' ? place : '';
      expect(before.length).toBe(extent.from - 1);
      put(parent, token, before + String(value));
    } else if (extent.unit === 'item') {
      if (!Array.isArray(value)) throw new Error('an item piece is an array');
      expect(value.length).toBe(extent.to - extent.from + 1);
      const list = Array.isArray(place) ? place : [];
      expect(list.length).toBe(extent.from - 1);
      put(parent, token, [...list, ...value]);
    } else {
      expect(extent.unit).toBe('key');
      const object = place !== undefined && place !== null && typeof place === 'object' ? place : {};
      put(parent, token, object);
      if (value === null || typeof value !== 'object' || Array.isArray(value))
        throw new Error('a key piece is an object');
      for (const [key, inner] of Object.entries(value)) put(object, key, inner);
    }
  }
}

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
  for (const part of parts) {
    if (part.view === undefined) assembly.view(JSON.parse(part.text) as Json);
    else assembly.add(part);
  }
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

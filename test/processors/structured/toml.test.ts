import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import {
  applyEdits,
  type ElisionLimits,
  gapsOf,
  glyphOutside,
} from '../../../processors/structured/elision.ts';
import { TomlElider } from '../../../processors/structured/toml/elision.ts';
import { readToml } from '../../../processors/structured/toml/tree.ts';
import { toml } from '../../../processors/structured/toml.ts';
import { NotThisFormat, type Selection } from '../../../src/contract/index.ts';
import { memorySource, run, type TestOptions, testContext } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';
import { tomlSample } from './toml-samples.ts';

const read = (text: string, options: TestOptions = {}) => run(toml, memorySource(text, 'a.toml'), options);
const decode = (spelled: string): string => String(parse(`v = ${spelled}`)['v']);

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** True when `view` is `whole` with the ends of tables, arrays and strings left out. */
function isSample(view: unknown, whole: unknown, glyph: string): boolean {
  if (Object.is(view, whole)) return true;
  if (typeof view === 'string')
    return (
      typeof whole === 'string' && view.endsWith(glyph) && whole.startsWith(view.slice(0, -glyph.length))
    );
  if (Array.isArray(view))
    return (
      Array.isArray(whole) &&
      view.length <= whole.length &&
      view.every((item, index) => isSample(item, whole[index], glyph))
    );
  if (view !== null && typeof view === 'object') {
    if (whole === null || typeof whole !== 'object' || Array.isArray(whole)) return false;
    const all = new Map(Object.entries(whole));
    return Object.entries(view).every(([key, item]) => all.has(key) && isSample(item, all.get(key), glyph));
  }
  return false;
}

const limits: fc.Arbitrary<ElisionLimits> = fc.record({
  depth: fc.integer({ min: 1, max: 5 }),
  items: fc.constantFrom(0, 1, 2, 5, 50),
  keys: fc.constantFrom(0, 1, 2, 5, 50),
  string: fc.constantFrom(1, 2, 8, 20, 500),
  comment: fc.constantFrom(0, Number.POSITIVE_INFINITY),
});

const lock = `version = 3\n\n${Array.from(
  { length: 500 },
  (_, index) =>
    `[[package]]\nname = "crate-${index}"\nversion = "1.0.${index}"\ndependencies = [\n "a",\n "b",\n]\n\n[package.metadata]\nx = ${index}\n\n`,
).join('')}[metadata]\nsum = "abc"\n`;

describe('an elided TOML document', () => {
  it('is valid TOML, a sample of the whole, and with its gaps makes the file again', () => {
    fc.assert(
      fc.property(tomlSample, limits, ({ text }, tried) => {
        const whole = parse(text, { integersAsBigInt: true });
        const document = readToml(text, decode);
        const stretches = [{ from: 0, to: text.length }];
        const glyph = glyphOutside(text);
        const scope = {
          source: text,
          document,
          comments: [],
          root: document.root,
          stretches,
          glyph,
          decode,
          lengths: new Map(),
        };
        const { edits, shown, wholes } = new TomlElider(scope, tried).run();
        const view = applyEdits(text, stretches, edits);
        expect(isSample(parse(view, { integersAsBigInt: true }), whole, glyph), view).toBe(true);
        let at = 0;
        for (const edit of edits) {
          expect(edit.from).toBeGreaterThanOrEqual(at);
          at = edit.to;
        }
        const unmarked = applyEdits(
          text,
          stretches,
          edits.map((edit) => ({ ...edit, text: '' })),
        );
        const left = gapsOf(edits).reduce((sum, gap) => sum + gap.to - gap.from, 0);
        expect(unmarked.length + left).toBe(text.length);
        for (const { from, to, of } of shown) expect(from >= 1 && from <= to && to <= (of ?? 0)).toBe(true);
        expect(new Set(wholes.map(({ unit, name }) => `${unit} ${name}`)).size).toBe(wholes.length);
      }),
      { numRuns: draws(500) },
    );
  });

  it('reads the values another parser reads', async () => {
    await fc.assert(
      fc.asyncProperty(tomlSample, async ({ text }) => {
        const { text: made } = await read(text, { selection: { format: 'json', all: true } });
        const plain = (value: unknown): unknown =>
          JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item)));
        expect(JSON.parse(made)).toEqual(plain(parse(text, { integersAsBigInt: true })));
      }),
      { numRuns: draws(150) },
    );
  });
});

it('shows what fits as it is spelled', async () => {
  const text =
    '# head\r\nbig = 9_223_372_036_854_775_807\r\nwhen = 1979-05-27 07:32:00.999-07:00\nday = 1979-05-27\nhex = 0xDEAD_BEEF\n' +
    "path = 'C:\\x'\nlong = '''\na\n''''\nfloat = +1.50\nnot = nan\n[a.\"b.c\"]\nd = {f = [1, 2]}\n[[x]]\n[[x]]\n# end";
  const { text: shown, parts, next } = await read(text);
  expect(shown).toBe(text);
  expect(next).toBeUndefined();
  expect(parts[0]?.shown).toEqual([{ unit: 'key', from: 1, to: 10, of: 10, name: '' }]);
});

describe('TOML that does not fit', () => {
  it('counts the tables it leaves out', async () => {
    const { text, parts } = await read(lock, { tokens: 20000 });
    expect(text).toContain(
      '[package.metadata]\nx = 49\n# … 450 more items of /package\n\n[metadata]\nsum = "abc"\n',
    );
    expect(parse(text)['package']).toHaveLength(50);
    expect(parts[0]?.shown).toContainEqual({ unit: 'item', from: 1, to: 50, of: 500, name: '/package' });
  });

  it.each([0, 1, 2, 5, 20, 60, 200, 1000])('keeps to %i tokens', async (tokens) => {
    const { view, context } = await read(lock, { tokens });
    expect(context.budget.count(view)).toBeLessThanOrEqual(context.budget.tokensBesideNotes);
    if (tokens === 0) expect(context.wholes).toEqual([{ unit: 'key', of: 3, name: '' }]);
    else expect(view).not.toBe('');
    if (tokens >= 60) expect(() => parse(view)).not.toThrow();
  });

  it('puts marks where TOML allows a comment', async () => {
    const text = `a = { b = [${'1, '.repeat(60)}1], c = "${'x'.repeat(600)}" }\nd = [ { e = "${'y'.repeat(600)}" }, 2 ]\n`;
    const { text: view } = await read(text);
    expect(view).toBe(
      `a = { b = [${'1, '.repeat(49)}1, # … 11 more items\n], c = "${'x'.repeat(499)}…" } # … 499 of 600 characters\n` +
        `d = [ { e = "${'y'.repeat(499)}…" }, # … 499 of 600 characters\n   2 ]\n`,
    );
    expect(() => parse(view)).not.toThrow();
  });

  it('walks to the end of what is left', async () => {
    const first = await read(lock, { tokens: 3000 });
    let left = '';
    for (let { next } = first; next; ) {
      const page = await read(lock, { tokens: 3000, selection: { resume: next.position } });
      expect(page.parts.length).toBeGreaterThan(0);
      left += page.text;
      next = page.next;
    }
    const start = first.text.slice(0, first.text.indexOf('# …'));
    const end = first.text.slice(first.text.indexOf('\n[metadata]'));
    expect(start + left + end).toBe(lock);
  });
});

describe('a pointer', () => {
  const text =
    'title = "x"\n[servers.alpha]\nip = "10.0.0.1"\nroles = ["web", {deep = 1}]\n[other]\ny = 1\n[servers.beta]\nip = "10.0.0.2"\nd.e = 1\n[[p]]\nq = 1\n[[p]]\nq = 2\n';
  const at = (pointer: string): { selection: Partial<Selection> } => ({ selection: { pointer } });

  it.each([
    ['/title', 'title = "x"\n'],
    [
      '/servers',
      '[servers.alpha]\nip = "10.0.0.1"\nroles = ["web", {deep = 1}]\n[servers.beta]\nip = "10.0.0.2"\nd.e = 1\n',
    ],
    ['/servers/alpha/roles/1', '{deep = 1}'],
    ['/servers/beta/d', 'd.e = 1\n'],
    ['/p/1', '[[p]]\nq = 2\n'],
    ['', text],
  ])('%s shows its value', async (pointer, expected) => {
    expect((await read(text, at(pointer))).text).toBe(expected);
  });

  it('counts within what it points to', async () => {
    const { text: view, parts } = await read(lock, { ...at('/package/3'), limits: { maxObjectKeys: 2 } });
    expect(view).toBe(
      '[[package]]\nname = "crate-3"\nversion = "1.0.3"\n# … 2 more keys: dependencies, metadata\n',
    );
    expect(parts[0]?.shown[0]).toEqual({ unit: 'key', from: 1, to: 2, of: 4, name: '/package/3' });
  });

  it('that leads nowhere says what is there', async () => {
    expect(await failure(read(text, at('/servers/gamma')))).toMatchObject({
      message: '`pointer` `/servers/gamma` was not found: `/servers` is an object without the key `gamma`.',
      hint: 'Use a key of `/servers`: `alpha`, `beta`.',
    });
    expect(await failure(read(text, at('/p/2')))).toHaveProperty('code', 'BAD_INPUT');
  });
});

describe('what is not TOML', () => {
  it.each([
    ['a = \n', 'line 1'],
    ['a = 1\nb = [1, 2\n', 'line'],
    ['a = 1\na = 2\n', 'line 2, column 1'],
    [`a = ${'['.repeat(100000)}`, 'TOML'],
    [`a = ${'['.repeat(250)}${']'.repeat(250)}\n`, 'nested deeper'],
    [`${'a.'.repeat(100000)}a = 1\n`, 'nested deeper'],
  ])('%.20j is refused with its place', async (text, place) => {
    const error = await failure(read(text));
    expect(error).toBeInstanceOf(NotThisFormat);
    expect(error).toHaveProperty('warning.code', 'INVALID_SYNTAX');
    expect(error).toHaveProperty('message', expect.stringContaining(place));
  });

  it('is what exceeds the limits of a tree', async () => {
    const error = await failure(read(lock, { limits: { maxTreeBytes: 1000 } }));
    expect(error).toHaveProperty('warning.code', 'NOT_VALIDATED');
  });
});

it('gives JSON with digits kept', async () => {
  const { text } = await read('a = 9_007_199_254_740_993\nb = 1979-05-27\nc = 0xFF\nd = inf\ne = 1e3\n', {
    selection: { format: 'json' },
  });
  expect(text).toContain('9007199254740993');
  expect(JSON.parse(text)).toMatchObject({ b: '1979-05-27', c: 255, d: 'inf', e: 1000 });
});

it('outlines its schema', async () => {
  const context = testContext({ selection: { outline: true } });
  const texts = [];
  for await (const line of toml.outline?.(memorySource(lock, 'Cargo.lock'), context) ?? [])
    texts.push(`${line.text}\n`);
  expect(texts.join('')).toMatchInlineSnapshot(`
    "object of 3 keys
    version: number
    package: [{4 keys} x 500]
      name: string
      version: string
      dependencies: ["a" | "b" x 2]
      metadata: {1 key}
        x: number 0..499
    metadata: {1 key}
      sum: string
    "
  `);
});

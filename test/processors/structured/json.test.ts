import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { json } from '../../../processors/structured/json.ts';
import { repeatedNames } from '../../../processors/structured/pointer.ts';
import { NotThisFormat } from '../../../src/contract/index.ts';
import { memorySource, run, type TestOptions, testContext } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const read = (content: string | Uint8Array, options?: TestOptions): ReturnType<typeof run> =>
  run(json, memorySource(content, 'x.json'), options);

describe('a JSON document that fits', () => {
  test.each([
    '{}',
    ' [1, 2.50, -0, 1e400, 123456789012345678901234567890]\n',
    '{"b": 1,\r\n\t"a": {"c": null}}',
    '"text \\u00e9"',
    '{"__proto__": {"constructor": 1}, "toString": 2}',
    'null',
  ])('is shown as it stands: %s', async (text) => {
    const { text: shown, next, context } = await read(text);
    expect(shown).toBe(text);
    expect(next).toBeUndefined();
    expect(context.warnings).toEqual([]);
  });

  test('is said to have new line breaks if it stood in one line and is cut', async () => {
    const items = Array.from({ length: 200 }, (_, id) => ({ id, name: `n${id}` }));
    const note = { code: 'CONVERTED', message: 'Line breaks are added.' };
    const cut = { tokens: 100 };
    const inOneLine = await read(JSON.stringify({ items }), cut);
    expect(inOneLine.text).toContain('\n');
    expect(inOneLine.context.warnings).toContainEqual(note);
    const inLines = await read(JSON.stringify({ items }, null, 1), cut);
    expect(inLines.text).toContain('\n');
    expect(inLines.context.warnings).not.toContainEqual(note);
  });

  test('keys found twice are kept and told', async () => {
    const text = '{"a": 1, "b": {"c": 1, "c": 2}, "a": 3}';
    const { text: shown, context } = await read(text);
    expect(shown).toBe(text);
    expect(context.warnings).toEqual([
      { code: 'DUPLICATE_KEYS', message: expect.stringContaining('`c`, `a`') },
    ]);
  });

  test.each([
    ['{"a": 1, "a": 2}', '/a', '1', ['a']],
    ['{"x": [0, {"a": {"b": 1, "c": 3, "b": 2}}, 4], "y": 5, "x": {}}', '/x/1/a/b', '1', ['x', 'b']],
    ['{"a": {"b": 1}, "b": 2, "c": {"b": 3}}', '/a/b', '1', []],
    ['{"b": 1, "\\u0062": 2}', '/b', '1', ['b']],
  ])(
    'a pointer finds the first of duplicate keys, and says so: %s %s',
    async (text, pointer, value, names) => {
      const { text: shown, context } = await read(text, { selection: { pointer } });
      expect(shown).toBe(value);
      expect(context.warnings).toEqual(names.length === 0 ? [] : [repeatedNames(names)]);
    },
  );

  test('UTF-8 with a byte order mark and UTF-16 read alike', async () => {
    const text = '{"ä": "€"}';
    expect((await read(Buffer.from(`\ufeff${text}`))).text).toBe(text);
    expect((await read(Buffer.from(`\ufeff${text}`, 'utf16le'))).text).toBe(text);
  });
});

describe('a truncated view', () => {
  const features = Array.from({ length: 300 }, (_, id) => ({
    id,
    tags: ['a', 'b'],
    deep: { a: { b: { c: { d: 1 } } } },
  }));

  test('keeps the limits, names what is missing and stays JSON', async () => {
    const object = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`k${i}`, i]));
    const { text, context, next, parts } = await read(
      JSON.stringify({
        list: Array.from({ length: 1000 }, (_, i) => i),
        object,
        text: 'x'.repeat(2000),
        deep: [[[[[1, 2]]]]],
      }),
    );
    const shown = JSON.parse(text);
    expect(shown.list.length).toBe(51);
    expect(shown.list[50]).toEqual({ '…': '950 more items' });
    expect(Object.keys(shown.object).length).toBe(51);
    expect(shown.object['…']).toBe('20 more keys');
    expect(shown.text.length).toBeLessThanOrEqual(500);
    expect(shown.text).toMatch(/^x+…\+15\d\d characters$/);
    const kept = /^x+/.exec(shown.text)?.[0].length ?? 0;
    expect(shown.text).toBe(`${'x'.repeat(kept)}…+${2000 - kept} characters`);
    expect(shown.deep).toEqual([[[[{ '…': 'array of 2 items' }]]]]);
    expect(context.wholes).toEqual([
      { unit: 'key', of: 4, name: '' },
      { unit: 'item', of: 1000, name: '/list' },
      { unit: 'key', of: 70, name: '/object' },
      { unit: 'character', of: 2000, name: '/text' },
      { unit: 'item', of: 2, name: '/deep/0/0/0/0' },
      { unit: 'level', of: 6, name: '' },
    ]);
    expect(parts[0]?.shown).toEqual([
      { unit: 'key', from: 1, to: 4, of: 4, name: '' },
      { unit: 'item', from: 1, to: 50, of: 1000, name: '/list' },
      { unit: 'key', from: 1, to: 50, of: 70, name: '/object' },
      { unit: 'character', from: 1, to: kept, of: 2000, name: '/text' },
      { unit: 'level', from: 1, to: 5, of: 6, name: '' },
    ]);
    expect(next?.skip).toEqual({ pointer: '/list', rows: '51-1000' });
  });

  test('cannot be taken for data: the mark is another one where the file holds it', async () => {
    const list = Array.from({ length: 60 }, () => 1);
    expect(JSON.parse((await read(JSON.stringify(['…', ...list]))).text).at(-1)).toEqual({
      '⋯': '11 more items',
    });
    const all = JSON.stringify({ '…': 1, '⋯': 2, '‥': 3, list });
    expect(JSON.parse((await read(all)).text).list.at(-1)).toEqual({ '…1': '10 more items' });
  });

  test.each([10, 20, 50, 120, 400, 1000, 5000])('is valid JSON within %i tokens', async (tokens) => {
    const { text, context, next } = await read(JSON.stringify({ type: 'F', features, end: true }), {
      tokens,
    });
    expect(
      context.budget.fits(text, context.budget.tokensBesideNotes, context.budget.charactersBesideNotes),
    ).toBe(true);
    expect(next).toBeDefined();
    if (text !== '') JSON.parse(text);
    if (tokens >= 20) expect(context.wholes[0]).toEqual({ unit: 'key', of: 3, name: '' });
    if (tokens >= 20) expect(text).not.toBe('');
  });

  test.each([300, 1000, 3000, 10_000])('of a document too large to hold, with %i groups', async (count) => {
    const groups = Array.from({ length: count }, (_, at) => [
      `group${at}`,
      Array.from({ length: 1 + (at % 9) }, (__, id) => ({ id, text: 'word '.repeat(id * (at % 5)) })),
    ]);
    const limits = { maxArrayItems: 50_000, maxObjectKeys: 50_000, maxStringValueLength: 50_000 };
    const { text, context } = await read(JSON.stringify(Object.fromEntries(groups)), {
      tokens: 1000,
      limits,
    });
    const view = JSON.parse(text) as Record<string, unknown>;
    expect(view['…']).toMatch(/more keys: /);
    expect(context.facts['keys']).toBe(count);
  });

  test('with no budget gives no parts but says what there is', async () => {
    const { parts, context } = await read(JSON.stringify({ features }), { tokens: 0 });
    expect(parts).toEqual([]);
    expect(context.wholes[0]).toEqual({ unit: 'key', of: 1, name: '' });
    expect(context.facts).toMatchObject({ type: 'object', keys: 1, levels: 7 });
  });

  test('of many small places lists at most a hundred', async () => {
    const { context } = await read(
      JSON.stringify(Array.from({ length: 40 }, () => Array.from({ length: 40 }, () => ['x'.repeat(80)]))),
      { limits: { maxNestingDepth: 2 } },
    );
    expect(context.wholes.length).toBeLessThanOrEqual(102);
  });
});

describe('a part of a document', () => {
  const text = JSON.stringify({
    'a/b': { '~': [10, { x: 'deep' }] },
    list: Array.from({ length: 200 }, (_, i) => ({ i })),
  });

  test.each([
    ['/a~1b/~0/1/x', '"deep"'],
    ['/a~1b', '{"~":[10,{"x":"deep"}]}'],
    ['/list/150', '{"i":150}'],
    ['/list/3/i', '3'],
  ])('by pointer %j', async (pointer, expected) => {
    expect((await read(text, { selection: { pointer } })).text).toBe(expected);
  });

  test.each([
    ['/lits', '`/lits` was not found: the root is an object without the key `lits`', '`list`'],
    ['/list/200', '`/list` is an array of 200 items; its items are 0 to 199', '`/list`'],
    ['/list/x', '`/list` is an array of 200 items', '`/list`'],
    ['/list/0/i/y', '`/list/0/i` is a number or name', '`/list/0/i`'],
    ['/a~2', 'expected a JSON Pointer', '~0'],
  ])('that is not there: %s', async (pointer, message, hint) => {
    await expect(read(text, { selection: { pointer } })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  test('by rows, and in a walk, items of the array', async () => {
    const selection = { pointer: '/list', rows: { from: 101, to: 180 } } as const;
    const first = await read(text, { selection });
    expect(JSON.parse(first.text).slice(0, 2)).toEqual([{ i: 100 }, { i: 101 }]);
    expect(JSON.parse(first.text).at(-1)).toEqual({ '…': '30 more items' });
    expect(first.parts[0]?.shown[0]).toEqual({ unit: 'item', from: 101, to: 150, of: 200, name: '/list' });
    expect(first.next?.request).toEqual({ pointer: '/list', rows: '151-180' });
    const rest = await read(text, { selection: { pointer: '/list', resume: first.next?.position ?? [] } });
    expect(JSON.parse(rest.text)).toEqual(Array.from({ length: 30 }, (_, i) => ({ i: i + 150 })));
    expect(rest.next).toBeUndefined();
    await expect(read(text, { selection: { rows: { from: 1, to: 2 } } })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
  });

  test('all of it is the text of the file', async () => {
    const all = { all: true };
    expect((await read(` ${text}\n`, { selection: all })).text).toBe(` ${text}\n`);
    expect((await read(text, { selection: { ...all, pointer: '/a~1b/~0' } })).text).toBe('[10,{"x":"deep"}]');
    const rows = { from: 199, to: 200 };
    expect((await read(text, { selection: { ...all, pointer: '/list', rows } })).text).toBe(
      '[{"i":198},{"i":199}]\n',
    );
  });

  test('a long document is parsed once for its outline and its view', async () => {
    const items = Array.from({ length: 20_000 }, (_, id) => ({ id, name: `name ${id}` }));
    const source = memorySource(JSON.stringify({ items }), 'x.json');
    const context = testContext({ tokens: 500, selection: { brief: true } });
    const utf8 = await context.text(source);
    const shared = { ...context, text: async () => utf8 };
    const parse = vi.spyOn(JSON, 'parse');
    const lines: string[] = [];
    for await (const { text } of json.outline?.(source, shared) ?? []) lines.push(text.trim());
    for await (const part of json.process(source, shared)) expect(part.kind).toBe('text');
    const long = parse.mock.calls.filter(([text]) => text.length > 100_000);
    parse.mockRestore();
    expect(lines).toContain('items: [{2 keys} x 20000]');
    expect(long).toHaveLength(1);
  });

  test('an outline names keys, types and counts', async () => {
    const outline = json.outline;
    const context = (await read(text)).context;
    const parts: string[] = [];
    for await (const line of outline?.(memorySource(text, 'x.json'), context) ?? [])
      parts.push(`${line.text}\n`);
    expect(parts.join('')).toMatchInlineSnapshot(`
      "object of 2 keys
      a/b: {1 key}
        "~": [{1 key} x 1 | number x 1]
          x: string
      list: [{1 key} x 200]
        i: number 0..199
      "
    `);
  });
});

describe('what is no JSON', () => {
  test.each([
    ['', 'expected a value, found the end at line 1, column 1 (byte 1)'],
    ['{"a": 1,}', 'expected a key in double quotes, found `}` at line 1, column 9 (byte 9)'],
    ['[1,\n 2\n 3]', 'expected `,` or `]`, found `3` at line 3, column 2 (byte 9)'],
    ['{"ä": nul}', 'expected a value, found `nul` at line 1, column 7 (byte 8)'],
    ['// comment\n{}', 'expected a value, found `//` at line 1, column 1 (byte 1)'],
    ['[1] x', 'expected nothing after the value, found `x` at line 1, column 5 (byte 5)'],
    ['[NaN]', 'expected a value, found `NaN` at line 1, column 2 (byte 2)'],
    [`${'['.repeat(100_000)}`, 'expected `]`, found the end at line 1, column 100001 (byte 100001)'],
  ])('is refused with its place: %j', async (text, message) => {
    const error = await read(text).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NotThisFormat);
    expect((error as NotThisFormat).warning).toEqual({
      code: 'INVALID_SYNTAX',
      message: `Not valid JSON: ${message}.`,
    });
  });

  const damaged = '[{"a": 1, "b": [1, 2]}, {"a": 12},\n {"a": 3}, {"a": 4,, "b": 5}, 6]';
  const before = {
    code: 'INVALID_SYNTAX',
    message:
      'Not valid JSON: expected a key in double quotes, found `,` at line 2, column 20 (byte 55). Only the text before it was read.',
  };

  test.each<[NonNullable<TestOptions['selection']>, string]>([
    [{ pointer: '/1' }, '{"a": 12}'],
    [{ pointer: '/0/b/1' }, '2'],
    [{ pointer: '/3/a' }, '4'],
    [{ rows: { from: 2, to: 2 } }, '[\n  {"a": 12}\n]\n'],
    [{ rows: { from: 2, to: 3 }, all: true }, '[{"a": 12},\n {"a": 3}]\n'],
    [{ pointer: '/0/b', rows: { from: 2, to: 2 } }, '[2]\n'],
  ])('a part before the error is shown, with its place: %j', async (selection, text) => {
    const shown = await read(damaged, { selection });
    expect(shown.text).toBe(text);
    expect(shown.context.warnings).toContainEqual(before);
  });

  test.each<NonNullable<TestOptions['selection']>>([
    { pointer: '/3' },
    { pointer: '/3/b' },
    { pointer: '/4' },
    { pointer: '/99' },
    { rows: { from: 1, to: 1 }, format: 'csv' },
  ])('a part that may be damaged is refused: %j', async (selection) => {
    const error = await read(damaged, { selection }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(NotThisFormat);
  });

  test('a number that ends at the error is refused, and rows count to the item before it', async () => {
    await expect(read('[1, 23', { selection: { pointer: '/1' } })).rejects.toBeInstanceOf(NotThisFormat);
    await expect(read('[1', { selection: { rows: { from: 1, to: 1 } } })).rejects.toBeInstanceOf(
      NotThisFormat,
    );
    const items = Array.from({ length: 500 }, (_, id) => `{"id": ${id}}`).join(',');
    const first = await read(`[${items}, {`, {
      selection: { rows: { from: 2, to: 500 } },
      tokens: 100,
    });
    expect(first.context.wholes).toContainEqual({ unit: 'item', of: 500, name: '' });
    expect(first.next).toBeDefined();
  });

  test('a value over the checked size is still closed, matched and alone', async () => {
    const long = `${'1,'.repeat(9_000_000)}1`;
    const inside = await read(`{"a": [${long}]}`);
    expect(inside.context.facts).toMatchObject({ validated: false });
    expect(inside.context.wholes).toContainEqual({ unit: 'item', of: 9_000_001, name: '/a' });
    for (const bad of [`{"a": [${long}`, `{"a": [${long}}}`, `{"a": [${long}]} x`])
      await expect(read(bad)).rejects.toBeInstanceOf(NotThisFormat);
  });
});

test('depth never overflows', async () => {
  const depth = 3_000_000;
  const { context, next } = await read(Buffer.concat([Buffer.alloc(depth, '['), Buffer.alloc(depth, ']')]));
  expect(context.facts).toMatchObject({ levels: depth });
  const more = await read(Buffer.concat([Buffer.alloc(depth, '['), Buffer.alloc(depth, ']')]), {
    selection: { resume: next?.position ?? [] },
  });
  expect(more.parts.length).toBeGreaterThan(0);
});

test('a number longer than the limit is cut as text and given byte by byte', async () => {
  const number = `-${'123'.repeat(1000)}`;
  const first = await read(`[${number}]`);
  expect(JSON.parse(first.text)[0]).toMatch(/^-123.*…\+\d+ characters$/);
  const more = await read(`[${number}]`, { selection: { resume: first.next?.position ?? [] } });
  const shown = Number(/…\+(\d+) /.exec(first.text)?.[1]);
  expect(more.text).toBe(number.slice(number.length - shown));
});

test('a foreign position is stale and no more', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.array(fc.oneof(fc.string(), fc.nat(50)), { maxLength: 4 }),
        fc
          .tuple(
            fc.constantFrom('start', 'key', 'value', 'bare', 'string', 'raw'),
            fc.array(fc.nat(60), { maxLength: 8 }),
            fc.array(fc.tuple(fc.constantFrom('a', 'o', 'A', 'O'), fc.array(fc.nat(50), { maxLength: 6 })), {
              maxLength: 4,
            }),
          )
          .map((position) => position.flat(3)),
      ),
      async (position) => {
        const outcome = await read('{"a": [1, {"b": "text"}], "c": {"d": null}}', {
          selection: { resume: position },
        }).catch((error: unknown) => error);
        if (outcome instanceof Error)
          expect(outcome).toMatchObject({ code: expect.stringMatching(/^(?:STALE_CURSOR|CORRUPT_FILE)$/) });
      },
    ),
    { numRuns: draws(2000) },
  );
});

test('a pointer finds its value among any members, wherever a read ends', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.string({ unit: 'binary', maxLength: 6 }), fc.jsonValue({ maxDepth: 2 })), {
        minLength: 1,
        maxLength: 20,
      }),
      fc.nat(),
      fc.nat(70_000),
      async (members, choice, padding) => {
        const object = Object.fromEntries(members.map(([key, value], index) => [`${key}${index}`, value]));
        const keys = Object.keys(object);
        const key = keys[choice % keys.length] ?? '';
        const text = JSON.stringify({ pad: 'x'.repeat(padding), ...object }, null, choice % 3);
        const pointer = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        const outcome = await read(text, { selection: { pointer, all: true } });
        expect(JSON.stringify(JSON.parse(outcome.text))).toBe(JSON.stringify(object[key]));
      },
    ),
    { numRuns: draws(300) },
  );
});

describe('a container of many megabytes', () => {
  // Over the size that is validated whole, so that what is not shown is only passed over.
  const rows = Array.from({ length: 220_000 }, (_, i) => `{"id": ${i}, "note": "${'n, ]} '.repeat(10)}"}`);
  const text = `{"before": 1, "rows": [${rows.join(',\n')}], "after": {"x": [2]}}`;

  test('is counted exactly, and what follows it is shown', async () => {
    const { text: shown, context } = await read(text);
    const value = JSON.parse(shown);
    expect(value.after).toEqual({ x: [2] });
    expect(value.rows.at(-1)).toEqual({ '…': `${220_000 - (value.rows.length - 1)} more items` });
    expect(context.wholes).toContainEqual({ unit: 'item', name: '/rows', of: 220_000 });
  });

  test('that never closes, or closes wrongly, is refused with its place', async () => {
    await expect(read(text.slice(0, -40))).rejects.toThrow(NotThisFormat);
    await expect(read(text.replace('], "after"', '}, "after"'))).rejects.toThrow(NotThisFormat);
  });
});

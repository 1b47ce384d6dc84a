// Pointers with wildcards, against JSON.parse: what is found, the facts about it, and how it is paged.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ExactSum } from '../../../../processors/structured/json/matches/decimal.ts';
import { MatchSearch } from '../../../../processors/structured/json/matches/search.ts';
import { Statistics } from '../../../../processors/structured/json/matches/statistics.ts';
import { json } from '../../../../processors/structured/json.ts';
import { jsonl } from '../../../../processors/structured/jsonl.ts';
import { toml } from '../../../../processors/structured/toml.ts';
import { yaml } from '../../../../processors/structured/yaml.ts';
import type { Processor, Source } from '../../../../src/contract/index.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../../support/context.ts';
import { draws } from '../../../support/draws.ts';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
interface Match {
  readonly pointer: string;
  readonly value: Json;
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

/** All matches of `tokens`, independently of the code under test; the number of values without a member in `missing`. */
function expand(root: Json, tokens: readonly string[], missing: number[] = []): Match[] {
  let level: Match[] = [{ pointer: '', value: root }];
  for (const [at, token] of tokens.entries()) {
    const next: Match[] = [];
    for (const { pointer, value } of level) {
      const members: [string, Json][] =
        Array.isArray(value) || (typeof value === 'object' && value !== null) ? Object.entries(value) : [];
      const isContainer = typeof value === 'object' && value !== null;
      const kept = token === '*' ? members : members.filter(([key]) => key === token);
      if (token === '*' ? !isContainer : kept.length === 0) missing[at] = (missing[at] ?? 0) + 1;
      for (const [key, inner] of kept) next.push({ pointer: `${pointer}/${escaped(key)}`, value: inner });
    }
    level = next;
  }
  return level;
}

const cell = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
const field = (text: string): string =>
  /[",\r\n]|^[ \t]|[ \t]$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const csv = (matches: readonly Match[]): string =>
  `pointer,value\n${matches.map(({ pointer, value }) => `${field(pointer)},${field(cell(value))}\n`).join('')}`;

function find(
  text: string,
  pointer: string,
  options: TestOptions = {},
  processor: Processor = json,
): Promise<Outcome> {
  const name = `x${processor.extensions[0]}`;
  return run(processor, memorySource(text, name), {
    ...options,
    selection: { pointer, ...options.selection },
  });
}

const everything: TestOptions = { selection: { all: true } };

/** Members with few names, so that patterns find some. */
const names = fc.constantFrom('a', 'b', '*', '', 'x/y', 'm~n', 'é', '"q"', '0', '\\');
const documents = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(
      fc.integer({ min: -5, max: 5 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value)),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
      fc.constantFrom<Json>(true, false, null, '', 'a"b\\', '\u0000'),
    ),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(names, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;
const patterns = fc
  .array(fc.oneof({ weight: 2, arbitrary: fc.constant('*') }, { weight: 1, arbitrary: names }), {
    minLength: 1,
    maxLength: 5,
  })
  .filter((tokens) => tokens.includes('*'));
const indents = fc.constantFrom(undefined, 1, '\t');

/** A source that is read `step` bytes at a time. */
function inSteps(text: string, step: number): Source {
  const source = memorySource(text);
  return {
    name: 'steps',
    extension: '',
    mimeType: undefined,
    size: source.size,
    identity: () => source.identity(),
    read: (position, length) => source.read(position, length),
    readInto: (target, position) => source.readInto(target.subarray(0, step), position),
    chunks: (from) => source.chunks(from),
    bytes: () => source.bytes(),
  };
}

async function statisticsOf(text: string, tokens: readonly string[], step: number): Promise<Statistics> {
  const source = inSteps(text, step);
  const statistics = new Statistics(tokens.length);
  const { signal } = new AbortController();
  const searched = { source, tokens, start: 0, prefix: '', newline: undefined, signal };
  const reading = new MatchSearch(searched, statistics);
  for await (const _ of reading.run());
  expect(reading.damage.error).toBeUndefined();
  return statistics;
}

describe('a pointer with wildcards', () => {
  test('names what JSON.parse finds there, in order', async () => {
    await fc.assert(
      fc.asyncProperty(documents, patterns, indents, async (document, tokens, indent) => {
        // Names like 0 come first in a parsed object.
        const text = JSON.stringify(JSON.parse(JSON.stringify(document)), undefined, indent);
        const parsed = JSON.parse(text) as Json;
        const outer = tokens.indexOf('*');
        const start = expand(parsed, tokens.slice(0, outer));
        if (start.length === 0) return;
        const pointer = tokens.map((token) => `/${escaped(token)}`).join('');
        const { text: found } = await find(text, pointer, everything);
        expect(found).toBe(csv(expand(parsed, tokens)));
      }),
      { numRuns: draws(300) },
    );
  });

  test('counts, types, distinct values, extremes, sums and missing members are exact', async () => {
    await fc.assert(
      fc.asyncProperty(
        documents,
        patterns,
        fc.integer({ min: 1, max: 40 }),
        async (document, tokens, step) => {
          const text = JSON.stringify(document, undefined, 1);
          const parsed = JSON.parse(text) as Json;
          const missing: number[] = [];
          const matches = expand(parsed, tokens, missing).map(({ value }) => value);
          const facts = (await statisticsOf(text, tokens, step)).facts();
          expect(facts.count).toBe(matches.length);
          const numbers = matches.filter((value) => typeof value === 'number');
          const strings = matches.filter((value) => typeof value === 'string');
          expect(facts.types.number ?? 0).toBe(numbers.length);
          expect(facts.types.string ?? 0).toBe(strings.length);
          expect(facts.types.null ?? 0).toBe(matches.filter((value) => value === null).length);
          expect(facts.types.array ?? 0).toBe(matches.filter((value) => Array.isArray(value)).length);
          const scalars = matches.filter((value) => typeof value !== 'object' || value === null);
          if (scalars.length > 0)
            expect(facts.distinct).toBe(new Set(scalars.map((value) => JSON.stringify(value))).size);
          if (numbers.length > 0) {
            expect(Number(facts.numbers?.min)).toBe(Math.min(...numbers));
            expect(Number(facts.numbers?.max)).toBe(Math.max(...numbers));
          }
          if (strings.length > 0) {
            const sorted = strings.map((value) => Buffer.from(value)).sort(Buffer.compare);
            expect(facts.strings?.min).toBe(String(sorted[0]));
            expect(facts.strings?.max).toBe(String(sorted.at(-1)));
          }
          expect(facts.missing).toEqual(
            missing.flatMap((count, at) => (count > 0 ? [{ segment: at + 1, count }] : [])),
          );
        },
      ),
      { numRuns: draws(300) },
    );
  });

  test('a walk gives every match once', async () => {
    const document = { items: Array.from({ length: 400 }, (_, id) => ({ id, note: 'n'.repeat(id % 90) })) };
    const source = memorySource(JSON.stringify(document), 'x.json');
    const options = { tokens: 300, selection: { pointer: '/items/*/note' } };
    const numbers = new Set<number>();
    let page = await run(json, source, options);
    expect(page.view).toMatch(
      /^400 matches of `\/items\/\*\/note`; 400 strings from "" to "n+…"; 90 distinct/,
    );
    for (let pages = 0; pages < 400; pages++) {
      for (const [, number] of page.text.matchAll(/^\/items\/(\d+)\/note,/gm)) numbers.add(Number(number));
      if (!page.next) break;
      if (page.next.request) expect(page.next.request.pointer).toBe('/items/*/note');
      page = await run(json, source, {
        ...options,
        selection: { ...options.selection, resume: page.next.position },
      });
      expect(page.view).not.toContain('matches of');
    }
    expect(numbers.size).toBe(400);
  });

  test('rows are those asked for, also far from the start', async () => {
    const text = JSON.stringify(Array.from({ length: 200_000 }, (_, id) => ({ id, pad: 'p'.repeat(20) })));
    const selection = { rows: { from: 199_998, to: 199_999 } };
    const { text: found } = await find(text, '/*/id', { selection });
    expect(found).toBe('pointer,value\n/199997/id,199997\n/199998/id,199998\n');
  });

  test('keys are compared decoded, and escaped in pointers', async () => {
    const text = '{"a\\u002fb":{"\\u0065\\ud83d\\ude00":1},"~":{"e😀":2},"":{"E":3}}';
    const { text: found } = await find(text, '/*/e😀', everything);
    expect(found).toBe('pointer,value\n/a~1b/e😀,1\n/~0/e😀,2\n');
    const { context } = await find(text, '/*/e😀');
    expect(context.facts['missing']).toEqual([{ segment: 2, count: 1 }]);
  });

  test('a member named `*` is found like every other', async () => {
    const { text } = await find('{"a":{"*":1,"b":2}}', '/a/*', everything);
    expect(text).toBe('pointer,value\n/a/*,1\n/a/b,2\n');
  });

  test('of duplicate keys, the first counts in a name and all in a wildcard', async () => {
    const text = '[{"a":1,"a":2},{"a":3}]';
    expect((await find(text, '/*/a', everything)).text).toBe('pointer,value\n/0/a,1\n/1/a,3\n');
    expect((await find(text, '/*/*', everything)).text).toBe('pointer,value\n/0/a,1\n/0/a,2\n/1/a,3\n');
  });

  test('an index names an item', async () => {
    const { text, context } = await find('[[1,[2]],[],[3,4],{"1":5},6]', '/*/1', everything);
    expect(text).toBe('pointer,value\n/0/1,[2]\n/2/1,4\n/3/1,5\n');
    expect(context.facts['missing']).toEqual([{ segment: 2, count: 2 }]);
  });

  test('empty containers have no matches', async () => {
    const { text, view, context } = await find('{"items":[],"o":{}}', '/items/*/price');
    expect(text).toBe('pointer,value\n');
    expect(view).toContain('0 matches of `/items/*/price`\n');
    expect(context.facts['missing']).toEqual([]);
  });

  test('a place before the first wildcard that is missing is an error', async () => {
    await expect(find('{"items":[]}', '/item/*')).rejects.toThrow('`/item` was not found');
    await expect(find('{"items":[]}', `/items${'/*'.repeat(256)}`)).rejects.toThrow('256');
  });

  test('an outline is the facts', async () => {
    const source = memorySource('[{"a":1},{"a":"x"},{}]', 'x.json');
    const { context } = await run(json, source, { selection: { pointer: '/*/a' } });
    const lines = [];
    for await (const line of json.outline?.(source, context) ?? []) lines.push(line.text);
    expect(lines).toEqual([
      '2 matches of `/*/a`; 1 number from 1 to 1, sum 1; 1 string from "x" to "x"; 2 distinct values; missing `a`: 1',
    ]);
  });
});

describe('numbers', () => {
  const facts = async (...numbers: string[]) => (await find(`[${numbers.join(',')}]`, '/*')).context.facts;

  test('sums of decimals and of long integers are exact', async () => {
    expect((await facts('0.1', '0.2', '-0'))['numbers']).toEqual({ min: '-0', max: '0.2', sum: '0.3' });
    expect((await facts('9007199254740993', '9007199254740992'))['numbers']).toEqual({
      min: '9007199254740992',
      max: '9007199254740993',
      sum: '18014398509481985',
    });
    expect((await facts(...Array<string>(1000).fill('999999999999.999')))['numbers']).toMatchObject({
      sum: '999999999999999',
    });
  });

  test('numbers no double holds are compared, and a sum that would be endless is left out', async () => {
    expect((await facts('1e400', '1e401', '5', '-1e999999999999'))['numbers']).toMatchObject({
      min: '-1e999999999999',
      max: '1e401',
    });
    expect((await facts('1e999999999999'))['numbers']).toEqual({
      min: '1e999999999999',
      max: '1e999999999999',
    });
    expect((await facts('1e300', '1e-300'))['numbers']).toMatchObject({
      sum: 'about 1.0000000000000000e+300',
    });
  });

  test('equal numbers are one distinct value however they are written', async () => {
    expect((await facts('1', '1.0', '1e0', '10e-1', '0', '-0', '0.0'))['distinct']).toBe(2);
    expect((await facts('9007199254740993', '9007199254740992', '9007199254740993.0'))['distinct']).toBe(2);
    expect((await facts('1e22', '10000000000000000000000', '1e-400', '0'))['distinct']).toBe(3);
  });

  test('sums agree with integers of any size', () => {
    const numbers = fc.array(
      fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat({ max: 20 })),
    );
    fc.assert(
      fc.property(numbers, (list) => {
        const sum = new ExactSum();
        let expected = 0n;
        for (const [size, scale] of list) {
          const text = `${size}e-${scale}`;
          sum.add({ value: Number(text), text });
          expected += size * 10n ** BigInt(20 - scale);
        }
        const text = sum.text();
        if (text.startsWith('about')) return;
        const [whole = '', fraction = ''] = text.split('.');
        expect(BigInt(whole + fraction.padEnd(20, '0'))).toBe(expected);
      }),
      { numRuns: draws(200) },
    );
  });
});

describe('distinct values', () => {
  test('are exact up to 10 000, and then said to be more', async () => {
    const list = (count: number): string =>
      JSON.stringify(Array.from({ length: count * 2 }, (_, at) => `s${at % count}`));
    expect((await find(list(10_000), '/*')).context.facts).toMatchObject({
      matches: 20_000,
      distinct: 10_000,
    });
    const { view, context } = await find(list(10_001), '/*');
    expect(view).toContain('; more than 10000 distinct values\n');
    expect(context.facts['distinct']).toBeUndefined();
  });

  test('escapes and long strings do not make a difference', async () => {
    const long = 'y'.repeat(300);
    const text = `["\\u0061","a","${long}","${long.slice(1)}\\u0079","\\ud800","\\ud801"]`;
    expect((await find(text, '/*')).context.facts['distinct']).toBe(4);
  });
});

describe('damaged and hostile JSON', () => {
  test('what comes before the damage is found', async () => {
    const whole = JSON.stringify({ items: Array.from({ length: 50 }, (_, id) => ({ id, name: `n${id}` })) });
    for (const cut of [whole.slice(0, 401), `${whole.slice(0, 401)}]`, `${whole.slice(0, 400)}\u0001`]) {
      const { context, text } = await find(cut, '/items/*/id');
      const ids = [...whole.slice(0, 400).matchAll(/"id":(\d+),/g)].length;
      expect(context.facts['matches']).toBe(ids);
      expect(text.trimEnd().split('\n').length).toBe(ids + 1);
      expect(context.warnings).toMatchObject([{ code: 'INVALID_SYNTAX' }]);
      expect(context.warnings[0]?.message).toContain(`Only the ${ids} matches before it were found.`);
    }
  });

  test('damage in a large file is found where the scan meets it', async () => {
    const item = `{"id":1,"pad":"${'p'.repeat(1000)}"}`;
    const text = `[${Array<string>(17_000).fill(item).join(',')},{"id":01}]`;
    const { context } = await find(text, '/*/id');
    expect(context.facts['matches']).toBe(17_000);
    expect(context.warnings[0]?.message).toMatch(/expected a value, found `01`/);
  });

  test('states no extremes of a type with a scalar that is too long to compare', async () => {
    const factsOf = async (long: string): Promise<string> => {
      const { context } = await find(`["b",${long},2]`, '/*');
      return JSON.stringify(context.facts);
    };
    const strings = await factsOf(`"${'p'.repeat(17_000_000)}"`);
    expect(strings).toContain('"sum":"2"');
    expect(strings).not.toContain('"strings"');
    const numbers = await factsOf('1'.repeat(17_000_000));
    expect(numbers).toContain('"strings"');
    expect(numbers).not.toContain('"numbers"');
  });

  test('content after the value of a large file is reported', async () => {
    const { context } = await find(`["${'p'.repeat(17_000_000)}",1] x`, '/*');
    expect(context.facts).toMatchObject({ matches: 2, types: { string: 1, number: 1 } });
    expect(context.warnings.map(({ message }) => message).join()).toContain(
      'expected nothing after the value',
    );
  });

  test('strings and keys longer than what is held are passed over', async () => {
    const long = `${'\\"'.repeat(1_000_000)}${'k'.repeat(33_000_000)}`;
    const text = `{"${long}":{"a":1},"b":{"a":"${long}"},"c":{"a":2}}`;
    const { context } = await find(text, '/*/a');
    expect(context.facts).toMatchObject({
      matches: 3,
      types: { number: 2, string: 1 },
      numbers: { sum: '3' },
    });
    expect(context.facts['distinct']).toBeUndefined();
  });

  test('depth takes no stack', async () => {
    const depth = 200_000;
    const text = `[{"a":${'['.repeat(depth)}${']'.repeat(depth)}},{"a":2}]`;
    expect((await find(text, '/*/a')).context.facts).toMatchObject({
      matches: 2,
      types: { array: 1, number: 1 },
    });
    expect((await find(text, `/*/a${'/*'.repeat(200)}`)).context.facts).toMatchObject({ matches: 1 });
  });

  test('an abort ends the search', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(find('[1]', '/*', { signal: controller.signal })).rejects.toMatchObject({ code: 'ABORTED' });
  });
});

describe('other formats', () => {
  test('the first segment of JSON Lines is the record', async () => {
    const text = '{"v":1}\r\n\n{"v":"x"}\n{"w":0}\n';
    const { text: found, context } = await find(text, '/*/v', everything, jsonl);
    expect(found).toBe('pointer,value\n/0/v,1\n/1/v,x\n');
    expect(context.facts['missing']).toEqual([{ segment: 2, count: 1 }]);
    expect((await find(text, '/1/v', everything, jsonl)).text).toBe('pointer,value\n/1/v,x\n');
    await expect(find(text, '/3/v', {}, jsonl)).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  test('whole records of JSON Lines are matches, also more than one batch', async () => {
    const records = Array.from({ length: 5000 }, (_, id) => ({ id }));
    const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
    const { text: shown } = await find(text, '/*', { selection: { all: true } }, jsonl);
    expect(shown).toBe(csv(expand(records, ['*'])));
  });

  test('damaged records of JSON Lines are named, and the others searched', async () => {
    const text = '{"v":1}\n{"v":\n{"v":3} x\n{"v":4}';
    const { text: found, context } = await find(text, '/*/v', everything, jsonl);
    expect(found).toBe('pointer,value\n/0/v,1\n/2/v,3\n/3/v,4\n');
    expect(context.warnings[0]?.message).toBe('Not valid JSON, searched up to the error: row 2, 3.');
  });

  test('JSON Lines under a JSON name, and one document under a name of JSON Lines', async () => {
    const lines = await find('{"v":1}\n{"v":2}\n', '/*/v', everything);
    expect(lines.text).toBe('pointer,value\n/0/v,1\n/1/v,2\n');
    const document = await find('{\n"v": [1,\n2]\n}\n', '/v/*', everything, jsonl);
    expect(document.text).toBe('pointer,value\n/v/0,1\n/v/1,2\n');
  });

  test('JSON Lines agree with a document of the same records', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(documents, { minLength: 2, maxLength: 6 }),
        patterns,
        async (records, tokens) => {
          const pointer = `/*${tokens.map((token) => `/${escaped(token)}`).join('')}`;
          const text = records.map((record) => JSON.stringify(record)).join('\n');
          const found = await find(text, pointer, everything, jsonl);
          expect(found.text).toBe(
            csv(expand(JSON.parse(`[${text.replaceAll('\n', ',')}]`) as Json, ['*', ...tokens])),
          );
        },
      ),
      { numRuns: draws(150) },
    );
  });

  test('YAML and TOML are searched as JSON', async () => {
    const text = 'items:\n  - price: 1.50\n  - price: 2\n  - name: x\n';
    expect((await find(text, '/items/*/price', everything, yaml)).text).toBe(
      'pointer,value\n/items/0/price,1.50\n/items/1/price,2\n',
    );
    const tables = '[[items]]\nprice = 1\n[[items]]\nprice = 2.5\n';
    expect((await find(tables, '/items/*/price', {}, toml)).context.facts).toMatchObject({
      matches: 2,
      numbers: { sum: '3.5' },
    });
  });
});

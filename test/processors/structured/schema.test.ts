import { describe, expect, it } from 'vitest';
import { json } from '../../../processors/structured/json.ts';
import type { Node } from '../../../processors/structured/tree/node.ts';
import { schemaOf } from '../../../processors/structured/tree/schema.ts';
import { schemaOutline } from '../../../processors/structured/tree/schema-lines.ts';
import { memorySource, testContext } from '../../support/context.ts';

async function schema(value: unknown, brief = false): Promise<string> {
  const source = memorySource(JSON.stringify(value), 'x.json');
  const lines: string[] = [];
  for await (const { text } of json.outline?.(source, testContext({ selection: { outline: true, brief } })) ??
    [])
    lines.push(text);
  return lines.join('\n');
}

const records = (count: number): unknown[] =>
  Array.from({ length: count }, (_, at) => ({
    id: at,
    name: `name ${at}`,
    state: ['open', 'closed'][at % 2],
    ...(at % 3 === 0 && { parent: { id: at + 1 } }),
    tags: Array.from({ length: at % 4 }, () => 'x'),
    score: at % 5 === 0 ? null : at / 10,
  }));

describe('the schema of a document', () => {
  it('states an array of records once, with sizes, ranges, few values and what is optional', async () => {
    expect(await schema(records(100))).toMatchInlineSnapshot(`
      "array of 100 items
      [{5-6 keys} x 100]
        id: number 0..99
        name: string
        state: "open" | "closed"
        parent?: {1 key}
          id: number 1..100
        tags: ["x" x 0-3]
        score: null | number 0.1..9.9"
    `);
  });

  it('takes objects of many like values for dictionaries, whatever they lie in', async () => {
    const packages = Object.fromEntries(
      Array.from({ length: 120 }, (_, at) => [
        `package-${at}`,
        { version: `1.0.${at}`, files: [{ path: 'a' }] },
      ]),
    );
    expect(await schema({ packages, byName: [[{ a: 1 }], [{ a: 2 }, { a: 3 }]] })).toMatchInlineSnapshot(`
      "object of 2 keys
      packages: {[120 keys]: {2 keys}}
        version: string
        files: [{1 key} x 1]
          path: "a"
      byName: [[{1 key} x 1-2] x 2]
        a: number 1..3"
    `);
    const settings = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`setting${at}`, 'x']));
    expect(await schema(settings)).toContain('setting19');
  });

  it('states members of one shape once, and says which objects stand where most are arrays', async () => {
    const like = (at: number): unknown => ({ official: `name ${at}`, common: 'x' });
    const items = Array.from({ length: 30 }, (_, at) => ({
      names: { ces: like(at), deu: like(at), ...(at % 2 && { fra: like(at) }) },
      other: { a: like(at), b: { official: 1, common: 'x' } },
      codes: at % 3 === 0 ? {} : ['c'],
    }));
    expect(await schema(items)).toMatchInlineSnapshot(`
      "array of 30 items
      [{3 keys} x 30]
        names: {2-3 keys}
          ces, deu, fra?: {2 keys}
            official: string
            common: "x"
        other: {2 keys}
          a: {2 keys}
            official: string
            common: "x"
          b: {2 keys}
            official: number
            common: "x"
        codes: ["c" x 1] | {}"
    `);
  });

  it('looks no deeper than nine levels, and says so by the counts', async () => {
    let deep: unknown = { end: 1 };
    for (let level = 0; level < 20; level += 1) deep = { [`level${level}`]: deep };
    const text = await schema(deep);
    expect(text.split('\n')).toHaveLength(10);
    expect(text).toContain('{1 key}');
  });

  it('is left out above a view that repeats nothing', async () => {
    expect(await schema({ name: 'a', version: '1', scripts: { build: 'x' } }, true)).toBe('');
    expect(await schema(records(100), true)).not.toBe('');
  });

  it('writes names that could be misread in quotes', async () => {
    expect(await schema({ 'a b': 1, 'x\ny': 2, '': 3, ok: 4 })).toMatchInlineSnapshot(`
      "object of 4 keys
      "a b": number
      "x\\\\u{a}y": number
      "": number
      ok: number"
    `);
  });

  it('is that of all items, late names and ranges included', async () => {
    const items = Array.from({ length: 3000 }, (_, id) => ({ id, ...(id > 2900 && { error: 'late' }) }));
    expect(await schema(items)).toMatchInlineSnapshot(`
      "array of 3000 items
      [{1-2 keys} x 3000]
        id: number 0..2999
        error?: "late""
    `);
    expect(await schema({ items })).toContain('error?: "late"');
    const byName = Object.fromEntries(
      items.map((item, at) => [`name ${at}`, { id: item.id, ...(at > 2500 && { late: true }) }]),
    );
    expect(await schema(byName)).toMatchInlineSnapshot(`
      "object of 3000 keys
      {[3000 keys]: {1-2 keys}}
        id: number 0..2999
        late?: boolean"
    `);
  });

  it('says how many of the items it is that of where they were not all looked at', () => {
    const items = Array.from({ length: 10 }, (_, at): Node => ({ kind: 'literal', text: `${at}` }));
    const inner: Node = { kind: 'array', items, of: 10_000 };
    const lines = (node: Node): string[] => [...schemaOutline(schemaOf(node), false)].map(({ text }) => text);
    expect(lines(inner)).toEqual(['array of 10000 items', '[number 0..9 x 10000; shape of the first 10]']);
    expect(lines({ kind: 'array', items: [inner, inner], of: 2 })[1]).toBe(
      '[[number 0..9 x 10000; shape of 20 of 20000] x 2]',
    );
    const entries = Array.from({ length: 40 }, (_, at) => ({ key: `key ${at}`, value: items[1] ?? inner }));
    expect(lines({ kind: 'object', entries, of: 90 })[1]).toBe('{[90 keys; shape of the first 40]: number}');
  });

  it('counts each kind of item where the items are of several', async () => {
    const mixed = Array.from({ length: 300 }, (_, at) => [{ a: at }, `s${at}`, [at]][at % 3]);
    expect(await schema(mixed)).toMatchInlineSnapshot(`
      "array of 300 items
      [{1 key} x 100 | string x 100 | array x 100]
        a: number 0..297"
    `);
    expect(await schema({ list: [1, [2, 3], null] })).toContain(
      'list: [[number 2..3 x 2] x 1 | number x 1 | null x 1]',
    );
    expect(await schema({ lists: [[1, [2]], [3]] })).toContain(
      'lists: [[[number x 1] | number 1..3 x 1-2] x 2]',
    );
  });

  it('takes records that share their main names for a dictionary, whatever some have beside them', async () => {
    const packages = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `package-${at}`,
        { version: `1.0.${at}`, integrity: `sha-${at}`, ...(at % 30 === 0 && { [`rare${at}`]: true }) },
      ]),
    );
    expect(await schema({ packages })).toContain('packages: {[300 keys]: {2-3 keys}}\n  version: string');
  });
});

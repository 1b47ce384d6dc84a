import { describe, expect, it } from 'vitest';
import { json } from '../../../processors/structured/json.ts';
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
});

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { YamlPointers } from '../../../src/workspace/find/yaml-pointers.ts';

/** The value at a pointer. */
function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.entries(Object(value)).find(([key]) => key === name)?.[1];
  }
  return value;
}

it('gives the pointer of the value on every line', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 5 }), { minLength: 1, maxLength: 3 }), (values) => {
      let count = 0;
      const named = (one: unknown): unknown => {
        if (Array.isArray(one)) return one.map(named);
        if (typeof one === 'object' && one !== null)
          return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, named(inner)]));
        count += 1;
        return `value ${count}\n`.slice(0, count % 3 === 0 ? undefined : -1);
      };
      const documents = values.map(named);
      const text = documents.map((one) => stringify(one, { lineWidth: 0 })).join('---\n');
      const pointers = new YamlPointers(text);
      for (const [at, line] of text.split('\n').entries()) {
        const pointer = pointers.of(at + 1);
        const [shown] = /value \d+$/.exec(line) ?? [];
        if (shown === undefined) continue;
        const value = valueAt(documents.length > 1 ? documents : documents[0], pointer);
        expect([text, pointer, String(value).trim()]).toEqual([text, pointer, shown]);
      }
    }),
  );
});

it.each(['stack.yaml', 'stream.yml'])('leads to a value of %s on every line', (name) => {
  const text = readFileSync(`fixtures/structured/${name}`, 'utf8');
  const documents = parseAllDocuments(text).map((one) => ('toJS' in one ? one.toJS() : null));
  const pointers = new YamlPointers(text);
  for (const [at, line] of text.split('\n').entries()) {
    const pointer = pointers.of(at + 1);
    if (/^\s*(?:#|---|$)/.test(line)) continue;
    expect([line, pointer, valueAt(documents.length > 1 ? documents : documents[0], pointer)]).not.toEqual([
      line,
      pointer,
      undefined,
    ]);
  }
});

it.each(['', '-', '---', ': :', '- - -', '\t- a', '{a: [b', '? a\n: b', '"a', 'a: |'])(
  'survives %j',
  (text) => {
    expect(new YamlPointers(text).of(3)).toMatch(/^(?:\/|$)/);
  },
);

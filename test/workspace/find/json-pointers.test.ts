import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createReader, createWorkspace } from '../../../src/index.ts';
import { JsonPointers } from '../../../src/workspace/find/json-pointers.ts';

/** The value at a pointer. */
function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    value = Object.entries(Object(value)).find(([key]) => key === name)?.[1];
  }
  return value;
}

it('gives the pointer of every value', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.boolean(), (value, isIndented) => {
      let count = 0;
      const named = (one: unknown): unknown => {
        if (Array.isArray(one)) return one.map(named);
        if (typeof one === 'object' && one !== null)
          return Object.fromEntries(Object.entries(one).map(([key, inner]) => [key, named(inner)]));
        count += 1;
        return `value "${count}" {[,:`;
      };
      const document = named(value);
      const text = JSON.stringify(document, null, isIndented ? 2 : 0);
      const pointers = new JsonPointers(text);
      const found = [...text.matchAll(/value \\"(\d+)\\" \{\[,:/g)];
      expect(found).toHaveLength(count);
      for (const { index, 1: number } of found)
        expect(valueAt(document, pointers.of(index).pointer)).toBe(`value "${number}" {[,:`);
    }),
  );
});

it.each(['', '{', '[,,', '"', '}}]]', '{"a', 'not JSON', '['.repeat(1000)])('survives %j', (text) => {
  expect(new JsonPointers(text).of(text.length).pointer).toMatch(/^(?:\/|$)/);
});

it('is the address of a match in a minified document', async () => {
  const root = mkdtempSync(join(tmpdir(), 'lectern-'));
  const paths = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`/repos/${at}`, { get: { summary: `List ${at}` } }]),
  );
  writeFileSync(join(root, 'api.json'), JSON.stringify({ paths }));
  writeFileSync(join(root, 'wide.json'), JSON.stringify({ paths }, null, 1));
  const workspace = createWorkspace({ root }, { environment: {} });
  const { matches } = await workspace.search('List 42');
  const pointer = '/paths/~1repos~142/get/summary';
  expect(matches.map(({ address, label }) => [address, label])).toEqual([
    [`api.json#${pointer}`, pointer],
    [expect.stringMatching(/^wide\.json#L\d+$/), pointer],
  ]);
  const answer = await createReader({ workspace, environment: {} }).read(`api.json#${pointer}`);
  expect(answer.success && answer.text).toContain('List 42');
});

// JSON containers against JSON.parse: end, items, depth, and where every item starts.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexJsonItems, JsonSkipper, locateJsonItem } from '../../src/scan/index.ts';
import { draws } from '../support/draws.ts';
import { countedSource } from './counted-source.ts';

const { signal } = new AbortController();

const nasty = fc
  .array(fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ' ', 'a', '\n', 'é', '😀', '\\"'), {
    maxLength: 30,
  })
  .map((pieces) => pieces.join(''));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    nasty,
    fc.integer(),
    fc.constantFrom(null, true, false),
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(nasty, tie('value'), { maxKeys: 5 }),
  ),
}));
const container = fc.oneof(fc.array(value, { maxLength: 8 }), fc.dictionary(nasty, value, { maxKeys: 8 }));
const indent = fc.constantFrom(undefined, 1, 3, '\t');

function depthOf(json: unknown): number {
  if (typeof json !== 'object' || json === null) return 0;
  return 1 + Math.max(0, ...Object.values(json).map(depthOf));
}

const itemsOf = (json: object): unknown[] => (Array.isArray(json) ? json : Object.entries(json));

describe('a skipper', () => {
  it('goes on over a source wherever its pushes ended', async () => {
    await fc.assert(
      fc.asyncProperty(
        container,
        fc.double({ min: 0, max: 1, noNaN: true }),
        nasty,
        async (json, share, after) => {
          const whole = JSON.stringify(json);
          const text = Buffer.from(whole + after);
          const length = Buffer.byteLength(whole);
          const pushed = 1 + Math.floor(share * (length - 1));
          const skipper = new JsonSkipper();
          skipper.begin();
          // What ends in white space alone has not begun its first item, and is the caller's to push.
          if (skipper.push(text.subarray(0, pushed), 1) >= 0 || skipper.items === 0) return;
          expect(await skipper.finish(countedSource(text), pushed, signal)).toBe(length);
          expect(skipper.items).toBe(itemsOf(json).length);
          expect(skipper.maxDepth).toBe(depthOf(json));
          skipper.begin();
          skipper.push(text.subarray(0, pushed), 1);
          expect(await skipper.finish(countedSource(text.subarray(0, length - 1)), pushed, signal)).toBe(-1);
        },
      ),
    );
  });

  it('ends where the container ends, its items counted', () => {
    fc.assert(
      fc.property(container, indent, nasty, (json, space, after) => {
        const text = Buffer.from(JSON.stringify(json, null, space) + after);
        const length = Buffer.byteLength(JSON.stringify(json, null, space));
        const skipper = new JsonSkipper();
        skipper.begin();
        expect(skipper.push(text, 1)).toBe(length);
        expect(skipper.items).toBe(itemsOf(json).length);
        expect(skipper.maxDepth).toBe(depthOf(json));
      }),
      { numRuns: draws(1000) },
    );
  });

  it('takes the container in two pieces, or byte by byte', () => {
    for (const json of fc.sample(container, { numRuns: draws(40), seed: 3 })) {
      const text = Buffer.from(JSON.stringify(json, null, 1));
      const skipper = new JsonSkipper();
      for (let cut = 1; cut < text.length; cut++) {
        skipper.begin();
        expect(skipper.push(text.subarray(0, cut), 1)).toBe(-1);
        expect(skipper.push(text, cut)).toBe(text.length);
        expect(skipper.items).toBe(itemsOf(json).length);
      }
      skipper.begin();
      for (let at = 1; at < text.length; at++)
        expect(skipper.push(text.subarray(at, at + 1), 0)).toBe(at === text.length - 1 ? 1 : -1);
      expect(skipper.maxDepth).toBe(depthOf(json));
    }
  });

  it('keeps its place while another skips', () => {
    const text = Buffer.from('["a]", [1, {"b": "]"}], 3]');
    const one = new JsonSkipper();
    const other = new JsonSkipper();
    one.begin();
    other.begin();
    expect(one.push(text.subarray(0, 9), 1)).toBe(-1);
    expect(other.push(text.subarray(0, 4), 1)).toBe(-1);
    expect(one.push(text, 9)).toBe(text.length);
    expect(other.push(text, 4)).toBe(text.length);
    expect([one.items, other.items]).toEqual([3, 3]);
  });

  it('knows no depth limit', () => {
    const depth = 3_000_000;
    const text = Buffer.from('['.repeat(depth) + ']'.repeat(depth));
    const skipper = new JsonSkipper();
    skipper.begin();
    expect(skipper.push(text, 1)).toBe(text.length);
    expect(skipper.maxDepth).toBe(depth);
    expect(skipper.items).toBe(1);
  });

  it('counts what is there when the container never closes', () => {
    const skipper = new JsonSkipper();
    skipper.begin();
    expect(skipper.push(Buffer.from('[1, 2, "]'), 1)).toBe(-1);
    expect(skipper.items).toBe(3);
    skipper.begin();
    expect(skipper.push(Buffer.from('[  \n'), 1)).toBe(-1);
    expect(skipper.items).toBe(0);
  });
});

describe('an index of items', () => {
  it('counts and finds every item', async () => {
    await fc.assert(
      fc.asyncProperty(container, indent, nasty, async (json, space, after) => {
        const text = JSON.stringify(json, null, space);
        const source = countedSource(`  ${text}${after}`);
        const index = await indexJsonItems(source, 2, signal);
        const end = 2 + Buffer.byteLength(text);
        const items = itemsOf(json);
        expect(index).toMatchObject({
          count: items.length,
          start: 2,
          end,
          closed: true,
          maxDepth: depthOf(json),
        });
        const bytes = Buffer.from(`  ${text}`);
        for (const [at, item] of items.entries()) {
          const from = await locateJsonItem(source, index, at + 1, signal);
          const next = await locateJsonItem(source, index, at + 2, signal);
          const slice = bytes.toString('utf8', from, next).trimEnd().replace(/,$/, '');
          expect(bytes[from]).toBeGreaterThan(32);
          expect(Array.isArray(json) ? JSON.parse(slice) : JSON.parse(`{${slice}}`)).toEqual(
            Array.isArray(json) ? item : Object.fromEntries([item as [string, unknown]]),
          );
        }
        expect(await locateJsonItem(source, index, items.length + 1, signal)).toBe(end - 1);
        expect(await locateJsonItem(source, index, Number.NaN, signal)).toBe(
          await locateJsonItem(source, index, 1, signal),
        );
      }),
      { numRuns: draws(300) },
    );
  });

  it('has a checkpoint per chunk, so that a far item costs one', async () => {
    const items = Array.from({ length: 90_000 }, (_, n) => ({ id: n, text: 'a,"]\\', list: [n, [n]] }));
    const text = JSON.stringify(items);
    const source = countedSource(text);
    const index = await indexJsonItems(source, 0, signal);
    expect(index).toMatchObject({ count: items.length, end: text.length, closed: true, maxDepth: 4 });
    source.bytesRead = 0;
    for (const n of [1, 2, 44_444, 89_999, 90_000]) {
      const at = await locateJsonItem(source, index, n, signal);
      expect(text.slice(at, at + 20)).toContain(`{"id":${n - 1},`);
    }
    expect(source.bytesRead).toBeLessThan(6 * 1024 * 1024);
  });

  it('reads little for a small container in a large file', async () => {
    const source = countedSource(`[[1,2,3],${'"x",'.repeat(1_000_000)}0]`);
    expect(await indexJsonItems(source, 1, signal)).toMatchObject({ count: 3, end: 8, closed: true });
    expect(source.bytesRead).toBeLessThan(512 * 1024);
  });

  it('says when the container never closes', async () => {
    const source = countedSource('[1,[2],{"a":"]');
    const index = await indexJsonItems(source, 0, signal);
    expect(index).toMatchObject({ count: 3, end: 14, closed: false });
    expect(await locateJsonItem(source, index, 9, signal)).toBe(14);
    expect(await indexJsonItems(countedSource('[ '), 0, signal)).toMatchObject({
      count: 0,
      end: 2,
      closed: false,
    });
    expect(await indexJsonItems(countedSource('['), 5, signal)).toMatchObject({ count: 0, closed: false });
  });
});

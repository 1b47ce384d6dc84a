import { afterAll, beforeAll, expect, it } from 'vitest';
import { addNewerJavaScript } from '../../../../processors/documents/pdf/newer-javascript.ts';

const iterators: object = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
const CHANGED: readonly object[] = [
  Promise,
  Map.prototype,
  WeakMap.prototype,
  URL,
  Uint8Array.prototype,
  ArrayBuffer.prototype,
  iterators,
];
const before = CHANGED.map((object) => new Set(Object.getOwnPropertyNames(object)));
const call = (object: object, name: string, ...values: unknown[]): unknown =>
  Reflect.apply(Reflect.get(object, name), object, values);

beforeAll(addNewerJavaScript);

// Nothing else in these tests may come to need it.
afterAll(() => {
  for (const [at, object] of CHANGED.entries())
    for (const name of Object.getOwnPropertyNames(object))
      if (!before[at]?.has(name)) Reflect.deleteProperty(object, name);
});

it('works as in newer versions', async () => {
  expect(await call(Promise, 'try', (a: number, b: number) => a + b, 1, 2)).toBe(3);
  await expect(
    call(Promise, 'try', () => {
      throw new Error('thrown');
    }),
  ).rejects.toThrow('thrown');
  const settled = call(Promise, 'withResolvers') as { promise: unknown; resolve(value: number): void };
  settled.resolve(4);
  expect(await settled.promise).toBe(4);
  const map = new Map([['a', 1]]);
  expect(call(map, 'getOrInsertComputed', 'a', () => 2)).toBe(1);
  expect(call(map, 'getOrInsertComputed', 'b', (key: string) => `${key}!`)).toBe('b!');
  expect(map.has('b')).toBe(true);
  expect(String(call(URL, 'parse', 'x', 'https://a.b/c/'))).toBe('https://a.b/c/x');
  expect(call(URL, 'parse', 'x')).toBe(null);
  expect(call(new Uint8Array([0, 1, 255]).subarray(1), 'toHex')).toBe('01ff');
  const buffer = new Uint8Array([1, 2, 3]).buffer;
  expect(new Uint8Array(call(buffer, 'transferToFixedLength', 2) as ArrayBuffer)).toEqual(
    new Uint8Array([1, 2]),
  );
  expect(buffer.byteLength).toBe(0);
  const longer = call(new Uint8Array([1]).buffer, 'transferToFixedLength', 2);
  expect(new Uint8Array(longer as ArrayBuffer)).toEqual(new Uint8Array([1, 0]));
  expect(call([1, 2, 3].values(), 'find', (value: number) => value > 1)).toBe(2);
  expect(call([1].values(), 'find', (value: number) => value > 1)).toBe(undefined);
  expect(call(map.keys(), 'some', (key: string) => key === 'b')).toBe(true);
  expect(call(map.keys(), 'some', (key: string) => key === 'c')).toBe(false);
});

// Where WebAssembly has no SIMD, or gets no memory, the scan room works all the same.

import { expect, it, vi } from 'vitest';
import { indexJsonItems, indexRecords, JsonSkipper, locate, XmlSkipper } from '../../src/scan/index.ts';
import { openKernel } from '../../src/scan/kernel.ts';
import { countedSource } from './counted-source.ts';

const machine = vi.hoisted(() => ({ simd: false }));
vi.mock('../../src/scan/simd.ts', () => ({
  hasSimd: () => machine.simd,
  simdKernel: () => {
    throw new RangeError('no memory for it');
  },
}));

const { signal } = new AbortController();

it('runs on the scalar twin', async () => {
  expect(openKernel().simd).toBe(false);
  const row = '1,"a\nb"\n';
  const source = countedSource(row.repeat(300_000));
  const index = await indexRecords(source, { newline: 10, quote: 34, delimiter: 44, signal });
  expect(index).toMatchObject({ count: 300_000, strayQuotes: 0 });
  expect(await locate(source, index, 200_001, signal)).toBe(200_000 * row.length);
  expect(await indexJsonItems(countedSource('[1,[2,3],"]"]'), 0, signal)).toMatchObject({
    count: 3,
    end: 13,
  });
  const json = new JsonSkipper();
  json.begin();
  expect(json.push(Buffer.from('[1,{"a":[]}]x'), 1)).toBe(12);
  const xml = new XmlSkipper();
  xml.begin();
  expect(xml.push(Buffer.from('<a><b/><c>></c></a>x'), 3)).toBe(19);
  expect([json.items, xml.children]).toEqual([2, 2]);
});

it('runs on the scalar twin where the memory cannot be had', async () => {
  machine.simd = true;
  vi.resetModules();
  const { openKernel: reopened } = await import('../../src/scan/kernel.ts');
  expect(reopened().simd).toBe(false);
});

// Kept scans: one walk for the same question on the same content, none kept that failed, none shared that was aborted.

import { expect, it } from 'vitest';
import { ReaderError } from '../../src/contract/index.ts';
import { indexLines, indexRecords, locate } from '../../src/scan/index.ts';
import { countedSource } from './counted-source.ts';

const { signal } = new AbortController();
const MIB = 1024 * 1024;
const large = 'some line\n'.repeat(500_000);

it('answers a second question on the same content from memory', async () => {
  const first = await indexLines(countedSource(large, { identity: 'kept' }), { newline: 10, signal });
  const source = countedSource(large, { identity: 'kept' });
  expect(await indexLines(source, { newline: 10, signal })).toBe(first);
  expect(source.reads).toBe(0);
  expect(await locate(source, first, 400_001, signal)).toBe(4_000_000);
  expect(source.bytesRead).toBeLessThanOrEqual(MIB);
  expect(await indexRecords(source, { newline: 10, quote: 34, signal })).not.toBe(first);
  expect(await indexLines(source, { newline: 13, signal })).toMatchObject({ count: 1 });
});

it('keeps neither what takes one read anyway nor what changed under way', async () => {
  const small = () => indexLines(countedSource('a\n', { identity: 'small' }), { newline: 10, signal });
  expect(await small()).not.toBe(await small());
  const claims = large.length + MIB;
  const cut = () => indexLines(countedSource(large, { identity: 'cut', claims }), { newline: 10, signal });
  expect(await cut()).not.toBe(await cut());
});

it('walks once for callers at the same time', async () => {
  const source = countedSource(large);
  const [one, other] = await Promise.all([
    indexLines(source, { newline: 10, signal }),
    indexLines(source, { newline: 10, signal }),
  ]);
  expect(other).toBe(one);
  expect(source.bytesRead).toBe(large.length);
});

it('keeps scans of several sources apart', async () => {
  const counts = [3, 300_000, 77, 450_000];
  const found = await Promise.all(
    counts.map((count) =>
      indexRecords(countedSource('"a\nb",c\n'.repeat(count)), {
        newline: 10,
        quote: 34,
        delimiter: 44,
        signal,
      }),
    ),
  );
  expect(found.map(({ count }) => count)).toEqual(counts);
});

it('stops when aborted, and keeps nothing of it', async () => {
  const stop = new AbortController();
  const options = { identity: 'stopped', before: (at: number) => at > MIB && stop.abort() };
  const aborted = indexLines(countedSource(large, options), { newline: 10, signal: stop.signal });
  const waiting = indexLines(countedSource(large, { identity: 'stopped' }), { newline: 10, signal });
  await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
  expect(await waiting).toMatchObject({ count: 500_000 });
  await expect(
    indexLines(countedSource(large), { newline: 10, signal: AbortSignal.abort() }),
  ).rejects.toBeInstanceOf(ReaderError);
});

it('lets a waiting caller go at once, and the other on', async () => {
  const stop = new AbortController();
  const source = countedSource(large, { identity: 'patient' });
  const first = indexLines(source, { newline: 10, signal });
  const second = indexLines(source, { newline: 10, signal: stop.signal });
  await Promise.resolve();
  await Promise.resolve();
  stop.abort();
  await expect(second).rejects.toMatchObject({ code: 'ABORTED' });
  expect(await first).toMatchObject({ count: 500_000 });
});

it('forgets a scan that failed', async () => {
  const broken = countedSource(large, {
    identity: 'broken',
    before: (at) => {
      if (at > 2 * MIB) throw new Error('gone');
    },
  });
  await expect(indexLines(broken, { newline: 10, signal })).rejects.toThrow('gone');
  const again = countedSource(large, { identity: 'broken' });
  expect(await indexLines(again, { newline: 10, signal })).toMatchObject({ count: 500_000 });
});

it('says when the file ends before its size', async () => {
  const source = countedSource('a\nb\n', { claims: 3 * MIB });
  expect(await indexLines(source, { newline: 10, signal })).toMatchObject({
    count: 2,
    size: 4,
    changed: true,
  });
});

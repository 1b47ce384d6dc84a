import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ZipFile } from '../../src/package/index.ts';
import { ZipWriter } from '../../src/zip/index.ts';
import { memorySource } from '../support/context.ts';

const signal = new AbortController().signal;

it('what is written is read back, with its directory and without', async () => {
  const entries = fc.uniqueArray(
    fc.record({
      name: fc.string({ minLength: 1, unit: 'grapheme' }).filter((name) => !/[\\/\ud800-\udfff]/.test(name)),
      text: fc.string({ unit: 'grapheme', maxLength: 300 }),
    }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(entries, async (list) => {
      const written: Uint8Array[] = [];
      const writer = new ZipWriter({
        write: (bytes) => {
          written.push(bytes);
          return Promise.resolve();
        },
      });
      for (const { name, text } of list) await writer.add(name, text);
      const directory = Buffer.concat(written).length;
      await writer.finish();
      const whole = Buffer.concat(written);
      for (const bytes of [whole, whole.subarray(0, directory)]) {
        const warnings: unknown[] = [];
        const zip = await ZipFile.open(memorySource(bytes, 'a.zip'), {
          limits: { maxInflatedBytes: 1e9, maxInflateRatio: 1e9, maxBytesInMemory: 2 ** 28 },
          signal,
          warn: (warning) => warnings.push(warning),
        });
        expect(zip.salvaged).toBe(bytes !== whole);
        const read: { name: string; text: string }[] = [];
        for (const entry of zip.entries.values())
          read.push({ name: entry.name, text: (await zip.bytes(entry, 1e9, signal)).toString() });
        expect(read).toEqual(list);
        expect(warnings).toEqual([]);
      }
    }),
    { numRuns: 200 },
  );
});

// What any reader of a binary format must survive: a real file with some bytes changed, and cut off.

import fc from 'fast-check';
import { expect } from 'vitest';
import type { FileExtractionResult } from '../../src/index.ts';
import { draws } from './draws.ts';

/** Reads `whole` damaged in many ways: each gives content or an error of the file, never a failure of ours. */
export async function survivesDamage(
  whole: Uint8Array,
  read: (bytes: Uint8Array) => Promise<FileExtractionResult>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 12 }),
      fc.option(fc.nat(whole.length), { nil: undefined }),
      async (flips, length) => {
        const bytes = Buffer.from(whole.subarray(0, length));
        for (const [at, value] of flips) if (at < bytes.length) bytes[at] = value;
        const result = await read(bytes);
        if (!result.success) expect(result.error.code).not.toBe('INTERNAL');
      },
    ),
    { numRuns: draws(300), seed: 97 },
  );
}

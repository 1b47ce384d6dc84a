// 7z archives: listing, entries, and what damage leaves.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sevenZip } from '../../../processors/archive/archive.ts';
import { BrokenHeader, readSevenHeader } from '../../../processors/archive/seven-zip/database.ts';
import { ReaderError } from '../../../src/contract/index.ts';
import { memorySource, run, testContext } from '../../support/context.ts';
import { draws } from '../../support/draws.ts';
import { randomly } from '../../support/randomly.ts';

const whole = readFileSync(new URL('../../../fixtures/archive/tools.7z', import.meta.url));

async function entry(bytes: Uint8Array, path: string): Promise<{ text: string; warnings: string }> {
  const context = testContext();
  const found = await sevenZip.entry?.(memorySource(bytes, 'tools.7z'), path, context);
  return {
    text: found && 'bytes' in found ? Buffer.from(found.bytes).toString() : '',
    warnings: context.warnings.map(({ message }) => message).join(' '),
  };
}

describe('a 7z archive', () => {
  it('lists its files, folders and links', async () => {
    const { text } = await run(sevenZip, memorySource(whole, 'tools.7z'));
    expect(text).toContain('tools/more/,,2026-01-02 03:04,\n');
    expect(text).toContain('tools/empty.txt,0,2026-01-02 03:04,\n');
    expect(text).toContain('tools/latest,,2026-01-02 03:04,symlink\n');
  });

  it('gives its entries', async () => {
    expect(await entry(whole, 'tools/readme.md')).toEqual({
      text: '# Tools\n\nOne per line.\n',
      warnings: '',
    });
    expect((await entry(whole, 'tools/more/tools.csv')).text).toContain('\n60,tool 60\n');
    expect(await entry(whole, 'tools/empty.txt')).toEqual({ text: '', warnings: '' });
    await expect(entry(whole, 'tools/latest')).rejects.toMatchObject({ code: 'NOT_A_FILE' });
    await expect(entry(whole, 'tools/readme.txt')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('tells a file that is cut off or damaged', async () => {
    await expect(entry(whole.subarray(0, -5), 'tools/readme.md')).rejects.toThrow('its header is missing');
    const damaged = Buffer.from(whole);
    damaged[40] = (damaged[40] ?? 0) ^ 0xff;
    expect((await entry(damaged, 'tools/readme.md')).warnings).not.toBe('');
  });

  it('ends, whatever the bytes of its header and its data are', { timeout: 120_000 }, async () => {
    const random = randomly(9);
    const from = 32 + Number(whole.readBigUInt64LE(12));
    const header = whole.subarray(from);
    const flipped = (bytes: Uint8Array): Buffer => {
      const copy = Buffer.from(bytes);
      for (let flip = 0; flip < 1 + random() * 4; flip += 1) {
        const at = Math.floor(random() * copy.length);
        copy[at] =
          random() < 0.5 ? (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8)) : Math.floor(random() * 256);
      }
      return copy;
    };
    for (let round = 0; round < draws(3000, 300); round += 1) {
      try {
        readSevenHeader(flipped(header));
      } catch (error) {
        if (!(error instanceof BrokenHeader || error instanceof RangeError)) throw error;
      }
      const packed = Buffer.concat([whole.subarray(0, 32), flipped(whole.subarray(32, from)), header]);
      await entry(packed, 'tools/more/tools.csv').catch((error: unknown) => {
        if (!(error instanceof ReaderError)) throw error;
      });
    }
  });
});

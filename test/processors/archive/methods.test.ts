// What 7-Zip and xz can pack a file with: methods, filters for machine code, and passwords.

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sevenZip, xz } from '../../../processors/archive/archive.ts';
import type { Entry } from '../../../src/contract/index.ts';
import { createReader } from '../../../src/index.ts';
import { memorySource, run, testContext } from '../../support/context.ts';
import { contentOf, readOk } from '../../support/walk.ts';

const sample = (name: string): Buffer => readFileSync(new URL(`samples/${name}`, import.meta.url));
const locked = (name: string): Buffer =>
  readFileSync(new URL(`../../../fixtures/protected/${name}`, import.meta.url));
const list = sample('list.csv');
const code = sample('code.bin');

async function entry(
  bytes: Uint8Array,
  path: string,
): Promise<{ content: Buffer; warnings: readonly string[] }> {
  const context = testContext();
  const found = await sevenZip.entry?.(memorySource(bytes, 'a.7z'), path, context);
  return {
    content: Buffer.from(found && 'bytes' in found ? found.bytes : []),
    warnings: context.warnings.map(({ message }) => message),
  };
}

describe('7z', () => {
  it.each([
    ['deflate.7z', 'list.csv', list],
    ['bzip2.7z', 'list.csv', list],
    ['lzma.7z', 'list.csv', list],
    ['bcj.7z', 'code.bin', code],
    ['bcjbz.7z', 'code.bin', code],
    ['delta.7z', 'code.bin', code],
    ['arm.7z', 'code.bin', code],
    ['armt.7z', 'code.bin', code],
    ['arm64.7z', 'code.bin', code],
  ])('%s is unpacked', async (name, path, content) => {
    const found = await entry(sample(name), path);
    expect(found.warnings).toEqual([]);
    expect(found.content.equals(content)).toBe(true);
  });

  it.each(['deflate.7z', 'bzip2.7z', 'bcj.7z'])('%s is reported when it is damaged', async (name) => {
    const damaged = sample(name);
    const middle = Math.floor((32 + Number(damaged.readBigUInt64LE(12)) + 32) / 2);
    damaged.fill(0x5a, middle, middle + 8);
    const { warnings } = await entry(damaged, name === 'bcj.7z' ? 'code.bin' : 'list.csv');
    expect(warnings.join()).toMatch(/damaged/);
  });

  it('names a method that is not supported', async () => {
    await expect(entry(sample('ppmd.7z'), 'list.csv')).rejects.toThrow('packed with PPMd');
    expect((await run(sevenZip, memorySource(sample('ppmd.7z'), 'a.7z'))).text).toContain('packed with PPMd');
  });
});

describe('7z under a password', () => {
  const reader = createReader({ environment: {} });

  it.each(['list.7z', 'list-names.7z'])('%s opens with it, and not without', async (name) => {
    const file = { name, bytes: locked(name), entry: 'list.csv' };
    const result = await readOk(reader, file, { password: 'reader' });
    expect(contentOf([result])).toBe(list.toString());
    expect(await reader.read(file, { password: 'other' })).toMatchObject({
      error: { code: 'WRONG_PASSWORD' },
    });
    expect(await reader.read(file)).toMatchObject({
      error: { code: 'ENCRYPTED_FILE', hint: 'Pass the password with `password`.' },
    });
  });

  it('is listed without one unless the names are encrypted too', async () => {
    const bytes = locked('list.7z');
    expect(contentOf([await readOk(reader, { name: 'list.7z', bytes })])).toContain('encrypted');
    const hidden = { name: 'list-names.7z', bytes: locked('list-names.7z') };
    expect(await reader.read(hidden)).toMatchObject({ error: { code: 'ENCRYPTED_FILE' } });
    expect(contentOf([await readOk(reader, hidden, { password: 'reader' })])).toContain('list.csv');
  });
});

describe('xz', () => {
  it.each(['x86.xz', 'arm.xz', 'armthumb.xz', 'arm64.xz', 'delta.xz'])('%s is unpacked', async (name) => {
    const context = testContext();
    const found: Entry | undefined = await xz.unwrap?.(memorySource(sample(name), 'code.bin.xz'), context);
    expect(context.warnings).toEqual([]);
    expect(Buffer.from(found?.bytes ?? []).equals(code)).toBe(true);
  });
});

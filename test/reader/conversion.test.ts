import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';

const sha256 = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex');

describe('readers of several users', () => {
  const path = 'fixtures/documents/survey.docx';
  it.each(['inline', 'process'] as const)('share no conversion (%s)', async (isolation) => {
    const entries = new Map<string, Uint8Array>();
    const found: string[] = [];
    const cache = {
      get: async (key: string) => {
        if (entries.has(key)) found.push(key);
        return entries.get(key);
      },
      put: async (key: string, bytes: Uint8Array) => void entries.set(key, bytes),
    };
    const readerOf = (user: string) => createReader({ cache, isolation, user });
    const [ada, bob] = [readerOf('ada'), readerOf('bob')];
    await ada.read(path);
    expect(entries.size).toBeGreaterThan(0);
    await bob.read(path);
    expect(found).toEqual([]);
    await ada.read(path);
    expect(found.length).toBeGreaterThan(0);
    await Promise.all([ada.close(), bob.close()]);
  });
});

it('keys a conversion by content, converter version and package version', async () => {
  const keys: string[] = [];
  const cache = {
    get: () => Promise.resolve(undefined),
    put: (key: string) => {
      keys.push(key);
      return Promise.resolve();
    },
  };
  const path = 'fixtures/documents/survey.docx';
  const result = await createReader({ cache, isolation: 'inline' }).read(path);
  expect(result.success).toBe(true);
  const manifest: unknown = JSON.parse(await readFile('package.json', 'utf8'));
  const { version } = manifest as { version: string };
  const converter = sha256(`${version} docx-9-accept-blocks-2`).slice(0, 16);
  expect(keys.length).toBeGreaterThan(0);
  for (const key of keys)
    expect(key.startsWith(`${sha256(await readFile(path))}.docx-${converter}.`)).toBe(true);
});

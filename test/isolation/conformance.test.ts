// Every fixture read in a child process: each answer equals the one of a reader in this process.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createMemoryCache, createReader, type Reader, type ReadRequest } from '../../src/index.ts';
import { someOf } from '../support/draws.ts';

// Draws many cases.
vi.setConfig({ testTimeout: 180_000 });

const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const files = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
  .filter(
    (entry) =>
      entry.isFile() && !entry.parentPath.endsWith('protected') && !entry.name.endsWith('.expected.md'),
  )
  .map(({ parentPath, name }) => join(parentPath, name));

const environment = {};
// Only documents are converted, and what is converted is cached.
const documents = files.filter((path) => path.startsWith(join(FIXTURES, 'documents')));
const readers = [
  ['without a cache', someOf(files), false, false],
  ['with a cache', someOf(documents), createMemoryCache(), createMemoryCache()],
] as const;
const pairs = readers.map(([name, files, inline, isolated]) => ({
  name,
  files,
  inline: createReader({ environment, cache: inline }),
  isolated: createReader({ environment, cache: isolated, isolation: 'process' }),
}));

afterAll(async () => {
  await Promise.all(pairs.map(({ isolated }) => isolated.close()));
});

const REQUESTS = someOf<ReadRequest>([
  {},
  { maxTokens: 50 },
  { maxTokens: 5000, numbered: true },
  { maxTokens: 50, overflow: 'outline' },
  { lines: '2-3' },
]);

async function streamed(reader: Reader, path: string): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of reader.stream(path)) parts.push(part);
  return parts;
}

describe.each(pairs)('$name', ({ inline, isolated, files: own }) => {
  it.each(own.map((path) => [path.slice(FIXTURES.length), path]))(
    'answers as a reader in this process for %s',
    async (_name, path) => {
      for (const request of REQUESTS)
        expect(await isolated.read(path, request), JSON.stringify(request)).toEqual(
          await inline.read(path, request),
        );
      expect(await isolated.inspect(path)).toEqual(await inline.inspect(path));
      expect(await streamed(isolated, path)).toEqual(await streamed(inline, path));
    },
  );
});

describe('a walk by cursor', () => {
  const [{ inline, isolated }] = pairs as [(typeof pairs)[0]];

  it.each(someOf(files).map((path) => [path.slice(FIXTURES.length), path]))('%s', async (_name, path) => {
    let request: ReadRequest | undefined = { maxTokens: 700 };
    for (let page = 0; request && page < 200; page += 1) {
      const answer = await isolated.read(path, request);
      expect(answer, `page ${page}`).toEqual(await inline.read(path, request));
      const cursor: string | undefined = answer.success ? answer.truncation?.next?.cursor : undefined;
      request = cursor === undefined ? undefined : { cursor, maxTokens: 700 };
    }
    expect(request).toBeUndefined();
  });
});

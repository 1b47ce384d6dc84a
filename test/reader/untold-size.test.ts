// Files that say 0 bytes, or a page, and are made as they are read. /proc has them on Linux; elsewhere nothing does.

import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReader, prepareAttachments } from '../../src/index.ts';
import { searchedText } from '../../src/workspace/find/searched-text.ts';
import { contentOf, readOk } from '../support/walk.ts';

/** Does not change while the system runs. */
const PATH = '/proc/devices';
const reader = createReader({ environment: {} });

async function searched(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const file = { name: 'devices', handle, stats: await handle.stat({ bigint: true }) };
    const { text } = (await searchedText(file, new AbortController().signal, undefined)) ?? {};
    return text ? (await text.read(0, text.size, () => Buffer.alloc(text.size))).toString() : 'no text';
  } finally {
    await handle.close();
  }
}

describe.runIf(existsSync(PATH))('a file that says 0 bytes and has content', () => {
  const truth = existsSync(PATH) ? readFileSync(PATH, 'utf8') : '';

  it('reads whole, with its true size', async () => {
    const result = await readOk(reader, PATH);
    expect(contentOf([result])).toBe(truth);
    expect(result.metadata.bytes).toBe(Buffer.byteLength(truth));
    expect(result.warnings).toEqual([]);
  });

  it('pages by line and by cursor', async () => {
    const lines = truth.split(/(?<=\n)/);
    expect(contentOf([await readOk(reader, PATH, { lines: '2-3' })])).toBe(lines.slice(1, 3).join(''));
    const small = await readOk(reader, PATH, { maxTokens: 60 });
    const cursor = small.truncation?.next?.cursor;
    expect(cursor).toBeDefined();
    const rest = await readOk(reader, PATH, { cursor: cursor ?? '', maxTokens: 5000 });
    expect(contentOf([small, rest]).length).toBeGreaterThan(contentOf([small]).length);
  });

  it('is inspected, attached and searched as what it holds', async () => {
    expect(await reader.inspect(PATH)).toMatchObject({
      metadata: { lines: truth.trimEnd().split('\n').length },
    });
    const prepared = await prepareAttachments([PATH], { target: 'anthropic', reader });
    expect(JSON.stringify(prepared)).toContain('Character devices');
    expect(await searched(PATH)).toBe(truth);
  });

  it('is bounded like a stream', async () => {
    const result = await createReader({ environment: {}, limits: { maxStreamBytes: 10 } }).read(PATH);
    expect(result).toMatchObject({ error: { code: 'LIMIT_EXCEEDED' } });
  });

  it('is not read on and on where it has no end', async () => {
    const limited = createReader({ environment: {}, limits: { maxBytesInMemory: 2 ** 20 } });
    expect(await limited.read('/proc/self/pagemap')).toMatchObject({
      error: {
        code: 'LIMIT_EXCEEDED',
        message:
          '`pagemap` does not report its size and has more than 1048576 bytes (limit `maxBytesInMemory`).',
      },
    });
  });

  it('says that it could not be read where the system refuses', async () => {
    const result = await reader.read('/proc/self/mem');
    expect(result).toMatchObject({ error: { message: '`mem` could not be read (EIO).' } });
  });
});

it('an empty file is still empty', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-test-'));
  try {
    const path = join(folder, 'empty.txt');
    await writeFile(path, '');
    expect((await readOk(reader, path)).warnings.map(({ code }) => code)).toEqual(['EMPTY_FILE']);
    expect(await searched(path)).toBe('');
  } finally {
    await rm(folder, { recursive: true });
  }
});

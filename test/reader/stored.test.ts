// Files in object storage: ranged reads, and large text read by windows.

import { describe, expect, it } from 'vitest';
import { type Files, ReaderError, type RemoteBytes } from '../../src/contract/index.ts';
import { createReader, type ReadRequest } from '../../src/index.ts';

/** An object whose content is computed, and what was fetched of it. */
class Stored implements RemoteBytes {
  readonly size: number;
  readonly modified = new Date('2026-11-25T12:00:00Z');
  readonly version = 'v1';
  fetched = 0;
  requests = 0;
  readonly #at: (position: number, length: number) => Uint8Array;

  constructor(size: number, at: (position: number, length: number) => Uint8Array) {
    this.size = size;
    this.#at = at;
  }

  async *stream(from: number, to: number): AsyncGenerator<Uint8Array> {
    this.requests += 1;
    for (let position = from; position < to; position += 65_536) {
      const chunk = this.#at(position, Math.min(65_536, to - position));
      this.fetched += chunk.length;
      yield chunk;
    }
  }
}

const LINE = 20;
/** Line `n` is `n,v` and digits, 20 bytes; line 0 is the header. */
const lineOf = (n: number): string =>
  `${(n === 0 ? 'id,name' : `${n},v`).padEnd(LINE - 1, n === 0 ? 's' : '0')}\n`;

function table(lines: number): Stored {
  return new Stored(lines * LINE, (position, length) => {
    const first = Math.floor(position / LINE);
    const last = Math.ceil((position + length) / LINE);
    const text = Array.from({ length: last - first }, (_, index) => lineOf(first + index)).join('');
    return Buffer.from(text).subarray(position - first * LINE, position - first * LINE + length);
  });
}

const filesOf = (name: string, remote: RemoteBytes): Files => ({
  open: (path) =>
    path === name
      ? Promise.resolve({ name, remote })
      : Promise.reject(new ReaderError('FILE_NOT_FOUND', 'No such file.', 'Check the name.')),
  kind: (path) => Promise.resolve(path === name ? 'file' : undefined),
});

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;

function readerOf(name: string, remote: RemoteBytes, isolation: 'inline' | 'process' = 'inline') {
  return createReader({ workspace: filesOf(name, remote), cache: false, isolation });
}

async function text(name: string, remote: RemoteBytes, request: ReadRequest = {}): Promise<string> {
  const result = await readerOf(name, remote).read(name, request);
  if (!result.success) throw new Error(`${result.error.message} ${result.error.hint}`);
  return result.text;
}

describe('a file in object storage', () => {
  it('is read like a local one when it is small', async () => {
    const object = table(500);
    const result = await readerOf('t.csv', object).read('t.csv', { maxTokens: 2000 });
    expect(result).toMatchObject({
      success: true,
      metadata: { rows: 499, columns: 2, modified: '2026-11-25T12:00:00.000Z', bytes: 10_000 },
    });
    expect(object.fetched).toBeLessThanOrEqual(2 * object.size);
  });

  it('is sampled without being downloaded', async () => {
    const object = table(Math.floor((50 * GIB) / LINE));
    const answer = await text('t.csv', object, { maxTokens: 1000 });
    expect(answer).toContain('id,names');
    expect(answer).toContain('\n1,v0');
    expect(answer).toContain(`of ${object.size}`);
    expect(answer).toMatch(/Only bytes 1-83886\d\d of \d+ were read; counts are for this part\./);
    expect(object.fetched).toBeLessThan(24 * MIB);
  });

  it('shows rows anywhere by `bytes`, under its header', async () => {
    const object = table(Math.floor((50 * GIB) / LINE));
    const row = 1_500_000_000;
    const from = row * LINE + 7; // in the middle of a row
    const answer = await text('t.csv', object, { bytes: `${from}-${from + 200}`, maxTokens: 1000 });
    expect(answer).toContain('id,names');
    expect(answer).toContain(`${row + 1},v0`);
    expect(answer).not.toContain(`${row},v0`);
    expect(object.fetched).toBeLessThan(MIB);
    const end = await text('t.csv', object, { bytes: '-100', maxTokens: 1000 });
    expect(end).toContain(`${object.size / LINE - 1},v0`);
  });

  it('walks through its windows to the end, each row once', async () => {
    const lines = 30_000;
    const object = table(lines);
    const reader = createReader({
      workspace: filesOf('t.csv', object),
      cache: false,
      isolation: 'inline',
      limits: { remoteWindowBytes: 150_000 },
    });
    const rows: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 500; page += 1) {
      const result = await reader.read('t.csv', {
        maxTokens: 20_000,
        ...(cursor !== undefined && { cursor }),
      });
      if (!result.success) throw new Error(result.error.message);
      for (const part of result.content)
        if (part.kind === 'text')
          rows.push(...part.text.split('\n').filter((line) => line !== '' && !line.startsWith('id')));
      cursor = result.truncation?.next?.cursor;
      const request = result.truncation?.next?.request;
      // Beyond the first window, rows alone would name those of the first.
      if (!result.text.includes('Only bytes 1-') && request) expect(request).toHaveProperty('bytes');
      if (cursor === undefined) break;
    }
    const ids = rows.map((line) => Number(line.split(',')[0])).sort((a, b) => a - b);
    expect(ids.length).toBe(lines - 1);
    expect(ids[0]).toBe(1);
    expect(ids.at(-1)).toBe(lines - 1);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('reads lines of a large log, and says what a missing line means', async () => {
    const object = table(Math.floor(GIB / LINE));
    expect(await text('t.log', object, { lines: '100-102' })).toContain('\n101,v0');
    const missing = await readerOf('t.log', object).read('t.log', { lines: '40000000-40000001' });
    expect(missing).toMatchObject({
      success: false,
      error: { code: 'BAD_INPUT', message: expect.stringContaining('Only bytes 1-') },
    });
  });

  it('is read to its end when all of it is asked for', async () => {
    const object = table(600_000);
    const reader = readerOf('t.log', object);
    const result = await reader.read('t.log', { all: true });
    const length = result.success
      ? result.content.reduce((sum, part) => sum + (part.kind === 'text' ? part.text.length : 0), 0)
      : 0;
    expect(length).toBe(object.size);
  });

  it('gives the same answers in a child process', async () => {
    const lines = Math.floor(GIB / LINE);
    const inline = await readerOf('t.csv', table(lines)).read('t.csv', { maxTokens: 800 });
    const reader = readerOf('t.csv', table(lines), 'process');
    const isolated = await reader.read('t.csv', { maxTokens: 800 });
    expect(isolated).toEqual(inline);
  });

  it('fails when it was replaced while it was read', async () => {
    const object = table(100_000);
    object.stream = () => {
      throw new ReaderError('CONFLICT', 'What is stored changed.', 'Look at it again.');
    };
    const result = await readerOf('t.csv', object).read('t.csv');
    expect(result).toMatchObject({ success: false, error: { code: 'CONFLICT' } });
  });
});

describe('`bytes`', () => {
  it('selects whole lines of a local file as well', async () => {
    const bytes = Buffer.from('one\ntwo\nthree\nfour\n');
    const result = await createReader({ cache: false }).read(
      { name: 'a.txt', bytes },
      { bytes: '5-9', maxTokens: 300 },
    );
    expect(result.success && result.content).toMatchObject([{ text: 'two\nthree\n' }]);
    expect(result.success && result.truncation?.omitted).toContainEqual(
      expect.objectContaining({ unit: 'byte', from: 15, to: 19 }),
    );
    expect(result.success && result.truncation?.next?.request).toEqual({ bytes: '15-19' });
  });

  it('is refused for formats without lines, and outside the file', async () => {
    const reader = createReader({ cache: false });
    expect(await reader.read({ name: 'a.json', bytes: Buffer.from('{}') }, { bytes: '1-2' })).toMatchObject({
      success: false,
      error: { code: 'BAD_INPUT' },
    });
    expect(await reader.read({ name: 'a.txt', bytes: Buffer.from('a\n') }, { bytes: '9-10' })).toMatchObject({
      success: false,
      error: { code: 'BAD_INPUT' },
    });
  });

  it('never parts a character', async () => {
    const bytes = Buffer.from('ä'.repeat(2_000_000));
    const result = await createReader({ cache: false }).read({ name: 'a.txt', bytes }, { bytes: '2-100' });
    expect(result.success && result.text).not.toContain('\uFFFD');
  });
});

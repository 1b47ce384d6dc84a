// Paths into files: archive.zip!/dir/file.csv, through every kind of opening, and what stops them.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { rawZip, tarOf } from '../support/archive.ts';
import { contentOf, readOk, walk } from '../support/walk.ts';

const reader = createReader({ environment: {} });
const folder = mkdtempSync(join(tmpdir(), 'lectern-entry-'));
afterAll(() => rmSync(folder, { recursive: true }));
const csv = `id,name\n${Array.from({ length: 300 }, (_, i) => `${i},n${i}`).join('\n')}\n`;
const tgz = gzipSync(
  tarOf([
    { name: 'dir/c.csv', data: csv },
    { name: 'dir/d.txt', data: 'deep\n' },
  ]),
);
const outer = rawZip([
  { name: 'b.tar.gz', data: tgz },
  { name: 'dir/file.csv', data: csv },
  { name: 'dir/Makefile', data: 'all:\n\techo\n' },
  { name: 'packed.csv.gz', data: gzipSync(csv) },
  { name: 'odd!/x.txt', data: 'odd\n' },
]);
const zip = join(folder, 'a.zip');
writeFileSync(zip, outer);

describe('a path into a file', () => {
  it('reads the entry as a file of its own', async () => {
    const result = await readOk(reader, `${zip}!/dir/file.csv`);
    expect(result).toMatchObject({
      processor: 'csv',
      metadata: { name: 'a.zip!/dir/file.csv', bytes: csv.length, rows: 300 },
    });
  });

  it('gives the same from a path, a URL, bytes and a stream', async () => {
    const path = await readOk(reader, `${zip}!/dir/file.csv`);
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      yield outer.subarray(0, 99);
      yield outer.subarray(99);
    };
    for (const input of [
      new URL(`file://${zip}!/dir/file.csv`),
      { path: `${zip}!/dir/file.csv` },
      { path: zip, entry: 'dir/file.csv' },
      { name: 'a.zip', bytes: outer, entry: 'dir/file.csv' },
      { name: 'a.zip', stream: pieces(), entry: 'dir/file.csv' },
    ])
      expect((await readOk(reader, input)).text).toBe(path.text);
  });

  it('takes a place of bytes, of a path, and of a file inside them', async () => {
    const two = await readOk(reader, `${zip}!/dir/file.csv#row=2`);
    for (const input of [
      { path: `${zip}!/dir/file.csv`, place: '#row=2' },
      { name: 'a.zip', bytes: outer, entry: 'dir/file.csv', place: 'row=2' },
      { name: 'a.zip', bytes: outer, entry: 'dir/file.csv#row=2' },
    ])
      expect((await readOk(reader, input)).text).toBe(two.text);
    expect((await readOk(reader, { name: 'f.csv', bytes: Buffer.from(csv), place: '#row=2' })).text).toBe(
      two.text,
    );
    const wrong = await reader.read({ name: 'f.csv', bytes: Buffer.from(csv), place: '#page=2' });
    expect(wrong).toMatchObject({ success: false, error: { code: 'BAD_INPUT' } });
    for (const input of [
      { path: `${zip}!/dir/file.csv#row=2`, place: '#row=3' },
      { name: 'a.zip', bytes: outer, entry: 'dir/file.csv#row=2', place: '#row=3' },
    ])
      expect(await reader.read(input)).toMatchObject({ success: false, error: { code: 'BAD_INPUT' } });
    const chunks = reader.chunks({ name: 'f.csv', bytes: Buffer.from(csv), place: '#row=2' });
    await expect(chunks[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('goes through archives inside archives, and through what is only packed', async () => {
    expect(contentOf([await readOk(reader, `${zip}!/b.tar.gz!/dir/d.txt`)])).toBe('deep\n');
    expect(await readOk(reader, `${zip}!/packed.csv.gz`)).toMatchObject({
      processor: 'csv',
      metadata: { compression: 'gzip' },
    });
    expect(await readOk(reader, `${zip}!/packed.csv.gz!/packed.csv`)).toMatchObject({ processor: 'csv' });
    expect(await readOk(reader, `${zip}!/b.tar.gz`)).toMatchObject({
      processor: 'gzip',
      metadata: { entries: 2 },
    });
  });

  it('can be walked by its cursor', async () => {
    const answers = await walk(reader, () => `${zip}!/b.tar.gz!/dir/c.csv`, { maxTokens: 700, rows: '1-' });
    expect(answers.length).toBeGreaterThan(1);
    expect(contentOf(answers)).toBe(csv);
  });

  it('keeps a cursor to the entry it was made from', async () => {
    const { truncation } = await readOk(reader, `${zip}!/dir/file.csv`, { maxTokens: 300 });
    const result = await reader.read(`${zip}!/dir/Makefile`, { cursor: truncation?.next?.cursor ?? '' });
    expect(result).toMatchObject({ error: { code: 'STALE_CURSOR' } });
  });

  it('lists a folder, with or without its slash, and the archive itself', async () => {
    for (const path of ['dir/', 'dir', './dir/'])
      expect(
        contentOf([await readOk(reader, `${zip}!/${path}`)])
          .split('\n')
          .slice(1, -1)
          .map((line) => line.split(',')[0]),
      ).toEqual(['dir/file.csv', 'dir/Makefile']);
    expect(await readOk(reader, `${zip}!/`)).toMatchObject({ processor: 'zip', metadata: { entries: 5 } });
  });

  it('knows bare names and any letter case', async () => {
    expect(await readOk(reader, `${zip}!/dir/Makefile`)).toMatchObject({ fileType: 'code' });
    expect(await readOk(reader, `${zip}!/DIR/FILE.CSV`)).toMatchObject({ processor: 'csv' });
  });

  it('reads the parts of an office file', async () => {
    const workbook = readFileSync(new URL('../../fixtures/tabular/orders.xlsx', import.meta.url));
    const result = await readOk(reader, { name: 'o.xlsx', bytes: workbook, entry: 'xl/workbook.xml' });
    expect(result.processor).toBe('xml');
    expect(await readOk(reader, { name: 'o.xlsx', bytes: workbook, entry: 'xl/worksheets/' })).toMatchObject({
      processor: 'zip',
    });
  });

  it('takes a name that holds the mark itself', async () =>
    expect(contentOf([await readOk(reader, `${zip}!/odd!/x.txt`)])).toBe('odd\n'));

  it('yields to a real file of that name', async () => {
    mkdirSync(join(folder, 'real.zip!'));
    writeFileSync(join(folder, 'real.zip!', 'x.txt'), 'real\n');
    expect(contentOf([await readOk(reader, join(folder, 'real.zip!', 'x.txt'))])).toBe('real\n');
  });

  it('can be inspected, streamed and read beside others', async () => {
    expect(await reader.inspect(`${zip}!/dir/file.csv`)).toMatchObject({
      success: true,
      metadata: { rows: 300 },
    });
    let streamed = '';
    for await (const part of reader.stream(`${zip}!/dir/file.csv`))
      if (part.kind === 'text') streamed += part.text;
    expect(streamed).toBe(csv);
    const [first, second] = await reader.readMany([`${zip}!/dir/Makefile`, `${zip}!/nothing`]);
    expect(first?.success && first.text).toContain('==> a.zip!/dir/Makefile <==');
    expect(second).toMatchObject({ success: false, metadata: { name: 'a.zip!/nothing' } });
  });
});

describe('what stops a path', () => {
  it.each([
    ['a name that is nearly right', '!/dir/file.cvs', 'FILE_NOT_FOUND', /Did you mean `dir\/file.csv`/],
    [
      'the right name in the wrong folder',
      '!/other/file.csv',
      'FILE_NOT_FOUND',
      /Did you mean `dir\/file.csv`/,
    ],
    ['nothing of the kind', '!/zzzzzzzzzz', 'FILE_NOT_FOUND', /Read the archive itself/],
    ['a file that holds none', '!/dir/file.csv!/x', 'BAD_INPUT', /Omit `!\/`/],
    ['an archive that is not there', 'x!/a', 'FILE_NOT_FOUND', /a\.zip/],
  ])('names %s', async (_what, path, code, hint) => {
    const result = await reader.read(zip + path);
    expect(result).toMatchObject({ success: false, error: { code, hint: expect.stringMatching(hint) } });
    expect(JSON.stringify(result)).not.toContain(folder);
  });

  it('is depth', async () => {
    let bytes = rawZip([{ name: 'a', data: 'x' }]);
    for (let i = 0; i < 4; i += 1) bytes = rawZip([{ name: 'n.zip', data: bytes }]);
    const at = (depth: number): string => Array(depth).fill('n.zip').join('!/');
    expect(await readOk(reader, { name: 'n.zip', bytes, entry: at(3) })).toMatchObject({ processor: 'zip' });
    const deeper = await reader.read({ name: 'n.zip', bytes, entry: at(4) });
    expect(deeper).toMatchObject({ error: { code: 'LIMIT_EXCEEDED' } });
  });

  it('is one budget of inflated bytes over all levels', async () => {
    const data = [...Array(30_000).keys()].join('\n');
    const bytes = rawZip([{ name: 'i.zip', data: rawZip([{ name: 'a.txt', data, method: 0 }]) }]);
    const read = (maxInflatedBytes: number): ReturnType<typeof reader.read> =>
      createReader({ environment: {}, limits: { maxInflatedBytes } }).read({
        name: 'o.zip',
        bytes,
        entry: 'i.zip!/a.txt',
      });
    expect(await read(data.length * 2 + 1000)).toMatchObject({ success: true });
    expect(await read(data.length * 2 - 1000)).toMatchObject({ error: { code: 'LIMIT_EXCEEDED' } });
  });

  it('is a signal', async () =>
    expect(await reader.read(`${zip}!/dir/file.csv`, { signal: AbortSignal.abort() })).toMatchObject({
      error: { code: 'ABORTED' },
    }));
});

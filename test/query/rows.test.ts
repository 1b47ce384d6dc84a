// Rows of a query whose saving fails: their files are closed once, and no file of others with them.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unnamedFile } from '../../src/disk/index.ts';
import { createReader, createWorkspace, type Workspace } from '../../src/index.ts';
import { QueryRows } from '../../src/query/rows.ts';
import { showAndSave } from '../../src/query/saving.ts';

const CSV = `id,text\n${'1,some text\n'.repeat(60_000)}`;
const reader = createReader({ cache: false });
let folder: string;
let workspace: Workspace;
let rows: QueryRows;
let others: FileHandle[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rows-test-'));
  writeFileSync(join(folder, 'others.txt'), 'content of others');
  workspace = createWorkspace({ root: folder }, { environment: {}, limits: { maxWorkspaceBytes: 100_000 } });
  await workspace.write('f.txt', 'a file');
  const [csv, parquet] = [await unnamedFile(), await unnamedFile()];
  await csv.writeFile(CSV);
  await parquet.writeFile(Buffer.alloc(700_000, 'P'));
  const columns = ['id', 'text'].map((name) => ({ name, type: 'VARCHAR' }));
  rows = new QueryRows(csv, { rows: 60_000, columns, bytes: CSV.length, tables: [] }, reader, parquet);
  others = [];
});

afterEach(async () => {
  await Promise.all([rows.close(), ...others.map((file) => file.close())]);
  rmSync(folder, { recursive: true });
});

/** Others open files, which get every number that was set free; each must go on to be theirs. */
async function othersOpen(): Promise<void> {
  for (let at = 0; at < 20; at += 1) others.push(await open(join(folder, 'others.txt')));
}

async function othersRead(): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const file of others) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(100), 0, 100, 0);
    texts.push(buffer.subarray(0, bytesRead).toString());
  }
  return [...new Set(texts)];
}

async function all(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString('latin1');
  return text;
}

describe('rows that cannot be saved', () => {
  it.each([
    ['../x.parquet', 'PATH_ESCAPES_WORKSPACE'],
    ['a/../../x.csv', 'PATH_ESCAPES_WORKSPACE'],
    ['f.txt/x.parquet', 'NOT_A_FOLDER'],
    ['big.parquet', 'QUOTA_EXCEEDED'],
    ['big.csv', 'QUOTA_EXCEEDED'],
    [undefined, 'QUOTA_EXCEEDED'],
  ])('as %s: %s, and others keep their files', async (name, code) => {
    const request = { maxTokens: 200 };
    const place = { workspace, count: reader.count, ...(name !== undefined && { name }) };
    await expect(showAndSave(rows, request, place)).rejects.toMatchObject({ code });
    await othersOpen();
    await rows.close();
    await othersOpen();
    expect(await othersRead()).toEqual(['content of others']);
    expect(readFileSync(join(folder, 'f.txt'), 'utf8')).toBe('a file');
    expect(readdirSync(folder).sort()).toEqual(['f.txt', 'others.txt']);
  });

  it('can be read again after a reader stopped early', async () => {
    for await (const _chunk of rows.chunks()) break;
    for await (const _chunk of rows.parquet()) break;
    await othersOpen();
    expect(await all(rows.chunks())).toBe(CSV);
    expect(await all(rows.parquet())).toBe('P'.repeat(700_000));
    await rows.close();
    expect(await othersRead()).toEqual(['content of others']);
  });

  it('close twice, and while they are read', async () => {
    const reading = rows.chunks()[Symbol.asyncIterator]();
    await reading.next();
    const next = reading.next();
    await Promise.all([rows.close(), rows.close()]);
    expect(Buffer.from((await next).value ?? '').toString()).toBe(CSV.slice(262_144, 524_288));
    await othersOpen();
    await rows.close();
    await expect(reading.next()).rejects.toMatchObject({ code: 'EBADF' });
    expect(await othersRead()).toEqual(['content of others']);
  });
});

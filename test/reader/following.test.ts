// A walk through a file that grows meanwhile, as a log does.

import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createReader, type ReadSuccess } from '../../src/index.ts';
import { contentOf, readOk } from '../support/walk.ts';

const reader = createReader({ environment: {}, cache: false });
let folder: string;
let path: string;
const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `2026-01-01 event ${from + at} was seen\n`).join('');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-following-'));
  path = join(folder, 'app.log');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function firstCursor(text: string): Promise<{ answer: ReadSuccess; cursor: string }> {
  await writeFile(path, text);
  const answer = await readOk(reader, path, { maxTokens: 300 });
  return { answer, cursor: answer.truncation?.next?.cursor ?? '' };
}

describe('a cursor of a text', () => {
  it.each([200, 20_000])('goes on after lines were added to %i, with the new total', async (count) => {
    const text = lines(1, count);
    const { answer, cursor } = await firstCursor(text);
    await appendFile(path, lines(count + 1, count + 50));
    let walked = contentOf([answer]);
    let next: string | undefined = cursor;
    let last: ReadSuccess = answer;
    while (next !== undefined) {
      last = await readOk(reader, path, { cursor: next, maxTokens: 200_000 });
      walked += contentOf([last]);
      next = last.truncation?.next?.cursor;
    }
    expect(walked).toBe(text + lines(count + 1, count + 50));
    expect(last.metadata).toMatchObject({ lines: count + 50 });
  });

  it('is stale once what was read has changed, is gone, or is another file', async () => {
    const { cursor } = await firstCursor(lines(1, 400));
    const stale = { success: false, error: { code: 'STALE_CURSOR' } };
    await writeFile(path, lines(2, 500));
    expect(await reader.read(path, { cursor })).toMatchObject(stale);
    await writeFile(path, lines(1, 400));
    for (const size of [10_000, 20]) {
      await truncate(path, size);
      expect(await reader.read(path, { cursor })).toMatchObject(stale);
    }
    await writeFile(path, `${lines(1, 399)}another end\n${lines(401, 500)}`);
    expect(await reader.read(path, { cursor })).toMatchObject(stale);
  });

  it('is stale for a file in another encoding', async () => {
    await writeFile(path, Buffer.from(lines(1, 400).replaceAll('seen', 'geséhn'), 'latin1'));
    const answer = await readOk(reader, path, { maxTokens: 300 });
    await appendFile(path, lines(401, 402));
    const cursor = answer.truncation?.next?.cursor ?? '';
    expect(await reader.read(path, { cursor })).toMatchObject({ error: { code: 'STALE_CURSOR' } });
  });

  it('with a digest that was made up is stale too', async () => {
    const { cursor } = await firstCursor(lines(1, 400));
    await appendFile(path, 'x\n');
    const forged = cursor.replace(/\._p[\w-]{8}/, '._pAAAAAAAA');
    expect(forged).not.toBe(cursor);
    expect(await reader.read(path, { cursor: forged })).toMatchObject({ error: { code: 'STALE_CURSOR' } });
  });
});

describe('a cursor of a table', () => {
  const rows = (from: number, to: number, delimiter = ','): string =>
    Array.from({ length: to - from + 1 }, (_, at) =>
      [from + at, `name ${from + at}`, (from + at) / 2].join(delimiter),
    )
      .map((line) => `${line}\n`)
      .join('');

  async function walkOn(first: ReadSuccess): Promise<{ text: string; last: ReadSuccess }> {
    let text = '';
    let last = first;
    for (let next = first.truncation?.next?.cursor; next !== undefined; ) {
      last = await readOk(reader, path, { cursor: next, maxTokens: 3000 });
      text += contentOf([last]);
      next = last.truncation?.next?.cursor;
    }
    return { text, last };
  }
  const sorted = (text: string): string[] => text.split('\n').sort();

  it.each([
    ['csv', ',', 300, 50],
    ['tsv', '\t', 300, 1],
    ['csv', ',', 20_000, 500],
  ])('of .%s goes on after rows were added', async (ending, delimiter, count, more) => {
    path = join(folder, `a.${ending}`);
    const head = ['id', 'name', 'half'].join(delimiter);
    await writeFile(path, `${head}\n${rows(1, count, delimiter)}`);
    const first = await readOk(reader, path, { maxTokens: 400 });
    const paged = await readOk(reader, path, {
      cursor: first.truncation?.next?.cursor ?? '',
      maxTokens: 400,
    });
    await appendFile(path, rows(count + 1, count + more, delimiter));
    const { text, last } = await walkOn(paged);
    const all = contentOf([first]) + contentOf([paged]) + text;
    expect(sorted(all)).toEqual(sorted(`id,name,half\n${rows(1, count + more)}`));
    expect(last.metadata).toMatchObject({ rows: count + more });
  });

  it('goes on where a first answer showed no end, and from cut cells', async () => {
    path = join(folder, 'a.csv');
    const long = (from: number, to: number): string =>
      rows(from, to).replaceAll('name', `${'long '.repeat(300)}name`);
    await writeFile(path, `id,name,half\n${long(1, 60)}`);
    const first = await readOk(reader, path, { maxTokens: 500 });
    await appendFile(path, long(61, 70));
    const { text } = await walkOn(first);
    for (let row = 1; row <= 70; row += 1) expect(contentOf([first]) + text).toContain(`name ${row}`);
  });

  it.each([
    ['a header that changed', (text: string) => text.replace('id', 'no')],
    ['another row', (text: string) => text.replace('name 7', 'mane 7')],
  ])('is stale for %s', async (_what, change) => {
    path = join(folder, 'a.csv');
    const text = `id,name,half\n${rows(1, 300)}`;
    await writeFile(path, text);
    const cursor = (await readOk(reader, path, { maxTokens: 400 })).truncation?.next?.cursor ?? '';
    await writeFile(path, change(text) + rows(301, 310));
    expect(await reader.read(path, { cursor })).toMatchObject({ error: { code: 'STALE_CURSOR' } });
  });

  it('is stale when what was added closes a quote, or completes the last row', async () => {
    path = join(folder, 'a.csv');
    for (const [text, added] of [
      [`id,name,half\n${rows(1, 300)}301,"open,3\n`, 'more",4\n'],
      [`id,name,half\n${rows(1, 300)}301,na`, 'me,4\n'],
    ] as const) {
      await writeFile(path, text);
      const cursor = (await readOk(reader, path, { maxTokens: 400 })).truncation?.next?.cursor ?? '';
      await appendFile(path, added);
      expect(await reader.read(path, { cursor })).toMatchObject({ error: { code: 'STALE_CURSOR' } });
    }
  });
});

describe('a cursor of a table in Markdown', () => {
  it('is stale after the file has grown, because its numbers are not places in the file', async () => {
    path = join(folder, 'notes.md');
    const rows = Array.from({ length: 200 }, (_, at) => `| ${at} | name ${at} |\n`).join('');
    await writeFile(path, `| id | name |\n| --- | --- |\n${rows}`);
    const answer = await readOk(reader, path, { table: '1', maxTokens: 300 });
    await appendFile(path, '| 200 | name 200 |\n');
    expect(await reader.read(path, { cursor: answer.truncation?.next?.cursor ?? '' })).toMatchObject({
      success: false,
      error: { code: 'STALE_CURSOR' },
    });
  });
});

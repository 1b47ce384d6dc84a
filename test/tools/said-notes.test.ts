// A note about a whole file is given once in a conversation, and again when the file has changed.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { textOf } from '../../src/tools/index.ts';
import { makePlace, type Place } from './place.ts';

const RAGGED = `a,b\n${'1,2\n'.repeat(40)}3\n`;
const page = (hidden: string): string =>
  `<html><body><h1>Weir</h1><p>Open.</p><p>Shut.</p><p style="display:none">${hidden}</p></body></html>`;

let place: Place;
beforeAll(async () => {
  place = await makePlace({
    'ragged.csv': RAGGED,
    'other.csv': RAGGED,
    'page.html': page('A secret'),
    'gauges.pdf': await readFile('fixtures/documents/scan.pdf'),
    'marked.txt': `one\u2060two\nthree\u2060four\nfive\u202esix\n`,
  });
});
afterAll(() => place.remove());

const read = async (path: string, more: object = {}): Promise<string> =>
  textOf(await place.run('read_file', { path, ...more }));

it('is not repeated for other rows or lines', async () => {
  expect(await read('ragged.csv', { rows: '1-2' })).toContain('[Note: 1 record without the usual 2 fields');
  expect(await read('ragged.csv', { rows: '3-4' })).toBe('a,b\n1,2\n1,2\n[Note: rows 3-4 of 41]\n');
  expect(await read('other.csv', { rows: '3-4' })).toContain('[Note: 1 record without');
  expect(await read('page.html', { lines: '1' })).toContain('[Note: Hidden text is left out: 8 characters');
  expect(await read('page.html', { lines: '3' })).toBe('Open.\n[Note: line 3 of 5]\n');
});

it('is repeated after a change', async () => {
  await writeFile(join(place.root, 'page.html'), page('Another secret'));
  expect(await read('page.html', { lines: '1' })).toContain('[Note: Hidden text is left out: 14 characters');
  await writeFile(join(place.root, 'other.csv'), `${RAGGED}1,2\n`);
  expect(await read('other.csv', { rows: '3-4' })).toContain('[Note: 1 record without');
});

it('is repeated if it concerns what is shown', async () => {
  expect(await read('marked.txt', { lines: '1' })).toContain('[Note: The text shown contains');
  expect(await read('marked.txt', { lines: '2' })).not.toContain('The text shown');
  expect(await read('marked.txt', { lines: '3' })).toContain('[Note: The text shown contains');
  const scan = await read('gauges.pdf', { pages: '1' });
  expect(scan).toContain('a scan');
  expect(await read('gauges.pdf', { pages: '1' })).toBe(scan);
});

it('is given in full to a caller without a conversation', async () => {
  for (const rows of ['1-2', '3-4']) {
    const answer = await place.reader.read('ragged.csv', { rows });
    expect(answer.success && answer.text).toContain('[Note: 1 record without');
  }
});

it('is given with every answer that replaces another', async () => {
  const several = await place.run('read_file', { paths: ['ragged.csv', 'page.html'] });
  expect(textOf(several)).not.toContain('[Note: 1 record');
});

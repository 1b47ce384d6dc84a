// `lectern chunks`: JSON Lines for an index, and pieces to look at.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { EXIT_STATUS } from '../../src/index.ts';
import { lectern } from '../support/command-line.ts';

const PDF = 'fixtures/documents/gauges.pdf';
const chunks = (...words: string[]): ReturnType<typeof lectern> =>
  lectern(['chunks', '--no-cache', ...words]);

it('prints one JSON object per line', async () => {
  const { status, out, err } = await chunks(PDF, 'fixtures/text/guide.md', '--max-tokens', '64', '--json');
  expect([status, err]).toEqual([0, '']);
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(Object.keys(lines[0])).toEqual(['file', 'text', 'tokens', 'headings', 'place', 'address']);
  expect(lines[1]).toEqual({
    file: PDF,
    text: '## Levels\n\nLevels are given in centimetres above the zero of the gauge.\n\n| Gauge | Morning | Evening |\n| --- | --- | --- |\n| Mill bridge | 212 | 219 |\n| Old lock | 187 | 190 |\n| Ferry landing | 305 | 301 |',
    tokens: 61,
    headings: ['River gauges', 'Levels'],
    place: { unit: 'page', from: 1, to: 1 },
    address: `${PDF}#page=1`,
  });
  expect(lines.at(-1)).toMatchObject({ file: 'fixtures/text/guide.md', place: { unit: 'line' } });
});

it('prints pieces with a line above each', async () => {
  const { out } = await chunks(PDF, '--max-tokens', '64');
  expect(out).toMatch(/^--- fixtures\/documents\/gauges\.pdf#page=1 \| 58 \| River gauges\n# River gauges\n/);
  expect(out).toContain('\n--- fixtures/documents/gauges.pdf#page=2 | 55 | Floods\n# Floods\n');
});

it('repeats sentences where asked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chunks-'));
  const file = join(folder, 'prose.txt');
  writeFileSync(file, 'The gate was closed at noon. It was opened again at six. '.repeat(12));
  const { out } = await chunks(file, '--max-tokens', '40', '--overlap', '10', '--json');
  const [first, second] = out
    .split('\n')
    .slice(0, 2)
    .map((line) => JSON.parse(line));
  expect(first.text.endsWith(`${second.text.split('. ')[0]}.`)).toBe(true);
  rmSync(folder, { recursive: true });
});

it('goes on behind a file that cannot be read', async () => {
  const { status, out, err } = await chunks('nowhere.txt', 'fixtures/text/short.txt');
  expect(status).toBe(EXIT_STATUS.FILE_NOT_FOUND);
  expect(err).toMatch(/^nowhere\.txt: FILE_NOT_FOUND: /);
  expect(out).toContain('--- fixtures/text/short.txt#L1-L12 | ');
});

it.each([
  [['--max-tokens', '5'], '`--max-tokens` is `5`; expected an integer of 16 or more.'],
  [['--overlap', 'x'], '`--overlap` is `x`; expected a number of tokens.'],
  [['--overlap', '300'], '`--overlap` is `300`; expected an integer from 0 to 256.'],
])('refuses %j', async (words, message) => {
  const { status, err } = await chunks('fixtures/text/short.txt', ...words);
  expect(status).toBe(EXIT_STATUS.BAD_INPUT);
  expect(err).toContain(message);
});

// An answer with exactly the part that was asked for is not called truncated; one with less is.

import { expect, it } from 'vitest';
import { createReader } from '../../src/index.ts';
import { readOk } from '../support/walk.ts';

const reader = createReader({ environment: {}, cache: false });
const lines = Array.from({ length: 300 }, (_, at) => `line ${at + 1}\n`).join('');
const rows = Array.from({ length: 120 }, (_, at) => `${at + 1},name ${at + 1}\n`).join('');
const wide = `${Array.from({ length: 60 }, (_, at) => `c${at}`).join(',')}\n${`${'1,'.repeat(59)}1\n`.repeat(40)}`;
const code = `function first() {\n${'  step();\n'.repeat(20)}}\n\nfunction second() {}\n`;
const FILES = {
  'a.txt': lines,
  'a.csv': `id,name\n${rows}`,
  'wide.csv': wide,
  'a.js': code,
  'a.json': JSON.stringify({
    items: Array.from({ length: 90 }, (_, id) => ({ id })),
    other: 'x'.repeat(9000),
  }),
  'a.md': `# One\n\nText\n\n# Two\n\nMore\n`,
};

const ask = (name: keyof typeof FILES, request: object) =>
  readOk(reader, { name, bytes: Buffer.from(FILES[name]) }, request);

it.each([
  ['a.txt', { lines: '20-29' }, '[Note: lines 20-29 of 300]'],
  ['a.txt', { lines: '-2' }, '[Note: lines 299-300 of 300]'],
  ['a.txt', { lines: '300' }, '[Note: line 300 of 300]'],
  ['a.csv', { rows: '5-7' }, '[Note: rows 5-7 of 120]'],
  ['a.csv', { rows: '5', columns: 'name' }, '[Note: row 5 of 120; column 2 of 2]'],
  ['a.js', { symbol: 'first' }, '[Note: lines 1-22 of 24]'],
  ['a.md', { section: 'Two' }, '[Note: lines 5-7 of 7]'],
] as const)('%s %j: %s', async (name, request, note) => {
  const { text, warnings, truncation } = await ask(name, request);
  expect(text.split('\n').at(-2)).toBe(note);
  expect(warnings).toEqual([]);
  expect(truncation?.shown).not.toEqual([]);
});

it.each([
  ['a.txt', { lines: '20-290', maxTokens: 100 }],
  ['wide.csv', { rows: '5-7', maxTokens: 150 }],
  ['a.json', { pointer: '/other', maxTokens: 100 }],
  ['a.csv', { maxTokens: 100 }],
] as const)('%s %j shows less', async (name, request) => {
  const { text, warnings } = await ask(name, request);
  expect(text).toContain('[Truncated to ');
  expect(warnings[0]?.code).toBe('TRUNCATED');
});

it('says so at the end of a walk', async () => {
  const first = await ask('a.txt', { maxTokens: 900 });
  const last = await ask('a.txt', { cursor: first.truncation?.next?.cursor, maxTokens: 5000 });
  expect(last.text).toMatch(/\[Note: lines \d+-300 of 300\]\n$/);
});

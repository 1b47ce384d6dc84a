// Cells that a spreadsheet program would run as formulas when it opens a CSV file (CSV injection): the data stays as it is
// and the answer says so.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createWorkspace } from '../../../src/index.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'lectern-formulas-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const ROWS = [
  { name: '=HYPERLINK("http://x","y")', change: '+cmd', note: '@SUM(1)', plain: '-5', number: -5 },
  { name: '\t=1', change: '-2+3', note: 'a=b', plain: '+3.2', number: 1 },
  { name: '-', change: '=', note: '', plain: '1e-3', number: 2 },
];

it.each([1, 1000])('are counted in CSV, in %i times three rows', async (times) => {
  const rows = Array.from({ length: times }, () => ROWS).flat();
  const saved = await createWorkspace({ root }).saveResult(rows, { format: 'csv' });
  expect(saved.notes).toEqual([
    `Strings that spreadsheet programs run as formulas (they begin with \`=\`, \`+\`, \`-\` or \`@\`) are written unchanged: ${5 * times} cells.`,
  ]);
  expect(await readFile(join(root, saved.path), 'utf8')).toContain(
    '"=HYPERLINK(""http://x"",""y"")",+cmd,@SUM(1),-5,-5',
  );
});

it.each(['jsonl', 'xlsx'] as const)('are nothing to tell of in %s', async (format) => {
  expect((await createWorkspace({ root }).saveResult(ROWS, { format })).notes).toEqual([]);
});

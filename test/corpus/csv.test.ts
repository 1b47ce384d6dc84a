// Real delimited files against the rows their makers say they hold.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { csv } from '../../processors/tabular/csv.ts';
import { memorySource, run } from '../support/context.ts';

const corpus = process.env['LECTERN_CORPUS'];

describe.runIf(corpus)('csv-spectrum', () => {
  const folder = join(corpus ?? '', 'csv/csv-spectrum');
  const names = corpus ? readdirSync(folder).filter((name) => name.endsWith('.csv')) : [];
  test.each(names)('parses %s as its truth says', async (name) => {
    const source = memorySource(readFileSync(join(folder, name)), name);
    const { text, context } = await run(csv, source, { selection: { all: true, format: 'json' } });
    // The truth masks the one phone number, gives one row without its array, and keeps a CR that its file has lost.
    const json = readFileSync(join(folder, name.replace(/csv$/, 'json')), 'utf8');
    const truth = [JSON.parse(json.replace('\\r\\n', '\\n'))].flat();
    const rows = JSON.parse(text.replace('2095257564', '1234567890'));
    expect(rows).toEqual(truth);
    expect(context.warnings).toEqual([]);
  });
});

describe.runIf(corpus)('every delimited file', () => {
  const folder = join(corpus ?? '', 'csv');
  const names = corpus
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.[ct]sv$/.test(name))
    : [];
  test.each(names)('%s is read as a table of more than one column', async (name) => {
    const { context, text } = await run(csv, memorySource(readFileSync(join(folder, name)), name));
    expect(Number(context.facts['columns'])).toBeGreaterThan(1);
    expect(text).not.toBe('');
  });
});

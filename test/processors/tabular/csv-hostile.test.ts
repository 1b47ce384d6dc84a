// Delimited text of extreme sizes, and with quotes that never close.

import Papa from 'papaparse';
import { describe, expect, test, vi } from 'vitest';
import { csv } from '../../../processors/tabular/csv.ts';
import { memorySource, type Outcome, run, type TestOptions } from '../../support/context.ts';

vi.setConfig({ testTimeout: 180_000 });

const read = (content: string, options: TestOptions = {}): Promise<Outcome> =>
  run(csv, memorySource(content, 'file.csv'), options);
const rowsOf = (text: string): string[][] =>
  Papa.parse<string[]>(text.replace(/\n$/, ''), { delimiter: ',', newline: '\n' }).data;
const codes = ({ context }: Outcome): string[] => context.warnings.map(({ code }) => code);

describe('quotes', () => {
  test('a million rows after an open quote', async () => {
    const content = `a,b\n1,"x\n${'2,y\n'.repeat(1_000_000)}`;
    const outcome = await read(content);
    expect(outcome.context.facts['rows']).toBe(1_000_001);
    expect(codes(outcome)).toContain('UNBALANCED_QUOTES');
    expect(outcome.text.endsWith('2,y\n')).toBe(true);
  });

  test('two hundred thousand stray quotes, with and without line breaks', async () => {
    for (const unit of ['"a"b', '"a"b\n', ',"\n', '"\n"', '""\n"x', '"a,b\n']) {
      const { context } = await read(`x,y\n${unit.repeat(200_000)}`);
      expect(Number(context.facts['rows'])).toBeGreaterThan(0);
    }
  });
});

describe('sizes', () => {
  test('two million columns', async () => {
    const { context, parts, text } = await read(`${'a,'.repeat(2_000_000)}\n${'1,'.repeat(2_000_000)}\n`);
    expect(context.facts['columns']).toBe(2_000_001);
    expect(parts[0]?.shown).toContainEqual({ unit: 'column', from: 1, to: 50, of: 2_000_001 });
    expect(text.length).toBeLessThan(500);
  });

  test('one field of 30 MB', async () => {
    const { text, parts } = await read(`a,b\n1,"${'x\n'.repeat(15_000_000)}"\n2,y\n`);
    expect(rowsOf(text).map((row) => row[1]?.length)).toEqual([1, 500, 1]);
    expect(parts[0]).toMatchObject({ cellsCut: 1 });
  });

  test('twenty thousand equal names', async () => {
    const { context, text } = await read(`${Array(20_000).fill('n').join(',')}\n1\n`, {
      selection: { format: 'json' },
    });
    expect(context.facts['columns']).toBe(20_000);
    expect(text).toContain('"n_50":');
  });

  test('a large file is counted and located exactly, quoted line breaks, blank lines and all', async () => {
    const line = (n: number): string => `${n},"a ${n % 7 === 0 ? '\n\n' : ''}""b""",${'z'.repeat(60)}\n`;
    const lines = Array.from(
      { length: 130_000 },
      (_, index) => line(index + 1) + (index % 100 === 0 ? '\r\n' : ''),
    );
    const content = `sep=,\n\nn,text,z\n${lines.join('')}`;
    expect(content.length).toBeGreaterThan(9 * 1024 * 1024);
    const outcome = await read(content);
    expect(outcome.context.facts).toMatchObject({ rows: 130_000, columns: 3 });
    expect(rowsOf(outcome.text).at(-1)?.[0]).toBe('130000');
    for (const from of [1, 101, 77_777, 130_000]) {
      const { text } = await read(content, { selection: { rows: { from, to: from } } });
      expect(rowsOf(text)[1]?.[0]).toBe(String(from));
    }
    expect(codes(outcome)).toEqual([]);
  });

  test('a large file with one open quote in its middle', async () => {
    const lines = Array.from(
      { length: 130_000 },
      (_, n) => `${n + 1},"q",${n === 66_666 ? '"' : ''}${'z'.repeat(70)}\n`,
    );
    const outcome = await read(`a,b,c\n${lines.join('')}`);
    expect(outcome.context.facts['rows']).toBe(130_000);
    expect(codes(outcome)).toEqual(['UNBALANCED_QUOTES']);
    const { text } = await read(`a,b,c\n${lines.join('')}`, {
      selection: { rows: { from: 100_000, to: 100_000 } },
    });
    expect(rowsOf(text)[1]?.[0]).toBe('100000');
  });
});

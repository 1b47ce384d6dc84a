// Lines and records: exact counts and the place of every unit, against a slow reading written apart from both twins.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexLines, indexRecords, locate } from '../../src/scan/index.ts';
import { draws } from '../support/draws.ts';
import { countedSource } from './counted-source.ts';

const { signal } = new AbortController();
const MIB = 1024 * 1024;

interface Dialect {
  readonly newline: 10 | 13;
  readonly quote?: number;
  readonly delimiter?: number;
  readonly skipBlank?: boolean;
}

/** Splits first, judges each record afterwards. */
function reference(bytes: Uint8Array, { newline, quote, delimiter, skipBlank }: Dialect) {
  const records: { start: number; content: number[] }[] = [];
  let open: { start: number; content: number[] } | undefined;
  const quotes: number[] = [];
  for (const [at, byte] of bytes.entries()) {
    open ??= { start: at, content: [] };
    if (byte === quote) quotes.push(at);
    if (byte === newline && quotes.length % 2 === 0) {
      records.push(open);
      open = undefined;
    } else open.content.push(byte);
  }
  if (open) records.push(open);
  const isBlank = ({ content }: { content: number[] }): boolean =>
    content.length === 0 || (content.length === 1 && content[0] === 13);
  const starts: number[] = [];
  let pending: number | undefined;
  for (const record of records) {
    pending ??= record.start;
    if (skipBlank && isBlank(record)) continue;
    starts.push(pending);
    pending = undefined;
  }
  const stray = quotes.filter((at, n) => {
    const neighbour = n % 2 === 0 ? at - 1 : at + 1;
    const byte = bytes[neighbour] ?? newline;
    return !(byte === delimiter || byte === newline || byte === quote || (n % 2 === 1 && byte === 13));
  });
  return {
    starts,
    blank: records.filter(isBlank).length,
    stray: delimiter === undefined ? 0 : stray.length,
    inside: quotes.length % 2 === 1,
    endsWithNewline: records.length > 0 && open === undefined,
  };
}

async function check(bytes: Uint8Array, dialect: Dialect): Promise<void> {
  const source = countedSource(bytes, { most: 100 });
  const truth = reference(bytes, dialect);
  const index = await indexRecords(source, { ...dialect, signal });
  expect(index).toMatchObject({
    count: truth.starts.length,
    size: bytes.length,
    changed: false,
    blank: truth.blank,
    strayQuotes: truth.stray,
    endsInsideQuotes: truth.inside,
    endsWithNewline: truth.endsWithNewline,
  });
  for (const [at, start] of truth.starts.entries())
    expect(await locate(source, index, at + 1, signal)).toBe(at === 0 ? 0 : start);
  for (const past of [index.count + 1, index.count + 2, Number.POSITIVE_INFINITY])
    expect(await locate(source, index, past, signal)).toBe(index.count === 0 && past < 2 ? 0 : bytes.length);
  if (dialect.quote === undefined && !dialect.skipBlank) {
    const lines = await indexLines(source, { newline: dialect.newline, signal });
    expect(lines).toMatchObject({ count: index.count, endsWithNewline: index.endsWithNewline });
    for (const [at, start] of truth.starts.entries())
      expect(await locate(source, lines, at + 1, signal)).toBe(start);
  }
}

const tables = fc
  .array(fc.constantFrom('"', '""', ',', '\n', '\r\n', '\n\n', '\r', 'a', '1,2,3', ',"', '",'), {
    maxLength: 60,
  })
  .map((words) => Buffer.from(words.join('')));

describe('records', () => {
  it.each<Dialect>([
    { newline: 10 },
    { newline: 13 },
    { newline: 10, skipBlank: true },
    { newline: 10, quote: 34 },
    { newline: 10, quote: 34, delimiter: 44 },
    { newline: 10, quote: 34, delimiter: 44, skipBlank: true },
    { newline: 13, quote: 34, delimiter: 44, skipBlank: true },
  ])('are counted and found in %o', async (dialect) => {
    await fc.assert(
      fc.asyncProperty(tables, (bytes) => check(bytes, dialect)),
      { numRuns: draws(300) },
    );
  });

  it('are none in an empty file, one without a newline', async () => {
    const none = await indexRecords(countedSource(''), { newline: 10, quote: 34, signal });
    expect(none).toMatchObject({ count: 0, size: 0, endsWithNewline: false, longest: 0 });
    expect(await locate(countedSource(''), none, 1, signal)).toBe(0);
    expect((await indexLines(countedSource('x'), { newline: 10, signal })).count).toBe(1);
    expect((await indexLines(countedSource('\n'), { newline: 10, signal })).count).toBe(1);
  });

  it('start at a bounded place for numbers no unit has', async () => {
    const source = countedSource('a\nb\n');
    const index = await indexLines(source, { newline: 10, signal });
    for (const n of [0, -5, Number.NaN, Number.NEGATIVE_INFINITY])
      expect(await locate(source, index, n, signal)).toBe(0);
    expect(await locate(source, index, 2.9, signal)).toBe(2);
    expect(await locate(source, index, 1e300, signal)).toBe(4);
  });

  it('span chunks, their quotes open across the border', async () => {
    const row = 'x,"two\nlines ""and"" more",1\r\n';
    const rows = Math.ceil((3.3 * MIB) / row.length);
    const source = countedSource(row.repeat(rows));
    const index = await indexRecords(source, { newline: 10, quote: 34, delimiter: 44, signal });
    expect(index).toMatchObject({ count: rows, strayQuotes: 0, endsInsideQuotes: false });
    source.bytesRead = 0;
    for (const n of [1, 2, rows >> 1, rows - 1, rows])
      expect(await locate(source, index, n, signal)).toBe((n - 1) * row.length);
    expect(source.bytesRead).toBeLessThan(5 * MIB);
  });

  it('are found by one chunk wherever the chunk borders fall', async () => {
    const lines = Array.from(
      { length: 40 },
      (_, n) => 'y'.repeat(MIB / 16 - (n % 5)) + (n % 3 ? '\n' : '\r\n'),
    );
    const source = countedSource(lines.join(''));
    const index = await indexLines(source, { newline: 10, signal });
    let start = 0;
    for (const [at, line] of lines.entries()) {
      expect(await locate(source, index, at + 1, signal)).toBe(start);
      start += line.length;
    }
  });

  it('longer than a chunk are measured exactly', async () => {
    const long = 'z'.repeat(3 * MIB + 17);
    for (const text of [`a\n${long}\nb\n`, `a\n${long}`, `${long}\n`]) {
      const lines = await indexLines(countedSource(text), { newline: 10, signal });
      expect(lines.longest).toBe(long.length + (text.includes(`${long}\n`) ? 1 : 0));
      const quoted = await indexRecords(countedSource(text), { newline: 10, quote: 34, signal });
      expect(quoted.longest).toBe(lines.longest);
    }
    const swallowed = `a,b\n"${'c,d\n'.repeat(MIB / 2)}`;
    const index = await indexRecords(countedSource(swallowed), { newline: 10, quote: 34, signal });
    expect(index).toMatchObject({ count: 2, endsInsideQuotes: true, longest: swallowed.length - 4 });
  });
});

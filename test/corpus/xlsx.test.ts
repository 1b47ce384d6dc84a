// Real workbooks: every one is read or refused by a code, and cells show the text that Excel itself saved for them.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import iconv from 'iconv-lite';
import papaparse from 'papaparse';
import { describe, expect, it } from 'vitest';
import { xlsx } from '../../processors/tabular/xlsx.ts';
import { memorySource, run } from '../support/context.ts';

const root = join(process.env['LECTERN_CORPUS'] ?? '', 'xlsx');

/** Sheets whose truth depends on the machine that saved it, or on functions that were not calculated yet. */
const LEAST_EQUAL: Readonly<Record<string, number>> = {
  'sheetjs/number_format.xlsm.1': 0.93,
  'sheetjs/number_format.xlsm.2': 0.98,
  'sheetjs/number_format_russian.xlsm.0': 0.88,
  'sheetjs/number_format_russian.xlsm.1': 0.86,
  'sheetjs/number_format_russian.xlsm.2': 0.98,
};

/** Files cut off in the middle are read as far as they go, so they are not among these. */
const REFUSED: Readonly<Record<string, string>> = {
  'pass_protected.xlsb': 'ENCRYPTED_FILE',
  'pass_protected.xlsx': 'ENCRYPTED_FILE',
  'protected_passtika.xlsx': 'ENCRYPTED_FILE',
  'clusterfuzz-testcase-minimized-XLSX2CSVFuzzer-5636439151607808.xlsx': 'CORRUPT_FILE',
};

type Rows = readonly (readonly string[])[];

function grid(text: string): Rows {
  const { data } = papaparse.parse<string[]>(text.replace(/^\uFEFF/, ''));
  const first = data.findIndex((row) => row.some((cell) => cell.trim() !== ''));
  if (first < 0) return [];
  const left = Math.min(
    ...data.map((row) => {
      const at = row.findIndex((cell) => cell.trim() !== '');
      return at < 0 ? Number.POSITIVE_INFINITY : at;
    }),
  );
  return data.slice(first).map((row) => row.slice(left));
}

/**
 * Excel shows format 14 and others with a two-digit year, which leaves the century open, and a link without its address;
 * both are shown in full here.
 */
const fold = (text: string): string =>
  text
    .replace(/[\s\u00a0]+/gu, ' ')
    .replace(/(?<=^(?:\d{1,2}\/\d{1,2}\/|(?:\d{1,2}-)?[A-Z][a-z]*-))(?:19|20)(?=\d\d(?: |$))/, '')
    .replace(/ \(https?:\/\/[^ ]*\)$/, '')
    .trim();

/** Share of cells that are equal; `_` and `?` in the truth stand for any character that its code page lacks. */
function equality(truth: Rows, found: Rows): number {
  let cells = 0;
  let equal = 0;
  for (let row = 0; row < Math.max(truth.length, found.length); row++) {
    const [a = [], b = []] = [truth[row], found[row]];
    for (let column = 0; column < Math.max(a.length, b.length); column++) {
      const [x, y] = [fold(a[column] ?? ''), fold(b[column] ?? '')];
      if (/^#{2,}$/.test(x) || (x === '' && y === '')) continue;
      cells++;
      const matches =
        x === y ||
        (x.length === y.length && [...x].every((char, at) => char === y[at] || char === '_' || char === '?'));
      if (matches) equal++;
    }
  }
  return cells === 0 ? 1 : equal / cells;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return iconv.decode(Buffer.from(bytes), 'windows-1252');
  }
}

describe.runIf(process.env['LECTERN_CORPUS'])('workbooks of the corpus', () => {
  const files = (readdirSync(root, { recursive: true }) as string[]).filter((name) =>
    /\.(?:xlsx|xlsm|xlsb|xls|ods)$/.test(name),
  );
  const sheets = JSON.parse(readFileSync(join(root, 'sheets.json'), 'utf8')) as Record<string, string[]>;

  it.each(files)('reads or refuses %s', async (name) => {
    const source = memorySource(readFileSync(join(root, name)), basename(name));
    const code = await run(xlsx, source).then(
      ({ context, view }) => {
        expect(context.budget.count(view)).toBeLessThanOrEqual(context.budget.tokens);
        return undefined;
      },
      (error: { readonly code?: string }) => error.code ?? String(error),
    );
    expect(code).toBe(REFUSED[basename(name)]);
  });

  const truths = Object.entries(sheets).flatMap(([book, names]) =>
    names.map((sheet, index) => ({ book, sheet, key: `${book}.${index}` })),
  );

  it.each(truths)('shows $key as Excel does', async ({ book, sheet, key }) => {
    const source = memorySource(readFileSync(join(root, book)), basename(book));
    const { text } = await run(xlsx, source, { selection: { sheet, all: true } });
    const truth = readdirSync(join(root, book, '..')).includes(`${basename(key)}.csv`)
      ? decode(readFileSync(join(root, `${key}.csv`)))
      : undefined;
    if (truth !== undefined)
      expect(equality(grid(truth), grid(text))).toBeGreaterThanOrEqual(LEAST_EQUAL[key] ?? 1);
  });
});

// Detects the dialect of a delimited file (delimiter, quote, line end) from its start; the extension breaks ties.

import type { Bytes, Extension } from '../../src/contract/index.ts';
import { splitFields } from './csv-fields.ts';
import { type Dialect, RecordScanner, SCAN } from './csv-records.ts';

/** Bytes used for detection. */
export const DIALECT_BYTES: Bytes = 64 * 1024;

/** A dialect and how it was detected. */
export interface FoundDialect extends Dialect {
  /** Offset of the first record, after a `sep=;` line. */
  readonly start: Bytes;
  /** True if the first line declares the delimiter. */
  readonly declared: boolean;
  /** Number of fields of most records. */
  readonly columns: number;
}

const DELIMITERS = [',', '\t', ';', '|'] as const;
const BY_EXTENSION: Readonly<Record<string, string>> = {
  '.csv': ',',
  '.tsv': '\t',
  '.tab': '\t',
  '.psv': '|',
  '.ssv': ';',
};
const RECORDS_JUDGED = 200;
/** Minimum share of records with the same number of fields, for a delimiter the extension does not suggest. */
const CONSISTENT = 0.7;
const SINGLE_QUOTED_FIELDS = 6;

/**
 * The dialect of a file that starts with `head`; `complete` if that is the whole file. Never fails: guesses in the
 * worst case.
 */
export function findDialect(head: Uint8Array, complete: boolean, extension: Extension | ''): FoundDialect {
  const newline = head.includes(10) || !head.includes(13) ? 10 : 13;
  const named = BY_EXTENSION[extension] ?? ',';
  const declared = declaredDelimiter(head, newline);
  const start = declared?.start ?? 0;
  const body = Buffer.from(head.buffer, head.byteOffset + start, head.length - start);
  const candidates = declared ? [declared.delimiter] : [named, ...DELIMITERS.filter((one) => one !== named)];
  let best = { delimiter: named, score: -1, columns: 1, records: [] as readonly string[] };
  for (const [place, delimiter] of candidates.entries()) {
    const dialect: Dialect = { delimiter: delimiter.charCodeAt(0), quote: 34, newline };
    const { records, widths } = firstRecords(body, complete, dialect);
    const { columns, share } = commonest(widths);
    if (place === 0) best = { delimiter, score: -1, columns, records };
    if (columns < 2 || (place > 0 && share < CONSISTENT)) continue;
    const heads = widths[0] === columns ? 0.2 : 0;
    const score = share + heads + Math.min(columns, 50) / 1000 + (place === 0 ? 0.1 : 0);
    if (score > best.score) best = { delimiter, score, columns, records };
  }
  const quote = singleQuoted(body, best.records, best.delimiter) ? 39 : 34;
  if (quote === 39) {
    const dialect: Dialect = { delimiter: best.delimiter.charCodeAt(0), quote, newline };
    best = { ...best, columns: commonest(firstRecords(body, complete, dialect).widths).columns };
  }
  return {
    delimiter: best.delimiter.charCodeAt(0),
    quote,
    newline,
    start,
    declared: declared !== undefined,
    columns: best.columns,
  };
}

/** The first line `sep=;`, an Excel convention; not a record. */
function declaredDelimiter(
  head: Uint8Array,
  newline: number,
): { readonly delimiter: string; readonly start: Bytes } | undefined {
  const line = Buffer.from(head.subarray(0, 8)).toString('latin1');
  const match = /^sep=([\t -~])(?:\r\n|\n|\r|$)/i.exec(line);
  if (match?.[1] === undefined || match[1] === '"') return undefined;
  const end = head.indexOf(newline);
  return { delimiter: match[1], start: end < 0 ? head.length : end + 1 };
}

function firstRecords(
  body: Buffer,
  complete: boolean,
  dialect: Dialect,
): { readonly records: readonly string[]; readonly widths: readonly number[] } {
  const scanner = new RecordScanner(dialect, { literal: new Set(), columns: 1, physicalLines: false });
  const records: string[] = [];
  const widths: number[] = [];
  let at = 0;
  while (at < body.length && records.length < RECORDS_JUDGED) {
    scanner.begin();
    const end = scanner.run(body, at, body.length, 0);
    if (end === SCAN.rewind) continue;
    if (end === SCAN.more && scanner.open && (complete || records.length === 0)) {
      scanner.recover();
      continue;
    }
    // Ignore a record cut off by the end of `head`, unless it is the only one.
    if (end === SCAN.more && !complete && records.length > 0) break;
    if (!scanner.blank) {
      records.push(body.toString('utf8', at, end < 0 ? body.length : end));
      widths.push(scanner.width);
    }
    if (end < 0) break;
    at = end;
  }
  return { records, widths };
}

function commonest(widths: readonly number[]): { readonly columns: number; readonly share: number } {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  let columns = widths[0] ?? 1;
  for (const [width, count] of counts) if (count > (counts.get(columns) ?? 0)) columns = width;
  return { columns, share: widths.length === 0 ? 0 : (counts.get(columns) ?? 0) / widths.length };
}

/** Requires strong evidence: no double quote at all, and single quotes around most text fields below the header. */
function singleQuoted(body: Buffer, records: readonly string[], delimiter: string): boolean {
  if (body.includes(34) || !body.includes(39)) return false;
  let inQuotes = 0;
  let bare = 0;
  for (const record of records.slice(1)) {
    const line = record.replace(/[\r\n]+$/, '');
    for (const field of splitFields(line, delimiter, "'")) if (/[A-Za-z]/.test(field)) bare += 1;
    for (const piece of line.matchAll(/'(?:[^']|'')*'/g)) {
      const starts = piece.index === 0 || line[piece.index - 1] === delimiter;
      const after = line[piece.index + piece[0].length];
      if (starts && (after === undefined || after === delimiter)) inQuotes += 1;
    }
  }
  bare -= inQuotes;
  return inQuotes >= SINGLE_QUOTED_FIELDS && inQuotes >= bare;
}

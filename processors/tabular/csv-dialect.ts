// Detects the dialect of a delimited file (delimiter, quote, line end, escape, initial spaces) from its start; the
// extension breaks ties. An escape and initial spaces need records that RFC 4180 does not explain.

import { type Bytes, type Extension, withoutEnd } from '../../src/contract/index.ts';
import { FieldSplitter } from './csv-fields.ts';
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
export const BACKSLASH = 92;

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
  let best: Reading | undefined;
  let bestScore = -1;
  for (const [place, delimiter] of candidates.entries()) {
    const reading = bestReading(body, complete, { delimiter: delimiter.charCodeAt(0), quote: 34, newline });
    const { columns, share, widths } = reading;
    best ??= reading;
    if (columns < 2 || (place > 0 && share < CONSISTENT)) continue;
    const heads = widths[0] === columns ? 0.2 : 0;
    const score = share + heads + Math.min(columns, 50) / 1000 + (place === 0 ? 0.1 : 0);
    if (score > bestScore) [best, bestScore] = [reading, score];
  }
  let found = best ?? readingOf(body, complete, { delimiter: named.charCodeAt(0), quote: 34, newline });
  if (singleQuoted(body, found))
    found = bestReading(body, complete, { delimiter: found.dialect.delimiter, quote: 39, newline });
  return { ...found.dialect, start, declared: declared !== undefined, columns: found.columns };
}

/** The first records as one dialect reads them. */
interface Reading {
  readonly dialect: Dialect;
  readonly records: readonly string[];
  readonly widths: readonly number[];
  /** Number of fields of most records, and the share of those. */
  readonly columns: number;
  readonly share: number;
  /** Records that the dialect does not explain. */
  readonly faults: number;
  /** Some fields have spaces before a quote. */
  readonly isSpaced: boolean;
}

/** True if a dialect explains so much more than another that it is the better one. */
export const explainsMore = (faults: number, others: number): boolean => faults * 2 <= others && others > 0;

/** RFC 4180, unless an escape or initial spaces explain what it does not. */
function bestReading(body: Buffer, complete: boolean, dialect: Dialect): Reading {
  let best = readingOf(body, complete, dialect);
  if (best.faults === 0) return best;
  for (const variant of variantsOf(dialect, { escapes: body.includes(BACKSLASH), spaces: best.isSpaced })) {
    const reading = readingOf(body, complete, variant);
    if (explainsMore(reading.faults, best.faults)) best = reading;
  }
  return best;
}

/** What a dialect may lack, by the records that it does not explain. */
export interface Doubts {
  readonly escapes: boolean;
  readonly spaces: boolean;
}

/** `dialect` with what it lacks. */
export function variantsOf<D extends Dialect>(dialect: D, { escapes, spaces }: Doubts): D[] {
  const escaping = escapes && dialect.escape === undefined ? [{ escape: BACKSLASH }] : [];
  const spacing = spaces && dialect.initialSpaces !== true ? [{ initialSpaces: true }] : [];
  const both = escaping.flatMap((more) => spacing.map((also) => ({ ...more, ...also })));
  return [...escaping, ...spacing, ...both].map((more) => ({ ...dialect, ...more }));
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

function readingOf(body: Buffer, complete: boolean, dialect: Dialect): Reading {
  const literal = new Set<Bytes>();
  const scanner = new RecordScanner(dialect, { literal, columns: 1, physicalLines: false });
  const records: string[] = [];
  const widths: number[] = [];
  const isOdd: boolean[] = [];
  let odd = 0;
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
      isOdd.push(scanner.stray + scanner.spaced > odd);
      odd = scanner.stray + scanner.spaced;
    }
    if (end < 0) break;
    at = end;
  }
  const { columns, share } = commonest(widths);
  const faults = widths.filter((width, record) => width !== columns || isOdd[record]).length;
  return {
    dialect,
    records,
    widths,
    columns,
    share,
    faults: faults + literal.size,
    isSpaced: scanner.spaced > 0,
  };
}

function commonest(widths: readonly number[]): { readonly columns: number; readonly share: number } {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  let columns = widths[0] ?? 1;
  for (const [width, count] of counts) if (count > (counts.get(columns) ?? 0)) columns = width;
  return { columns, share: widths.length === 0 ? 0 : (counts.get(columns) ?? 0) / widths.length };
}

/** Requires strong evidence: no double quote at all, and single quotes around most text fields below the header. */
function singleQuoted(body: Buffer, { records, dialect }: Reading): boolean {
  if (body.includes(34) || !body.includes(39)) return false;
  const delimiter = String.fromCharCode(dialect.delimiter);
  const splitter = new FieldSplitter({ ...dialect, quote: 39 });
  let inQuotes = 0;
  let bare = 0;
  for (const record of records.slice(1)) {
    const line = withoutEnd(record, '\r\n');
    for (const field of splitter.split(line)) if (/[A-Za-z]/.test(field)) bare += 1;
    for (const piece of line.matchAll(/'(?:[^']|'')*'/g)) {
      const starts = piece.index === 0 || line[piece.index - 1] === delimiter;
      const after = line[piece.index + piece[0].length];
      if (starts && (after === undefined || after === delimiter)) inQuotes += 1;
    }
  }
  bare -= inQuotes;
  return inQuotes >= SINGLE_QUOTED_FIELDS && inQuotes >= bare;
}

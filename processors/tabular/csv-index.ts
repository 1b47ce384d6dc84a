// Counts the records of a delimited file and finds where they start: at memory speed if its quotes are balanced, else
// byte by byte. Never holds more than a chunk of the file.

import {
  type Bytes,
  createContentMap,
  largestFitting,
  type TextSource,
  throwIfAborted,
} from '../../src/contract/index.ts';
import { indexRecords, locate } from '../../src/scan/index.ts';
import { BACKSLASH, type Doubts, explainsMore, type FoundDialect, variantsOf } from './csv-dialect.ts';
import { type RawRecord, RecordScanner, readRecords, SCAN } from './csv-records.ts';

/** Up to this size every record is inspected, to count fields and to detect a quote that swallows rows. */
const SMALL_BYTES: Bytes = 8 * 1024 * 1024;
/** Above it, a record this long triggers the inspection of every record. */
const SUSPICIOUS_RECORD: Bytes = 1024 * 1024;
const PIECE_BYTES: Bytes = 1024 * 1024;
const CHECKPOINT_BYTES: Bytes = 64 * 1024;
const MAX_CHECKPOINTS = 65_536;
/** Maximum quotes treated as text individually; with more of them, every line is a record. */
const MAX_LITERAL = 20_000;
const MAX_KEPT = 32;

/** Records with more or fewer fields than most. */
export interface Raggedness {
  readonly short: number;
  readonly long: number;
  /** Number of the first such record, the header being record 1. */
  readonly first: number;
}

/** Exact totals of a delimited file, and access to any record. */
export interface CsvIndex {
  /** The dialect of the whole file: the one detected, or that one with what the records below its start need. */
  readonly dialect: FoundDialect;
  /** Number of records including the header, excluding blank lines and a `sep=` line. */
  readonly records: number;
  /** Width of the widest record; known if every record was inspected. */
  readonly columns: number | undefined;
  readonly ragged: Raggedness | undefined;
  /** Quoted fields with text after their closing quote. */
  readonly strayQuotes: number;
  /** Fields whose opening quote is text, because it is never closed. */
  readonly openQuotes: number;
  readonly physicalLines: boolean;
  /** Yields records from number `n` (1-based) on. */
  read(source: TextSource, n: number, signal: AbortSignal): AsyncGenerator<RawRecord, void>;
}

const kept = createContentMap<CsvIndex>({ most: MAX_KEPT });

/** Cached by content. */
export async function indexCsv(
  source: TextSource,
  dialect: FoundDialect,
  signal: AbortSignal,
): Promise<CsvIndex> {
  const identity = await source.identity();
  const key = `${identity} ${source.size} ${source.encoding.name} ${JSON.stringify(dialect)}`;
  const found = kept.get(key);
  if (found) return found;
  const index = await freshIndex(source, dialect, signal);
  kept.set(key, index);
  return index;
}

async function freshIndex(source: TextSource, dialect: FoundDialect, signal: AbortSignal): Promise<CsvIndex> {
  const { delimiter, quote, newline, initialSpaces } = dialect;
  // The fast scan knows RFC 4180 alone.
  if (source.size > SMALL_BYTES && dialect.escape === undefined && initialSpaces !== true) {
    const found = await indexRecords(source, { newline, quote, delimiter, skipBlank: true, signal });
    const holds = found.strayQuotes === 0 && !found.endsInsideQuotes && found.longest < SUSPICIOUS_RECORD;
    if (holds) {
      const before = dialect.start > 0 ? 1 : 0;
      return {
        dialect,
        records: found.count - before,
        columns: undefined,
        ragged: undefined,
        strayQuotes: 0,
        openQuotes: 0,
        physicalLines: false,
        async *read(reading, n, abort) {
          const at = await locate(reading, found, n + before, abort);
          yield* readRecords(reading, at, {
            dialect,
            literal: new Set(),
            physicalLines: false,
            skip: 0,
            signal: abort,
          });
        },
      };
    }
  }
  const first = await walk(source, dialect, false, signal);
  let best = first;
  if (best.faults > 0)
    for (const variant of variantsOf(dialect, first.doubts)) {
      const walked = await walk(source, variant, false, signal);
      if (explainsMore(walked.faults, best.faults)) best = walked;
    }
  const { index = (await walk(source, dialect, true, signal)).index } = best;
  if (index) return index;
  throw new Error('Physical lines never need recovery.');
}

/** The records of a file as one dialect reads them. */
interface Walked {
  /** Undefined if too many quotes turn out to be text. */
  readonly index: CsvIndex | undefined;
  /** Records and quotes that the dialect does not explain. */
  readonly faults: number;
  readonly doubts: Doubts;
}

/** Inspects every record. */
async function walk(
  source: TextSource,
  dialect: FoundDialect,
  physicalLines: boolean,
  signal: AbortSignal,
): Promise<Walked> {
  const literal = new Set<Bytes>();
  const { columns: expected, start } = dialect;
  const scanner = new RecordScanner(dialect, { literal, columns: Math.max(1, expected), physicalLines });
  const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(1, source.size)));
  const spacing = Math.max(CHECKPOINT_BYTES, Math.ceil(source.size / MAX_CHECKPOINTS));
  const offsets: Bytes[] = [];
  const counts: number[] = [];
  let position = start;
  let recordStart = start;
  let records = 0;
  let columns = 0;
  let short = 0;
  let long = 0;
  let first = 0;
  let nextCheckpoint = start;
  let strayBefore = 0;
  let spacedBefore = 0;
  let faults = 0;
  let escapes = false;
  /** `bytes`: the record, or its end if it began in an earlier piece. */
  const ended = (end: Bytes, bytes: Uint8Array): void => {
    if (!scanner.blank) {
      if (scanner.width !== expected || scanner.stray > strayBefore || scanner.spaced > spacedBefore) {
        faults += 1;
        escapes ||= bytes.includes(BACKSLASH);
      }
      if (recordStart >= nextCheckpoint) {
        offsets.push(recordStart);
        counts.push(records);
        nextCheckpoint = recordStart + spacing;
      }
      records += 1;
      columns = Math.max(columns, scanner.width);
      if (scanner.width !== expected) {
        if (scanner.width < expected) short += 1;
        else long += 1;
        if (first === 0) first = records;
      }
    }
    recordStart = end;
    strayBefore = scanner.stray;
    spacedBefore = scanner.spaced;
    scanner.begin();
  };
  for (;;) {
    throwIfAborted(signal);
    const length = position < source.size ? await source.readInto(buffer, position) : 0;
    let from = 0;
    let rewound = false;
    while (from < length) {
      const end = scanner.run(buffer, from, length, position);
      if (end === SCAN.more) break;
      if (end === SCAN.rewind) {
        rewound = true;
        break;
      }
      ended(position + end, buffer.subarray(from, end));
      from = end;
    }
    if (!rewound && length === 0 && scanner.open && !physicalLines) {
      scanner.recover();
      rewound = true;
    }
    if (rewound) {
      if (literal.size > MAX_LITERAL)
        return {
          index: undefined,
          faults: faults + literal.size,
          doubts: { escapes, spaces: scanner.spaced > 0 },
        };
      position = recordStart;
      scanner.stray = strayBefore;
      scanner.spaced = spacedBefore;
      scanner.begin();
      continue;
    }
    if (length === 0) break;
    position += length;
  }
  if (position > recordStart) ended(position, buffer);
  const marks = Float64Array.from(offsets);
  const before = Float64Array.from(counts);
  const index: CsvIndex = {
    dialect,
    records,
    columns,
    ragged: short + long > 0 ? { short, long, first } : undefined,
    strayQuotes: scanner.stray,
    openQuotes: literal.size,
    physicalLines,
    read(reading, n, abort) {
      const low = largestFitting(marks.length - 1, (at) => (before[at] ?? 0) < n);
      return readRecords(reading, marks[low] ?? start, {
        dialect,
        literal,
        physicalLines,
        skip: n - 1 - (before[low] ?? 0),
        signal: abort,
      });
    },
  };
  return { index, faults: faults + literal.size, doubts: { escapes, spaces: scanner.spaced > 0 } };
}

// Counts lines and delimited records exactly, and finds the n-th. Reads quotes by parity alone: the caller judges
// whether they are valid, by `strayQuotes`, `endsInsideQuotes` and `longest`.

import type { Bytes, Source } from '../contract/index.ts';
import { keep } from './kept.ts';
import { type SparseIndex, type Sweep, seekUnit, sweep } from './sparse-index.ts';
import { RECORD, recordStart } from './state.ts';

/** The newline byte: LF, also for CRLF, or CR for files without LF. */
export type Newline = 10 | 13;

export interface LineIndex extends SparseIndex {
  readonly endsWithNewline: boolean;
  /** Bytes of the longest line, including its newline: exact from 1 MiB on, else a lower bound. */
  readonly longest: Bytes;
}

export interface RecordIndex extends LineIndex {
  /** The file ends in an open quote: the last record is everything after the last unmatched quote. */
  readonly endsInsideQuotes: boolean;
  /** Records that are empty or contain one carriage return, whether or not they are counted. */
  readonly blank: number;
  /**
   * Quotes that open elsewhere than at a field's start, or close elsewhere than at its end, not counting doubled quotes
   * inside a quoted field. 0 with `endsInsideQuotes` false means that parity and RFC 4180 agree on every record. Always
   * 0 without a delimiter.
   */
  readonly strayQuotes: number;
}

export interface LineOptions {
  readonly newline: Newline;
  readonly signal: AbortSignal;
}

export interface RecordOptions extends LineOptions {
  /** The quote byte; if absent, every newline ends a record. */
  readonly quote?: number;
  /** The delimiter byte, only needed for `strayQuotes`. */
  readonly delimiter?: number;
  /** Do not count blank records: each belongs to the unit after it, the last ones to the last unit. Default false. */
  readonly skipBlank?: boolean;
}

/** Counts lines in one pass; a second call for the same content answers from memory. */
export function indexLines(source: Source, { newline, signal }: LineOptions): Promise<LineIndex> {
  return keep(source, `lines ${newline}`, signal, async () => {
    const found = await sweep(source, 'lines', 0, recordStart({ newline }), signal);
    return lineIndex(found, newline, found.state[RECORD.ended] ?? 0, found.lastByte === newline);
  });
}

/**
 * Counts records, separated by newlines outside quotes, in one pass; a second call for the same content answers from
 * memory.
 */
export function indexRecords(source: Source, options: RecordOptions): Promise<RecordIndex> {
  const { newline, quote, delimiter, skipBlank, signal } = options;
  const question = `records ${newline} ${quote ?? ''} ${delimiter ?? ''} ${skipBlank ?? false}`;
  return keep(source, question, signal, async () => {
    const found = await sweep(source, 'records', 0, recordStart(options), signal);
    const { state } = found;
    const filled = state[RECORD.filled] ?? 0;
    const openBlank = filled === 1 && state[RECORD.previous] === 13 && newline !== 13;
    const blank = (state[RECORD.blank] ?? 0) + (openBlank ? 1 : 0);
    const ended = (state[RECORD.ended] ?? 0) + (filled > 0 ? 1 : 0);
    const lines = lineIndex(found, newline, 0, filled === 0 && found.lastByte === newline);
    return {
      ...lines,
      count: skipBlank ? ended - blank : ended,
      endsInsideQuotes: state[RECORD.inside] === 1,
      blank,
      strayQuotes: state[RECORD.stray] ?? 0,
    };
  });
}

function lineIndex(found: Sweep, newline: Newline, ended: number, endsWithNewline: boolean): LineIndex {
  return {
    count: ended + (found.lastByte >= 0 && found.lastByte !== newline ? 1 : 0),
    size: found.end,
    chunkBytes: found.chunkBytes,
    changed: found.changed,
    checkpoints: found.checkpoints,
    endsWithNewline,
    longest: found.longest,
  };
}

/**
 * Start of unit `n` (1-based); `index.size` for every `n` past the last, 0 for every `n` below 2. Reads at most one
 * chunk.
 */
export async function locate(
  source: Source,
  index: LineIndex | RecordIndex,
  n: number,
  signal: AbortSignal,
): Promise<Bytes> {
  const unit = Math.floor(n);
  if (!(unit > 1)) return 0;
  if (unit > index.count) return index.size;
  return (await seekUnit(source, index, index.size, unit - 1, signal)) ?? index.size;
}

// Finds the ends of delimited records and splits their fields. A quote is special where RFC 4180 allows it: at the
// start and end of a field; elsewhere it is text, and so is what an escape character precedes.

import { type Bytes, type TextSource, throwIfAborted } from '../../src/contract/index.ts';
import { FieldSplitter } from './csv-fields.ts';

/** The syntax of records, in bytes. */
export interface Dialect {
  /** One byte each. */
  readonly delimiter: number;
  readonly quote: number;
  readonly newline: 10 | 13;
  /** A delimiter, quote, line end or escape after it is text. Absent in RFC 4180, where only a quote escapes a quote. */
  readonly escape?: number;
  /** Spaces before a field are not part of it. */
  readonly initialSpaces?: boolean;
  /** Quotes with nothing between them are `QUOTED_EMPTY`. */
  readonly marksEmpty?: boolean;
}

/** Maximum bytes parsed of one record; the rest is cut. */
export const MAX_RECORD_BYTES: Bytes = 64 * 1024 * 1024;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const FIRST_READ = 64 * 1024;
const LARGEST_READ = 1024 * 1024;
/** Number of lines in one field, and the share of them that look like rows, at which its quote is treated as text. */
const SWALLOWED_LINES = 20;
const SWALLOWED_SHARE = 0.9;
/** Prose often has one delimiter per line; two are evidence of rows. */
const SWALLOWING_COLUMNS = 3;
const STATE = { start: 0, plain: 1, quoted: 2, closed: 3 } as const;
/** Results of `RecordScanner.run` other than the end of a record. */
export const SCAN = { more: -1, rewind: -2 } as const;

/** What is known of a file before scanning. */
export interface ScannerOptions {
  /** Offsets of quotes that are text although a field starts with them; grows when the scanner recovers. */
  readonly literal: Set<Bytes>;
  /** Number of fields of a typical record; 0 if `literal` is final and no other quote is in doubt. */
  readonly columns: number;
  /** A record ends with its line regardless of quotes. */
  readonly physicalLines: boolean;
}

/** Finds the end of a record, chunk by chunk. */
export class RecordScanner {
  /** Fields of the record so far. */
  width = 1;
  /** Bytes of the record so far, without its line end. */
  length = 0;
  /** Quoted fields so far with text after their closing quote. */
  stray = 0;
  /** Fields so far with spaces before a quote, which are text unless the dialect has initial spaces. */
  spaced = 0;
  /** Where to continue after `SCAN.rewind`. */
  rewindTo: Bytes = 0;
  readonly #dialect: Dialect;
  readonly #options: ScannerOptions;
  #state: number = STATE.start;
  #fieldStart: Bytes = 0;
  #innerLines = 0;
  #rowLikeLines = 0;
  #lineDelimiters = 0;
  #last = 0;
  /** The bytes so far end in an escape that applies to the next one. */
  #escaped = false;

  constructor(dialect: Dialect, options: ScannerOptions) {
    this.#dialect = dialect;
    this.#options = options;
  }

  /** True if the record is an empty line. */
  get blank(): boolean {
    return this.length === 0 || (this.length === 1 && this.#last === CARRIAGE_RETURN);
  }

  /** True inside a quoted field. */
  get open(): boolean {
    return this.#state === STATE.quoted;
  }

  /** Resets for the next record, or for the same one from its start. */
  begin(): void {
    this.width = 1;
    this.length = 0;
    this.#state = STATE.start;
    this.#last = 0;
    this.#escaped = false;
  }

  /** Treats the opening quote of the current field as text and continues after it. */
  recover(): typeof SCAN.rewind {
    this.#options.literal.add(this.#fieldStart);
    this.rewindTo = this.#fieldStart;
    return SCAN.rewind;
  }

  /**
   * Scans `bytes[from..to)`, which are at `base` in the source. Returns the index after the record's line end,
   * `SCAN.more`, or `SCAN.rewind` if the record must be read again from its start.
   */
  run(bytes: Buffer, from: number, to: number, base: Bytes): number {
    const { delimiter, quote, newline, initialSpaces = false } = this.#dialect;
    const escapes = this.#dialect.escape !== undefined;
    const { literal, columns, physicalLines } = this.#options;
    // Beyond these, a field either swallows no rows or was already detected.
    const watchedLines = physicalLines
      ? Number.POSITIVE_INFINITY
      : columns < SWALLOWING_COLUMNS
        ? 0
        : SWALLOWED_LINES;
    let state = this.#state;
    let at = from;
    let width = this.width;
    walk: while (at < to) {
      let byte = bytes[at];
      switch (state) {
        case STATE.plain:
          while (byte !== delimiter && byte !== newline) {
            at += 1;
            if (at >= to) break walk;
            byte = bytes[at];
          }
          // Only bytes that end something are checked: a dialect without an escape stays fast.
          if (escapes && !(physicalLines && byte === newline) && this.#isEscaped(bytes, from, at)) break;
          if (byte === newline) break walk;
          width += 1;
          state = STATE.start;
          break;
        case STATE.start:
          if (byte === delimiter) width += 1;
          else if (byte === newline) break walk;
          else if (byte === quote && (literal.size === 0 || !literal.has(base + at))) {
            state = STATE.quoted;
            this.#fieldStart = base + at;
            this.#innerLines = 0;
            this.#rowLikeLines = 0;
            this.#lineDelimiters = 0;
          } else if (byte !== SPACE) state = STATE.plain;
          else if (!initialSpaces) {
            state = STATE.plain;
            let next = at + 1;
            while (next < to && bytes[next] === SPACE) next += 1;
            if (next < to && bytes[next] === quote) this.spaced += 1;
          }
          break;
        case STATE.quoted:
          if (this.#innerLines > watchedLines) {
            // Only the next quote matters from here on.
            const next = bytes.indexOf(quote, at);
            at = next < 0 || next > to ? to : next;
            if (at === to) break walk;
            byte = quote;
          }
          while (byte !== quote && byte !== newline) {
            if (byte === delimiter) this.#lineDelimiters += 1;
            at += 1;
            if (at >= to) break walk;
            byte = bytes[at];
          }
          if (byte === quote) {
            if (!escapes || !this.#isEscaped(bytes, from, at)) state = STATE.closed;
          } else if (physicalLines) {
            width += this.#lineDelimiters;
            break walk;
          } else {
            this.#innerLines += 1;
            if (this.#lineDelimiters === columns - 1) this.#rowLikeLines += 1;
            this.#lineDelimiters = 0;
            if (this.#swallowsRows(columns)) {
              this.#save(state, width);
              return this.recover();
            }
          }
          break;
        default:
          if (byte === quote) state = STATE.quoted;
          else if (byte === delimiter) {
            width += 1;
            state = STATE.start;
          } else if (byte === newline) break walk;
          else if (byte !== CARRIAGE_RETURN && byte !== SPACE && byte !== 0x09) {
            if (this.#innerLines > 0 && columns > 0) {
              this.#save(state, width);
              return this.recover();
            }
            this.stray += 1;
            state = STATE.plain;
          }
      }
      at += 1;
    }
    this.#save(state, width);
    this.length += at - from;
    if (escapes) this.#escaped = this.#isEscaped(bytes, from, at);
    if (at > from) this.#last = bytes[at - 1] ?? 0;
    return at < to ? at + 1 : SCAN.more;
  }

  /** True if an odd number of escapes precedes `at`, also across the border of a chunk. */
  #isEscaped(bytes: Buffer, from: number, at: number): boolean {
    let start = at;
    while (start > from && bytes[start - 1] === this.#dialect.escape) start -= 1;
    const isOdd = (at - start) % 2 === 1;
    return start === from && this.#escaped ? !isOdd : isOdd;
  }

  #save(state: number, width: number): void {
    this.#state = state;
    this.width = width;
  }

  #swallowsRows(columns: number): boolean {
    return (
      columns >= SWALLOWING_COLUMNS &&
      this.#innerLines === SWALLOWED_LINES &&
      this.#rowLikeLines >= SWALLOWED_LINES * SWALLOWED_SHARE
    );
  }
}

/** A record and its unquoted fields. */
export interface RawRecord {
  /** Number of preceding records in this reading, without blank lines. */
  readonly index: number;
  readonly fields: readonly string[];
  /** Size in bytes, including any part that was not parsed. */
  readonly bytes: Bytes;
  /** Fields have white space after their closing quote, which they are without. */
  readonly isTrimmed: boolean;
}

/** Options for reading records. */
export interface ReadOptions {
  readonly dialect: Dialect;
  readonly literal: Set<Bytes>;
  readonly physicalLines: boolean;
  /** Number of records to skip. */
  readonly skip: number;
  readonly signal: AbortSignal;
}

/** Reads records from byte `start`, the start of a record. Holds one record at a time, at most `MAX_RECORD_BYTES`. */
export async function* readRecords(
  source: TextSource,
  start: Bytes,
  { dialect, literal, physicalLines, skip, signal }: ReadOptions,
): AsyncGenerator<RawRecord, void> {
  const splitter = new FieldSplitter(dialect);
  const scanner = new RecordScanner(dialect, { literal, columns: 0, physicalLines });
  let held: Buffer[] = [];
  let heldBytes = 0;
  let dropped = 0;
  let position = start;
  let readBytes = FIRST_READ;
  let index = 0;
  for (;;) {
    throwIfAborted(signal);
    const piece = await source.read(position, readBytes);
    readBytes = Math.min(LARGEST_READ, readBytes * 2);
    const buffer = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let from = 0;
    while (from < buffer.length || buffer.length === 0) {
      const end = scanner.run(buffer, from, buffer.length, position);
      if (end === SCAN.rewind) {
        // Only if the file has changed since it was indexed; the caller compares its identity.
        return;
      }
      const ended = end >= 0 || buffer.length === 0;
      if (!ended) break;
      const stop = end >= 0 ? end : buffer.length;
      const bytes = heldBytes + dropped + stop - from;
      if (bytes > 0 && !scanner.blank) {
        if (index >= skip) {
          const tail = buffer.subarray(from, stop);
          const record = heldBytes > 0 ? Buffer.concat([...held, tail]) : tail;
          splitter.trimmed = 0;
          const fields = splitter.split(decode(record, dialect));
          yield { index, fields, bytes, isTrimmed: splitter.trimmed > 0 };
        }
        index += 1;
      }
      held = [];
      heldBytes = 0;
      dropped = 0;
      scanner.begin();
      if (buffer.length === 0) return;
      from = stop;
    }
    if (from < buffer.length) {
      const rest = buffer.subarray(from);
      const room = index >= skip ? Math.max(0, MAX_RECORD_BYTES - heldBytes) : 0;
      const taken = rest.subarray(0, room);
      if (taken.length > 0) held.push(taken);
      heldBytes += taken.length;
      dropped += rest.length - taken.length;
    }
    position += buffer.length;
  }
}

function decode(record: Buffer, dialect: Dialect): string {
  let end = record.length;
  if (end > 0 && record[end - 1] === dialect.newline) end -= 1;
  if (dialect.newline === 10 && end > 0 && record[end - 1] === CARRIAGE_RETURN) end -= 1;
  return record.toString('utf8', 0, end);
}

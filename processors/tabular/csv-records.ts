// Delimited records one by one: where a record ends, and its fields. A quote counts where RFC 4180 lets it: at the
// start of a field and at its end; elsewhere it is text.

import { type Bytes, type TextSource, throwIfAborted } from '../../src/contract/index.ts';
import { splitFields } from './csv-fields.ts';

/** How records are written, in bytes. */
export interface Dialect {
  /** One byte each. */
  readonly delimiter: number;
  readonly quote: number;
  readonly newline: 10 | 13;
}

/** Bytes of one record that are parsed; a longer one is cut there. */
export const MAX_RECORD_BYTES: Bytes = 64 * 1024 * 1024;
const CARRIAGE_RETURN = 13;
const FIRST_READ = 64 * 1024;
const LARGEST_READ = 1024 * 1024;
/** Lines of one field, and the share of them that look like rows, at which its quote is taken for text. */
const SWALLOWED_LINES = 20;
const SWALLOWED_SHARE = 0.9;
/** Prose has one delimiter a line often enough; two of them are evidence. */
const SWALLOWING_COLUMNS = 3;
const STATE = { start: 0, plain: 1, quoted: 2, closed: 3 } as const;
/** What `RecordScanner.run` found besides the end of a record. */
export const SCAN = { more: -1, rewind: -2 } as const;

/** What is known of a file before its records are looked for. */
export interface ScannerOptions {
  /** Where quotes are text although a field starts with them; grows when the scanner recovers. */
  readonly literal: Set<Bytes>;
  /** Fields of an ordinary record; 0 when what is literal is known, and no other quote is to be doubted. */
  readonly columns: number;
  /** A record ends with its line, whatever its quotes say. */
  readonly physicalLines: boolean;
}

/** Finds the end of a record, piece by piece. */
export class RecordScanner {
  /** Fields of the record so far. */
  width = 1;
  /** Bytes of the record so far, its line end not counted. */
  length = 0;
  /** Quoted fields, so far, that go on after the quote that should close them. */
  stray = 0;
  /** Where to go on after `SCAN.rewind`. */
  rewindTo: Bytes = 0;
  readonly #dialect: Dialect;
  readonly #options: ScannerOptions;
  #state: number = STATE.start;
  #fieldStart: Bytes = 0;
  #innerLines = 0;
  #rowLikeLines = 0;
  #lineDelimiters = 0;
  #last = 0;

  constructor(dialect: Dialect, options: ScannerOptions) {
    this.#dialect = dialect;
    this.#options = options;
  }

  /** True when the record is an empty line. */
  get blank(): boolean {
    return this.length === 0 || (this.length === 1 && this.#last === CARRIAGE_RETURN);
  }

  /** True in a quoted field. */
  get open(): boolean {
    return this.#state === STATE.quoted;
  }

  /** Ready for the next record, or for the same from its start. */
  begin(): void {
    this.width = 1;
    this.length = 0;
    this.#state = STATE.start;
    this.#last = 0;
  }

  /** Takes the quote the open field starts with for text: the walk goes on there. */
  recover(): typeof SCAN.rewind {
    this.#options.literal.add(this.#fieldStart);
    this.rewindTo = this.#fieldStart;
    return SCAN.rewind;
  }

  /**
   * Goes through `bytes[from..to)`, which lie at `base` of the source. Returns the index just past the record's line
   * end, `SCAN.more`, or `SCAN.rewind`: the record has to be read again from its start.
   */
  run(bytes: Buffer, from: number, to: number, base: Bytes): number {
    const { delimiter, quote, newline } = this.#dialect;
    const { literal, columns, physicalLines } = this.#options;
    // Beyond these a field swallows no rows, or was found out.
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
          } else state = STATE.plain;
          break;
        case STATE.quoted:
          if (this.#innerLines > watchedLines) {
            // Nothing matters in here any more but the next quote.
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
          if (byte === quote) state = STATE.closed;
          else if (physicalLines) {
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
          else if (byte !== CARRIAGE_RETURN && byte !== 0x20 && byte !== 0x09) {
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
    if (at > from) this.#last = bytes[at - 1] ?? 0;
    return at < to ? at + 1 : SCAN.more;
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

/** A record and its fields, unquoted. */
export interface RawRecord {
  /** Records before it in this reading, blank lines not counted. */
  readonly index: number;
  readonly fields: readonly string[];
  /** Bytes of it, the part that was not parsed included. */
  readonly bytes: Bytes;
}

/** How records are to be read. */
export interface ReadOptions {
  readonly dialect: Dialect;
  readonly literal: Set<Bytes>;
  readonly physicalLines: boolean;
  /** Records to pass over. */
  readonly skip: number;
  readonly signal: AbortSignal;
}

/** Reads records from byte `start`, where one starts; memory for one record, at most `MAX_RECORD_BYTES`. */
export async function* readRecords(
  source: TextSource,
  start: Bytes,
  { dialect, literal, physicalLines, skip, signal }: ReadOptions,
): AsyncGenerator<RawRecord, void> {
  const delimiter = String.fromCharCode(dialect.delimiter);
  const quote = String.fromCharCode(dialect.quote);
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
        // Only where the file has changed since it was indexed; the reader above compares its identity.
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
          yield { index, fields: splitFields(decode(record, dialect), delimiter, quote), bytes };
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

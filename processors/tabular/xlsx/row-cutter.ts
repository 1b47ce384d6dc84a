// Finds the rows of a sheet in its inflated XML without parsing it: takes bytes, reports the position of each row and
// what an exact size needs (row number, first and last non-empty column). `cell.ts` parses the rows that are shown.

import { ReaderError } from '../../../src/contract/index.ts';
import { MAX_COLUMNS, MAX_ROWS, parseRow } from './cell.ts';
import {
  attributeAt,
  COLON,
  closingStart,
  GREATER,
  isNameEnd,
  LESS,
  MAX_PREFIX,
  SLASH,
  tagEndOf,
  tagStart,
} from './tag-bytes.ts';

const F = 0x66;
const I = 0x69;
const O = 0x6f;
const R = 0x72;
const S = 0x73;
const V = 0x76;
const W = 0x77;
const C = 0x63;
const WINDOW_BYTES = 512 * 1024;
/** A row's bytes stay valid until this many more chunks were fed. */
export const WINDOWS = 4;
/** Thousands of times a typical row; longer rows would be copied too often. */
const MAX_ROW_BYTES = 32 * 1024 * 1024;
/** Above this, bytes between rows are passed on at once, even inside a tag. */
const MAX_OUTSIDE_TAG = 64 * 1024;

/** Receives the cutter's reports. Bytes are valid until `WINDOWS` more chunks were fed. */
export interface RowSink {
  /** A non-empty row. */
  row(cutter: RowCutter): void;
  /** Bytes outside rows, in order: before, between and after them. */
  outside(bytes: Buffer): void;
}

/** Feed it the chunks of a sheet part, then call `finish()`. */
export class RowCutter {
  /** The current row: its number, the position of its XML, and its columns (0 if unknown). */
  number = 0;
  bytes: Buffer = Buffer.alloc(0);
  start = 0;
  end = 0;
  /** Incremented with every chunk. */
  piece = 0;

  /** Highest non-empty row and column. */
  lastRow = 0;
  lastColumn = 0;
  /** Lowest non-empty row and column; 0 if all are empty. */
  firstRow = 0;
  firstColumn = 0;
  formulas = 0;
  hiddenRows = 0;
  /** False once a row is not after its predecessor. */
  ordered = true;
  /** Rows numbered past the last row of a sheet. */
  ignored = 0;

  readonly #sink: RowSink;
  readonly #windows: Buffer[] = [];
  #length = 0;
  #at = 0;
  #formulaAt = 0;
  #gapStart = 0;
  #rowStart = -1;
  #bodyStart = 0;
  #rowNumber = 0;
  #prefix = 0;
  #previous = 0;

  constructor(sink: RowSink) {
    this.#sink = sink;
  }

  /** @throws {ReaderError} LIMIT_EXCEEDED if a row is too long. */
  feed(chunk: Buffer): void {
    this.#append(chunk);
    this.#countFormulas();
    this.#cut();
    this.#handOutside(false);
  }

  /** Reports the row that is still open: of a truncated part, as much as there is. */
  finish(): void {
    this.#countFormulas();
    if (this.#rowStart >= 0 && this.#bodyStart > this.#rowStart) {
      this.#report(this.#length);
      this.#rowStart = -1;
      this.#gapStart = this.#length;
    }
    this.#handOutside(true);
  }

  #append(chunk: Buffer): void {
    const before = this.bytes;
    const keep = this.#rowStart >= 0 ? Math.min(this.#rowStart, this.#gapStart) : this.#gapStart;
    const kept = this.#length - keep;
    const needed = kept + chunk.length;
    if (kept > MAX_ROW_BYTES)
      throw new ReaderError(
        'LIMIT_EXCEEDED',
        `A row of the sheet has more than ${MAX_ROW_BYTES} bytes.`,
        'Save the sheet as CSV and read that.',
      );
    this.piece++;
    const slot = this.piece % WINDOWS;
    let window = this.#windows[slot];
    if (!window || window.length < needed) {
      window = Buffer.allocUnsafeSlow(Math.max(WINDOW_BYTES, needed > WINDOW_BYTES ? needed * 2 : 0));
      this.#windows[slot] = window;
    }
    before.copy(window, 0, keep, this.#length);
    chunk.copy(window, kept);
    this.bytes = window;
    this.#length = needed;
    this.#at -= keep;
    this.#formulaAt -= keep;
    this.#gapStart -= keep;
    this.#bodyStart -= keep;
    if (this.#rowStart >= 0) this.#rowStart -= keep;
  }

  // 'f' and 'w' are rare in sheet XML, so searching for one byte runs at memory speed, while `<f` would stop at every
  // tag.
  #countFormulas(): void {
    const data = this.bytes.subarray(0, this.#length);
    let at = this.#formulaAt;
    for (;;) {
      const found = data.indexOf(F, at);
      if (found < 0 || found + 1 >= this.#length) {
        this.#formulaAt = found < 0 ? this.#length : found;
        return;
      }
      at = found + 1;
      if (isNameEnd(data[at]) && this.#opens(data, found)) this.formulas++;
    }
  }

  /** True if the one-letter name at `at` is the name of an opening tag. */
  #opens(data: Buffer, at: number): boolean {
    const before = data[at - 1];
    return before === LESS || (before === COLON && tagStart(data, at) >= 0);
  }

  #cut(): void {
    const data = this.bytes.subarray(0, this.#length);
    for (;;) {
      const found = data.indexOf(W, this.#at);
      if (found < 0 || found + 1 >= this.#length) {
        this.#at = found < 0 ? this.#length : found;
        return;
      }
      if (found < 3 || data[found - 1] !== O || data[found - 2] !== R || !isNameEnd(data[found + 1])) {
        this.#at = found + 1;
        continue;
      }
      const name = found - 2;
      if (this.#rowStart >= 0) {
        const closes = closingStart(data, name);
        if (closes >= 0) {
          const end = data.indexOf(GREATER, found);
          if (end < 0) {
            this.#at = found;
            return;
          }
          this.#report(end + 1);
          this.#rowStart = -1;
          this.#gapStart = end + 1;
          this.#at = end + 1;
          continue;
        }
      }
      const opens = tagStart(data, name);
      if (opens < 0) {
        this.#at = found + 1;
        continue;
      }
      if (this.#rowStart >= 0) {
        // The previous row was never closed.
        this.#report(opens);
        this.#rowStart = -1;
        this.#gapStart = opens;
      }
      const end = tagEndOf(data, found + 1, this.#length);
      if (end < 0) {
        this.#at = found;
        return;
      }
      if (opens > this.#gapStart) this.#sink.outside(data.subarray(this.#gapStart, opens));
      this.#prefix = name - opens - 1;
      this.#readTag(data, found + 1, end);
      this.#at = end + 1;
      this.#gapStart = opens;
      if (data[end - 1] === SLASH) {
        this.#previous = this.#rowNumber;
        this.#gapStart = end + 1;
      } else {
        this.#rowStart = opens;
        this.#bodyStart = end + 1;
      }
    }
  }

  #readTag(data: Buffer, from: number, to: number): void {
    const named = attributeAt(data, from, to, R);
    let number = 0;
    if (named >= 0)
      for (let at = named; data[at] !== undefined && isDigit(data[at]); at++)
        number = Math.min(1e9, number * 10 + (data[at] ?? 0) - 48);
    this.#rowNumber = number > 0 ? number : this.#previous + 1;
    for (let at = from; at < to - 6; at++) {
      // ` hidden="1"`; of the other row attributes only `ht` starts with 'h', and none ends this way.
      if (data[at] !== 0x68 || data[at + 1] !== I) continue;
      const tag = data.toString('latin1', at, Math.min(to, at + 16));
      if (/^hidden\s*=\s*["'](?:1|true)["']/.test(tag)) this.hiddenRows++;
      break;
    }
  }

  #report(end: number): void {
    const data = this.bytes;
    const number = this.#rowNumber;
    const [first, last] = this.#columns(data, this.#bodyStart, end);
    const previous = this.#previous;
    this.#previous = number;
    if (last === 0) return;
    if (number > MAX_ROWS) {
      this.ignored++;
      this.#previous = previous;
      return;
    }
    if (number <= previous) this.ordered = false;
    if (number > this.lastRow) this.lastRow = number;
    if (this.firstRow === 0 || number < this.firstRow) this.firstRow = number;
    if (last > this.lastColumn) this.lastColumn = last;
    if (this.firstColumn === 0 || first < this.firstColumn) this.firstColumn = first;
    this.number = number;
    this.start = this.#rowStart;
    this.end = end;
    this.#sink.row(this);
  }

  /** First and last non-empty column; zeros for a row with formats only. */
  #columns(data: Buffer, from: number, to: number): readonly [first: number, last: number] {
    let cell = -1;
    let first = -1;
    for (let at = from; at < to; at++) {
      if (data[at] !== LESS) continue;
      const kind = this.#kind(data, at);
      if (kind === C) cell = at;
      else if (kind === V) {
        first = cell;
        break;
      }
    }
    if (first < 0) return [0, 0];
    let valued = false;
    let last = first;
    for (let at = to - 1; at > first; at--) {
      if (data[at] !== LESS) continue;
      const kind = this.#kind(data, at);
      if (kind === V) valued = true;
      else if (kind === C && valued) {
        last = at;
        break;
      }
    }
    const firstColumn = this.#columnAt(data, first, to);
    const lastColumn = last === first ? firstColumn : this.#columnAt(data, last, to);
    if (firstColumn > 0 && lastColumn > 0 && firstColumn <= MAX_COLUMNS && lastColumn <= MAX_COLUMNS)
      return [Math.min(firstColumn, lastColumn), Math.max(firstColumn, lastColumn)];
    const { cells } = parseRow(data.toString('latin1', this.#rowStart, to));
    return [cells[0]?.column ?? 0, cells.at(-1)?.column ?? 0];
  }

  /** The tag at `at`: C for a cell, V for an element with content (`v`, `f`, `is`), 0 for others. */
  #kind(data: Buffer, at: number): number {
    const name = at + 1 + this.#prefix;
    const letter = data[name];
    if (letter !== C && letter !== V && letter !== F && letter !== I) return 0;
    if (letter === I) return data[name + 1] === S && isNameEnd(data[name + 2]) ? V : 0;
    if (!isNameEnd(data[name + 1])) return 0;
    return letter === C ? C : V;
  }

  /** The column in the cell tag at `at`; 0 if it has none. */
  #columnAt(data: Buffer, at: number, limit: number): number {
    const from = at + 2 + this.#prefix;
    const end = tagEndOf(data, from, limit);
    const named = end < 0 ? -1 : attributeAt(data, from, end, R);
    let column = 0;
    for (let place = named; named >= 0 && place < named + 8; place++) {
      const letter = (data[place] ?? 0) & ~0x20;
      if (letter < 0x41 || letter > 0x5a) break;
      column = column * 26 + letter - 0x40;
    }
    return column;
  }

  #handOutside(last: boolean): void {
    if (this.#rowStart >= 0) return;
    let end = this.#length;
    if (!last) {
      const open = this.bytes.lastIndexOf(LESS, end - 1);
      if (open >= this.#gapStart && end - open < MAX_OUTSIDE_TAG) end = open;
      // Keep room for a name that the next chunk completes.
      else if (end - this.#gapStart > MAX_PREFIX) end -= MAX_PREFIX;
      else return;
    }
    if (end <= this.#gapStart) return;
    this.#sink.outside(this.bytes.subarray(this.#gapStart, end));
    this.#gapStart = end;
    if (this.#at < end) this.#at = end;
  }
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

// Reads a source through a scan for matches, in pieces: one JSON document, or JSON Lines, where a damaged record ends
// alone.

import { type Bytes, type Source, throwIfAborted } from '../../../../src/contract/index.ts';
import { isBlankByte } from '../../byte-window.ts';
import { JsonSyntaxError, unexpected } from '../cursor.ts';
import { MatchScan, type MatchStart, type Sink } from './scan.ts';

const PIECE_BYTES: Bytes = 1024 * 1024;
const CR = 13;

/** What to search. */
export interface Searched {
  readonly source: Source;
  readonly tokens: readonly string[];
  /** Start of the value that the tokens are relative to. */
  readonly start: Bytes;
  /** That value is the whole document. */
  readonly isRoot: boolean;
  /** Bytes from here on are not read: the end, or where the text is known to be damaged. */
  readonly end: Bytes;
  /** The byte that ends a record of JSON Lines; undefined for one document. */
  readonly newline: number | undefined;
  readonly signal: AbortSignal;
}

/** What a reading found wrong. */
export interface Damage {
  /** Where a document ends to be valid. */
  error?: JsonSyntaxError;
  /** 1-based numbers of the first records that are not valid, and how many there are. */
  readonly records: number[];
  badRecords: number;
}

const MAX_RECORDS_NAMED = 5;

/** One pass over a source from its start, or from a match. Pauses when its sink is full. */
export class MatchReading {
  readonly damage: Damage = { records: [], badRecords: 0 };
  readonly #searched: Searched;
  readonly #scan: MatchScan;
  #buffer = new Uint8Array(2 * PIECE_BYTES);
  /** Offset of the buffer, and the part of it that is still to be consumed. */
  #base: Bytes;
  #at = 0;
  #filled = 0;
  #isEnd = false;
  #record = -1;
  #inRecord: 'no' | 'searched' | 'skipped' = 'no';

  constructor(searched: Searched, sink: Sink, from?: MatchStart) {
    this.#searched = searched;
    this.#scan = new MatchScan(searched.tokens, sink);
    this.#base = from?.at ?? searched.start;
    if (!from) return;
    this.#record = from.places[0]?.index ?? -1;
    this.#inRecord = 'searched';
    this.#scan.resume(from, searched.newline !== undefined);
  }

  /** Raw bytes `from` up to `to`, if they were read last; valid until the next `run`. */
  held(from: Bytes, to: Bytes): Uint8Array | undefined {
    const start = from - this.#base;
    return start >= 0 && to - this.#base <= this.#filled
      ? this.#buffer.subarray(start, to - this.#base)
      : undefined;
  }

  /** Reads on until the sink is full. @returns false at the end */
  async run(): Promise<boolean> {
    const { newline } = this.#searched;
    for (;;) {
      const paused = newline === undefined ? this.#document() : this.#lines(newline);
      if (paused !== undefined) return paused;
      if (this.#isEnd) return false;
      await this.#fill();
    }
  }

  /** True if paused, false at the end, undefined if more bytes are needed. */
  #document(): boolean | undefined {
    if (this.damage.error) return false;
    try {
      if (!this.#scan.done) {
        const bytes = this.#buffer.subarray(0, this.#filled);
        this.#at = this.#scan.push(bytes, this.#at, this.#base, this.#isEnd);
        if (this.#scan.paused) return true;
        if (!this.#scan.done) return undefined;
      }
      if (!this.#searched.isRoot) return false;
      return this.#nothingAfter();
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.damage.error = error;
      return false;
    }
  }

  #nothingAfter(): false | undefined {
    while (this.#at < this.#filled && isBlankByte(this.#buffer[this.#at] ?? 0)) this.#at++;
    if (this.#at < this.#filled)
      throw unexpected(this.#buffer[this.#at] ?? 0, 'nothing after the value', this.#base + this.#at);
    return this.#isEnd ? false : undefined;
  }

  #lines(newline: number): boolean | undefined {
    while (this.#at < this.#filled) {
      const found = this.#buffer.subarray(0, this.#filled).indexOf(newline, this.#at);
      const end = found < 0 ? this.#filled : found;
      const final = found >= 0 || this.#isEnd;
      if (this.#inRecord === 'no' && !this.#beginRecord(end, final)) {
        if (!final) return undefined;
        continue;
      }
      if (this.#inRecord === 'searched' && this.#searchRecord(end, final)) return true;
      if (this.#inRecord === 'skipped') this.#at = end;
      if (!final) return undefined;
      if (this.#inRecord === 'no' || this.#at < end) continue;
      this.#inRecord = 'no';
      this.#at = end + 1;
      const token = this.#searched.tokens[0];
      if (token !== undefined && token !== '*' && this.#record >= Number(token)) return false;
    }
    if (this.#at > this.#filled) this.#at = this.#filled;
    return this.#isEnd ? false : undefined;
  }

  /** Enters the record before `end`. @returns false for a blank line, or if that is not known */
  #beginRecord(end: number, final: boolean): boolean {
    const length = end - this.#at;
    const isBlank = length === 0 || (length === 1 && this.#buffer[this.#at] === CR);
    if (isBlank) {
      if (final) this.#at = end + 1;
      return false;
    }
    this.#record++;
    this.#inRecord = this.#scan.names(this.#record) ? 'searched' : 'skipped';
    if (this.#inRecord === 'searched') this.#scan.beginRecord(this.#record);
    return true;
  }

  /** @returns true if paused */
  #searchRecord(end: number, final: boolean): boolean {
    try {
      const bytes = this.#buffer.subarray(0, end);
      if (!this.#scan.done) {
        this.#at = this.#scan.push(bytes, this.#at, this.#base, final);
        if (this.#scan.paused) return true;
      }
      if (!this.#scan.done) return false;
      while (this.#at < end && isBlankByte(this.#buffer[this.#at] ?? 0)) this.#at++;
      if (this.#at === end) return false;
      throw unexpected(this.#buffer[this.#at] ?? 0, 'nothing after the value', this.#base + this.#at);
    } catch (error) {
      if (!(error instanceof JsonSyntaxError)) throw error;
      this.damage.badRecords++;
      if (this.damage.records.length < MAX_RECORDS_NAMED) this.damage.records.push(this.#record + 1);
      this.#inRecord = 'skipped';
      return false;
    }
  }

  /** Reads the next piece behind what is not consumed. */
  async #fill(): Promise<void> {
    const { source, end, signal } = this.#searched;
    throwIfAborted(signal);
    const rest = this.#filled - this.#at;
    // A long value is looked at again for each piece, so that pieces grow with it.
    const piece = Math.max(PIECE_BYTES, rest);
    const target = rest + piece > this.#buffer.length ? new Uint8Array(rest + piece) : this.#buffer;
    target.set(this.#buffer.subarray(this.#at, this.#filled));
    this.#buffer = target;
    this.#base += this.#at;
    this.#at = 0;
    this.#filled = rest;
    const position = this.#base + rest;
    const length = Math.min(piece, end - position);
    const count = length > 0 ? await source.readInto(target.subarray(rest, rest + length), position) : 0;
    this.#filled += count;
    this.#isEnd = count === 0 || position + count >= end;
  }
}

// The interface of formats that hold rows: take the row last read by a table, and write it to a file in chunks.

import type { Bytes } from '../../contract/index.ts';

/** The bytes written so far, from `from` to before `to`. */
export type Staged = (from: Bytes, to?: Bytes) => AsyncIterable<Uint8Array>;

/** Turns the written file into its final form. */
export type Rewrite = (staged: Staged) => AsyncIterable<Uint8Array>;

export interface RowWriter {
  /** Adds the row the table has just read. @throws {ReaderError} for a row the format cannot hold */
  add(): void;
  /** A chunk is complete: call `flush` before the next row. */
  readonly full: boolean;
  flush(): Promise<void>;
  /** Writes the rest. Returns a rewrite if columns appeared after the header was written. */
  finish(): Promise<Rewrite | undefined>;
}

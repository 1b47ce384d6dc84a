// What every format that holds rows can do: take the row a table has read, and be written to a file piece by piece.

import type { Bytes } from '../../contract/index.ts';

/** The bytes written so far, from `from` to before `to`. */
export type Staged = (from: Bytes, to?: Bytes) => AsyncIterable<Uint8Array>;

/** Makes of what was written the file it should have been. */
export type Rewrite = (staged: Staged) => AsyncIterable<Uint8Array>;

export interface RowWriter {
  /** Adds the row the table has just read. @throws {ReaderError} for a row the format cannot hold */
  add(): void;
  /** Enough is gathered to be written: call `flush` before the next row. */
  readonly full: boolean;
  flush(): Promise<void>;
  /** Writes the rest. A rewrite is wanted where columns appeared after they could be told. */
  finish(): Promise<Rewrite | undefined>;
}

// One document of a batch: what it is before, and what became of it.

import type { Bytes, ErrorCode } from '../contract/index.ts';

/** A document of a source, as it was listed. */
export interface BatchDocument {
  readonly key: string;
  readonly bytes: Bytes;
  /** Of the store; the document is read only in this version. `MISSING` for a location of a list without one. */
  readonly version: string;
}

export const MISSING = '';

/**
 * `succeeded`: its text is stored. `failed`: it cannot be read. `dead`: it ended each process that read it, or took longer
 * than the limits allow.
 */
export type OutcomeStatus = 'succeeded' | 'failed' | 'dead';

/** One line of the outcomes of a shard; each document has exactly one. */
export interface Outcome {
  readonly key: string;
  readonly version: string;
  readonly bytes: Bytes;
  readonly status: OutcomeStatus;
  /** As `lectern formats` lists them; absent for a file of no format. */
  readonly fileType?: string;
  /** Key of the text in the destination, named by its sha256. Only of `succeeded`. */
  readonly output?: string;
  /** Of the output, in hex. */
  readonly sha256?: string;
  readonly outputBytes?: Bytes;
  /** Tokens of the text, in cl100k_base; absent if the output has more than 4 MiB. */
  readonly tokens?: number;
  readonly warnings?: readonly string[];
  readonly error?: { readonly code: ErrorCode; readonly message: string };
  readonly milliseconds: number;
}

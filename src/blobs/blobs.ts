// Bytes under keys, on a local disk or in S3-compatible object storage. Keys are names, not paths: there are no links and
// no parent folders to leave.

import type { Bytes } from '../contract/index.ts';

/** What is stored under one key. */
export interface BlobFacts {
  readonly key: string;
  readonly bytes: Bytes;
  readonly modified: Date;
  /** Changes whenever the content is replaced: the ETag, or what the file system reports. Opaque. */
  readonly version: string;
}

/** A part of a blob; without `from` and `to`, all of it. */
export interface BlobRange {
  /** First byte, from 0. Default 0. */
  readonly from?: Bytes;
  /** The byte after the last one. Default: the end. */
  readonly to?: Bytes;
  /** Fail with CONFLICT unless this version is still stored. */
  readonly version?: string;
  readonly signal?: AbortSignal;
}

export interface PutOptions {
  /** Only if the key is free; else ALREADY_EXISTS. */
  readonly ifAbsent?: boolean;
  /** Only if this version is stored; else CONFLICT. */
  readonly ifVersion?: string;
  readonly signal?: AbortSignal;
}

/** The name is not a valid key, or access to the folder is denied. A folder has `/` at the end of its name. */
export type SkipReason = 'name' | 'access';

export interface ListBlobs {
  /** Only keys that sort after this one. */
  readonly after?: string;
  /** Called for what is not listed. Without it, a folder that cannot be opened ends the listing. */
  readonly onSkipped?: (name: string, reason: SkipReason) => void;
  readonly signal?: AbortSignal;
}

/**
 * A store of blobs. Keys are 1 to 900 bytes of UTF-8, with `/` between non-empty parts, none of them `.` or `..`, and no
 * control characters; any other is BAD_INPUT. A failed operation changes nothing. Transient errors are retried inside.
 * Errors: ACCESS_DENIED, QUOTA_EXCEEDED (full), TIMED_OUT, ABORTED, INTERNAL.
 */
export interface Blobs {
  /** For messages: `s3://bucket/prefix`, or the folder as it was given. Holds no secret. */
  readonly name: string;
  /** Undefined if the key is free. */
  stat(key: string, signal?: AbortSignal): Promise<BlobFacts | undefined>;
  /** The bytes of a range, fewer at the end. @throws {ReaderError} also FILE_NOT_FOUND, CONFLICT */
  read(key: string, range?: BlobRange): Promise<Uint8Array>;
  /** Like `read`, in chunks. Returning early ends the transfer. */
  stream(key: string, range?: BlobRange): AsyncIterable<Uint8Array>;
  /**
   * Stores all of `content`, durable and visible at once when it resolves. Long content goes up in parts.
   * @throws {ReaderError} also ALREADY_EXISTS, CONFLICT; errors of `content`
   */
  put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>, options?: PutOptions): Promise<BlobFacts>;
  /**
   * False if the key was free.
   * @throws {ReaderError} CONFLICT unless `ifVersion` is stored; between that check and the removal, a server without
   * conditional deletes may accept another version
   */
  remove(key: string, options?: { readonly ifVersion?: string }): Promise<boolean>;
  /** Blobs whose key starts with `prefix`, sorted by key as UTF-8, fetched page by page. */
  list(prefix: string, options?: ListBlobs): AsyncIterable<BlobFacts>;
  /** Whether nothing is stored, also because the folder does not exist. A bucket that does not exist is an error. */
  isEmpty(signal?: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

// The interface and types of a job queue. No behaviour: a queue keeps no state outside its store, so that any node can
// accept, work on or answer for any job.

import type { ErrorCode, ReaderError } from '../../index.ts';

/** Why an item has no file content, as shown to clients. */
export interface ItemError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string;
}

/** The bytes of an item: uploaded with the job, or a workspace file, read when its turn comes. */
export type ItemInput =
  | { readonly kind: 'blob'; readonly blob: string; readonly sha256: string; readonly mimeType?: string }
  | { readonly kind: 'path'; readonly session: string; readonly path: string };

export interface NewItem {
  /** Shown name. */
  readonly name: string;
  /** Size of an uploaded file; 0 for a path. */
  readonly bytes: number;
  readonly input: ItemInput;
}

export interface Webhook {
  readonly url: string;
  /** `whsec_` and the base64 of 24 to 64 bytes. */
  readonly secret: string;
}

export interface NewJob {
  readonly user: string;
  readonly items: readonly NewItem[];
  /** JSON of the request fields, the same for every item. */
  readonly request: string;
  readonly keepSeconds: number;
  readonly webhook?: Webhook | undefined;
  /** Repeating a submission with the same key and content returns the first job. */
  readonly idempotencyKey?: string | undefined;
  /** Hash of everything the client sent; compared when the key was used before. */
  readonly fingerprint: string;
  /** Version of the reader: a stored result is reused only for the same one. */
  readonly version: string;
}

export type JobStatus = 'queued' | 'running' | 'done' | 'cancelled';

/**
 * `succeeded`: a result. `failed`: the file cannot be read, which is its result. `dead`: every attempt timed out, ran out
 * of memory or crashed.
 */
export type ItemState = 'queued' | 'running' | 'succeeded' | 'failed' | 'dead' | 'cancelled';

export type ItemCounts = Readonly<Record<ItemState | 'total', number>>;

export interface Job {
  readonly id: string;
  readonly user: string;
  readonly status: JobStatus;
  readonly counts: ItemCounts;
  /** Uploaded bytes: of all items, and of finished ones. */
  readonly bytes: { readonly total: number; readonly done: number };
  /** ISO 8601, like every time here. */
  readonly createdAt: string;
  readonly endedAt?: string;
  readonly keepSeconds: number;
  /** Set once the job has ended. */
  readonly expiresAt?: string;
  /** State of the notification, if one was requested. */
  readonly webhook?: {
    readonly state: 'waiting' | 'delivered' | 'failed';
    readonly attempts: number;
    readonly lastStatus?: number;
    readonly lastError?: string;
  };
}

/** One stored outcome. */
export interface ItemResult {
  /** Increases with each outcome of the job; resume after it. */
  readonly seq: number;
  readonly index: number;
  readonly name: string;
  readonly state: ItemState;
  /** JSON of the answer for the file; not parsed on its way to the client. */
  readonly json: string;
}

export interface DeadLetter {
  readonly job: string;
  readonly index: number;
  readonly name: string;
  readonly attempts: number;
  readonly error: ItemError;
}

/** `seq` of `item` is that of its result; `done` follows the last one. */
export type JobEvent =
  | {
      readonly seq: number;
      readonly type: 'item';
      readonly index: number;
      readonly name: string;
      readonly state: ItemState;
    }
  | { readonly seq: number; readonly type: 'done' };

/** Permission to work on one item until it is lost. */
export interface Lease {
  readonly job: string;
  readonly index: number;
  /** Fencing token: increases with each claim, so that only the latest holder can write. */
  readonly fence: number;
}

export interface ClaimedItem extends NewItem {
  readonly lease: Lease;
  readonly user: string;
  readonly request: string;
  /** 1 for the first. */
  readonly attempt: number;
}

export interface WebhookDelivery extends Webhook {
  readonly job: string;
  /** The same in every attempt, so that a receiver can drop repeats. */
  readonly messageId: string;
  readonly body: string;
  readonly fence: number;
}

export type WebhookOutcome =
  | { readonly ok: true; readonly status: number }
  | { readonly ok: false; readonly status?: number; readonly error: string };

export interface JobQueue {
  /**
   * Durable when it resolves. `created` is false when `idempotencyKey` was used before with the same content; the items
   * of this call are then not stored.
   * @throws {IdempotencyMismatch}; {ReaderError} QUOTA_EXCEEDED
   */
  submit(job: NewJob): Promise<{ readonly job: Job; readonly created: boolean }>;
  /** Undefined for an unknown or expired job, and for one of another user. */
  get(user: string, id: string): Promise<Job | undefined>;
  /** Newest first. `before` is the id of the last job of the previous page. */
  list(user: string, page: { readonly limit: number; readonly before?: string }): Promise<readonly Job[]>;
  /** Ends every unfinished item; running ones lose their lease. Undefined as for `get`. */
  cancel(user: string, id: string): Promise<Job | undefined>;
  /** Outcomes after `after`, in the order they were stored. Reading does not remove them. */
  results(
    user: string,
    id: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly ItemResult[]>;
  events(
    user: string,
    id: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly JobEvent[]>;
  deadLetters(user: string, limit: number): Promise<readonly DeadLetter[]>;
  /** Queues the dead items of a job again with fresh attempts, and returns how many. Undefined as for `get`. */
  retryDead(user: string, id: string): Promise<number | undefined>;

  /** The next item in turn, rotating among users. Undefined when there is nothing to do now. */
  claim(): Promise<ClaimedItem | undefined>;
  /** Renews the leases and returns the lost ones. */
  heartbeat(leases: readonly Lease[]): Promise<readonly Lease[]>;
  /** Stores the outcome of an item. False if the lease was lost, and nothing was stored. */
  complete(lease: Lease, outcome: { readonly ok: boolean; readonly json: string }): Promise<boolean>;
  /** A temporary error: tries again later, or stores `json` and makes it a dead letter. False as for `complete`. */
  fail(lease: Lease, error: ItemError, json: string): Promise<boolean>;
  /** Returns an item unchanged, as at shutdown. */
  release(lease: Lease): Promise<void>;
  /** Queues items whose worker is gone, and returns how many; also notifications whose sender is gone. */
  reclaim(): Promise<number>;

  claimWebhook(): Promise<WebhookDelivery | undefined>;
  settleWebhook(delivery: WebhookDelivery, outcome: WebhookOutcome): Promise<void>;

  /**
   * Removes some expired jobs, and returns how many, and the blobs that are no longer referenced. Repeat until there
   * are none.
   */
  prune(): Promise<{
    readonly jobs: number;
    readonly blobs: readonly { readonly user: string; readonly blob: string }[];
  }>;
  /** True if an item still refers to the blob. */
  refers(user: string, blob: string): Promise<boolean>;
  /** Resolves at the next change made through this instance, or when `signal` aborts. A hint: poll as well. */
  changed(signal: AbortSignal): Promise<void>;
  /** Items waiting or running, over all users. */
  backlog(): Promise<{ readonly queued: number; readonly running: number; readonly dead: number }>;
}

/** Errors of the machine rather than the file: worth another attempt. */
export const RETRYABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TIMED_OUT',
  'OUT_OF_MEMORY',
  'CRASHED',
  'BUSY',
  'INTERNAL',
]);

export const itemErrorOf = ({ code, message, hint }: ReaderError): ItemError => ({ code, message, hint });

// The jobs of a service on one node: takes submissions, and runs the worker, the notifications and the clean-up behind them.

import { createHash } from 'node:crypto';
import { plural, quoted } from '../../contract/index.ts';
import { ReaderError } from '../../index.ts';
import type { ServiceDatabase } from '../database.ts';
import type { BlobStore } from './blob-store.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import type { JobLimits } from './limits.ts';
import { pause } from './pause.ts';
import type { Job, JobQueue, NewItem, Webhook } from './queue.ts';
import { createSqlQueue } from './sql/queue.ts';
import { checkSecret, newSecret } from './webhook.ts';
import { type AddressRule, checkWebhookUrl, createAddressRule } from './webhook-address.ts';
import { WebhookSender } from './webhook-sender.ts';
import { JobWorker, type ReadItem } from './worker.ts';

export interface JobsOptions {
  readonly database: ServiceDatabase;
  /** Where uploaded files are stored. */
  readonly blobs: BlobStore;
  readonly limits: JobLimits;
  readonly read: ReadItem;
  /** Version of the reader; stored results are reused only for the same one. */
  readonly version: string;
  /** Hosts and CIDR ranges that webhooks may reach besides public addresses. Default: none. */
  readonly webhookAllow?: readonly string[];
  readonly clock?: Clock;
  /** Called with internal errors, never with errors of a file. */
  readonly onError?: (error: unknown) => void;
}

export interface SubmittedFile {
  readonly name: string;
  readonly mimeType?: string | undefined;
  readonly content: AsyncIterable<Uint8Array>;
}

export interface Submission {
  readonly user: string;
  /** Files of the request, or paths of a workspace. */
  readonly input:
    | { readonly files: readonly SubmittedFile[] }
    | { readonly session: string; readonly paths: readonly string[] };
  /** Validated fields of a read request. */
  readonly request: Readonly<Record<string, unknown>>;
  readonly keepSeconds?: number | undefined;
  readonly webhook?: { readonly url: string; readonly secret?: string | undefined } | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly signal: AbortSignal;
}

export interface Accepted {
  readonly job: Job;
  /** False for a repeat of an earlier submission. */
  readonly created: boolean;
  /** Verifies the notification; shown only here. */
  readonly webhookSecret?: string;
}

export interface Jobs {
  readonly queue: JobQueue;
  /** Aborts when `close` is called: streams end, so that their clients resume elsewhere. */
  readonly closing: AbortSignal;
  /**
   * Durable when it resolves.
   * @throws {IdempotencyMismatch}; {ReaderError} BAD_INPUT, LIMIT_EXCEEDED, QUOTA_EXCEEDED, ABORTED
   */
  submit(submission: Submission): Promise<Accepted>;
  /** @throws {ReaderError} FILE_NOT_FOUND */
  cancel(user: string, id: string): Promise<Job>;
  /** @throws {ReaderError} FILE_NOT_FOUND for an unknown or expired job, and for one of another user */
  get(user: string, id: string): Promise<Job>;
  /** Number of items queued again. @throws {ReaderError} FILE_NOT_FOUND */
  retryDead(user: string, id: string): Promise<number>;
  /**
   * Accepts no new items and waits for running ones; those still running when `signal` aborts are read after a restart.
   */
  close(signal: AbortSignal): Promise<void>;
}

const PRUNE_EVERY_MS = 30_000;
const SWEEP_EVERY_MS = 24 * 60 * 60_000;

/** Maximum length of an Idempotency-Key; the draft of the header sets no limit. */
const MAX_KEY = 255;

/** Starts working, and removes leftovers of crashes. @throws {ReaderError} BAD_INPUT, INTERNAL, BUSY */
export async function startJobs(options: JobsOptions): Promise<Jobs> {
  const rule = createAddressRule(options.webhookAllow ?? []);
  const { limits, onError, clock } = options;
  const queue = await createSqlQueue(options.database, { limits, clock });
  const jobs = new EmbeddedJobs(options, queue, rule, {
    blobs: options.blobs,
    sender: new WebhookSender({ queue, rule, clock: clock ?? SYSTEM_CLOCK, onError }),
  });
  jobs.start();
  return jobs;
}

interface Machinery {
  readonly blobs: BlobStore;
  readonly sender: WebhookSender;
}

class EmbeddedJobs implements Jobs {
  readonly queue: JobQueue;
  readonly #options: JobsOptions;
  readonly #rule: AddressRule;
  readonly #blobs: BlobStore;
  readonly #sender: WebhookSender;
  readonly #worker: JobWorker;
  readonly #closing = new AbortController();
  #upkeep: Promise<void> = Promise.resolve();

  constructor(options: JobsOptions, queue: JobQueue, rule: AddressRule, { blobs, sender }: Machinery) {
    this.queue = queue;
    this.#options = options;
    this.#rule = rule;
    this.#blobs = blobs;
    this.#sender = sender;
    const { read, limits, onError } = options;
    this.#worker = new JobWorker({ queue, blobs, read, limits, ...(onError ? { onError } : {}) });
  }

  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  start(): void {
    this.#worker.start();
    this.#sender.start();
    this.#upkeep = this.#upkeepLoop();
  }

  async submit(submission: Submission): Promise<Accepted> {
    const { user, request, idempotencyKey } = submission;
    const keepSeconds = checkKeepSeconds(submission.keepSeconds, this.#options.limits);
    const webhook = await this.#webhookOf(submission.webhook);
    if (idempotencyKey !== undefined) checkKey(idempotencyKey);
    const items = await this.#itemsOf(submission);
    let kept = false;
    try {
      const requestJson = sortedJson(request);
      const { job, created } = await this.queue.submit({
        user,
        items,
        request: requestJson,
        keepSeconds,
        webhook,
        idempotencyKey,
        fingerprint: fingerprintOf(items, requestJson, submission),
        version: this.#options.version,
      });
      kept = created;
      return { job, created, ...(webhook && created ? { webhookSecret: webhook.secret } : {}) };
    } finally {
      if (!kept) await this.#discard(user, items);
    }
  }

  async cancel(user: string, id: string): Promise<Job> {
    const job = found(await this.queue.cancel(user, id), id);
    await this.#worker.checkLeases();
    return job;
  }

  async get(user: string, id: string): Promise<Job> {
    return found(await this.queue.get(user, id), id);
  }

  async retryDead(user: string, id: string): Promise<number> {
    return found(await this.queue.retryDead(user, id), id);
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#worker.drain(signal), this.#sender.stop(), this.#upkeep]);
  }

  async #webhookOf(given: Submission['webhook']): Promise<Webhook | undefined> {
    if (given === undefined) return undefined;
    const { href } = await checkWebhookUrl(given.url, this.#rule);
    return { url: href, secret: given.secret === undefined ? newSecret() : checkSecret(given.secret) };
  }

  async #itemsOf({ user, input, signal }: Submission): Promise<readonly NewItem[]> {
    const { limits } = this.#options;
    checkCount('files' in input ? input.files.length : input.paths.length, limits);
    if ('paths' in input)
      return input.paths.map((path) => ({
        name: path,
        bytes: 0,
        input: { kind: 'path', session: input.session, path },
      }));
    const items: NewItem[] = [];
    try {
      let room = limits.maxBytesPerJob;
      for (const { name, mimeType, content } of input.files) {
        const { blob, sha256, bytes } = await this.#blobs.put(user, content, { maxBytes: room, signal });
        room -= bytes;
        const stored = {
          kind: 'blob',
          blob,
          sha256,
          ...(mimeType === undefined ? {} : { mimeType }),
        } as const;
        items.push({ name, bytes, input: stored });
      }
      return items;
    } catch (error) {
      await this.#discard(user, items);
      throw error;
    }
  }

  /** What cannot be removed now is swept later. */
  async #discard(user: string, items: readonly NewItem[]): Promise<void> {
    await this.#reported(async () => {
      for (const { input } of items) if (input.kind === 'blob') await this.#blobs.remove(user, input.blob);
    });
  }

  async #upkeepLoop(): Promise<void> {
    const { signal } = this.#closing;
    for (let sweepAt = 0; !signal.aborted; await pause(PRUNE_EVERY_MS, signal)) {
      await this.#reported(() => this.#prune());
      if (performance.now() < sweepAt) continue;
      sweepAt = performance.now() + SWEEP_EVERY_MS;
      await this.#reported(() => this.#blobs.sweep((user, blob) => this.queue.refers(user, blob), signal));
    }
  }

  async #reported(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#closing.signal.aborted) this.#options.onError?.(error);
    }
  }

  /** Removes expired jobs with their files. */
  async #prune(): Promise<void> {
    for (let pruned = await this.queue.prune(); pruned.jobs > 0; pruned = await this.queue.prune())
      for (const { user, blob } of pruned.blobs) await this.#blobs.remove(user, blob);
  }
}

function checkCount(count: number, { maxItemsPerJob }: JobLimits): void {
  if (count === 0)
    throw new ReaderError(
      'BAD_INPUT',
      'The job has no files.',
      'Send one or more files, or paths in `files`.',
    );
  if (count > maxItemsPerJob)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The job has ${plural(count, 'file')}; at most ${maxItemsPerJob} are accepted (limit \`maxItemsPerJob\`).`,
      'Submit several jobs.',
    );
}

function checkKeepSeconds(given: number | undefined, limits: JobLimits): number {
  if (given === undefined) return Math.min(limits.jobKeepSeconds, limits.maxJobKeepSeconds);
  if (Number.isSafeInteger(given) && given >= 1 && given <= limits.maxJobKeepSeconds) return given;
  throw new ReaderError(
    'BAD_INPUT',
    `\`keepSeconds\` is ${quoted(String(given))}; expected an integer from 1 to ${limits.maxJobKeepSeconds}.`,
    'Set it to the seconds for which results must stay available after the job ends.',
  );
}

function checkKey(key: string): void {
  if (/^[\x20-\x7e]+$/.test(key) && key.length <= MAX_KEY) return;
  throw new ReaderError(
    'BAD_INPUT',
    `The idempotency key is ${quoted(key)}; expected 1 to ${MAX_KEY} printable ASCII characters.`,
    'Send a random UUID.',
  );
}

const sortedJson = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))));

/** Covers everything the client sent. */
function fingerprintOf(
  items: readonly NewItem[],
  request: string,
  { keepSeconds, webhook }: Submission,
): string {
  const files = items.map(({ name, input }) =>
    input.kind === 'blob' ? [name, input.sha256, input.mimeType] : [input.session, input.path],
  );
  const content = [files, request, keepSeconds, webhook?.url, webhook?.secret];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

function found<T>(value: T | undefined, id: string): T {
  if (value !== undefined) return value;
  throw new ReaderError(
    'FILE_NOT_FOUND',
    `There is no job ${quoted(id)}: it never existed, or its results have expired.`,
    'Check the id. Results are kept for `keepSeconds` after a job ends; submit it again for new results.',
  );
}

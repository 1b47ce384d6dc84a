// A queue, a blob store and a worker over a folder of their own, with a reader that a test scripts.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ServiceDatabase } from '../../../src/service/database.ts';
import { type BlobStore, createFolderBlobStore } from '../../../src/service/jobs/blob-store.ts';
import type { Clock } from '../../../src/service/jobs/clock.ts';
import { JOB_LIMIT_DEFINITIONS, type JobLimits } from '../../../src/service/jobs/limits.ts';
import type { Job, JobQueue, NewItem, NewJob } from '../../../src/service/jobs/queue.ts';
import { createSqlQueue } from '../../../src/service/jobs/sql/queue.ts';
import { JobWorker, type ReadItem } from '../../../src/service/jobs/worker.ts';
import { databaseAt } from '../engines.ts';

export function jobLimits(overrides: Partial<JobLimits> = {}): JobLimits {
  const defaults = Object.fromEntries(JOB_LIMIT_DEFINITIONS.map(({ key, default: usual }) => [key, usual]));
  // The definitions name every key.
  return { ...defaults, ...overrides } as unknown as JobLimits;
}

/** Both clocks stand still until a test moves them. */
export class ManualClock implements Clock {
  wall: number = Date.UTC(2030, 0, 1);
  steady = 0;

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return this.steady;
  }

  /** Time passes. */
  pass(milliseconds: number): void {
    this.wall += milliseconds;
    this.steady += milliseconds;
  }
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-jobs-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface TrialOptions {
  readonly limits?: Partial<JobLimits>;
  readonly clock?: Clock;
  readonly holder?: string;
  readonly folder?: string;
}

export interface Trial {
  readonly folder: string;
  readonly database: ServiceDatabase;
  readonly queue: JobQueue;
  readonly blobs: BlobStore;
  readonly limits: JobLimits;
  submit(job?: Partial<NewJob>): Promise<Job>;
  /** Stores the text and returns its item. */
  blob(name: string, text: string, user?: string): Promise<NewItem>;
  work(read: ReadItem): JobWorker;
  /** Resolves when the job ended. */
  ended(job: Job): Promise<Job>;
}

export async function trial(options: TrialOptions = {}): Promise<Trial> {
  const folder = options.folder ?? (await temporaryFolder());
  const database = await databaseAt(folder);
  onTestFinished(() => database.close());
  const limits = jobLimits(options.limits);
  const queue = await createSqlQueue(database, {
    limits,
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.holder ? { holder: options.holder } : {}),
  });
  const blobs = createFolderBlobStore(join(folder, 'blobs'));
  return {
    folder,
    database,
    queue,
    blobs,
    limits,
    submit: async (job) => (await queue.submit(newJob(job))).job,
    blob: async (name, text, user = 'ada') => {
      const { blob, sha256, bytes } = await blobs.put(user, chunks(text), {
        maxBytes: 1e6,
        signal: new AbortController().signal,
      });
      return { name, bytes, input: { kind: 'blob', blob, sha256 } };
    },
    work: (read) => {
      const worker = new JobWorker({ queue, blobs, read, limits });
      worker.start();
      onTestFinished(() => worker.drain(AbortSignal.abort()));
      return worker;
    },
    ended: (job) => ended(queue, job),
  };
}

export function newJob(job: Partial<NewJob> = {}): NewJob {
  return {
    user: 'ada',
    items: [pathItem('a.csv')],
    request: '{}',
    keepSeconds: 60,
    fingerprint: 'f',
    version: '1',
    ...job,
  };
}

export const pathItem = (path: string): NewItem => ({
  name: path,
  bytes: 0,
  input: { kind: 'path', session: 's1', path },
});

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function ended(queue: JobQueue, { user, id }: Job): Promise<Job> {
  for (;;) {
    const change = queue.changed(new AbortController().signal);
    const job = await queue.get(user, id);
    if (job === undefined) throw new Error('The job is gone.');
    if (job.endedAt !== undefined) return job;
    await change;
  }
}

/** A promise that a test settles. */
export interface Gate<T> {
  readonly opened: Promise<T>;
  open(value: T): void;
}

export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { opened, open: (value) => open(value) };
}

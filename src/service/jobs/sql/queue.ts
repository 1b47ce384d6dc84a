// The job queue over the tables of the service database, one transaction per call. Transactions that end items lock the
// job; those that take items, accept jobs or send notifications hold a lock with a name.

import { EventEmitter, once } from 'node:events';
import type { ServiceDatabase, Sql } from '../../database.ts';
import { type Clock, SYSTEM_CLOCK } from '../clock.ts';
import { CANCELLED } from '../failure.ts';
import { thisHolder } from '../holder.ts';
import type { JobLimits } from '../limits.ts';
import type {
  ClaimedItem,
  DeadLetter,
  ItemError,
  ItemResult,
  Job,
  JobEvent,
  JobQueue,
  Lease,
  NewJob,
  WebhookDelivery,
  WebhookOutcome,
} from '../queue.ts';
import { acceptJob } from './intake.ts';
import { findJob, JOB_COLUMNS, jobOf, lockJob } from './job-row.ts';
import { CLAIMS, claimItem, failItem, giveBack, heldItem, LeaseWatch, renew } from './leases.ts';
import { claimDelivery, DELIVERIES, reclaimDeliveries, settleDelivery } from './notices.ts';
import { cancelItems, reviveDead, storeOutcome } from './outcome.ts';
import { deadLettersOf, eventsAfter, resultsAfter } from './pages.ts';
import { JOB_TABLES } from './schema.ts';

/** Jobs removed in one transaction. */
const PRUNED_AT_ONCE = 20;

export interface SqlQueueOptions {
  readonly limits: JobLimits;
  /** Default: the clock of the database, and the monotonic one of this process. */
  readonly clock?: Clock | undefined;
  /** Name of this worker process; see `thisHolder`. */
  readonly holder?: string;
}

/** Creates missing tables. @throws {ReaderError} INTERNAL, BUSY */
export async function createSqlQueue(database: ServiceDatabase, options: SqlQueueOptions): Promise<JobQueue> {
  await database.migrate('jobs', JOB_TABLES);
  return new SqlQueue(database, options);
}

class SqlQueue implements JobQueue {
  readonly #database: ServiceDatabase;
  readonly #limits: JobLimits;
  /** Milliseconds since 1970. */
  readonly #now: (sql: Sql) => number;
  readonly #holder: string;
  readonly #watch: LeaseWatch;
  readonly #changes = new EventEmitter().setMaxListeners(0);

  constructor(database: ServiceDatabase, { limits, clock, holder }: SqlQueueOptions) {
    this.#database = database;
    this.#limits = limits;
    this.#now = clock ? () => clock.now() : (sql) => sql.now;
    this.#holder = holder ?? thisHolder();
    this.#watch = new LeaseWatch(database, () => (clock ?? SYSTEM_CLOCK).monotonic(), limits);
  }

  submit(job: NewJob): Promise<{ readonly job: Job; readonly created: boolean }> {
    return this.#change(
      async (sql) => {
        const { row, created } = await acceptJob(sql, job, this.#limits, this.#now(sql));
        return { job: await jobOf(sql, row), created };
      },
      { lock: jobsOf(job.user) },
    );
  }

  get(user: string, id: string): Promise<Job | undefined> {
    return this.#database.read((sql) => showJob(sql, user, id));
  }

  list(user: string, page: { readonly limit: number; readonly before?: string }): Promise<readonly Job[]> {
    return this.#database.read(async (sql) => {
      const rows = await sql.all(
        `SELECT ${JOB_COLUMNS} FROM jobs
         WHERE user = ? AND number < coalesce((SELECT number FROM jobs WHERE id = ? AND user = ?), 9e18)
         ORDER BY number DESC LIMIT ?`,
        [user, page.before ?? null, user, page.limit],
      );
      const jobs: Job[] = [];
      for (const row of rows) jobs.push(await jobOf(sql, row));
      return jobs;
    });
  }

  cancel(user: string, id: string): Promise<Job | undefined> {
    return this.#change(async (sql) => {
      await lockJob(sql, id);
      const row = await findJob(sql, user, id);
      if (row === undefined) return undefined;
      await cancelItems(sql, row.integer('number'), CANCELLED, this.#now(sql));
      return showJob(sql, user, id);
    });
  }

  results(
    user: string,
    id: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly ItemResult[]> {
    return this.#database.read(async (sql) => {
      const row = await findJob(sql, user, id);
      return row ? resultsAfter(sql, row.integer('number'), page) : [];
    });
  }

  events(
    user: string,
    id: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly JobEvent[]> {
    return this.#database.read((sql) => eventsAfter(sql, user, id, page));
  }

  deadLetters(user: string, limit: number): Promise<readonly DeadLetter[]> {
    return this.#database.read((sql) => deadLettersOf(sql, user, limit));
  }

  retryDead(user: string, id: string): Promise<number | undefined> {
    return this.#change(async (sql) => {
      await lockJob(sql, id);
      const row = await findJob(sql, user, id);
      return row ? reviveDead(sql, row.integer('number'), this.#now(sql)) : undefined;
    });
  }

  async claim(): Promise<ClaimedItem | undefined> {
    for (;;) {
      const { item, reused } = await this.#database.write(
        (sql) => claimItem(sql, this.#holder, this.#now(sql)),
        { lock: CLAIMS },
      );
      if (reused > 0) this.#changes.emit('change');
      if (item !== undefined || reused === 0) return item;
    }
  }

  async heartbeat(leases: readonly Lease[]): Promise<readonly Lease[]> {
    return leases.length === 0 ? [] : this.#database.write((sql) => renew(sql, leases));
  }

  complete(lease: Lease, { ok, json }: { readonly ok: boolean; readonly json: string }): Promise<boolean> {
    return this.#change(async (sql) => {
      const row = await heldItem(sql, lease);
      if (row === undefined) return false;
      const key = { job: row.integer('job'), position: row.integer('position') };
      await storeOutcome(sql, key, { state: ok ? 'succeeded' : 'failed', json }, this.#now(sql));
      return true;
    });
  }

  fail(lease: Lease, error: ItemError, json: string): Promise<boolean> {
    return this.#change(async (sql) => {
      const row = await heldItem(sql, lease);
      if (row === undefined) return false;
      await failItem(sql, row, { error, json }, this.#limits, this.#now(sql));
      return true;
    });
  }

  release(lease: Lease): Promise<void> {
    return this.#change((sql) => giveBack(sql, lease, this.#now(sql)));
  }

  async reclaim(): Promise<number> {
    await this.#database.write((sql) => reclaimDeliveries(sql, this.#now(sql), this.#database));
    return this.#watch.reclaim(this.#now);
  }

  claimWebhook(): Promise<WebhookDelivery | undefined> {
    return this.#database.write((sql) => claimDelivery(sql, this.#holder, this.#now(sql)), {
      lock: DELIVERIES,
    });
  }

  settleWebhook(delivery: WebhookDelivery, outcome: WebhookOutcome): Promise<void> {
    return this.#change((sql) => settleDelivery(sql, delivery, outcome, this.#now(sql)));
  }

  async prune(): ReturnType<JobQueue['prune']> {
    const { users, ...pruned } = await this.#database.write(async (sql) => {
      const due = await sql.all(
        'SELECT number, user FROM jobs WHERE expires_at <= ? ORDER BY expires_at LIMIT ? FOR UPDATE SKIP LOCKED',
        [this.#now(sql), PRUNED_AT_ONCE],
      );
      if (due.length === 0) return { jobs: 0, blobs: [], users: new Set<string>() };
      const numbers = due.map((row) => row.integer('number'));
      const these = `(${numbers.map(() => '?').join(', ')})`;
      const rows = await sql.all(
        `SELECT user, blob FROM items WHERE blob IS NOT NULL AND job IN ${these}`,
        numbers,
      );
      const jobs = await sql.run(`DELETE FROM jobs WHERE number IN ${these}`, numbers);
      const blobs = rows.map((row) => ({ user: row.text('user'), blob: row.text('blob') }));
      return { jobs, blobs, users: new Set(due.map((row) => row.text('user'))) };
    });
    // With the lock of a submission, which may need the turn.
    for (const user of users)
      await this.#database.write(
        (sql) =>
          sql.run(
            'DELETE FROM turns WHERE user = ? AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.user = ?)',
            [user, user],
          ),
        { lock: jobsOf(user) },
      );
    return pruned;
  }

  refers(user: string, blob: string): Promise<boolean> {
    return this.#database.read(
      async (sql) =>
        (await sql.first('SELECT 1 AS found FROM items WHERE user = ? AND blob = ? LIMIT 1', [
          user,
          blob,
        ])) !== undefined,
    );
  }

  async changed(signal: AbortSignal): Promise<void> {
    await once(this.#changes, 'change', { signal }).catch(() => undefined); // only the signal rejects
  }

  backlog(): Promise<{ readonly queued: number; readonly running: number; readonly dead: number }> {
    return this.#database.read(async (sql) => {
      const count = async (state: string): Promise<number> =>
        (await sql.first(`SELECT count(*) AS items FROM items WHERE state = '${state}'`))?.integer('items') ??
        0;
      return { queued: await count('queued'), running: await count('running'), dead: await count('dead') };
    });
  }

  async #change<T>(work: (sql: Sql) => Promise<T>, options?: { readonly lock: string }): Promise<T> {
    const result = await this.#database.write(work, options);
    this.#changes.emit('change');
    return result;
  }
}

/** The lock of submissions of a user, which count against quotas. */
const jobsOf = (user: string): string => `jobs of ${user}`;

async function showJob(sql: Sql, user: string, id: string): Promise<Job | undefined> {
  const row = await findJob(sql, user, id);
  return row && jobOf(sql, row);
}

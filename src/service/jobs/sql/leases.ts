// Leases of items: claiming in turn, renewing, returning, and taking over from workers that are gone.

import type { Row, ServiceDatabase, Sql } from '../../database.ts';
import { backoffMs, ITEM_BACKOFF } from '../backoff.ts';
import { failureJson, WORKER_LOST } from '../failure.ts';
import { hasEnded } from '../holder.ts';
import type { JobLimits } from '../limits.ts';
import type { ClaimedItem, ItemError, ItemInput, Lease } from '../queue.ts';
import { lockJob } from './job-row.ts';
import { storeOutcome } from './outcome.ts';

/** Maximum items per transaction that reuse a stored result instead of a worker. */
const MAX_REUSED = 100;

/**
 * Leases an item may lose before it is a dead letter. Higher than the attempts: a lease is also lost when the service
 * is killed, which says nothing about the file.
 */
const MAX_LOSSES = 20;

/** A time further ahead than the longest backoff was written before the clock was set back. */
const AVAILABLE = `(available_at <= ? OR available_at > ? + ${ITEM_BACKOFF.mostMs})`;

/** `reused`: items that ended with a stored result. If there are some and no item, claim again. */
interface Claim {
  readonly item?: ClaimedItem;
  readonly reused: number;
}

/** One at a time on all nodes, so that users take turns. */
export const CLAIMS = 'job claims';

export async function claimItem(sql: Sql, holder: string, now: number): Promise<Claim> {
  for (let reused = 0; reused < MAX_REUSED; ) {
    const row = await nextItem(sql, now);
    if (row === undefined) return { reused };
    const twin = await finishedTwin(sql, row);
    if (twin !== undefined) {
      if (await reuse(sql, row, twin, now)) reused += 1;
      continue;
    }
    const item = await lend(sql, row, holder);
    if (item !== undefined) return { item, reused };
  }
  return { reused: MAX_REUSED };
}

/** False if the item is no longer queued. */
async function reuse(sql: Sql, row: Row, twin: Row, now: number): Promise<boolean> {
  const job = await lockJob(sql, row.text('id'));
  const position = row.integer('position');
  const queued = await sql.first(
    "SELECT 1 AS found FROM items WHERE job = ? AND position = ? AND state = 'queued'",
    [job ?? null, position],
  );
  if (job === undefined || queued === undefined) return false;
  const state = twin.text('state') === 'failed' ? 'failed' : 'succeeded';
  await storeOutcome(sql, { job, position }, { state, json: twin.text('json') }, now);
  return true;
}

async function nextItem(sql: Sql, now: number): Promise<Row | undefined> {
  const turn = await sql.first(
    `SELECT user FROM turns
     WHERE EXISTS (SELECT 1 FROM items WHERE state = 'queued' AND items.user = turns.user AND ${AVAILABLE})
     ORDER BY turn LIMIT 1`,
    [now, now],
  );
  if (turn === undefined) return undefined;
  const user = turn.text('user');
  await sql.run('UPDATE turns SET turn = (SELECT max(turn) + 1 FROM turns) WHERE user = ?', [user]);
  return sql.first(
    `SELECT items.*, jobs.id, jobs.request FROM items JOIN jobs ON jobs.number = items.job
     WHERE items.state = 'queued' AND items.user = ? AND ${AVAILABLE}
     ORDER BY items.job, items.position LIMIT 1`,
    [user, now, now],
  );
}

async function finishedTwin(sql: Sql, row: Row): Promise<Row | undefined> {
  const work = row.optionalText('work');
  if (work === undefined) return undefined;
  return sql.first(
    `SELECT items.state, results.json FROM items JOIN results USING (job, position)
     WHERE items.user = ? AND items.work = ? AND items.state IN ('succeeded', 'failed') LIMIT 1`,
    [row.text('user'), work],
  );
}

/** Undefined if the item was cancelled meanwhile. */
async function lend(sql: Sql, row: Row, holder: string): Promise<ClaimedItem | undefined> {
  const fence = row.integer('fence');
  const lent = await sql.run(
    `UPDATE items SET state = 'running', holder = ?, fence = fence + 1, beat = 0
     WHERE job = ? AND position = ? AND fence = ? AND state = 'queued'`,
    [holder, row.integer('job'), row.integer('position'), fence],
  );
  if (lent === 0) return undefined;
  return {
    lease: { job: row.text('id'), index: row.integer('position'), fence: fence + 1 },
    user: row.text('user'),
    name: row.text('name'),
    bytes: row.integer('bytes'),
    input: inputOf(row),
    request: row.text('request'),
    attempt: row.integer('attempts') + 1,
  };
}

function inputOf(row: Row): ItemInput {
  const blob = row.optionalText('blob');
  if (blob === undefined) return { kind: 'path', session: row.text('session'), path: row.text('path') };
  const mimeType = row.optionalText('mime_type');
  return {
    kind: 'blob',
    blob,
    sha256: row.text('sha256'),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}

/** The item of a lease that is still valid, in a job that is now locked. */
export async function heldItem(sql: Sql, { job, index, fence }: Lease): Promise<Row | undefined> {
  const number = await lockJob(sql, job);
  if (number === undefined) return undefined;
  return sql.first(
    `SELECT job, position, name, attempts FROM items
     WHERE job = ? AND position = ? AND fence = ? AND state = 'running'`,
    [number, index, fence],
  );
}

export async function renew(sql: Sql, leases: readonly Lease[]): Promise<readonly Lease[]> {
  const lost: Lease[] = [];
  for (const lease of leases) {
    const renewed = await sql.run(
      `UPDATE items SET beat = beat + 1
       WHERE job = (SELECT number FROM jobs WHERE id = ?) AND position = ? AND fence = ? AND state = 'running'`,
      [lease.job, lease.index, lease.fence],
    );
    if (renewed === 0) lost.push(lease);
  }
  return lost;
}

export async function giveBack(sql: Sql, lease: Lease, now: number): Promise<void> {
  const row = await heldItem(sql, lease);
  if (row) await requeue(sql, row, now);
}

/** Tries again later, or makes it a dead letter. */
export async function failItem(
  sql: Sql,
  row: Row,
  failure: { readonly error: ItemError; readonly json: string },
  limits: JobLimits,
  now: number,
): Promise<void> {
  const attempts = row.integer('attempts') + 1;
  const key = { job: row.integer('job'), position: row.integer('position') };
  await sql.run('UPDATE items SET attempts = ? WHERE job = ? AND position = ?', [
    attempts,
    key.job,
    key.position,
  ]);
  if (attempts < limits.jobAttempts) await requeue(sql, row, now + backoffMs(ITEM_BACKOFF, attempts));
  else await storeOutcome(sql, key, { state: 'dead', ...failure }, now);
}

async function requeue(sql: Sql, row: Row, availableAt: number): Promise<void> {
  await sql.run(
    `UPDATE items SET state = 'queued', holder = NULL, fence = fence + 1, available_at = ?
     WHERE job = ? AND position = ?`,
    [availableAt, row.integer('job'), row.integer('position')],
  );
}

interface Observed {
  readonly beat: number;
  /** Monotonic time at which this beat was first seen. */
  readonly since: number;
}

/**
 * Judges leases by what this process observed: a lease is over when its heartbeat did not change for the lease time by
 * the monotonic clock here, or when its process on this machine has ended. Expiry times in the database would be
 * compared with wall clocks, which jump and differ.
 */
export class LeaseWatch {
  readonly #database: ServiceDatabase;
  readonly #monotonic: () => number;
  readonly #limits: JobLimits;
  #seen: ReadonlyMap<string, Observed> = new Map();

  constructor(database: ServiceDatabase, monotonic: () => number, limits: JobLimits) {
    this.#database = database;
    this.#monotonic = monotonic;
    this.#limits = limits;
  }

  /** Queues the items to take over, and returns how many. */
  async reclaim(now: (sql: Sql) => number): Promise<number> {
    const rows = await this.#database.read((sql) =>
      sql.all(
        `SELECT jobs.id, position, fence, beat, holder FROM items JOIN jobs ON jobs.number = items.job
         WHERE state = 'running'`,
      ),
    );
    const seen = new Map<string, Observed>();
    let reclaimed = 0;
    for (const row of rows) {
      const lease = { job: row.text('id'), index: row.integer('position'), fence: row.integer('fence') };
      const beat = row.integer('beat');
      const key = `${lease.job}/${lease.index}/${lease.fence}`;
      const observed = this.#observe(key, beat);
      const late = this.#monotonic() - observed.since > this.#limits.jobLeaseMilliseconds;
      if (!late && !hasEnded(row.optionalText('holder') ?? '', this.#database)) seen.set(key, observed);
      else if (await this.#database.write((sql) => takeOver(sql, lease, beat, now(sql)))) reclaimed += 1;
    }
    this.#seen = seen;
    return reclaimed;
  }

  #observe(key: string, beat: number): Observed {
    const before = this.#seen.get(key);
    return before?.beat === beat ? before : { beat, since: this.#monotonic() };
  }
}

/** False if its holder renewed the lease meanwhile, or someone else took it over. */
async function takeOver(sql: Sql, lease: Lease, beat: number, now: number): Promise<boolean> {
  const held = await heldItem(sql, lease);
  if (held === undefined) return false;
  const key = { job: held.integer('job'), position: held.integer('position') };
  const lost = await sql.first(
    'UPDATE items SET losses = losses + 1 WHERE job = ? AND position = ? AND beat = ? RETURNING losses',
    [key.job, key.position, beat],
  );
  if (lost === undefined) return false;
  if (lost.integer('losses') < MAX_LOSSES) await requeue(sql, held, now);
  else {
    const json = failureJson(held.text('name'), WORKER_LOST);
    await storeOutcome(sql, key, { state: 'dead', json, error: WORKER_LOST }, now);
  }
  return true;
}

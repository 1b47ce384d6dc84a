// Jobs as the tables hold them and as callers see them.

import type { Row, Sql } from '../../database.ts';
import type { ItemCounts, ItemState, Job } from '../queue.ts';

const STATES: readonly ItemState[] = ['queued', 'running', 'succeeded', 'failed', 'dead', 'cancelled'];

/** @throws {TypeError} for a word that is not a state: the table was changed by someone else */
export function itemState(word: string): ItemState {
  const state = STATES.find((known) => known === word);
  if (state === undefined) throw new TypeError('Unknown item state.');
  return state;
}

export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

/** Columns that `jobOf` reads. */
export const JOB_COLUMNS = 'number, id, user, keep_seconds, created_at, cancelled, ended_at, expires_at';

export async function findJob(sql: Sql, user: string, id: string): Promise<Row | undefined> {
  return sql.first(`SELECT ${JOB_COLUMNS}, seq, done_seq FROM jobs WHERE id = ? AND user = ?`, [id, user]);
}

/**
 * The number of a job, whose outcomes and end no other transaction changes until this one ends. What was read of its
 * items before may have changed. Undefined if there is none.
 */
export async function lockJob(sql: Sql, id: string): Promise<number | undefined> {
  return (await sql.first('SELECT number FROM jobs WHERE id = ? FOR UPDATE', [id]))?.integer('number');
}

export async function jobOf(sql: Sql, row: Row): Promise<Job> {
  const number = row.integer('number');
  const { counts, bytes } = await countsOf(sql, number);
  const endedAt = row.optionalInteger('ended_at');
  const expiresAt = row.optionalInteger('expires_at');
  const webhook = await webhookOf(sql, number);
  return {
    id: row.text('id'),
    user: row.text('user'),
    status: statusOf(row, counts),
    counts,
    bytes,
    createdAt: iso(row.integer('created_at')),
    ...(endedAt === undefined ? {} : { endedAt: iso(endedAt) }),
    keepSeconds: row.integer('keep_seconds'),
    ...(expiresAt === undefined ? {} : { expiresAt: iso(expiresAt) }),
    ...(webhook === undefined ? {} : { webhook }),
  };
}

function statusOf(row: Row, counts: ItemCounts): Job['status'] {
  if (row.optionalInteger('ended_at') !== undefined)
    return row.integer('cancelled') === 1 ? 'cancelled' : 'done';
  return counts.queued === counts.total ? 'queued' : 'running';
}

async function countsOf(sql: Sql, number: number): Promise<Pick<Job, 'counts' | 'bytes'>> {
  const counts = { total: 0, queued: 0, running: 0, succeeded: 0, failed: 0, dead: 0, cancelled: 0 };
  const bytes = { total: 0, done: 0 };
  const rows = await sql.all(
    'SELECT state, count(*) AS items, sum(bytes) AS bytes FROM items WHERE job = ? GROUP BY state',
    [number],
  );
  for (const row of rows) {
    const state = itemState(row.text('state'));
    counts[state] = row.integer('items');
    counts.total += row.integer('items');
    bytes.total += row.integer('bytes');
    if (state !== 'queued' && state !== 'running') bytes.done += row.integer('bytes');
  }
  return { counts, bytes };
}

async function webhookOf(sql: Sql, number: number): Promise<Job['webhook']> {
  const row = await sql.first('SELECT state, attempts, last_status, last_error FROM webhooks WHERE job = ?', [
    number,
  ]);
  if (row === undefined) return undefined;
  const state = row.text('state');
  const lastStatus = row.optionalInteger('last_status');
  const lastError = row.optionalText('last_error');
  return {
    state: state === 'delivered' || state === 'failed' ? state : 'waiting',
    attempts: row.integer('attempts'),
    ...(lastStatus === undefined ? {} : { lastStatus }),
    ...(lastError === undefined ? {} : { lastError }),
  };
}

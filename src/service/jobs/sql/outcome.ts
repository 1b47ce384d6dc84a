// How items and jobs end. Every function runs inside the caller's transaction, which has locked the job, so that an
// outcome, the end of its job and the notification are stored together or not at all.

import { randomBytes } from 'node:crypto';
import type { Row, Sql } from '../../database.ts';
import { failureJson } from '../failure.ts';
import type { ItemError, ItemState } from '../queue.ts';
import { insertRows } from './insert-rows.ts';
import { JOB_COLUMNS, jobOf } from './job-row.ts';

interface ItemKey {
  /** Number of the job. */
  readonly job: number;
  readonly position: number;
}

/** Stores the single outcome of an item. The primary key of `results` rejects a second one. */
export async function storeOutcome(
  sql: Sql,
  { job, position }: ItemKey,
  outcome: { readonly state: ItemState; readonly json: string; readonly error?: ItemError },
  now: number,
): Promise<void> {
  await sql.run('UPDATE jobs SET seq = seq + 1 WHERE number = ?', [job]);
  await sql.run(
    'INSERT INTO results (job, position, seq, json) SELECT ?, ?, seq, ? FROM jobs WHERE number = ?',
    [job, position, outcome.json, job],
  );
  await sql.run(
    'UPDATE items SET state = ?, holder = NULL, fence = fence + 1, error = ? WHERE job = ? AND position = ?',
    [outcome.state, outcome.error ? JSON.stringify(outcome.error) : null, job, position],
  );
  await endJob(sql, job, now);
}

/** Ends every unfinished item. */
export async function cancelItems(sql: Sql, job: number, error: ItemError, now: number): Promise<void> {
  const open = "job = ? AND state IN ('queued', 'running')";
  const items = await sql.all(`SELECT position, name FROM items WHERE ${open} ORDER BY position`, [job]);
  if (items.length === 0) return;
  const last = (await sql.first('SELECT seq FROM jobs WHERE number = ?', [job]))?.integer('seq') ?? 0;
  const results = items.map((item, at) => [
    job,
    item.integer('position'),
    last + 1 + at,
    failureJson(item.text('name'), error),
  ]);
  await insertRows(sql, 'INSERT INTO results (job, position, seq, json)', results);
  await sql.run(`UPDATE items SET state = 'cancelled', holder = NULL, fence = fence + 1 WHERE ${open}`, [
    job,
  ]);
  await sql.run('UPDATE jobs SET seq = seq + ?, cancelled = 1 WHERE number = ?', [items.length, job]);
  await endJob(sql, job, now);
}

/** Queues dead items again, and returns how many. */
export async function reviveDead(sql: Sql, job: number, now: number): Promise<number> {
  await sql.run(
    "DELETE FROM results WHERE job = ? AND position IN (SELECT position FROM items WHERE job = ? AND state = 'dead')",
    [job, job],
  );
  const revived = await sql.run(
    `UPDATE items SET state = 'queued', attempts = 0, losses = 0, available_at = ?, error = NULL
     WHERE job = ? AND state = 'dead'`,
    [now, job],
  );
  if (revived > 0)
    await sql.run(
      'UPDATE jobs SET ended_at = NULL, expires_at = NULL, done_seq = NULL, cancelled = 0 WHERE number = ?',
      [job],
    );
  return revived;
}

async function endJob(sql: Sql, job: number, now: number): Promise<void> {
  const ended = await sql.run(
    `UPDATE jobs SET ended_at = ?, expires_at = ? + keep_seconds * 1000, seq = seq + 1, done_seq = seq + 1
     WHERE number = ? AND ended_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM items WHERE job = jobs.number AND state IN ('queued', 'running'))`,
    [now, now, job],
  );
  if (ended === 0) return;
  const row = await sql.first(`SELECT ${JOB_COLUMNS} FROM jobs WHERE number = ?`, [job]);
  if (row) await notify(sql, row, now);
}

async function notify(sql: Sql, row: Row, now: number): Promise<void> {
  const { user: _user, webhook, ...shown } = await jobOf(sql, row);
  if (webhook === undefined) return;
  await sql.run(
    `UPDATE webhooks SET state = 'waiting', message_id = ?, body = ?, attempts = 0, next_at = ?, fence = fence + 1,
       last_status = NULL, last_error = NULL
     WHERE job = ?`,
    [`msg_${randomBytes(16).toString('base64url')}`, JSON.stringify(shown), now, row.integer('number')],
  );
}

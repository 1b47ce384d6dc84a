// How items and jobs end. Every function runs inside the caller's transaction, so that an outcome, the end of its job and
// the notification are stored together or not at all.

import { randomBytes } from 'node:crypto';
import type { Row, Sql } from '../../database.ts';
import type { ItemError, ItemState } from '../queue.ts';
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
  const stored = await sql.run(
    `INSERT INTO results (job, position, seq, json)
     SELECT job, position,
       (SELECT seq FROM jobs WHERE number = items.job) + row_number() OVER (ORDER BY position),
       json_object('success', json('false'), 'error', json(?), 'metadata', json_object('name', name))
     FROM items WHERE ${open}`,
    [JSON.stringify(error), job],
  );
  if (stored === 0) return;
  await sql.run(`UPDATE items SET state = 'cancelled', holder = NULL, fence = fence + 1 WHERE ${open}`, [
    job,
  ]);
  await sql.run('UPDATE jobs SET seq = seq + ?, cancelled = 1 WHERE number = ?', [stored, job]);
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

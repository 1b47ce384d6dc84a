// Lists that clients page through: results, events and dead letters. Reading does not remove them.

import { z } from 'zod';
import type { Row, Sql } from '../../database.ts';
import type { DeadLetter, ItemResult, JobEvent } from '../queue.ts';
import { findJob, itemState } from './job-row.ts';

interface Page {
  readonly after: number;
  readonly limit: number;
}

export async function resultsAfter(
  sql: Sql,
  job: number,
  { after, limit }: Page,
): Promise<readonly ItemResult[]> {
  const rows = await sql.all(
    `SELECT seq, position, name, state, json FROM results JOIN items USING (job, position)
     WHERE results.job = ? AND seq > ? ORDER BY seq LIMIT ?`,
    [job, after, limit],
  );
  return rows.map((row) => ({ ...shownItem(row), json: row.text('json') }));
}

export async function eventsAfter(
  sql: Sql,
  user: string,
  id: string,
  { after, limit }: Page,
): Promise<readonly JobEvent[]> {
  const job = await findJob(sql, user, id);
  if (job === undefined) return [];
  const rows = await sql.all(
    `SELECT seq, position, name, state FROM results JOIN items USING (job, position)
     WHERE results.job = ? AND seq > ? ORDER BY seq LIMIT ?`,
    [job.integer('number'), after, limit],
  );
  const items = rows.map((row): JobEvent => ({ type: 'item', ...shownItem(row) }));
  const done = job.optionalInteger('done_seq');
  if (done === undefined || done <= after || items.length >= limit) return items;
  return [...items, { type: 'done', seq: done }];
}

const shownItem = (row: Row) => ({
  seq: row.integer('seq'),
  index: row.integer('position'),
  name: row.text('name'),
  state: itemState(row.text('state')),
});

const STORED_ERROR = z.object({ code: z.string(), message: z.string(), hint: z.string() });

export async function deadLettersOf(sql: Sql, user: string, limit: number): Promise<readonly DeadLetter[]> {
  const rows = await sql.all(
    `SELECT jobs.id, position, name, attempts + losses AS tries, error
     FROM items JOIN jobs ON jobs.number = items.job
     WHERE items.user = ? AND items.state = 'dead' ORDER BY items.job DESC, position LIMIT ?`,
    [user, limit],
  );
  return rows.map((row) => ({
    job: row.text('id'),
    index: row.integer('position'),
    name: row.text('name'),
    attempts: row.integer('tries'),
    // Written by `storeOutcome`, as an ItemError.
    error: STORED_ERROR.parse(JSON.parse(row.text('error'))) as DeadLetter['error'],
  }));
}

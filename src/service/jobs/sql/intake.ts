// Accepting a job: quotas, repeats of the same submission, and its rows.

import { createHash, randomBytes } from 'node:crypto';
import { ReaderError } from '../../../index.ts';
import type { Row, Sql, SqlValue } from '../../database.ts';
import type { JobLimits } from '../limits.ts';
import type { NewItem, NewJob } from '../queue.ts';
import { insertRows } from './insert-rows.ts';
import { JOB_COLUMNS } from './job-row.ts';

/** BAD_INPUT: an idempotency key that was used for another submission. HTTP answers with 422. */
export class IdempotencyMismatch extends ReaderError {
  constructor() {
    super(
      'BAD_INPUT',
      'The idempotency key was used before, with other files or another request.',
      'Send a new key, or repeat the first submission unchanged.',
    );
  }
}

/** @throws {IdempotencyMismatch}; {ReaderError} QUOTA_EXCEEDED */
export async function acceptJob(
  sql: Sql,
  job: NewJob,
  limits: JobLimits,
  now: number,
): Promise<{ readonly row: Row; readonly created: boolean }> {
  const repeated = await findRepeated(sql, job);
  if (repeated) return { row: repeated, created: false };
  await checkQuotas(sql, job, limits);
  const row = await sql.first(
    `INSERT INTO jobs (id, user, request, keep_seconds, idempotency_key, fingerprint, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING ${JOB_COLUMNS}`,
    [
      `job_${randomBytes(16).toString('base64url')}`,
      job.user,
      job.request,
      job.keepSeconds,
      job.idempotencyKey ?? null,
      job.fingerprint,
      now,
    ],
  );
  if (row === undefined) throw new TypeError('The insert returned no row.');
  const number = row.integer('number');
  const rows = job.items.map((item, position) => rowOf(number, position, item, job, now));
  await insertRows(sql, `INSERT INTO items (${ITEM_COLUMNS})`, rows);
  await sql.run(
    'INSERT INTO turns (user, turn) SELECT ?, coalesce(max(turn), 0) + 1 FROM turns WHERE true ON CONFLICT DO NOTHING',
    [job.user],
  );
  if (job.webhook)
    await sql.run('INSERT INTO webhooks (job, url, secret) VALUES (?, ?, ?)', [
      number,
      job.webhook.url,
      job.webhook.secret,
    ]);
  return { row, created: true };
}

async function findRepeated(sql: Sql, job: NewJob): Promise<Row | undefined> {
  if (job.idempotencyKey === undefined) return undefined;
  const row = await sql.first(
    `SELECT ${JOB_COLUMNS}, fingerprint FROM jobs WHERE user = ? AND idempotency_key = ?`,
    [job.user, job.idempotencyKey],
  );
  if (row !== undefined && row.text('fingerprint') !== job.fingerprint) throw new IdempotencyMismatch();
  return row;
}

async function checkQuotas(sql: Sql, job: NewJob, limits: JobLimits): Promise<void> {
  const kept = await sql.first('SELECT count(*) AS jobs FROM jobs WHERE user = ?', [job.user]);
  if ((kept?.integer('jobs') ?? 0) >= limits.maxJobsPerUser)
    throw new ReaderError(
      'QUOTA_EXCEEDED',
      `There are ${limits.maxJobsPerUser} jobs of this user, the maximum.`,
      'Wait until earlier jobs expire, and submit jobs with a smaller `keepSeconds`.',
    );
  const held = await sql.first('SELECT coalesce(sum(bytes), 0) AS bytes FROM items WHERE user = ?', [
    job.user,
  ]);
  const added = job.items.reduce((sum, { bytes }) => sum + bytes, 0);
  if ((held?.integer('bytes') ?? 0) + added > limits.maxJobBytesPerUser)
    throw new ReaderError(
      'QUOTA_EXCEEDED',
      `The files of all jobs of this user would exceed ${limits.maxJobBytesPerUser} bytes.`,
      'Wait until earlier jobs expire, or submit fewer files.',
    );
}

const ITEM_COLUMNS =
  'job, position, user, name, bytes, blob, sha256, mime_type, session, path, work, available_at';

function rowOf(
  number: number,
  position: number,
  item: NewItem,
  job: NewJob,
  now: number,
): readonly SqlValue[] {
  const { name, bytes, input } = item;
  const blob = input.kind === 'blob' ? input : undefined;
  const path = input.kind === 'path' ? input : undefined;
  return [
    number,
    position,
    job.user,
    name,
    bytes,
    blob?.blob ?? null,
    blob?.sha256 ?? null,
    blob?.mimeType ?? null,
    path?.session ?? null,
    path?.path ?? null,
    workOf(item, job),
    now,
  ];
}

/** Equal for items whose result is certainly the same; null for a path, whose content may change before it is read. */
function workOf({ name, input }: NewItem, { request, version }: NewJob): string | null {
  if (input.kind !== 'blob') return null;
  return createHash('sha256')
    .update(JSON.stringify([version, request, input.sha256, name, input.mimeType ?? null]))
    .digest('hex');
}

// Webhook deliveries in the tables: those due, and the results of attempts.

import type { ServiceDatabase, Sql } from '../../database.ts';
import { backoffMs, WEBHOOK_BACKOFF } from '../backoff.ts';
import { hasEnded } from '../holder.ts';
import type { WebhookDelivery, WebhookOutcome } from '../queue.ts';

/** Attempts before a notification is given up, spread over about 14 hours. */
const MAX_ATTEMPTS = 8;

/** Time after which a delivery that was never settled is tried again; a delivery itself ends after 10 s. */
const IN_DELIVERY_MS = 30_000;

/** One at a time on all nodes. */
export const DELIVERIES = 'job webhooks';

export async function claimDelivery(
  sql: Sql,
  holder: string,
  now: number,
): Promise<WebhookDelivery | undefined> {
  const row = await sql.first(
    // As with items: a time that is too far ahead was written before the clock was set back.
    `SELECT webhooks.*, jobs.id FROM webhooks JOIN jobs ON jobs.number = webhooks.job
     WHERE next_at IS NOT NULL AND (next_at <= ? OR next_at > ? + ${WEBHOOK_BACKOFF.mostMs})
     ORDER BY next_at LIMIT 1`,
    [now, now],
  );
  if (row === undefined) return undefined;
  const fence = row.integer('fence');
  const claimed = await sql.run(
    'UPDATE webhooks SET next_at = ?, holder = ?, fence = fence + 1 WHERE job = ? AND fence = ?',
    [now + IN_DELIVERY_MS, holder, row.integer('job'), fence],
  );
  if (claimed === 0) return undefined; // about another end of its job by now
  return {
    job: row.text('id'),
    url: row.text('url'),
    secret: row.text('secret'),
    messageId: row.text('message_id'),
    body: row.text('body'),
    fence: fence + 1,
  };
}

export async function settleDelivery(
  sql: Sql,
  { job, fence }: WebhookDelivery,
  outcome: WebhookOutcome,
  now: number,
): Promise<void> {
  const row = await sql.first(
    'SELECT job, attempts FROM webhooks WHERE job = (SELECT number FROM jobs WHERE id = ?) AND fence = ?',
    [job, fence],
  );
  if (row === undefined) return; // expired, or sent again by someone else
  const attempts = row.integer('attempts') + 1;
  const again = !outcome.ok && attempts < MAX_ATTEMPTS;
  await sql.run(
    `UPDATE webhooks SET state = ?, attempts = ?, next_at = ?, holder = NULL, last_status = ?, last_error = ?
     WHERE job = ? AND fence = ?`,
    [
      outcome.ok ? 'delivered' : again ? 'waiting' : 'failed',
      attempts,
      again ? now + backoffMs(WEBHOOK_BACKOFF, attempts) : null,
      outcome.status ?? null,
      outcome.ok ? null : outcome.error,
      row.integer('job'),
      fence,
    ],
  );
}

/** Makes deliveries due that a process of this machine was sending when it ended. */
export async function reclaimDeliveries(
  sql: Sql,
  now: number,
  database: Pick<ServiceDatabase, 'isShared'>,
): Promise<void> {
  const rows = await sql.all(
    'SELECT job, holder FROM webhooks WHERE next_at IS NOT NULL AND holder IS NOT NULL',
  );
  for (const row of rows)
    if (hasEnded(row.text('holder'), database))
      await sql.run('UPDATE webhooks SET next_at = ?, holder = NULL WHERE job = ? AND holder = ?', [
        now,
        row.integer('job'),
        row.text('holder'),
      ]);
}

// The tables of earlier releases, with rows, are brought forward; what this release added can be taken back.

import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, type ServiceDatabase } from '../../src/service/database.ts';
import { createIdempotencyStore } from '../../src/service/idempotency.ts';
import { createSqlQueue } from '../../src/service/jobs/sql/queue.ts';
import { JOB_TABLES } from '../../src/service/jobs/sql/schema.ts';
import { createKeyStore } from '../../src/service/keys/key-store.ts';
import { createQuotas } from '../../src/service/quotas.ts';
import { emptyPostgres, NO_POSTGRES, statement } from '../support/servers.ts';
import { jobLimits } from './jobs/trial.ts';

const schema = (name: string): string =>
  readFileSync(new URL(`./schemas/${name}.sql`, import.meta.url), 'utf8');

async function onSqlite(): Promise<ServiceDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-schemas-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const client = createClient({ url: `file:${join(folder, 'service.db')}` });
  await client.executeMultiple(schema('1.sqlite'));
  client.close();
  return openDatabase(folder);
}

async function onPostgres(): Promise<ServiceDatabase> {
  const url = await emptyPostgres();
  await statement(url, schema('1.postgres'));
  return openDatabase('', { url });
}

for (const [name, missing, open] of [
  ['SQLite', undefined, onSqlite],
  ['PostgreSQL', NO_POSTGRES, onPostgres],
] as const)
  test.skipIf(missing)(
    `the tables of the first release on ${name} keep their rows, forward and back`,
    async () => {
      const database = await open();
      onTestFinished(() => database.close());
      const keys = await createKeyStore(database);
      expect(await keys.find('abcdefghijkm')).toMatchObject({ user: 'ada', scopes: ['read', 'files'] });
      const idempotency = await createIdempotencyStore(database);
      const request = { user: 'ada', target: 't', key: 'k' };
      expect(await idempotency.begin(request)).toMatchObject({ state: 'done', answer: { status: 201 } });
      (await createQuotas(database, { onError: () => undefined })).close();
      const queue = await createSqlQueue(database, { limits: jobLimits() });
      expect((await queue.list('ada', { limit: 10 })).map(({ id, status }) => [id, status])).toEqual([
        ['job_open', 'queued'],
        ['job_ended', 'done'],
      ]);
      const item = await queue.claim();
      expect(item).toMatchObject({ name: 'b.csv', lease: { job: 'job_open', fence: 1 } });
      // Each step can be undone, and done again.
      for (let version = JOB_TABLES.length - 1; version >= 0; version -= 1) {
        await database.migrate('jobs', JOB_TABLES, version);
        await database.migrate('jobs', JOB_TABLES);
      }
      expect(
        await (await createSqlQueue(database, { limits: jobLimits() })).list('ada', { limit: 10 }),
      ).toEqual([]);
      expect(await database.integrity()).toBe('ok');
    },
  );

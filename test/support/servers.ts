// Servers for tests: one of each kind per process, started on first use. Tests that need one are skipped, with a
// message, where it is not installed.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { hasPostgres, hasRedis, startPostgres, startRedis } from './servers.mjs';

/** `undefined`, or why tests of PostgreSQL are skipped. */
export const NO_POSTGRES: string | undefined = hasPostgres() ? undefined : 'PostgreSQL is not installed';
export const NO_REDIS: string | undefined = hasRedis() ? undefined : 'Redis is not installed';

let postgres: Promise<string> | undefined;
let redis: Promise<string> | undefined;

/** URL of a new, empty database, dropped after the test. */
export async function emptyPostgres(): Promise<string> {
  const given = process.env['LECTERN_TEST_POSTGRES'];
  postgres ??= given === undefined ? startPostgres().then(({ url }) => url) : Promise.resolve(given);
  const server = await postgres;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await statement(server, `CREATE DATABASE ${name}`);
  onTestFinished(() => statement(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

export function redisUrl(): Promise<string> {
  const given = process.env['LECTERN_TEST_REDIS'];
  redis ??= given === undefined ? startRedis().then(({ url }) => url) : Promise.resolve(given);
  return redis;
}

/** Runs one statement outside of any transaction, with a connection of its own. */
export async function statement(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Database, openPostgres } from '../../src/database/index.ts';
import { startPostgres } from '../support/servers.mjs';
import { emptyPostgres, NO_POSTGRES, statement } from '../support/servers.ts';

// Starts and stops servers.
vi.setConfig({ testTimeout: 60_000 });

const NOTES = { up: 'CREATE TABLE notes (text TEXT PRIMARY KEY) STRICT;', down: 'DROP TABLE notes;' };
const AUTHOR = {
  up: 'ALTER TABLE notes ADD COLUMN author TEXT;',
  down: 'ALTER TABLE notes DROP COLUMN author;',
};

async function opened(url: string, busyTimeoutMs = 5000): Promise<Database> {
  const database = await openPostgres(url, { of: 'service', busyTimeoutMs });
  onTestFinished(() => database.close());
  return database;
}

const add = (database: Database, text: string): Promise<number> =>
  database.write((sql) => sql.run('INSERT INTO notes (text) VALUES (?)', [text]));
const texts = (database: Database): Promise<string[]> =>
  database.read(async (sql) =>
    (await sql.all('SELECT text FROM notes ORDER BY text')).map((row) => row.text('text')),
  );

test.skipIf(NO_POSTGRES)('nodes that start together make the tables once', async () => {
  const url = await emptyPostgres();
  const nodes = await Promise.all(Array.from({ length: 4 }, () => opened(url)));
  await Promise.all(nodes.map((node) => node.migrate('notes', [NOTES, AUTHOR])));
  await Promise.all(nodes.map((node, at) => add(node, String(at))));
  for (const node of nodes) expect(await texts(node)).toEqual(['0', '1', '2', '3']);
});

test.skipIf(NO_POSTGRES)('tables go forward and back, and those of a newer version are refused', async () => {
  const database = await opened(await emptyPostgres());
  await database.migrate('notes', [NOTES]);
  await add(database, 'a');
  await database.migrate('notes', [NOTES, AUTHOR]);
  await database.write((sql) => sql.run('UPDATE notes SET author = ?', ['ada']));
  await expect(database.migrate('notes', [NOTES])).rejects.toMatchObject({ code: 'INTERNAL' });
  await database.migrate('notes', [NOTES, AUTHOR], 1);
  await database.migrate('notes', [NOTES]);
  expect(await texts(database)).toEqual(['a']);
});

test.skipIf(NO_POSTGRES)('a step that fails changes nothing', async () => {
  const database = await opened(await emptyPostgres());
  const bad = { up: 'CREATE TABLE other (a INTEGER); SELECT no_such_function()', down: '' };
  await expect(database.migrate('notes', [NOTES, bad])).rejects.toMatchObject({ code: 'INTERNAL' });
  await database.migrate('notes', [NOTES]);
  expect(await texts(database)).toEqual([]);
});

test.skipIf(NO_POSTGRES)('transactions with one lock never overlap, and none is lost', async () => {
  const url = await emptyPostgres();
  const nodes = await Promise.all([opened(url), opened(url), opened(url)]);
  const counter = {
    up: 'CREATE TABLE counters (count INTEGER NOT NULL); INSERT INTO counters VALUES (0)',
    down: '',
  };
  await nodes[0].migrate('counters', [counter]);
  const increase = (node: Database) =>
    node.write(
      async (sql) => {
        const count = (await sql.first('SELECT count FROM counters'))?.integer('count') ?? 0;
        await sql.run('UPDATE counters SET count = ?', [count + 1]);
      },
      { lock: 'counter' },
    );
  await Promise.all(Array.from({ length: 60 }, (_, at) => increase(nodes[at % 3] ?? nodes[0])));
  const row = await nodes[1].read((sql) => sql.first('SELECT count FROM counters'));
  expect(row?.integer('count')).toBe(60);
});

test.skipIf(NO_POSTGRES)('transactions that deadlock are repeated', async () => {
  const database = await opened(await emptyPostgres());
  await database.migrate('notes', [NOTES, AUTHOR]);
  await Promise.all([add(database, 'a'), add(database, 'b')]);
  let both = 0;
  const meet = async (first: string, second: string) =>
    database.write(async (sql) => {
      const sign = (text: string) => sql.run('UPDATE notes SET author = ? WHERE text = ?', [first, text]);
      await sign(first);
      both += 1;
      // The first time, each waits until the other holds its row.
      while (both < 2) await new Promise((resolve) => setTimeout(resolve, 5));
      await sign(second);
    });
  await Promise.all([meet('a', 'b'), meet('b', 'a')]);
  expect(both).toBe(3);
});

test.skipIf(NO_POSTGRES)('values of every type come back as they were', async () => {
  const database = await opened(await emptyPostgres());
  const table = 'CREATE TABLE users (user TEXT, at INTEGER, "order" TEXT) STRICT';
  await database.migrate('users', [{ up: table, down: 'DROP TABLE users' }]);
  const user = `ada's "${randomBytes(4).toString('hex')}" ? \\ é 🜁`;
  await database.write((sql) => sql.run('INSERT INTO users VALUES (?, ?, ?)', [user, 2 ** 52, null]));
  const row = await database.read((sql) =>
    sql.first('SELECT users.user, at + ? AS at, \'user ?\' AS word, "order" FROM users WHERE user = ?', [
      1,
      user,
    ]),
  );
  expect(row?.text('user')).toBe(user);
  expect(row?.integer('at')).toBe(2 ** 52 + 1);
  expect(row?.text('word')).toBe('user ?');
  expect(row?.optionalText('order')).toBeUndefined();
  await expect(
    database.write((sql) => sql.run('INSERT INTO users (user) VALUES (?)', ['a\0b'])),
  ).rejects.toMatchObject({ code: 'BAD_INPUT' });
});

test.skipIf(NO_POSTGRES)('a reader sees one state', async () => {
  const database = await opened(await emptyPostgres());
  await database.migrate('notes', [NOTES]);
  await database.read(async (sql) => {
    const count = async () => (await sql.first('SELECT count(*) AS n FROM notes'))?.integer('n');
    expect(await count()).toBe(0);
    await add(database, 'a');
    expect(await count()).toBe(0);
  });
});

test.skipIf(NO_POSTGRES)('a server that restarts interrupts no one for longer than it takes', async () => {
  const server = await startPostgres();
  onTestFinished(() => server.end());
  const [patient, hasty] = [await opened(server.url, 20_000), await opened(server.url, 1000)];
  await patient.migrate('notes', [NOTES]);
  await add(patient, 'a');
  const halfway = patient.write(async (sql) => {
    await sql.run('INSERT INTO notes (text) VALUES (?) ON CONFLICT DO NOTHING', ['b']);
    await stopped;
    await sql.run('INSERT INTO notes (text) VALUES (?)', ['c']);
  });
  const stopped = server.stop();
  await stopped;
  await expect(add(hasty, 'lost')).rejects.toMatchObject({
    code: 'BUSY',
    message: 'The database of the service cannot be reached.',
  });
  const waiting = add(patient, 'd');
  await server.start();
  await Promise.all([halfway, waiting]);
  expect(await texts(hasty)).toEqual(['a', 'b', 'c', 'd']);
});

test.skipIf(NO_POSTGRES)('a held lock answers BUSY in time', async () => {
  const url = await emptyPostgres();
  const [holder, waiting] = [await opened(url), await opened(url, 1000)];
  await holder.write(
    async () => {
      await expect(waiting.write(() => Promise.resolve(), { lock: 'one' })).rejects.toMatchObject({
        code: 'BUSY',
      });
      await waiting.write(() => Promise.resolve(), { lock: 'another' });
    },
    { lock: 'one' },
  );
});

test.skipIf(NO_POSTGRES)('a URL that leads nowhere is refused without showing its password', async () => {
  const url = new URL(await emptyPostgres());
  await expect(openPostgres('mysql://x', { of: 'service' })).rejects.toMatchObject({ code: 'BAD_INPUT' });
  url.pathname = '/no_such_database';
  url.password = 'secret';
  const failed = await openPostgres(url.href, { of: 'service' }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'ACCESS_DENIED' });
  expect(String(failed)).not.toContain('secret');
  url.port = '1';
  await expect(openPostgres(url.href, { of: 'service', busyTimeoutMs: 50 })).rejects.toMatchObject({
    code: 'BUSY',
  });
});

test.skipIf(NO_POSTGRES)(
  'a role without the right to create a schema works in one that is there',
  async () => {
    const url = await emptyPostgres();
    const role = `role_${randomBytes(6).toString('hex')}`;
    await statement(url, `CREATE ROLE ${role} LOGIN; CREATE SCHEMA lectern AUTHORIZATION ${role}`);
    onTestFinished(() => statement(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`));
    const limited = new URL(url);
    limited.username = role;
    const database = await opened(limited.href);
    await database.migrate('notes', [NOTES]);
    await add(database, 'a');
    expect(await texts(database)).toEqual(['a']);
  },
);

import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase, type ServiceDatabase } from '../../src/service/database.ts';

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'lectern db 100%-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function opened(path: string): Promise<ServiceDatabase> {
  const database = await openDatabase(path);
  onTestFinished(() => database.close());
  return database;
}

const TABLE = { up: 'CREATE TABLE notes (text TEXT NOT NULL) STRICT;', down: 'DROP TABLE notes;' };
const AUTHOR = {
  up: 'ALTER TABLE notes ADD COLUMN author TEXT;',
  down: 'ALTER TABLE notes DROP COLUMN author;',
};
const texts = (database: ServiceDatabase): Promise<string[]> =>
  database.read(async (sql) =>
    (await sql.all('SELECT text FROM notes ORDER BY text')).map((row) => row.text('text')),
  );

test('commits survive closing, in a private folder of any name', async () => {
  const path = join(await folder(), 'made for it');
  const first = await openDatabase(path);
  await first.migrate('notes', [TABLE]);
  await first.write((sql) => sql.run('INSERT INTO notes VALUES (?)', ['a']));
  await first.close();
  expect((await stat(path)).mode & 0o777).toBe(0o700);
  const second = await opened(path);
  await second.migrate('notes', [TABLE]);
  expect(await texts(second)).toEqual(['a']);
  expect(await second.integrity()).toBe('ok');
});

test('every statement runs with WAL and full durability', async () => {
  const database = await opened(await folder());
  const setting = (name: string) => database.read((sql) => sql.first(`PRAGMA ${name}`));
  expect((await setting('journal_mode'))?.text('journal_mode')).toBe('wal');
  expect((await setting('synchronous'))?.integer('synchronous')).toBe(2);
  expect((await setting('foreign_keys'))?.integer('foreign_keys')).toBe(1);
});

test('concurrent transactions run one after the other', async () => {
  const database = await opened(await folder());
  await database.migrate('notes', [TABLE]);
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      database.write(async (sql) => {
        await new Promise(setImmediate);
        await sql.run('INSERT INTO notes VALUES (?)', [String(index).padStart(2, '0')]);
      }),
    ),
  );
  expect(await texts(database)).toHaveLength(20);
});

test('a transaction that throws changes nothing', async () => {
  const database = await opened(await folder());
  await database.migrate('notes', [TABLE]);
  await expect(
    database.write(async (sql) => {
      await sql.run('INSERT INTO notes VALUES (?)', ['a']);
      throw new Error('no');
    }),
  ).rejects.toMatchObject({ code: 'INTERNAL', message: 'The database of the service failed.' });
  expect(await texts(database)).toEqual([]);
});

test('a lock held by another connection causes BUSY, and the database recovers afterwards', async () => {
  const path = await folder();
  const [held, waiting] = [await opened(path), await openDatabase(path, { busyTimeoutMs: 20 })];
  onTestFinished(() => waiting.close());
  await held.migrate('notes', [TABLE]);
  await held.write(async (sql) => {
    await sql.run('INSERT INTO notes VALUES (?)', ['a']);
    await expect(
      waiting.write((other) => other.run('INSERT INTO notes VALUES (?)', ['b'])),
    ).rejects.toMatchObject({ code: 'BUSY' });
  });
  await waiting.write((sql) => sql.run('INSERT INTO notes VALUES (?)', ['c']));
  expect(await texts(held)).toEqual(['a', 'c']);
  expect((await waiting.read((sql) => sql.first('PRAGMA synchronous')))?.integer('synchronous')).toBe(2);
});

test('a file written by a newer version is refused', async () => {
  const database = await opened(await folder());
  await database.migrate('notes', [TABLE, AUTHOR]);
  await expect(database.migrate('notes', [TABLE])).rejects.toMatchObject({
    code: 'INTERNAL',
    message: 'The tables of `notes` have version 2; this version of lectern supports up to 1.',
  });
});

// The ledger of quotas in the service database: all processes that use it together never pass a limit.
//
// A folder's usage is its last count, plus what was settled since that count began. A file that appears during a count
// may be counted twice, never not at all; the next count settles it.

import { randomUUID } from 'node:crypto';
import type { FullFolder, LedgerClaim, LedgerFolder, QuotaLedger, Usage } from '../index.ts';
import type { Migration, ServiceDatabase, Sql } from './database.ts';
import { hasEnded, thisHolder } from './jobs/holder.ts';

const MIGRATIONS: readonly Migration[] = [
  {
    up: `CREATE TABLE quota_folders (
      folder TEXT PRIMARY KEY,
      settled_bytes INTEGER NOT NULL DEFAULT 0,
      settled_files INTEGER NOT NULL DEFAULT 0,
      counted_bytes INTEGER NOT NULL DEFAULT 0,
      counted_files INTEGER NOT NULL DEFAULT 0,
      since_bytes INTEGER NOT NULL DEFAULT 0,
      since_files INTEGER NOT NULL DEFAULT 0,
      counts INTEGER NOT NULL DEFAULT 0,
      last_count INTEGER NOT NULL DEFAULT 0,
      counted_at INTEGER,
      kept_ms INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE TABLE quota_reservations (
      folder TEXT NOT NULL,
      id TEXT NOT NULL,
      bytes INTEGER NOT NULL,
      files INTEGER NOT NULL,
      node TEXT NOT NULL,
      holder TEXT NOT NULL,
      beat INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (folder, id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX quota_nodes ON quota_reservations (node);`,
    down: 'DROP TABLE quota_reservations; DROP TABLE quota_folders;',
  },
];

const DAY_MS = 24 * 60 * 60_000;

/** A reservation whose heartbeat did not change for this long belongs to a process that is gone. */
const LEASE_MS = 60_000;
const RENEW_MS = 15_000;

/** A count is trusted for this long, or twenty times as long as it took. */
const KEPT_MS = 5000;
const KEPT_TIMES = 20;
/** A write is never refused by an older count, because someone may have removed files since. */
const TRUSTED_MS = 500;

/** A file that grows reserves this much ahead, where a small part of the free space suffices. */
const AHEAD_BYTES = 8 * 1024 * 1024;
const AHEAD_SHARE = 64;

export interface QuotasOptions {
  /** Called when a reservation could not be removed; it ends with its lease. */
  readonly onError: (error: unknown) => void;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

export interface Quotas extends QuotaLedger {
  close(): void;
}

/** @throws {DatabaseUnavailable}; {ReaderError} INTERNAL */
export async function createQuotas(database: ServiceDatabase, options: QuotasOptions): Promise<Quotas> {
  await database.migrate('quotas', MIGRATIONS);
  // Folders that no one wrote to for a day, some of which no longer exist.
  await database.write((sql) =>
    sql.run(
      `DELETE FROM quota_folders WHERE counted_at + kept_ms < ? AND counts = last_count
         AND NOT EXISTS (SELECT 1 FROM quota_reservations WHERE quota_reservations.folder = quota_folders.folder)`,
      [sql.now - DAY_MS],
    ),
  );
  return new DatabaseQuotas(database, options);
}

interface Held {
  readonly granted: Usage;
  /** Monotonic time when the reservation was known to exist. */
  readonly at: number;
}

interface Observed {
  readonly beat: number;
  readonly since: number;
}

type Outcome = { readonly full: FullFolder } | { readonly granted: Usage } | { readonly stale: LedgerFolder };

class DatabaseQuotas implements Quotas {
  readonly #database: ServiceDatabase;
  readonly #onError: (error: unknown) => void;
  readonly #now: () => number;
  readonly #holder: string = thisHolder();
  /** Marks the reservations of this ledger. */
  readonly #node: string = randomUUID();
  readonly #held = new Map<string, Held>();
  /** Heartbeats of other processes, as seen here. */
  readonly #seen = new Map<string, Observed>();
  readonly #counting = new Map<string, Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  constructor(database: ServiceDatabase, { onError, now = () => performance.now() }: QuotasOptions) {
    this.#database = database;
    this.#onError = onError;
    this.#now = now;
    this.#timer = setInterval(() => void this.#renew().catch(onError), RENEW_MS);
    this.#timer.unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async reserve(claim: LedgerClaim, growth: Usage): Promise<FullFolder | undefined> {
    const held = this.#held.get(claim.id);
    const isSure = held !== undefined && this.#now() - held.at < LEASE_MS / 2;
    if (isSure && growth.bytes <= held.granted.bytes && growth.files <= held.granted.files) return undefined;
    const counted = new Set<string>();
    for (;;) {
      const at = this.#now();
      const outcome = await this.#database.write((sql) => this.#admit(sql, claim, growth, counted), {
        lock: lockOf(claim),
      });
      if ('full' in outcome) return outcome.full;
      if ('granted' in outcome) {
        this.#held.set(claim.id, { granted: outcome.granted, at });
        return undefined;
      }
      await this.#count(outcome.stale, claim);
      counted.add(outcome.stale.key);
    }
  }

  async settle(claim: LedgerClaim, growth: Usage): Promise<void> {
    await this.#end(claim, async (sql) => {
      for (const { key } of claim.folders)
        await sql.run(
          'UPDATE quota_folders SET settled_bytes = settled_bytes + ?, settled_files = settled_files + ? WHERE folder = ?',
          [Math.max(0, growth.bytes), Math.max(0, growth.files), key],
        );
    });
  }

  release(claim: LedgerClaim): Promise<void> {
    return this.#end(claim, () => Promise.resolve());
  }

  /** The write has ended, whether the database can be reached or not: the reservation then ends with its lease. */
  async #end(claim: LedgerClaim, work: (sql: Sql) => Promise<void>): Promise<void> {
    this.#held.delete(claim.id);
    try {
      await this.#database.write(
        async (sql) => {
          await work(sql);
          await sql.run('DELETE FROM quota_reservations WHERE id = ?', [claim.id]);
        },
        { lock: lockOf(claim) },
      );
    } catch (error) {
      this.#onError(error);
    }
  }

  /** @param counted folders counted for this claim */
  async #admit(sql: Sql, claim: LedgerClaim, growth: Usage, counted: ReadonlySet<string>): Promise<Outcome> {
    let room = AHEAD_BYTES;
    for (const [index, folder] of claim.folders.entries()) {
      const known = await sql.first('SELECT * FROM quota_folders WHERE folder = ?', [folder.key]);
      const held = await this.#reserved(sql, folder.key, claim.id);
      const age = sql.now - (known?.optionalInteger('counted_at') ?? Number.POSITIVE_INFINITY);
      const isFresh = known !== undefined && age >= 0 && age <= known.integer('kept_ms');
      if (known === undefined || held === undefined) return { stale: folder };
      if (!isFresh && !counted.has(folder.key)) return { stale: folder };
      const usage = {
        bytes: known.integer('counted_bytes') + known.integer('settled_bytes') - known.integer('since_bytes'),
        files: known.integer('counted_files') + known.integer('settled_files') - known.integer('since_files'),
      };
      const free = folder.maxBytes - usage.bytes - held.bytes - growth.bytes;
      const isFullOfBytes = folder.maxBytes > 0 && growth.bytes > 0 && free < 0;
      const isFullOfFiles =
        folder.maxFiles > 0 && growth.files > 0 && usage.files + held.files + growth.files > folder.maxFiles;
      if (isFullOfBytes || isFullOfFiles) {
        const isTrusted = age >= 0 && age <= TRUSTED_MS && !claim.isShrunk();
        if (!isTrusted && !counted.has(folder.key)) return { stale: folder };
        return { full: { index, full: isFullOfBytes ? 'bytes' : 'files', usage, reserved: held } };
      }
      if (folder.maxBytes > 0) room = Math.min(room, Math.trunc(Math.max(0, free) / AHEAD_SHARE));
    }
    const granted = { bytes: Math.max(0, growth.bytes) + room, files: Math.max(0, growth.files) };
    for (const { key } of claim.folders)
      await sql.run(
        `INSERT INTO quota_reservations (folder, id, bytes, files, node, holder) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (folder, id) DO UPDATE SET bytes = excluded.bytes, files = excluded.files`,
        [key, claim.id, granted.bytes, granted.files, this.#node, this.#holder],
      );
    return { granted };
  }

  /**
   * What other claims have reserved. Undefined if one of them was given up: its file may be in its place, so the folder
   * must be counted.
   */
  async #reserved(sql: Sql, folder: string, id: string): Promise<Usage | undefined> {
    const mine = await sql.first(
      `SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(files), 0) AS files FROM quota_reservations
       WHERE folder = ? AND id <> ? AND node = ?`,
      [folder, id, this.#node],
    );
    const sum = { bytes: mine?.integer('bytes') ?? 0, files: mine?.integer('files') ?? 0 };
    const others = await sql.all(
      'SELECT id, bytes, files, holder, beat FROM quota_reservations WHERE folder = ? AND node <> ?',
      [folder, this.#node],
    );
    const ended = new Map<string, boolean>();
    let lost = false;
    for (const row of others) {
      const observed = this.#observe(row.text('id'), row.integer('beat'));
      const holder = row.text('holder');
      const hasGone = ended.get(holder) ?? hasEnded(holder, this.#database);
      ended.set(holder, hasGone);
      if (hasGone || this.#now() - observed.since > LEASE_MS) {
        await sql.run('DELETE FROM quota_reservations WHERE folder = ? AND id = ?', [folder, row.text('id')]);
        lost = true;
      }
      sum.bytes += row.integer('bytes');
      sum.files += row.integer('files');
    }
    if (!lost) return sum;
    await sql.run('UPDATE quota_folders SET counted_at = NULL WHERE folder = ?', [folder]);
    return undefined;
  }

  #observe(id: string, beat: number): Observed {
    const before = this.#seen.get(id);
    if (before?.beat === beat) return before;
    const observed = { beat, since: this.#now() };
    this.#seen.set(id, observed);
    return observed;
  }

  /** Counts at most once at a time in this process. */
  #count(folder: LedgerFolder, claim: LedgerClaim): Promise<void> {
    const running = this.#counting.get(folder.key);
    // One that began before something was removed may have seen it.
    if (running && !claim.isShrunk()) return running;
    const before = running?.catch(() => undefined) ?? Promise.resolve(); // reported to its own caller
    const count = before
      .then(() => this.#countNow(folder, claim))
      .finally(() => {
        if (this.#counting.get(folder.key) === count) this.#counting.delete(folder.key);
      });
    this.#counting.set(folder.key, count);
    return count;
  }

  async #countNow({ key, count }: LedgerFolder, claim: LedgerClaim): Promise<void> {
    const lock = lockOf(claim);
    const begun = await this.#database.write(
      async (sql) => {
        await sql.run('INSERT INTO quota_folders (folder) VALUES (?) ON CONFLICT DO NOTHING', [key]);
        return sql.first(
          'UPDATE quota_folders SET counts = counts + 1 WHERE folder = ? RETURNING counts, settled_bytes, settled_files',
          [key],
        );
      },
      { lock },
    );
    if (begun === undefined) throw new TypeError('The folder has no row.');
    const started = this.#now();
    const usage = await count();
    const keptMs = Math.trunc(Math.max(KEPT_MS, KEPT_TIMES * (this.#now() - started)));
    // Of two counts, the one that began later is kept.
    await this.#database.write(
      (sql) =>
        sql.run(
          `UPDATE quota_folders SET counted_bytes = ?, counted_files = ?, since_bytes = ?, since_files = ?,
             counted_at = ?, kept_ms = ?, last_count = ?
           WHERE folder = ? AND last_count < ?`,
          [
            usage.bytes,
            usage.files,
            begun.integer('settled_bytes'),
            begun.integer('settled_files'),
            sql.now,
            keptMs,
            begun.integer('counts'),
            key,
            begun.integer('counts'),
          ],
        ),
      { lock },
    );
  }

  /** Heartbeat of all reservations of this process. */
  async #renew(): Promise<void> {
    const existing = await this.#database.read(async (sql) => {
      const rows = await sql.all('SELECT id FROM quota_reservations');
      return new Set(rows.map((row) => row.text('id')));
    });
    for (const id of this.#seen.keys()) if (!existing.has(id)) this.#seen.delete(id);
    if (this.#held.size === 0) return;
    const at = this.#now();
    await this.#database.write((sql) =>
      sql.run('UPDATE quota_reservations SET beat = beat + 1 WHERE node = ?', [this.#node]),
    );
    for (const [id, held] of this.#held) this.#held.set(id, { ...held, at });
  }
}

/** The folders of a user contain each other, so one lock covers them. */
const lockOf = ({ user }: LedgerClaim): string => `quota ${user}`;

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createWorkspace, type QuotaLedger, type ReaderError } from '../../src/index.ts';
import type { ServiceDatabase } from '../../src/service/database.ts';
import { createQuotas, type Quotas } from '../../src/service/quotas.ts';
import { databaseAt, databaseUrlAt, onEachDatabase } from './engines.ts';

// Starts processes.
vi.setConfig({ testTimeout: 180_000 });

const WRITER: string = fileURLToPath(new URL('../support/quota-writer.mjs', import.meta.url));
const KIB = 1024;

onEachDatabase(() => {
  let dataDir: string;
  let folder: string;
  let database: ServiceDatabase;
  let ledgers: Quotas[] = [];
  let children: ChildProcess[] = [];
  let steady = 0;
  const ledger = async (): Promise<Quotas> => {
    const made = await createQuotas(database, { onError: fail, now: () => steady });
    ledgers.push(made);
    return made;
  };
  const fail = (error: unknown): void => {
    throw error;
  };
  const workspaceOf = (given: QuotaLedger, limits = {}, session = 's') =>
    createWorkspace({ dataDir, user: 'ada', session }, { limits, environment: {}, ledger: given });

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'lectern-quotas-'));
    folder = join(dataDir, 'service');
    mkdirSync(folder);
    database = await databaseAt(folder);
    [ledgers, children, steady] = [[], [], 0];
  });
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const made of ledgers) made.close();
    await database.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function writer(options: Readonly<Record<string, unknown>>) {
    const url = databaseUrlAt(folder);
    const job = JSON.stringify({ dataDir, folder, ...(url === undefined ? {} : { url }), ...options });
    const child = spawn(process.execPath, [WRITER, job], { stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    const lines: Readonly<Record<string, unknown>>[] = [];
    let rest = '';
    const heard = (test: () => boolean) =>
      new Promise<void>((resolve) => {
        child.stdout.on('data', () => test() && resolve());
        child.once('close', () => resolve());
        if (test()) resolve();
      });
    child.stdout.on('data', (piece: Buffer) => {
      const [...whole] = (rest + piece.toString()).split('\n');
      rest = whole.pop() ?? '';
      for (const line of whole) lines.push(JSON.parse(line));
    });
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await heard(() => lines.length > 0);
    return { child, lines, ended, heard, go: () => child.stdin.write('go\n') };
  }

  /** Bytes of all complete files. */
  function stored(): number {
    const place = join(dataDir, 'workspaces', 'ada', 's');
    if (!existsSync(place)) return 0;
    const files = readdirSync(place, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && /^\w+-\d+$/.test(entry.name),
    );
    return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  }

  it('eight processes that write at once never pass the limit, and use what it allows', async () => {
    const limit = 256 * KIB;
    const limits = { maxWorkspaceBytes: limit, maxUserBytes: 0 };
    const writers = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        writer({
          name: `w${at}`,
          limits,
          pieces: 3,
          sizes: Array.from({ length: 12 }, (__, index) => KIB * (1 + ((at * 5 + index * 3) % 9))),
        }),
      ),
    );
    for (const { go } of writers) go();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, stored());
    }, 5);
    await Promise.all(writers.map(({ ended }) => ended));
    clearInterval(watch);
    const lines = writers.flatMap((one) => one.lines);
    const written = lines.reduce((sum, line) => sum + Number(line['written'] ?? 0), 0);
    expect(stored()).toBe(written);
    expect(Math.max(most, written)).toBeLessThanOrEqual(limit);
    // A file of 9 KiB was refused for want of room, with at most seven others half written.
    expect(written).toBeGreaterThan(limit - 9 * KIB * 8);
    expect(new Set(lines.filter((line) => 'refused' in line).map((line) => line['code']))).toEqual(
      new Set(['QUOTA_EXCEEDED']),
    );
  });

  it('a process that is killed while it writes gives back what it reserved', async () => {
    const limits = { maxWorkspaceBytes: 100 * KIB, maxUserBytes: 0 };
    const one = await writer({ name: 'w0', limits, sizes: [90 * KIB], pieces: 9, pauseMs: 300 });
    one.go();
    const reserved = async () =>
      (
        await database.read((sql) => sql.first('SELECT sum(bytes) AS bytes FROM quota_reservations'))
      )?.optionalInteger('bytes') ?? 0;
    while ((await reserved()) < 40 * KIB) await new Promise((resolve) => setTimeout(resolve, 20));
    const workspace = workspaceOf(await ledger(), limits);
    await expect(workspace.write('large', 'x'.repeat(80 * KIB))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    one.child.kill('SIGKILL');
    await one.ended;
    await workspace.write('large', 'x'.repeat(80 * KIB));
    expect(await reserved()).toBe(0);
  });

  it('a reservation without a heartbeat ends with its lease, by the time of this process', async () => {
    const [one, two] = [await ledger(), await ledger()];
    const folders = [
      { key: 'ada/s', maxBytes: 100, maxFiles: 0, count: () => Promise.resolve({ bytes: 0, files: 0 }) },
    ];
    const claim = (id: string) => ({ id, user: 'ada', folders, isShrunk: () => false });
    expect(await one.reserve(claim('a'), { bytes: 80, files: 1 })).toBeUndefined();
    await database.write((sql) => sql.run("UPDATE quota_reservations SET holder = 'elsewhere'"));
    const refused = { index: 0, full: 'bytes' };
    expect(await two.reserve(claim('b'), { bytes: 50, files: 1 })).toMatchObject(refused);
    steady += 59_000;
    expect(await two.reserve(claim('b'), { bytes: 50, files: 1 })).toMatchObject(refused);
    await database.write((sql) => sql.run('UPDATE quota_reservations SET beat = beat + 1'));
    steady += 59_000;
    expect(await two.reserve(claim('b'), { bytes: 50, files: 1 })).toMatchObject(refused);
    steady += 61_000;
    expect(await two.reserve(claim('b'), { bytes: 50, files: 1 })).toBeUndefined();
    // The first process, should it still run, is refused before its file appears.
    expect(await one.reserve(claim('a'), { bytes: 80, files: 1 })).toMatchObject(refused);
  });

  it('of many writes at once that state their length, as many succeed as fit', async () => {
    const limits = { maxWorkspaceBytes: 3_000_000 };
    const nodes = [workspaceOf(await ledger(), limits), workspaceOf(await ledger(), limits)];
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 40; n += 1) yield Buffer.alloc(10_000, 'x');
    }
    const ends = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => nodes[n % 2]?.write(`f${n}`, pieces(), { bytes: 400_000 })),
    );
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as ReaderError] : [])); // checked below
    expect(12 - refused.length).toBeGreaterThanOrEqual(6);
    for (const { code } of refused) expect(code).toBe('QUOTA_EXCEEDED');
  });

  it('counts what was removed, written elsewhere, or replaced', async () => {
    const limits = { maxWorkspaceBytes: 10_000, maxUserBytes: 15_000 };
    const one = workspaceOf(await ledger(), limits);
    const two = workspaceOf(await ledger(), limits);
    const other = workspaceOf(await ledger(), limits, 'other');
    await one.write('a', 'x'.repeat(6000));
    await expect(two.write('b', 'x'.repeat(6000))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message:
        'Writing `b` would exceed the quota of 10000 bytes: 6000 are used, and the write adds 6000 or more in the workspace.',
    });
    await two.write('a', 'x'.repeat(9000), { overwrite: true });
    await expect(other.write('c', 'x'.repeat(7000))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringContaining('in the workspaces of the user'),
    });
    await one.remove('a');
    await one.write('b', 'x'.repeat(9000));
    await one.remove('b');
    await one.write('c', 'x'.repeat(9500));
    await other.write('c', 'x'.repeat(5000));
  });

  it('files and folders are counted', async () => {
    const workspace = workspaceOf(await ledger(), { maxWorkspaceFiles: 3 });
    await workspace.write('a/b', '1');
    await workspace.write('c', '1');
    await expect(workspace.write('d', '1')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await workspace.write('c', '2', { overwrite: true });
    await workspace.move('c', 'd');
  });
});

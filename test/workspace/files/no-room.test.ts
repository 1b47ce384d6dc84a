// Writes that cannot be finished: a full disk, a read-only one, a quota, a source that fails. What was there stays.

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskCache, createReader, createWorkspace, type Workspace } from '../../../src/index.ts';

const MEGABYTE = 2 ** 20;
let base = '';

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-room-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Everything below the folder but folders. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function* pieces(count: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(64 * 1024).fill(97);
  for (let index = 0; index < count; index++) {
    // A turn of the event loop, as a stream from elsewhere takes.
    await new Promise((done) => setImmediate(done));
    yield piece;
  }
}

const rows = function* (count: number) {
  for (let row = 0; row < count; row++)
    yield { row, text: 'some text that is long enough to count for something' };
};

const canMount = mounts();
if (!canMount) process.stderr.write('No writes to a full disk: it needs the right to mount one.\n');

function mounts(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'lectern-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (canMount)
  describe.each(['a plain folder', 'a stored workspace'])('%s on a disk', (kind) => {
    let disk = '';
    let workspace: Workspace;

    const mounted = (options: string) => {
      disk = join(base, 'disk');
      mkdirSync(disk);
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]);
      workspace =
        kind === 'a plain folder'
          ? createWorkspace({ root: disk })
          : createWorkspace({ dataDir: disk, user: 'u', session: 's' });
    };
    afterEach(() => execFileSync('umount', ['-l', disk]));

    it('that is full keeps existing files and shows no partial ones', async () => {
      mounted('size=1m');
      await workspace.write('kept.txt', 'old\n');
      const before = filesBelow(disk);
      const tries = [
        () => workspace.write('new.txt', pieces(64)),
        () => workspace.write('kept.txt', pieces(64), { overwrite: true }),
        () => workspace.write('big.bin', new Uint8Array(2 * MEGABYTE)),
        () => workspace.saveResult(rows(100_000), { name: 'r.csv' }),
        () => workspace.saveResult(rows(100_000), { name: 'r.jsonl' }),
        () => workspace.saveResult('x'.repeat(2 * MEGABYTE), { name: 'r.txt' }),
      ];
      for (const attempt of tries) {
        const error = await attempt().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).toMatchObject({ code: 'QUOTA_EXCEEDED' });
        expect(String(error)).not.toContain(base);
        expect(filesBelow(disk)).toEqual(before);
      }
      const reader = createReader({ workspace, cache: createDiskCache({ directory: join(disk, 'cache') }) });
      writeFileSync(join(disk, 'filler'), new Uint8Array(MEGABYTE - 64 * 1024));
      expect((await reader.read('kept.txt')).success).toBe(true);
      rmSync(join(disk, 'filler'));
      await workspace.write('after.txt', 'there is room again\n');
    });

    it('that is read-only says so and can be read', async () => {
      mounted('size=1m');
      await workspace.write('kept.txt', 'old\n');
      execFileSync('mount', ['-o', 'remount,ro', disk]);
      for (const attempt of [
        () => workspace.write('new.txt', 'x'),
        () => workspace.write('deep/new.txt', 'x'),
        () => workspace.write('kept.txt', 'x', { overwrite: true }),
        () => workspace.saveResult(rows(10)),
        () => workspace.remove('kept.txt'),
        () => workspace.move('kept.txt', 'moved.txt'),
      ])
        await expect(attempt()).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
      expect(await workspace.kind('kept.txt')).toBe('file');
      expect((await workspace.search('old')).matches).toHaveLength(1);
      await workspace
        .prune()
        .catch((error: unknown) => expect(error).toMatchObject({ code: 'ACCESS_DENIED' }));
    });

    it('without inodes left says so', async () => {
      mounted('size=8m,nr_inodes=16');
      const tried = [];
      for (let index = 0; index < 20; index++)
        tried.push(
          await workspace.write(`f${index}.txt`, 'x').then(
            () => 'ok',
            (error) => error.code,
          ),
        );
      expect(tried[0]).toBe('ok');
      expect(tried.at(-1)).toBe('QUOTA_EXCEEDED');
      expect(tried).not.toContain('INTERNAL');
    });
  });

describe('a quota', () => {
  const limited = (limits: object, session = 's') =>
    createWorkspace({ dataDir: base, user: 'u', session }, { limits });
  const stored = (session = 's') => join(base, 'workspaces/u', session);

  it('of bytes stops endless content early, and leaves nothing', async () => {
    const workspace = limited({ maxWorkspaceBytes: MEGABYTE });
    await workspace.write('kept.txt', 'old\n');
    let taken = 0;
    const endless = async function* () {
      for await (const piece of pieces(100_000)) {
        taken += piece.length;
        yield piece;
      }
    };
    await expect(workspace.write('endless.bin', endless())).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await expect(workspace.write('kept.txt', endless(), { overwrite: true })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    await expect(workspace.saveResult(rows(10_000_000), { name: 'r.csv' })).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    expect(taken).toBeLessThan(16 * MEGABYTE);
    expect(filesBelow(base)).toEqual(['kept.txt']);
    expect(readFileSync(join(stored(), 'kept.txt'), 'utf8')).toBe('old\n');
    await workspace.write('fits.bin', new Uint8Array(MEGABYTE - 1000));
    await expect(workspace.write('no.bin', new Uint8Array(2000))).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
    });
    // What is replaced makes room.
    await workspace.write('fits.bin', new Uint8Array(MEGABYTE - 2000), { overwrite: true });
  });

  it('applies to concurrent writers', async () => {
    const workspace = limited({ maxWorkspaceBytes: MEGABYTE });
    const written = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => workspace.write(`f${index}`, pieces(4))),
    );
    const { bytes } = await workspace.usage();
    expect(bytes).toBeLessThanOrEqual(MEGABYTE);
    expect(written.filter(({ status }) => status === 'fulfilled').length * 4 * 64 * 1024).toBe(bytes);
  });

  it('of files and of a user', async () => {
    const workspace = limited({ maxWorkspaceFiles: 3 });
    await workspace.write('a/b', 'x');
    await workspace.write('c', 'x');
    await expect(workspace.write('d', 'x')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await expect(workspace.write('e/f/g/h', 'x')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(existsSync(join(stored(), 'e'))).toBe(false);
    const first = limited({ maxUserBytes: 1000 }, 'one');
    const second = limited({ maxUserBytes: 1000 }, 'two');
    await first.write('f', new Uint8Array(800));
    await expect(second.write('f', new Uint8Array(800))).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });
});

describe.each(['a plain folder', 'a stored workspace'])('a source that fails, in %s', (kind) => {
  let workspace: Workspace;
  beforeEach(() => {
    workspace =
      kind === 'a plain folder'
        ? createWorkspace({ root: base })
        : createWorkspace({ dataDir: base, user: 'u', session: 's' });
  });

  const failing = async function* () {
    yield* pieces(3);
    throw new Error('the source broke');
  };
  const endless = async function* () {
    for (;;) yield* pieces(1);
  };

  it('leaves nothing, and is reported as failed', async () => {
    await expect(workspace.write('f', failing())).rejects.toMatchObject({
      code: 'BAD_INPUT',
      cause: { message: 'the source broke' },
    });
    await expect(workspace.saveResult(failing(), { name: 'r.txt' })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    });
    expect(filesBelow(base)).toEqual([]);
  });

  it('by an abort leaves nothing', async () => {
    for (const attempt of [
      (signal: AbortSignal) => workspace.write('f', endless(), { signal }),
      (signal: AbortSignal) => workspace.saveResult(endless(), { name: 'r.txt', signal }),
      (signal: AbortSignal) => workspace.write('f', silent(), { signal }),
    ])
      await expect(attempt(AbortSignal.timeout(50))).rejects.toMatchObject({ code: 'ABORTED' });
    expect(filesBelow(base)).toEqual([]);
    await workspace.write('f', 'as before\n');
  });

  /** Yields once and never again. */
  async function* silent(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    await new Promise(() => {});
  }
});

// One writer at a time per file, among all processes of a host, for the moment of replacing it. Node has no `flock`: the
// lock is a file whose creation fails while another has it.

import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf, ReaderError } from '../../contract/index.ts';
import type { Directory } from '../../disk/index.ts';

/** Replacing takes milliseconds: whoever has had the lock for this long was killed. */
const ABANDONED_MS = 10_000;
const WAIT_MS = 30_000;

/** Runs `work` while no other writer replaces or removes `name`. @throws {ReaderError} BUSY */
export async function locked<T>(directory: Directory, name: Buffer, work: () => Promise<T>): Promise<T> {
  const lock = Buffer.from(
    `.lectern-lock-${createHash('sha256').update(name).digest('hex').slice(0, 32)}.tmp`,
  );
  await take(directory, lock);
  try {
    return await work();
  } finally {
    await directory.unlink(lock).catch(() => undefined); // taken over as abandoned
  }
}

async function take(directory: Directory, lock: Buffer): Promise<void> {
  const start = performance.now();
  for (let tries = 0; performance.now() - start < WAIT_MS; tries += 1) {
    try {
      await (await directory.create(lock, 0o600)).close();
      return;
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    const held = await directory.stat(lock).catch(() => undefined); // released meanwhile
    if (held && Math.abs(Date.now() - Number(held.mtimeMs)) > ABANDONED_MS) {
      await directory.unlink(lock).catch(() => undefined); // another waiter was faster
      continue;
    }
    await delay(Math.min(1 + tries, 20));
  }
  throw new ReaderError('BUSY', 'Another process keeps this name locked.', 'Try again later.');
}

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ServiceDatabase } from '../../src/service/database.ts';
import { createIdempotencyStore, type IdempotencyStore, onceFor } from '../../src/service/idempotency.ts';
import { databaseAt, onEachDatabase } from './engines.ts';

const HOUR = 3_600_000;

let folder: string;
let database: ServiceDatabase;
let store: IdempotencyStore;
let now = Date.parse('2026-01-01T00:00:00Z');
const request = { user: 'ada', target: 't', key: 'k' };
let done = 0;
async function* bytes(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
const work = async (body: AsyncIterable<Uint8Array>) => {
  for await (const _ of body); // read as an operation does
  done += 1;
  return { status: 201, headers: {}, body: { done } };
};
const send = (text = 'a', given = request) => onceFor(store, given, bytes(text), work);

onEachDatabase(() => {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lectern-idempotency-'));
    database = await databaseAt(folder);
    store = await createIdempotencyStore(database, () => now);
  });
  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true });
  });

  it('repeats the first answer to a repeated request, for a day', async () => {
    const first = await send();
    now += 23 * HOUR;
    expect((await send()).body).toEqual(first.body);
    expect((await send('a', { ...request, user: 'bob' })).body).not.toEqual(first.body);
    now += 2 * HOUR;
    expect((await send()).body).not.toEqual(first.body);
  });

  it('keeps answers when the clock goes back, and drops them when it jumps ahead', async () => {
    const first = await send();
    now -= 1000 * HOUR;
    expect((await send()).body).toEqual(first.body);
    now += 10_000 * HOUR;
    expect((await send()).body).not.toEqual(first.body);
  });

  it('rejects a different body or target, and a request in progress', async () => {
    await send();
    await expect(send('b')).rejects.toMatchObject({ status: 422 });
    await expect(send('a', { ...request, target: 'u' })).rejects.toMatchObject({ status: 422 });
    const other = { ...request, key: 'other' };
    await store.begin(other);
    await expect(send('a', other)).rejects.toMatchObject({ status: 409, headers: { 'retry-after': '1' } });
  });

  it('releases the key of a request that failed, or whose process died', async () => {
    const fails = onceFor(store, request, bytes('a'), () => Promise.reject(new Error('disk')));
    await expect(fails).rejects.toThrow('disk');
    await store.begin(request);
    now += 59_000;
    await expect(send()).rejects.toMatchObject({ status: 409 });
    await store.renew(request);
    now += 59_000;
    await expect(send()).rejects.toMatchObject({ status: 409 });
    now += 2_000;
    expect((await send()).status).toBe(201);
  });
});

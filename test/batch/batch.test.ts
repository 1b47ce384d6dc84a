// Batches: every document has one outcome, however often and wherever its shard runs.

import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/batch/document.ts';
import { manifestOf, shardFrom } from '../../src/batch/manifest.ts';
import { runBatch } from '../../src/batch/run-batch.ts';
import { runShard } from '../../src/batch/run-shard.ts';
import { type Shard, shardOf, shardsOf } from '../../src/batch/shard.ts';
import { storeSource } from '../../src/batch/source.ts';
import { type Blobs, openBlobs } from '../../src/blobs/index.ts';
import { createReadPool, type Pool, ReaderError } from '../../src/index.ts';

const LIMITS = { limits: {}, maxReadMilliseconds: 15_000 } as const;
const PLAN = { request: { all: true }, form: 'text', ...LIMITS } as const;
const LOCATION = '/in';
const { signal } = new AbortController();

let pool: Pool;
let base: string;
let source: Blobs;
let destination: Blobs;

beforeAll(() => {
  pool = createReadPool({ limits: { maxProcesses: 2 } });
});
afterAll(() => pool.close());
beforeEach(async () => {
  base = mkdtempSync(join(tmpdir(), 'lectern-batch-'));
  source = await openBlobs(join(base, 'in'), {});
  destination = await openBlobs(join(base, 'out'), {});
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

async function fill(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1)
    await source.put(`${String(n).padStart(3, '0')}.txt`, Buffer.from(`document ${n}\n`));
}

async function shards(size = 1000): Promise<Shard[]> {
  const found: Shard[] = [];
  for await (const shard of shardsOf(storeSource(source, LOCATION), { ...PLAN, shardSize: size, signal }))
    found.push(shard);
  return found;
}

async function onlyShard(): Promise<Shard> {
  const [shard] = await shards();
  if (!shard) throw new Error('The source is empty.');
  return shard;
}

/** `store` with another `stream`. */
const streaming = (store: Blobs, stream: Blobs['stream']): Blobs => ({
  name: store.name,
  stat: (key, abort) => store.stat(key, abort),
  read: (key, range) => store.read(key, range),
  stream,
  put: (key, content, options) => store.put(key, content, options),
  remove: (key) => store.remove(key),
  list: (prefix, options) => store.list(prefix, options),
  isEmpty: (abort) => store.isEmpty(abort),
  close: () => store.close(),
});

const sourceOf = (store: Blobs) => storeSource(store, LOCATION);
const work = () => ({ source: sourceOf(source), destination, pool, signal });
const batch = (shardSize = 1000) =>
  runBatch({ ...PLAN, source: sourceOf(source), destination, shardSize, signal, pool });

const storedLines = (): Outcome[] =>
  readdirSync(join(base, 'out/outcomes')).flatMap((name) =>
    readFileSync(join(base, 'out/outcomes', name), 'utf8')
      .trim()
      .split('\n')
      .map((line): Outcome => JSON.parse(line)),
  );

describe('a batch', () => {
  it('stores the text of each document, and one outcome', async () => {
    await fill(7);
    await source.put('same.txt', Buffer.from('document 3\n'));
    await source.put('broken.zip', Buffer.from('PK\u0003\u0004 broken'));
    const summary = await batch(4);
    expect(summary).toMatchObject({ documents: 9, succeeded: 8, failed: 1, dead: 0 });
    const outcomes = storedLines();
    expect(outcomes.map(({ key }) => key).sort()).toEqual(
      [...Array.from({ length: 7 }, (_, n) => `00${n}.txt`), 'broken.zip', 'same.txt'].sort(),
    );
    expect(outcomes.find(({ key }) => key === '003.txt')).toMatchObject({
      sha256: createHash('sha256').update('document 3\n').digest('hex'),
      tokens: 4,
    });
    const outputOf = (key: string) => outcomes.find((outcome) => outcome.key === key)?.output ?? '';
    expect(readFileSync(join(base, 'out', outputOf('003.txt')), 'utf8')).toBe('document 3\n');
    expect(outputOf('same.txt')).toBe(outputOf('003.txt'));
    expect(outcomes.find(({ key }) => key === 'broken.zip')).toMatchObject({
      status: 'failed',
      error: { code: 'CORRUPT_FILE' },
    });
  });

  it('reads nothing again that is done, and what changed', async () => {
    await fill(6);
    await batch(2);
    const before = storedLines().length;
    const reads: string[] = [];
    const watched = streaming(source, (key, range) => {
      reads.push(key);
      return source.stream(key, range);
    });
    const again = () =>
      runBatch({
        ...PLAN,
        source: sourceOf(watched),
        destination,
        shardSize: 2,
        signal,
        pool,
      });
    expect(await again()).toMatchObject({ documents: 6, succeeded: 6 });
    expect(reads).toEqual([]);
    expect(storedLines().length).toBe(before);
    await source.put('002.txt', Buffer.from('changed\n'));
    await again();
    const changed = (await shards(2)).find(({ documents }) => documents.some(({ key }) => key === '002.txt'));
    expect(new Set(reads)).toEqual(new Set(changed?.documents.map(({ key }) => key)));
    expect(new Set(reads).size).toBeLessThan(6);
  });

  it('keeps most shards when documents are added', async () => {
    await fill(300);
    const before = new Set((await shards(10)).map(({ id }) => id));
    await source.put('0000.txt', Buffer.from('new\n'));
    await source.put('150a.txt', Buffer.from('new\n'));
    const after = await shards(10);
    for (const { documents } of after.slice(0, -1)) {
      expect(documents.length).toBeGreaterThanOrEqual(10);
      expect(documents.length).toBeLessThanOrEqual(20);
    }
    const known = after.filter(({ id }) => before.has(id));
    expect(known.length).toBeGreaterThanOrEqual(after.length / 2);
  });

  it('counts the rows of a whole table, also of a large one within a budget', async () => {
    const rows = 400_000;
    await source.put('t.csv', Buffer.from(`id,name\n${'1,abcdefghijklmnopqrstuv\n'.repeat(rows)}`));
    const request = { maxTokens: 300 };
    const plan = { ...PLAN, request } as const;
    await runBatch({
      ...plan,
      source: sourceOf(source),
      destination,
      shardSize: 9,
      signal,
      pool,
    });
    const [outcome] = storedLines();
    expect(readFileSync(join(base, 'out', outcome?.output ?? ''), 'utf8')).toContain(`of ${rows}.`);
  });

  it('says that it waits for a store, and goes on', async () => {
    await fill(1);
    const busy = new ReaderError('BUSY', 'The storage service is busy.', 'Try again later.');
    let asked = 0;
    const slow = {
      ...sourceOf(source),
      isEmpty: async () => {
        asked += 1;
        if (asked === 1) throw busy;
        return false;
      },
    };
    const waits: unknown[] = [];
    const summary = await runBatch({
      ...PLAN,
      source: slow,
      destination,
      shardSize: 9,
      signal,
      pool,
      onWait: (error) => waits.push(error),
    });
    expect(summary).toMatchObject({ succeeded: 1 });
    expect(waits).toMatchObject([{ code: 'BUSY', cause: busy }]);
  });

  it.each<[string, (lines: string[]) => readonly string[]]>([
    ['not JSON', () => ['{"key":']],
    ['empty', () => []],
    ['cut', (lines) => lines.slice(0, 2)],
    ['longer', (lines) => [...lines, ...lines.slice(0, 1)]],
    ['of other documents', (lines) => lines.map((line) => line.replace('00', 'xx'))],
  ])('reports outcomes at once that are %s', async (_name, damage) => {
    await fill(3);
    await batch();
    const [name = ''] = readdirSync(join(base, 'out/outcomes'));
    const file = join(base, 'out/outcomes', name);
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    writeFileSync(file, damage(lines).join('\n'));
    await expect(batch()).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
  });

  it('leaves only the outcomes of the last run of its source', async () => {
    const other = await openBlobs(join(base, 'other'), {});
    await other.put('a.txt', Buffer.from('a\n'));
    const ofOther = await runBatch({
      ...PLAN,
      source: storeSource(other, '/other'),
      destination,
      shardSize: 9,
      signal,
      pool,
    });
    await fill(3);
    await batch();
    await source.put('001.txt', Buffer.from('changed\n'));
    await source.remove('002.txt');
    const { shards: current } = await batch();
    expect(storedLines().map(({ key }) => key)).toHaveLength(3);
    expect(readdirSync(join(base, 'out/outcomes')).sort()).toEqual(
      [...current, ...ofOther.shards].map((id) => `${id}.jsonl`).sort(),
    );
    expect(JSON.parse(readFileSync(join(base, 'out/summary.json'), 'utf8'))).toMatchObject({
      documents: 2,
      shards: current,
    });
    // As if the folder were not mounted.
    rmSync(join(base, 'in'), { recursive: true });
    expect(await batch()).toMatchObject({ documents: 0 });
    expect(storedLines()).toHaveLength(3);
  });

  it('reads what did not succeed again on request, and nothing else', async () => {
    await fill(3);
    const denied = new ReaderError('ACCESS_DENIED', 'Access was denied.', 'Check the permissions.');
    const reads = new Set<string>();
    const run = (isDenied: boolean, isRetry: boolean) =>
      runBatch({
        ...PLAN,
        source: sourceOf(
          streaming(source, (key, range) => {
            if (isDenied && key === '001.txt') throw denied;
            reads.add(key);
            return source.stream(key, range);
          }),
        ),
        destination,
        shardSize: 9,
        signal,
        pool,
        isRetry,
      });
    expect(await run(true, false)).toMatchObject({ succeeded: 2, failed: 1 });
    reads.clear();
    expect(await run(false, false)).toMatchObject({ succeeded: 2, failed: 1 });
    expect(await run(false, true)).toMatchObject({ succeeded: 3, failed: 0 });
    expect([...reads]).toEqual(['001.txt']);
    expect(storedLines()).toHaveLength(3);
    expect(readdirSync(join(base, 'out'))).not.toContain('progress');
  });

  it('names what cannot be a document, and goes on', async () => {
    await fill(1);
    for (const name of ['new\nline.txt', 'esc\u001b.txt']) writeFileSync(join(base, 'in', name), 'x');
    mkdirSync(join(base, 'in/bell\u0007'));
    writeFileSync(Buffer.concat([Buffer.from(join(base, 'in/')), Buffer.from('caf\xe9.txt', 'latin1')]), 'x');
    const skipped: string[] = [];
    const summary = await runBatch({
      ...PLAN,
      source: sourceOf(source),
      destination,
      shardSize: 9,
      signal,
      pool,
      onSkipped: (name) => skipped.push(name),
    });
    expect(summary).toMatchObject({ documents: 1, succeeded: 1, skipped: 4 });
    expect(skipped.sort()).toEqual(['bell\u0007/', 'caf\ufffd.txt', 'esc\u001b.txt', 'new\nline.txt']);
  });

  it('gives an empty source an empty summary', async () => {
    expect(await batch()).toMatchObject({ documents: 0, succeeded: 0 });
  });
});

describe('a shard', () => {
  it('is named by its content', async () => {
    await fill(3);
    const shard = await onlyShard();
    expect(shardOf(shard, PLAN).id).toBe(shard.id);
    expect(shardOf(shard, { ...PLAN, request: { maxTokens: 5 } }).id).not.toBe(shard.id);
    expect(shardOf({ ...shard, documents: shard.documents.slice(1) }, PLAN).id).not.toBe(shard.id);
  });

  it('comes back from its manifest, and only unchanged', async () => {
    await fill(3);
    const shard = await onlyShard();
    const manifest = manifestOf(shard);
    expect(shardFrom(manifest)).toEqual(shard);
    for (const bad of [
      '',
      '{}',
      manifest.replace('000.txt', '009.txt'),
      manifest.slice(0, -20),
      `x\n${manifest}`,
    ])
      expect(() => shardFrom(bad)).toThrow(ReaderError);
  });

  it('is read with its own limits, wherever it is read', async () => {
    await source.put('long.txt', Buffer.from('one\ntwo\nthree\n'));
    const shard = shardOf(await onlyShard(), {
      ...PLAN,
      request: { maxTokens: 50 },
      limits: { maxLines: 1 },
    });
    expect(shard.id).not.toBe(shardOf(shard, { ...shard, limits: {} }).id);
    expect(shardFrom(manifestOf(shard))).toEqual(shard);
    const [outcome] = await runShard(shard, work());
    expect(readFileSync(join(base, 'out', outcome?.output ?? ''), 'utf8')).not.toContain('two');
  });

  it('is of one source', async () => {
    await fill(2);
    const elsewhere = { ...work(), source: storeSource(source, '/elsewhere') };
    await expect(runShard(await onlyShard(), elsewhere)).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('fails as a whole when its source is gone, or is empty as if it were not mounted', async () => {
    await fill(3);
    const shard = await onlyShard();
    renameSync(join(base, 'in'), join(base, 'gone'));
    await expect(runShard(shard, work())).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    mkdirSync(join(base, 'in'));
    await expect(runShard(shard, work())).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    rmSync(join(base, 'in'), { recursive: true });
    renameSync(join(base, 'gone'), join(base, 'in'));
    rmSync(join(base, 'in/001.txt'));
    expect(await runShard(shard, work())).toMatchObject([
      { status: 'succeeded' },
      { status: 'failed', error: { code: 'FILE_NOT_FOUND' } },
      { status: 'succeeded' },
    ]);
  });

  it('has the same outcomes when two workers run it at the same time', async () => {
    await fill(12);
    const shard = await onlyShard();
    const [one, two] = await Promise.all([runShard(shard, work()), runShard(shard, work())]);
    expect(storedLines()).toHaveLength(12);
    expect(one).toEqual(storedLines());
    expect(two).toEqual(storedLines());
  });

  it('goes on after an abort with the documents that are left', async () => {
    await fill(40);
    const shard = await onlyShard();
    const stop = new AbortController();
    let done = 0;
    const stopped = runShard(shard, {
      ...work(),
      signal: stop.signal,
      onDocument: () => {
        done += 1;
        if (done === 5) stop.abort();
      },
    });
    await expect(stopped).rejects.toMatchObject({ code: 'ABORTED' });
    // As a disk that was full leaves it.
    const progress = join(base, `out/progress/${shard.id}.jsonl`);
    writeFileSync(progress, readFileSync(progress, 'utf8').slice(0, -20));
    const reads = new Set<string>();
    const watched = streaming(source, (key, range) => {
      reads.add(key);
      return source.stream(key, range);
    });
    const outcomes = await runShard(shard, { ...work(), source: sourceOf(watched) });
    expect(outcomes.map(({ key }) => key)).toEqual(shard.documents.map(({ key }) => key));
    expect(reads.size).toBeLessThanOrEqual(36);
  });

  it('keeps a document that changed since it was listed as failed', async () => {
    await fill(2);
    await source.put('002.txt', Buffer.from(''));
    await source.put('003.txt', Buffer.from(''));
    const shard = await onlyShard();
    await source.put('001.txt', Buffer.from('other\n'));
    await source.put('003.txt', Buffer.from('no longer empty\n'));
    const outcomes = await runShard(shard, work());
    expect(outcomes).toMatchObject([
      { key: '000.txt', status: 'succeeded' },
      { key: '001.txt', status: 'failed', error: { code: 'CONFLICT' } },
      { key: '002.txt', status: 'succeeded', warnings: ['EMPTY_FILE'] },
      { key: '003.txt', status: 'failed', error: { code: 'CONFLICT' } },
    ]);
  });

  it('fails as a whole, without outcomes, while the store does not answer', async () => {
    await fill(3);
    const shard = await onlyShard();
    const down = streaming(source, () => {
      throw new ReaderError('TIMED_OUT', 'The storage service did not answer.', 'Try again later.');
    });
    await expect(runShard(shard, { ...work(), source: sourceOf(down) })).rejects.toMatchObject({
      code: 'TIMED_OUT',
    });
    expect(await runShard(shard, work())).toHaveLength(3);
    expect(storedLines().every(({ status }) => status === 'succeeded')).toBe(true);
  });

  it('keeps a document as failed that alone may not be read', async () => {
    await fill(3);
    const shard = await onlyShard();
    const denied = new ReaderError('ACCESS_DENIED', 'Access was denied.', 'Check the permissions.');
    const guarded = (isDenied: (key: string) => boolean) =>
      sourceOf(
        streaming(source, (key, range) => {
          if (isDenied(key)) throw denied;
          return source.stream(key, range);
        }),
      );
    await expect(runShard(shard, { ...work(), source: guarded(() => true) })).rejects.toBe(denied);
    const outcomes = await runShard(shard, { ...work(), source: guarded((key) => key === '001.txt') });
    expect(outcomes.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect(outcomes[1]?.error?.code).toBe('ACCESS_DENIED');
  });

  it('waits for a busy pool', async () => {
    await fill(8);
    const small = createReadPool({ limits: { maxProcesses: 1, maxQueuedReads: 0 } });
    try {
      const [shard] = await shards();
      if (!shard) throw new Error('The source is empty.');
      const halves = [shard.documents.slice(0, 4), shard.documents.slice(4)];
      const both = halves.map((documents) =>
        runShard(shardOf({ ...shard, documents }, PLAN), { ...work(), pool: small }),
      );
      const outcomes = (await Promise.all(both)).flat();
      expect(outcomes.map(({ status }) => status)).toEqual(Array(8).fill('succeeded'));
    } finally {
      await small.close();
    }
  });

  it('ends its current documents when it is drained', async () => {
    await fill(30);
    const shard = await onlyShard();
    const drain = new AbortController();
    const done: string[] = [];
    const drained = runShard(shard, {
      ...work(),
      drain: drain.signal,
      onDocument: ({ key }) => {
        done.push(key);
        if (done.length === 3) drain.abort();
      },
    });
    await expect(drained).rejects.toMatchObject({ code: 'ABORTED' });
    const before = done.length;
    expect(before).toBeLessThanOrEqual(4);
    const reads = new Set<string>();
    const watched = streaming(source, (key, range) => {
      reads.add(key);
      return source.stream(key, range);
    });
    expect(await runShard(shard, { ...work(), source: sourceOf(watched) })).toHaveLength(30);
    expect(reads.size).toBe(30 - before);
  });

  it('sets a document aside that ends every process, and goes on', async () => {
    await fill(2);
    writeFileSync(join(base, 'in', 'bomb.json'), '['.repeat(3_000_000));
    const small = createReadPool({ limits: { maxProcesses: 1 } });
    try {
      const shard = shardOf(await onlyShard(), { ...PLAN, maxReadMilliseconds: 1 });
      const outcomes = await runShard(shard, { ...work(), pool: small });
      expect(outcomes.map(({ status }) => status)).toEqual(['dead', 'dead', 'dead']);
      expect(outcomes[0]?.error?.code).toMatch(/TIMED_OUT|CRASHED/);
    } finally {
      await small.close();
    }
  });
});

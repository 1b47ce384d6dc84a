// `lectern batch` as a command: its sources, manifests, and what it refuses.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lectern } from '../support/command-line.ts';

let base: string;
let documents: string;
let texts: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-batch-'));
  documents = join(base, 'in');
  texts = join(base, 'out');
  mkdirSync(documents);
  for (let n = 0; n < 5; n += 1) writeFileSync(join(documents, `${n}.csv`), `id,name\n${n},x\n`);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const batch = (words: readonly string[], stdin?: string) =>
  lectern(['batch', ...words, '--max-processes', '1'], stdin);

interface Line {
  readonly key: string;
  readonly status: string;
  readonly output?: string;
  readonly error?: { readonly code: string };
}

const outcomes = (): Line[] =>
  readdirSync(join(texts, 'outcomes'))
    .flatMap((name) =>
      readFileSync(join(texts, 'outcomes', name), 'utf8')
        .trim()
        .split('\n'),
    )
    .map((line): Line => JSON.parse(line));

describe('a batch of a list', () => {
  it('reads each location once, and gives a missing one an outcome', async () => {
    const list = [join(documents, '3.csv'), '', join(documents, '1.csv'), join(documents, '3.csv')];
    const file = join(base, 'list.txt');
    writeFileSync(file, [...list, join(documents, 'none.csv')].join('\n'));
    const { status, out } = await batch([`@${file}`, texts, '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ documents: 3, succeeded: 2, failed: 1 });
    expect(outcomes()).toMatchObject([
      { key: join(documents, '1.csv'), status: 'succeeded' },
      { key: join(documents, '3.csv'), status: 'succeeded' },
      { key: join(documents, 'none.csv'), status: 'failed', error: { code: 'FILE_NOT_FOUND' } },
    ]);
  });

  it('comes from standard input', async () => {
    const { out } = await batch(['-', texts, '--json'], `${join(documents, '0.csv')}\r\n`);
    expect(JSON.parse(out)).toMatchObject({ documents: 1, succeeded: 1 });
  });

  it.each(['ftp://host/file', 's3://bucket', 'a\u0000b'])('refuses %j', async (line) => {
    const { status, err } = await batch(['-', texts], `${line}\n`);
    expect(status).toBe(2);
    expect(err).toContain('BAD_INPUT');
  });
});

describe('the manifests of a batch', () => {
  it('are written by --plan, and worked on one by one', async () => {
    const { out: planned } = await batch([documents, texts, '--plan', '--shard-size', '2']);
    const ids = planned.trim().split('\n');
    expect(readdirSync(join(texts, 'shards')).sort()).toEqual(ids.map((id) => `${id}.jsonl`).sort());
    const [first = '', ...others] = ids;
    const file = join(texts, 'shards', `${first}.jsonl`);
    expect((await batch([documents, texts, '--manifest', file])).status).toBe(0);
    const { out: left } = await batch([documents, texts, '--plan', '--shard-size', '2']);
    expect(left.trim().split('\n').filter(Boolean)).toEqual(others);
    for (const id of ids) expect((await batch([documents, texts, '--manifest', id])).status).toBe(0);
    expect(outcomes().map(({ key }) => key)).toHaveLength(5);
    const { out } = await batch([documents, texts, '--shard-size', '2', '--json']);
    expect(JSON.parse(out)).toMatchObject({ documents: 5, succeeded: 5 });
  });

  it('are refused if missing', async () => {
    const { status } = await batch([documents, texts, '--manifest', 'a'.repeat(64)]);
    expect(status).toBe(3);
  });
});

describe('the command', () => {
  it('writes tables in the requested format', async () => {
    await batch([documents, texts, '--format', 'markdown']);
    const [first] = outcomes();
    expect(readFileSync(join(texts, first?.output ?? ''), 'utf8')).toContain('| id | name |');
  });

  it.each([
    ['a format it does not have', () => [documents, texts, '--format', 'pdf'], 2],
    ['a destination inside the source', () => [documents, join(documents, 'texts')], 2],
    ['the source as the destination', () => [documents, documents], 2],
    ['a source that does not exist', () => [join(base, 'none'), texts], 3],
    ['a file as the source', () => [join(documents, '0.csv'), texts], 19],
    ['a list that does not exist', () => [`@${join(base, 'none')}`, texts], 3],
    ['a manifest for a queue', () => [documents, texts, '--queue', 'redis://h', '--manifest', 'm'], 2],
    ['a relative path for a queue', () => ['in', texts, '--queue', 'redis://127.0.0.1:1'], 2],
  ])('refuses %s', async (_name, words, expected) => {
    const { status, err } = await batch(words());
    expect(status, err).toBe(expected);
  });

  it('does not wait for a queue that is not there, and keeps its password', async () => {
    const port = await closedPort();
    const url = `postgres://user:secret@127.0.0.1:${port}/database`;
    const { status, err } = await batch([documents, texts, '--queue', url]);
    expect(status).toBe(5);
    expect(err).not.toContain('secret');
  });
});

/** A port that was free a moment ago. */
function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

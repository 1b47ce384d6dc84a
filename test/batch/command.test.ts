// `lectern batch` as a command: its sources, manifests, and what it refuses.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lectern } from '../support/command-line.ts';
import { plantedSecrets } from '../support/planted-secrets.mjs';
import { startS3Server } from '../support/s3-server.ts';

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

describe('a batch with `--redact`', () => {
  const secret = plantedSecrets(3, 40).find(({ kind }) => kind === 'github')?.secret ?? '';
  const stored = (): string[] =>
    outcomes().map(({ output = '' }) => readFileSync(join(texts, output), 'utf8'));

  beforeEach(() => writeFileSync(join(documents, '0.csv'), `id,token\n1,${secret}\n`));

  it('stores no secret, also of a shard that another process works on', async () => {
    await batch([documents, texts, '--redact']);
    expect(stored().filter((text) => text.includes('REDACTED-'))).toHaveLength(1);
    rmSync(texts, { recursive: true });
    const { out } = await batch([documents, texts, '--redact', '--plan']);
    await batch([documents, texts, '--manifest', out.trim()]);
    expect(stored()).toHaveLength(5);
    expect(stored().join()).not.toContain(secret);
  });

  it('is other work than one without', async () => {
    await batch([documents, texts, '--redact']);
    await batch([documents, texts]);
    expect(stored().some((text) => text.includes(secret))).toBe(true);
  });
});

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

  it.each([
    ['ftp://host/file', 'BAD_INPUT'],
    ['s3://bucket', 'BAD_INPUT'],
    ['s3://x/key', 'BAD_INPUT'],
    ['s3://bucket/docs//double.txt', 'BAD_INPUT'],
    ['a\u0000b', 'BAD_INPUT'],
    ['a\u001bb', 'BAD_INPUT'],
    [tmpdir(), 'NOT_A_FILE'],
  ])('fails the document %j, and reads the others', async (line, code) => {
    const { status } = await batch(['-', texts], `${line}\n${join(documents, '0.csv')}\n`);
    expect(status).toBe(0);
    expect(outcomes().find(({ key }) => key === line)).toMatchObject({ status: 'failed', error: { code } });
    expect(outcomes().filter((outcome) => outcome.status === 'succeeded')).toHaveLength(1);
  });

  it('refuses a file that is not a list', async () => {
    const { status } = await batch(['-', texts], 'x'.repeat(5000));
    expect(status).toBe(2);
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

  it('are refused for another source', async () => {
    const { out } = await batch([documents, texts, '--plan']);
    mkdirSync(join(base, 'other'));
    const { status, err } = await batch([join(base, 'other'), texts, '--manifest', out.trim()]);
    expect(status).toBe(2);
    expect(err).toContain(documents);
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
    ['a budget for a manifest', () => [documents, texts, '--manifest', 'm', '--max-tokens', '5'], 2],
    ['a plan of a manifest', () => [documents, texts, '--manifest', 'm', '--plan'], 2],
    ['not to wait without a queue', () => [documents, texts, '--detach'], 2],
    ['a relative path for a queue', () => ['in', texts, '--queue', 'redis://127.0.0.1:1'], 2],
  ])('refuses %s', async (_name, words, expected) => {
    const { status, err } = await batch(words());
    expect(status, err).toBe(expected);
  });

  it('refuses a destination inside the source through a link', async () => {
    symlinkSync(documents, join(base, 'link'));
    expect((await batch([documents, join(base, 'link/out')])).status).toBe(2);
    expect((await batch([join(base, 'link'), join(documents, 'out')])).status).toBe(2);
  });

  it('names a destination that cannot be written', async () => {
    const file = join(documents, '0.csv');
    mkdirSync(join(base, 'empty'));
    for (const place of [file, join(file, 'texts'), '/proc/texts']) {
      const { status, err } = await batch([join(base, 'empty'), place]);
      expect(status).not.toBe(0);
      expect(err).toContain(`The destination \`${place}\` cannot be written`);
    }
  });

  it('says at once which bucket does not exist or may not be used', async () => {
    const server = await startS3Server();
    const { environment } = server;
    try {
      for (const [from, to, name] of [
        ['s3://none-such/in', texts, 'source `s3://none-such/in`'],
        [documents, 's3://none-such/out', 'destination `s3://none-such/out`'],
      ] as const) {
        const { status, err } = await lectern(['batch', from, to], '', environment);
        expect(status).toBe(5);
        expect(err).toContain(`The ${name} cannot be`);
        expect(err).toContain('does not exist');
      }
      const wrong = { ...environment, AWS_SECRET_ACCESS_KEY: 'wrong' };
      const { status, err } = await lectern(['batch', documents, 's3://bucket/out'], '', wrong);
      expect(status).toBe(5);
      expect(err).toContain('denied access');
    } finally {
      await server.close();
    }
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

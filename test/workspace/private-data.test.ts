// Private data: no update is lost, whoever else writes and whoever is killed; what is damaged is kept and told.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPrivateData, createWorkspaceOf, type PrivateData } from '../../src/workspace/index.ts';
import { draws } from '../support/draws.ts';

// Starts and kills processes.
vi.setConfig({ testTimeout: 180_000 });

let base: string;
let data: PrivateData;
const folder = (): string => join(base, 'workspaces/_private-data/u');
const file = (suffix = ''): string => join(folder(), `s.json${suffix}`);

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-private-'));
  data = createPrivateData({ dataDir: base });
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const put = (value: unknown, revision?: number): Promise<{ readonly revision: number }> =>
  data.update('u', 's', () => value, revision === undefined ? {} : { revision });

describe('private data', () => {
  it('is missing, then stored, then deleted', async () => {
    expect(await data.read('u', 's')).toBeUndefined();
    expect(await data.list('u')).toEqual([]);
    expect(readdirSync(base)).toEqual([]);
    expect(await put({ a: 1 })).toEqual({ revision: 1, data: { a: 1 }, damaged: [] });
    expect(await data.update('u', 's', (before) => [before])).toMatchObject({
      revision: 2,
      data: [{ a: 1 }],
    });
    expect(await data.read('u', 's')).toEqual({ revision: 2, data: [{ a: 1 }], damaged: [] });
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ revision: 2, data: [{ a: 1 }] });
    expect(JSON.parse(readFileSync(file('.bak'), 'utf8'))).toEqual({ revision: 1, data: { a: 1 } });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(await data.list('u')).toEqual(['s']);
    await data.delete('u', 's');
    await data.delete('u', 's');
    expect(await data.read('u', 's')).toBeUndefined();
    expect(await data.list('u')).toEqual([]);
    expect(existsSync(file()) || existsSync(file('.bak'))).toBe(false);
    expect((await put('new', 0)).revision).toBeGreaterThan(2);
  });

  it('is compared before it is replaced', async () => {
    await put('a', 0);
    await expect(put('b', 0)).rejects.toMatchObject({ code: 'CONFLICT' });
    await put('b', 1);
    await expect(put('c', 1)).rejects.toMatchObject({ code: 'CONFLICT' });
    const late = data.update(
      'u',
      's',
      async () => {
        await put('between');
        return 'late';
      },
      { revision: 2 },
    );
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await data.read('u', 's')).toMatchObject({ data: 'between', revision: 3 });
  });

  it('is not replaced by a writer that slept while others wrote', async () => {
    await put(0);
    let runs = 0;
    const asleep = data.update('u', 's', async (before) => {
      runs += 1;
      if (runs === 1)
        for (let other = 0; other < 12; other += 1) await data.update('u', 's', (n) => Number(n) + 1);
      return Number(before) + 100;
    });
    expect(await asleep).toMatchObject({ data: 112 });
    expect(runs).toBe(2);
  });

  it('is not restored by an update in progress when it was deleted', async () => {
    await put('old');
    const late = data.update('u', 's', async (before) => {
      if (before !== undefined) await data.delete('u', 's');
      return [before];
    });
    expect(await late).toMatchObject({ data: [undefined] });
  });

  it('accepts any JSON and nothing else', async () => {
    const circular: unknown[] = [];
    circular.push(circular);
    for (const value of [undefined, () => 1, circular, 1n])
      await expect(put(value)).rejects.toMatchObject({ code: 'BAD_INPUT' });
    for (const value of [null, 0, '', [], { __proto__: 1, 'a\u2028': '\ud800' }]) {
      await put(value);
      expect(await data.read('u', 's')).toMatchObject({ data: value });
    }
    await expect(data.read('../u', 's')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(data.read('u', '_private-data')).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });

  it('is out of reach of every workspace', async () => {
    await put('secret');
    const workspace = createWorkspaceOf({ dataDir: base, user: 'u', session: 's' });
    await workspace.write('a', '');
    symlinkSync('../../_private-data/u/s.json', join(base, 'workspaces/u/s/l'));
    for (const path of ['l', '../../_private-data/u/s.json', '/workspace/../../_private-data/u/s.json'])
      await expect(workspace.open(path)).rejects.toMatchObject({ code: 'PATH_ESCAPES_WORKSPACE' });
    expect(() => createWorkspaceOf({ dataDir: base, user: '_private-data', session: 'u' })).toThrow();
  });

  it('of sessions with odd names is kept apart', async () => {
    const sessions = ['s', 's.json', 's.json.bak', 's.json.revisions', 's.json.damaged-1'];
    for (const session of sessions) await data.update('u', session, () => session);
    for (const session of sessions) await data.update('u', session, (before) => before);
    for (const session of sessions) expect(await data.read('u', session)).toMatchObject({ data: session });
    expect(await data.list('u')).toEqual([...sessions].sort());
  });
});

describe('damaged private data', () => {
  const damage = (): void => {
    for (const name of readdirSync(file('.revisions')))
      writeFileSync(join(file('.revisions'), name), '{"revisi');
    writeFileSync(file(), '{"revisi');
  };

  it('is replaced by the previous version, and kept', async () => {
    await put('one');
    await put('two');
    writeFileSync(file('.bak'), readFileSync(file('.bak'))); // its own file from here on
    rmSync(join(file('.revisions'), '1'));
    damage();
    const read = await data.read('u', 's');
    expect(read).toMatchObject({ revision: 1, data: 'one' });
    expect(read?.damaged.length).toBeGreaterThan(0);
    for (const name of read?.damaged ?? [])
      expect(readFileSync(join(folder(), name), 'utf8')).toBe('{"revisi');
    expect((await put('three', 1)).revision).toBeGreaterThan(2);
    expect(await data.read('u', 's')).toMatchObject({ data: 'three', damaged: read?.damaged });
  });

  it('without an intact version is reported until it is deleted', async () => {
    await put('one');
    damage();
    for (let round = 0; round < 2; round += 1) {
      await expect(data.read('u', 's')).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
      await expect(put('two')).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
    }
    const kept = readdirSync(folder()).filter((name) => name.includes('damaged'));
    expect(kept.length).toBeGreaterThan(0);
    await put('two', 0);
    expect(await data.read('u', 's')).toMatchObject({ data: 'two', damaged: kept });
    await data.delete('u', 's');
    expect(readdirSync(folder())).toEqual(['s.json.revisions']);
  });

  it('includes files written by hand in its place', async () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(file(), '{"revision":7,"data":{"by":"hand"}}');
    expect(await data.read('u', 's')).toMatchObject({ revision: 7, data: { by: 'hand' } });
    await put('next', 7);
    writeFileSync(file(), '{"revision":8,"data":"edited"}');
    expect(await data.read('u', 's')).toMatchObject({ revision: 8, data: 'edited' });
  });
});

describe('concurrent writers', () => {
  const WRITER = fileURLToPath(new URL('../support/private-data-writer.mjs', import.meta.url));
  interface Run {
    readonly child: ChildProcess;
    readonly begun: Promise<unknown>;
    readonly ended: Promise<number>;
  }
  const start = (times: number): Run => {
    const child = spawn(process.execPath, [WRITER, base, String(times)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let done = 0;
    child.stdout.on('data', (chunk: Buffer) => {
      done += chunk.length;
    });
    return {
      child,
      begun: once(child.stdout, 'data'),
      ended: new Promise((resolve) => child.on('close', () => resolve(done))),
    };
  };

  it('lose no update', async () => {
    const each = draws(50);
    const runs = Array.from({ length: 8 }, () => start(each));
    expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual(Array(8).fill(each));
    const count = 8 * each;
    expect(await data.read('u', 's')).toEqual({ revision: count, data: { count }, damaged: [] });
    expect(readdirSync(folder()).sort()).toEqual(['s.json', 's.json.bak', 's.json.revisions']);
  });

  it('lose no update if one is killed', async () => {
    const survivors = [start(30), start(30)];
    let killed = 0;
    for (let round = 0; round < draws(12, 4); round += 1) {
      const run = start(1000);
      // Somewhere in one of the updates that follow its first.
      await run.begun;
      await new Promise((resolve) => setTimeout(resolve, round * 17));
      run.child.kill('SIGKILL');
      killed += await run.ended;
    }
    await Promise.all(survivors.map(({ ended }) => ended));
    // Each that was killed may have made one more update than it could tell of.
    const read = await data.read('u', 's');
    const count = read?.revision ?? 0;
    expect(read?.data).toEqual({ count });
    expect(count).toBeGreaterThanOrEqual(60 + killed);
    expect(count).toBeLessThanOrEqual(60 + killed + 12);
    expect(read?.damaged).toEqual([]);
  });
});

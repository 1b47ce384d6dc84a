// What a workspace is taken to hold, whatever is written, moved and removed while it is counted.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorkspace, ReaderError, type Workspace, type WorkspaceLimits } from '../../src/index.ts';

let base: string;
const below = (): string[] => readdirSync(base, { recursive: true }).map(String).sort();

function workspaceWith(limits: Partial<WorkspaceLimits> = {}): Workspace {
  return createWorkspace({ root: base }, { limits, environment: {} });
}

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lectern-quota-'));
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

describe('a quota', () => {
  it('is kept to when files are removed while they are counted', async () => {
    for (let index = 0; index < 800; index += 1) writeFileSync(join(base, `small-${index}`), '');
    const limit = 100_000;
    for (let round = 0; round < 2; round += 1) {
      for (const name of readdirSync(base)) if (!name.startsWith('small')) rmSync(join(base, name));
      for (let index = 0; index < 9; index += 1)
        writeFileSync(join(base, `large-${index}`), 'x'.repeat(10_000));
      const workspace = workspaceWith({ maxWorkspaceBytes: limit });
      await Promise.allSettled([
        workspace.write('one', '1'),
        ...Array.from({ length: 9 }, (_, index) => workspace.remove(`large-${index}`)),
      ]);
      const answers: string[] = [];
      for (let index = 0; index < 12; index += 1)
        answers.push(
          await workspace.write(`new-${index}`, 'x'.repeat(10_000)).then(
            () => 'written',
            (error: { readonly code: string }) => error.code,
          ),
        );
      expect((await workspace.usage()).bytes).toBeLessThanOrEqual(limit);
      // What has become free is free at once.
      expect(answers.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => 'written'));
    }
  });

  it('is not widened by a file that is moved onto itself', async () => {
    const workspace = workspaceWith({ maxWorkspaceBytes: 100 });
    await workspace.write('a', 'x'.repeat(90));
    await workspace.move('a', 'a', { overwrite: true });
    await expect(workspace.write('b', 'x'.repeat(90))).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  it('counts the folders that a move makes, and leaves none when it refuses them', async () => {
    const workspace = workspaceWith({ maxWorkspaceFiles: 3 });
    await workspace.write('a', 'x');
    await expect(workspace.move('a', 'b/c/d/a')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    expect(below()).toEqual(['a']);
    await workspace.move('a', 'b/c/a');
    await expect(workspace.write('d', 'x')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
    await workspace.remove('b', { recursive: true });
    await workspace.write('d', 'x');
  });
});

describe('a move', () => {
  it('leaves no folders behind when it fails', async () => {
    const workspace = workspaceWith();
    await workspace.write('a/f', 'x');
    await expect(workspace.move('a', 'a/b/c/d')).rejects.toMatchObject({ code: 'BAD_INPUT' });
    await expect(workspace.move('none', 'b/c')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    expect(below()).toEqual(['a', 'a/f']);
  });

  it('and a write leave none behind either that a link led to', async () => {
    const workspace = workspaceWith();
    symlinkSync('b/..', join(base, 'c'));
    symlinkSync('d/../../outside', join(base, 'e'));
    await workspace.write('a', 'x');
    for (const work of [
      () => workspace.write('c', 'x'),
      () => workspace.write('e/f', 'x'),
      () => workspace.move('a', 'e/f'),
    ])
      await expect(work()).rejects.toBeInstanceOf(ReaderError);
    expect(readdirSync(base).sort()).toEqual(['a', 'c', 'e']);
  });

  it('of one file to several places at once comes to one of them', async () => {
    const workspace = workspaceWith();
    for (let round = 0; round < 10; round += 1) {
      await workspace.write('a', 'x');
      const moves = Array.from({ length: 8 }, (_, index) => workspace.move('a', `${round}-${index}`));
      const ended = await Promise.allSettled(moves);
      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const end of ended)
        if (end.status === 'rejected')
          expect(end.reason).toMatchObject({ code: 'FILE_NOT_FOUND', message: 'There is no file `a`.' });
      expect(below()).toHaveLength(round + 1);
    }
  });

  it('of a file to another name that it has leaves that name alone', async () => {
    const workspace = workspaceWith();
    await workspace.write('a', 'x');
    linkSync(join(base, 'a'), join(base, 'b'));
    await expect(workspace.move('a', 'b')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    await workspace.move('a', 'b', { overwrite: true });
    expect(below()).toEqual(['b']);
  });
});

describe('folders that may not be entered or listed', () => {
  // Root may do everything: it steps down for as long as the work takes.
  const asNobody = async (work: () => Promise<void>): Promise<void> => {
    if (process.getuid?.() !== 0) return work();
    chownSync(base, 65534, 65534);
    process.seteuid?.(65534);
    try {
      await work();
    } finally {
      process.seteuid?.(0);
    }
  };

  it('count nothing, and keep nobody from writing elsewhere', () =>
    asNobody(async () => {
      const workspace = workspaceWith({ maxWorkspaceBytes: 1000 });
      await workspace.write('d/e/f', 'x');
      for (const mode of [0o444, 0o600, 0o000, 0o111]) {
        chmodSync(join(base, 'd'), mode);
        const fresh = workspaceWith({ maxWorkspaceBytes: 1000 });
        expect((await fresh.usage()).bytes).toBeLessThan(2);
        await fresh.write('g', 'y', { overwrite: true });
      }
      chmodSync(join(base, 'd'), 0o700);
    }));

  it('take what is written to them where that is allowed, and the answer says so', () =>
    asNobody(async () => {
      const workspace = workspaceWith();
      await workspace.write('d/f', 'x');
      await workspace.write('g', 'y');
      chmodSync(join(base, 'd'), 0o300);
      await workspace.write('d/h', 'z');
      await workspace.move('g', 'd/g');
      await workspace.remove('d/f');
      chmodSync(join(base, 'd'), 0o700);
      expect(below()).toEqual(['d', 'd/g', 'd/h']);
    }));

  it('are not removed, and it is told which', () =>
    asNobody(async () => {
      const workspace = workspaceWith();
      await workspace.write('d/e/f', 'x');
      chmodSync(join(base, 'd/e'), 0o000);
      await expect(workspace.remove('d', { recursive: true })).rejects.toMatchObject({
        code: 'ACCESS_DENIED',
        message: '`d/e` is not empty, and this process may not enter it.',
      });
      chmodSync(join(base, 'd/e'), 0o700);
    }));
});

describe('text that comes in pieces', () => {
  it('is written whole where two of them share a character', async () => {
    const workspace = workspaceWith();
    await workspace.write('a', Readable.from(['x\ud83d', '\ude00', '\ud83d', '\ude00y']));
    expect(readFileSync(join(base, 'a'), 'utf8')).toBe('x😀😀y');
  });
});

describe('what is no text', () => {
  it('is refused as a pattern, a query, a cursor and a sha256', async () => {
    const workspace = workspaceWith();
    await workspace.write('a', 'x');
    const number = 5 as unknown as string; // as a caller without types may pass it
    for (const work of [
      () => workspace.glob(number),
      () => workspace.search(number),
      () => workspace.search('x', { glob: number }),
      () => workspace.search('x', { cursor: number }),
      () => workspace.list('', { cursor: number }),
      () => workspace.write('a', 'y', { ifSha256: number }),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'BAD_INPUT' });
  });
});

describe('a process with as many files open as it may have', () => {
  it('is told so, whatever it asks for', () => {
    // In a process of its own, whose bound is low.
    const script = `
      import { openSync, closeSync } from 'node:fs';
      import { createWorkspace } from '${new URL('../../dist/src/index.js', import.meta.url).href}';
      const workspace = createWorkspace({ root: process.argv[1] }, { environment: {} });
      await workspace.write('a', 'x');
      await workspace.list();
      const held = [];
      try { for (;;) held.push(openSync('/dev/null', 'r')); } catch {}
      for (let free = 0; free < 2; free += 1) {
        for (const work of [() => workspace.list(), () => workspace.open('a'), () => workspace.usage(), () => workspace.write('b', 'x')])
          await work().then(() => console.log('done'), (error) => console.log(error.code));
        closeSync(held.pop());
      }`;
    const told = execFileSync(
      'sh',
      ['-c', 'ulimit -n 128; exec "$0" --input-type=module -e "$1" "$2"', process.execPath, script, base],
      { encoding: 'utf8' },
    );
    expect([...new Set(told.trim().split('\n'))]).toEqual(['BUSY']);
  });
});

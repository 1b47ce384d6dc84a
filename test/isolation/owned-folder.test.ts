// Folders of processes: which ones are removed as abandoned, and which stay.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownedFolder, removeAbandoned } from '../../src/isolation/index.ts';

const PREFIX = 'test-child-';
const ID = '00000000-0000-4000-8000-000000000000';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'owned-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

function left(name: string, hoursAgo = 0): string {
  const path = join(parent, name);
  mkdirSync(path);
  writeFileSync(join(path, 'file'), 'bytes');
  const time = new Date(Date.now() - hoursAgo * 3_600_000);
  utimesSync(path, time, time);
  return path;
}

async function place(): Promise<string> {
  const folder = await ownedFolder(parent, '');
  await folder.remove();
  return basename(folder.path).split('--')[0] ?? '';
}

it('keeps the folders of living processes, and removes those of dead ones', async () => {
  const here = await place();
  const abandoned = [
    left(`${PREFIX}${here}--999999999--1--${ID}`),
    left(`${PREFIX}${here}--${process.pid}--1--${ID}`),
    left(`${PREFIX}${here}--${process.ppid}--1--${ID}`),
  ];
  // A folder of this process that another copy of this module made, however old.
  const own = await ownedFolder(parent, PREFIX);
  const copy = left(basename(own.path).replace(/[\da-f-]{36}$/, ID), 48);
  await removeAbandoned(parent, PREFIX);
  expect(abandoned.filter((path) => existsSync(path))).toEqual([]);
  expect([own.path, copy].filter((path) => !existsSync(path))).toEqual([]);
  await own.remove();
  expect(existsSync(own.path)).toBe(false);
});

it('waits a day for processes of another host or namespace', async () => {
  const here = await place();
  const abandoned = [left(`${PREFIX}elsewhere--1--1--${ID}`, 25), left(`${PREFIX}${here}0--1--1--${ID}`, 25)];
  const waiting = [left(`${PREFIX}elsewhere--2--1--${ID}`, 23), left(`${PREFIX}${here}0--2--1--${ID}`, 23)];
  await removeAbandoned(parent, PREFIX);
  expect(abandoned.filter((path) => existsSync(path))).toEqual([]);
  expect(waiting.filter((path) => !existsSync(path))).toEqual([]);
});

it('touches nothing else, and follows no link', async () => {
  const here = await place();
  const other = left('other', 48);
  const names = [`${PREFIX}no-owner`, `${here}--999999999--1--${ID}`, `${PREFIX}${here}--1--1--short`];
  for (const name of names) left(name, 48);
  symlinkSync(other, join(parent, `${PREFIX}${here}--999999999--2--${ID}`));
  await removeAbandoned(parent, PREFIX);
  expect(readdirSync(parent)).toHaveLength(names.length + 2);
  expect(readdirSync(other)).toEqual(['file']);
});

it('finds nothing where there is no folder', async () => {
  await expect(removeAbandoned(join(parent, 'missing'), PREFIX)).rejects.toMatchObject({ code: 'ENOENT' });
});

import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { uploadFolder } from '../../src/service/upload-folder.ts';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'lectern-uploads-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

const ID = '00000000-0000-4000-8000-000000000000';

function left(name: string, hoursAgo = 0): string {
  const path = join(parent, name);
  mkdirSync(path);
  writeFileSync(join(path, 'upload'), 'bytes');
  const time = new Date(Date.now() - hoursAgo * 3_600_000);
  utimesSync(path, time, time);
  return path;
}

it('removes only files of dead processes', async () => {
  const owner = await uploadFolder(parent);
  const [host = ''] = basename(owner.path).split('--');
  await owner.remove();
  const dead = left(`${host}--999999999--1--${ID}`);
  const sameNumber = left(`${host}--${process.pid}--1--${ID}`);
  const numberTaken = left(`${host}--${process.ppid}--1--${ID}`);
  const otherOld = left(`elsewhere--1--1--${ID}`, 25);
  const other = left(`elsewhere--2--1--${ID}`, 23);
  const foreign = left('foreign');
  const first = await uploadFolder(parent);
  expect([dead, sameNumber, numberTaken, otherOld].filter((path) => existsSync(path))).toEqual([]);
  expect([other, foreign, first.path].filter((path) => !existsSync(path))).toEqual([]);

  const second = await uploadFolder(parent);
  expect(existsSync(first.path)).toBe(true);
  await first.remove();
  await second.remove();
  expect(readdirSync(parent).sort()).toEqual([`elsewhere--2--1--${ID}`, 'foreign']);
});

// Sound cut by a program of the host: with the program missing, failing or flooding. That the real one cuts true is in
// `test/corpus/audio.test.ts`.

import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createFfmpeg } from '../../src/media/ffmpeg.ts';
import { memorySource } from '../support/context.ts';

const folder = mkdtempSync(join(tmpdir(), 'lectern-media-test-'));
// What is made for others at the same time lies elsewhere.
const temporary = mkdtempSync(join(folder, 'temporary-'));
beforeAll(() => vi.stubEnv('TMPDIR', temporary));
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function program(script: string): string {
  const path = join(folder, `p${readdirSync(folder).length}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o700);
  return path;
}

const STRETCH = { container: 'mp4', from: 1, to: 3, maxBytes: 1_000_000 } as const;
const cut = (name: string, signal = new AbortController().signal) =>
  createFfmpeg(name).cut(memorySource('not sound', 'a.m4a'), STRETCH, signal);

it('a missing program is named', async () => {
  await expect(cut(join(folder, 'none'))).rejects.toMatchObject({ code: 'MISSING_DEPENDENCY' });
});

it('a program that says nothing gives no sound', async () => {
  await expect(cut(program('exit 1'))).rejects.toMatchObject({ code: 'CORRUPT_FILE' });
});

it('takes no more than was asked for, under a header that says so', async () => {
  const { data, mimeType, seconds } = await cut(program('cat /dev/zero'));
  expect(mimeType).toBe('audio/wav');
  expect(seconds).toBe(2);
  expect(Buffer.from(data).readUInt32LE(40)).toBe(data.length - 44);
  expect(data.length).toBe(44 + 2 * 48_000 * 4);
});

it('tells the program what the file is, and keeps it from the network', async () => {
  const told = join(folder, 'told');
  await cut(program(`echo "$@" > ${told}; printf abcd`));
  expect(readFileSync(told, 'utf8')).toMatch(/-protocol_whitelist file,pipe -f mov -ss 1 -t 2 -i file:/);
});

it('ends the program when the read is cancelled, and leaves nothing behind', async () => {
  const controller = new AbortController();
  const begun = join(folder, 'begun');
  const cutting = expect(
    cut(program(`echo > ${begun}; exec sleep 600`), controller.signal),
  ).rejects.toMatchObject({ code: 'ABORTED' });
  await expect.poll(() => existsSync(begun), { timeout: 60_000 }).toBe(true);
  expect(readdirSync(temporary)).toEqual([expect.stringMatching(/^lectern-sound-/)]);
  controller.abort();
  await cutting;
  expect(readdirSync(temporary)).toEqual([]);
});

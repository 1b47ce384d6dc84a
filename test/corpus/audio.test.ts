// Durations and cuts against ffmpeg and ffprobe, over a corpus folder of recordings. Needs both programs.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { createReader } from '../../src/index.ts';
import { walk } from '../support/walk.ts';

// Works through real files.
vi.setConfig({ testTimeout: 180_000 });

const CORPUS = process.env['LECTERN_CORPUS'];
const folder = CORPUS === undefined ? '' : join(CORPUS, 'audio');
const files = CORPUS === undefined ? [] : soundsIn(folder);
const reader = createReader({ environment: {} });
const made = mkdtempSync(join(tmpdir(), 'lectern-audio-'));
afterAll(() => rmSync(made, { recursive: true }));

function soundsIn(path: string): string[] {
  return readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !/\.(?:md|txt)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
}

/** What ffprobe takes the duration to be; undefined when it cannot read the file. */
function probed(path: string): number | undefined {
  const words = ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', path];
  const seconds = Number.parseFloat(spawnSync('ffprobe', words, { encoding: 'utf8' }).stdout);
  return Number.isFinite(seconds) ? seconds : undefined;
}

/** Seconds that ffmpeg decodes, and what it complains about. */
function played(data: Uint8Array): { seconds: number; complaint: string } {
  const path = join(made, 'clip');
  writeFileSync(path, data);
  const words = ['-v', 'error', '-i', path, '-f', 's16le', '-ac', '1', '-ar', '48000', '-'];
  const { stdout, stderr } = spawnSync('ffmpeg', words, { maxBuffer: 2 ** 28 });
  return { seconds: stdout.length / 2 / 48_000, complaint: stderr.toString() };
}

describe.runIf(CORPUS)('durations', () => {
  it.each(files.map((path) => [path.slice(folder.length + 1), path]))(
    'reads the duration of %s',
    async (_name, path) => {
      const facts = await reader.inspect(path);
      const seconds = probed(path);
      if (seconds === undefined) {
        expect(facts).toMatchObject({ success: false, error: { code: 'CORRUPT_FILE' } });
        return;
      }
      expect(facts).toMatchObject({ success: true });
      expect(Math.abs(Number(facts.metadata['duration']) - seconds)).toBeLessThan(0.1);
    },
  );
});

const KINDS: readonly (readonly [name: string, words: string])[] = [
  ['a.wav', '-c:a pcm_s24le'],
  ['alaw.wav', '-c:a pcm_alaw'],
  ['adpcm.wav', '-c:a adpcm_ima_wav'],
  ['a.aiff', ''],
  ['a.au', ''],
  ['cbr.mp3', '-b:a 128k'],
  ['vbr.mp3', '-q:a 4'],
  ['tiny.mp3', '-b:a 8k -ar 8000 -ac 1'],
  ['a.mp2', '-b:a 192k'],
  ['a.aac', '-f adts'],
  ['a.ogg', '-c:a libvorbis'],
  ['a.opus', '-c:a libopus'],
  ['a.flac', ''],
  ['hi.flac', '-sample_fmt s32 -ar 96000'],
  ['a.m4a', ''],
  ['a.webm', '-c:a libopus'],
  ['a.wma', '-c:a wmav2'],
  ['a.wv', '-c:a wavpack'],
];

describe.runIf(CORPUS)('samples play, and last what they say', () => {
  it.each(KINDS)(
    '%s',
    async (name, words) => {
      const path = join(made, name);
      const tone = ['-f', 'lavfi', '-i', 'anoisesrc=d=47.3:r=44100:a=0.3:seed=7', '-ac', '2'];
      spawnSync('ffmpeg', ['-v', 'error', '-y', ...tone, ...words.split(' ').filter(Boolean), path]);
      const answers = await walk(reader, () => path);
      const spans: { from: number; to: number }[] = [];
      for (const { content, metadata } of answers) {
        const samples: unknown = metadata['samples'];
        const told = Array.isArray(samples) ? samples : [];
        const parts = content.filter((part) => part.kind === 'binary');
        expect(told).toHaveLength(parts.length);
        for (const [i, { data }] of parts.entries()) {
          const { seconds, complaint } = played(data);
          expect(complaint).toBe('');
          expect(Math.abs(seconds - told[i].duration)).toBeLessThan(0.05);
          spans.push(told[i]);
        }
      }
      spans.sort((a, b) => a.from - b.from);
      let end = 0;
      for (const { from, to } of spans) {
        // A decoder may come in a frame late where ffmpeg has cut.
        expect(from - end).toBeLessThan(0.15);
        end = to;
      }
      expect(Math.abs(end - (probed(path) ?? 0))).toBeLessThan(name === 'a.aac' ? 5 : 0.1);
    },
    60_000,
  );
});

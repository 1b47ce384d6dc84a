// Cuts sound with ffmpeg, an optional program of the host. It is started without a shell, told the container,
// restricted to files and pipes, and killed at a deadline. The file is put in a private folder that is removed
// afterwards.

import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Bytes,
  type MediaTools,
  ReaderError,
  type Sound,
  type SoundContainer,
  type SoundStretch,
  type Source,
  throwIfAborted,
} from '../contract/index.ts';
import { runProgram } from './program.ts';

/**
 * ffmpeg's names of the containers. The container is always specified, because a disguised playlist would open other
 * files.
 */
const DEMUXER: Readonly<Record<SoundContainer, string>> = {
  mp4: 'mov',
  matroska: 'matroska',
  ogg: 'ogg',
  flac: 'flac',
  asf: 'asf',
  mp3: 'mp3',
  aac: 'aac',
  wav: 'wav',
  aiff: 'aiff',
  ape: 'ape',
  wavpack: 'wv',
  dsf: 'dsf',
  caf: 'caf',
  amr: 'amr',
};

const DEADLINE_MS = 30_000;
const MAX_RATE = 48_000;
const MIN_RATE = 8000;
const CHANNELS = 2;
const BYTES_PER_SAMPLE = 2;
/** A WAV header of 44 bytes. */
const HEADER_BYTES: Bytes = 44;

/** The tools over `program` (default: `ffmpeg` on the path). Starts nothing until used. */
export function createFfmpeg(program = 'ffmpeg'): MediaTools {
  return {
    async cut(source, stretch, signal) {
      const folder = await mkdtemp(join(tmpdir(), 'lectern-sound-'));
      try {
        const path = join(folder, 'sound');
        await write(source, path, signal);
        return await run(program, path, stretch, signal);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

async function write(source: Source, path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of source.chunks()) {
      throwIfAborted(signal);
      await file.write(chunk);
    }
  } finally {
    await file.close();
  }
}

async function run(
  program: string,
  path: string,
  { container, from, to, maxBytes }: SoundStretch,
  signal: AbortSignal,
): Promise<Sound> {
  const seconds = Math.max(0, to - from);
  const frames = Math.floor((maxBytes - HEADER_BYTES) / (CHANNELS * BYTES_PER_SAMPLE));
  const rate = Math.min(MAX_RATE, Math.max(MIN_RATE, Math.floor(frames / Math.max(1, Math.ceil(seconds)))));
  const most = Math.ceil(seconds * rate) * CHANNELS * BYTES_PER_SAMPLE;
  const samples = await collect(
    program,
    [
      ['-nostdin', '-hide_banner', '-v', 'error', '-threads', '1'],
      ['-protocol_whitelist', 'file,pipe', '-f', DEMUXER[container]],
      ['-ss', String(from), '-t', String(seconds), '-i', `file:${path}`],
      ['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1'],
      ['-ac', String(CHANNELS), '-ar', String(rate), '-f', 's16le', 'pipe:1'],
    ].flat(),
    most,
    signal,
  );
  const frame = CHANNELS * BYTES_PER_SAMPLE;
  const whole = samples.subarray(0, samples.length - (samples.length % frame));
  if (whole.length === 0) throw nothingDecoded();
  return {
    data: Buffer.concat([header(whole.length, rate), whole]),
    mimeType: 'audio/wav',
    seconds: whole.length / frame / rate,
  };
}

/**
 * At most `most` bytes of the program's output. @throws {ReaderError} MISSING_DEPENDENCY, ABORTED, TIMED_OUT,
 * CORRUPT_FILE
 */
async function collect(
  program: string,
  words: readonly string[],
  most: Bytes,
  signal: AbortSignal,
): Promise<Buffer> {
  const { output, complaint } = await runProgram(program, words, {
    most,
    deadlineMs: DEADLINE_MS,
    signal,
    missing: {
      message: 'Cutting this recording needs the program `ffmpeg`, which could not be started.',
      hint: 'Install ffmpeg and read the file again.',
    },
    late: 'Cut the recording with another program.',
  });
  if (output.length === 0) throw nothingDecoded(complaint);
  return output;
}

const nothingDecoded = (cause?: string): ReaderError =>
  new ReaderError(
    'CORRUPT_FILE',
    'No sound could be decoded in the requested range; the file may be damaged or truncated.',
    'Check that the file was saved or transferred completely.',
    cause,
  );

/** RIFF WAVE header for 16-bit samples. */
function header(length: Bytes, rate: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const frame = CHANNELS * BYTES_PER_SAMPLE;
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(HEADER_BYTES - 8 + length, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(CHANNELS, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * frame, 28);
  bytes.writeUInt16LE(frame, 32);
  bytes.writeUInt16LE(BYTES_PER_SAMPLE * 8, 34);
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(length, 40);
  return bytes;
}

// AAC in ADTS frames (ISO/IEC 14496-3, 1.A.2): duration, and clips of whole frames.

import type { Bytes } from '../../src/contract/index.ts';
import { joined, type SourceBytes } from './bytes.ts';
import type { Clip, Recording } from './recording.ts';

const SAMPLE_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000, 7350,
];
const PROFILES = ['AAC Main', 'AAC LC', 'AAC SSR', 'AAC LTP'];
const MARK_EVERY = 64;
/** Maximum garbage to skip between two frames. */
const MAX_GAP: Bytes = 64 * 1024;

interface Frame {
  readonly length: Bytes;
  /** Blocks of 1024 samples. */
  readonly blocks: number;
  readonly rate: number;
  readonly channels: number;
  readonly profile: number;
}

function frameAt(bytes: Uint8Array, at: number): Frame | undefined {
  if (at + 7 > bytes.length || bytes[at] !== 0xff || ((bytes[at + 1] ?? 0) & 0xf6) !== 0xf0) return undefined;
  const b2 = bytes[at + 2] ?? 0;
  const b3 = bytes[at + 3] ?? 0;
  const rate = SAMPLE_RATES[(b2 >> 2) & 15];
  const length = ((b3 & 3) << 11) | ((bytes[at + 4] ?? 0) << 3) | ((bytes[at + 5] ?? 0) >> 5);
  if (rate === undefined || length < 7) return undefined;
  const channels = ((b2 & 1) << 2) | (b3 >> 6);
  return { length, blocks: ((bytes[at + 6] ?? 0) & 3) + 1, rate, channels, profile: b2 >> 6 };
}

interface Walk {
  readonly first: Frame;
  readonly blocks: number;
  readonly bytes: Bytes;
  /** Position of every 64th frame, with the number of blocks before it. */
  readonly marks: readonly { readonly at: Bytes; readonly blocks: number }[];
}

async function walkFrames(bytes: SourceBytes): Promise<Walk | undefined> {
  let at = 0;
  let first: Frame | undefined;
  let blocks = 0;
  let total = 0;
  let frames = 0;
  let gap = 0;
  const marks: { at: Bytes; blocks: number }[] = [];
  while (at < bytes.size) {
    const near = bytes.at(at, 7);
    const frame = frameAt(near instanceof Uint8Array ? near : await near, 0);
    if (!frame || (first && frame.rate !== first.rate)) {
      gap += 1;
      if (gap > MAX_GAP) break;
      at += 1;
      continue;
    }
    if (at + frame.length > bytes.size) break;
    gap = 0;
    first ??= frame;
    if (frames % MARK_EVERY === 0) marks.push({ at, blocks });
    frames += 1;
    blocks += frame.blocks;
    total += frame.length;
    at += frame.length;
  }
  return first && { first, blocks, bytes: total, marks };
}

/** The recording, or undefined if there is no frame. */
export async function openAdts(bytes: SourceBytes): Promise<Recording | undefined> {
  const walk = await walkFrames(bytes);
  if (!walk) return undefined;
  const { first, blocks } = walk;
  const seconds = (blocks * 1024) / first.rate;
  return {
    container: 'aac',
    mimeType: 'audio/aac',
    seconds,
    codec: PROFILES[first.profile],
    sampleRate: first.rate,
    ...(first.channels > 0 && { channels: first.channels === 7 ? 8 : first.channels }),
    soundBytes: walk.bytes,
    bytesPerSecond: walk.bytes / seconds,
    cut: (from, to) => cut(bytes, walk, from, to),
  };
}

async function cut(
  bytes: SourceBytes,
  { first, blocks, marks }: Walk,
  from: number,
  to: number,
): Promise<Clip> {
  const perSecond = first.rate / 1024;
  const begin = Math.min(blocks - 1, Math.floor(from * perSecond + 1e-6));
  const end = Math.max(begin + 1, Math.min(blocks, Math.round(to * perSecond)));
  let mark = marks[0];
  for (const candidate of marks) if (candidate.blocks <= begin) mark = candidate;
  let at = mark?.at ?? 0;
  let passed = mark?.blocks ?? 0;
  let start: number | undefined;
  const pieces: Uint8Array[] = [];
  while (passed < end && at < bytes.size) {
    const frame = frameAt(await bytes.at(at, 7), 0);
    if (!frame || frame.rate !== first.rate) {
      at += 1;
      continue;
    }
    if (passed + frame.blocks > begin) {
      start ??= passed;
      pieces.push(new Uint8Array(await bytes.at(at, frame.length)));
    }
    passed += frame.blocks;
    at += frame.length;
  }
  return {
    data: joined(pieces),
    mimeType: 'audio/aac',
    from: (start ?? begin) / perSecond,
    to: passed / perSecond,
  };
}

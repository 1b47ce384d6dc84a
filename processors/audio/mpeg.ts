// MPEG audio frames (ISO/IEC 11172-3 and 13818-3: MP1, MP2, MP3): parses headers, and walks a file's frames to count
// them and record their positions. Decodes nothing.

import type { Bytes } from '../../src/contract/index.ts';
import { type SourceBytes, says } from './bytes.ts';

/** A parsed frame header. */
export interface FrameHeader {
  readonly version: 1 | 2 | 2.5;
  readonly layer: 1 | 2 | 3;
  readonly bitrate: number;
  readonly sampleRate: number;
  readonly channels: 1 | 2;
  readonly length: Bytes;
  readonly samples: number;
  /** True if a two-byte checksum follows the header. */
  readonly checked: boolean;
}

/** kbit/s by index; 0 is the free format, which is not supported. */
const BITRATES: Readonly<Record<string, readonly number[]>> = {
  '1-1': [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  '1-2': [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  '1-3': [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  '2-1': [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  '2-2': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  '2-3': [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const SAMPLE_RATES = [44_100, 48_000, 32_000];

/** Valid bitrates of such a frame in kbit/s, ascending. */
export function bitratesOf({ version, layer }: Pick<FrameHeader, 'version' | 'layer'>): readonly number[] {
  return BITRATES[`${version === 1 ? 1 : 2}-${layer}`] ?? [];
}

/** Length in bytes of such a frame at `kilobits` kbit/s, without padding. */
export function frameLength(
  { version, layer, sampleRate }: Pick<FrameHeader, 'version' | 'layer' | 'sampleRate'>,
  kilobits: number,
): Bytes {
  if (layer === 1) return Math.floor((12_000 * kilobits) / sampleRate) * 4;
  return Math.floor(((layer === 3 && version !== 1 ? 72_000 : 144_000) * kilobits) / sampleRate);
}

/** The header at `at`, or undefined if there is none. */
export function frameHeader(bytes: Uint8Array, at: number): FrameHeader | undefined {
  const b1 = bytes[at + 1] ?? 0;
  const b2 = bytes[at + 2] ?? 0;
  if (bytes[at] !== 0xff || (b1 & 0xe0) !== 0xe0 || at + 4 > bytes.length) return undefined;
  const version = ([2.5, undefined, 2, 1] as const)[(b1 >> 3) & 3];
  const layer = ([undefined, 3, 2, 1] as const)[(b1 >> 1) & 3];
  const rate = SAMPLE_RATES[(b2 >> 2) & 3];
  if (version === undefined || layer === undefined || rate === undefined) return undefined;
  const sampleRate = rate / (version === 1 ? 1 : version === 2 ? 2 : 4);
  const bitrate = bitratesOf({ version, layer })[b2 >> 4];
  if (!bitrate) return undefined;
  const padding = ((b2 >> 1) & 1) * (layer === 1 ? 4 : 1);
  return {
    version,
    layer,
    bitrate,
    sampleRate,
    channels: (bytes[at + 3] ?? 0) >> 6 === 3 ? 1 : 2,
    length: frameLength({ version, layer, sampleRate }, bitrate) + padding,
    samples: layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1152,
    checked: (b1 & 1) === 0,
  };
}

const alike = (a: FrameHeader, b: FrameHeader): boolean =>
  a.version === b.version && a.layer === b.layer && a.sampleRate === b.sampleRate;

/** Offset of the first frame that is followed by a matching one, within `most` bytes; -1 if there is none. */
export function confirmedFrame(bytes: Uint8Array, most: number): number {
  const end = Math.min(bytes.length - 4, most);
  for (let at = bytes.indexOf(0xff); at >= 0 && at < end; at = bytes.indexOf(0xff, at + 1)) {
    const first = frameHeader(bytes, at);
    if (!first) continue;
    const second = frameHeader(bytes, at + first.length);
    if (second && alike(first, second)) return at;
  }
  return -1;
}

/** Bytes of side information in a Layer III frame. */
export function sideInfoLength({ version, channels }: FrameHeader): Bytes {
  return version === 1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17;
}

/** The result of walking a file's frames. */
export interface FrameWalk {
  readonly first: FrameHeader;
  /** Position of the first audio frame. */
  readonly start: Bytes;
  /** Number of audio frames. */
  readonly count: number;
  /** Total bytes of the audio frames. */
  readonly bytes: Bytes;
  /** Number of frames stated in an info frame (Xing, VBRI). */
  readonly declared: number | undefined;
  /** Position of every 64th frame. */
  readonly marks: readonly Bytes[];
}

/** Frames from one mark to the next. */
export const MARK_EVERY = 64;
/** Bytes to search for a frame, at the start and wherever the sequence of frames breaks. */
const MAX_GAP: Bytes = 256 * 1024;

/** Walks all frames from `from` on; undefined if there is none within 256 KiB. Reads the file once. */
export async function walkFrames(bytes: SourceBytes, from: Bytes): Promise<FrameWalk | undefined> {
  let at = await findFrame(bytes, from, undefined);
  if (at === undefined) return undefined;
  const first = frameHeader(await bytes.at(at, 4), 0);
  if (!first) return undefined;
  const declared = declaredFrames(await bytes.at(at, Math.min(first.length, 256)), first);
  if (declared !== undefined) at += first.length;
  const start = at;
  const marks: Bytes[] = [];
  let count = 0;
  let total = 0;
  while (at < bytes.size) {
    const near = bytes.at(at, 4);
    const header = frameHeader(near instanceof Uint8Array ? near : await near, 0);
    if (!header || !alike(first, header)) {
      const next = await findFrame(bytes, at + 1, first);
      if (next === undefined) break;
      at = next;
      continue;
    }
    if (at + header.length > bytes.size) break;
    if (count % MARK_EVERY === 0) marks.push(at);
    count += 1;
    total += header.length;
    at += header.length;
  }
  return { first, start, count, bytes: total, declared, marks };
}

/** Position of the next confirmed frame. */
async function findFrame(
  bytes: SourceBytes,
  from: Bytes,
  like: FrameHeader | undefined,
): Promise<Bytes | undefined> {
  // A frame has at most 2881 bytes, so this includes the header after the last candidate.
  const piece = await bytes.at(from, MAX_GAP + 4096);
  const end = Math.min(piece.length, MAX_GAP);
  for (let at = piece.indexOf(0xff); at >= 0 && at < end; at = piece.indexOf(0xff, at + 1)) {
    const header = frameHeader(piece, at);
    if (!header || (like && !alike(like, header))) continue;
    const after = frameHeader(piece, at + header.length);
    if ((after && alike(header, after)) || from + at + header.length === bytes.size) return from + at;
  }
  return undefined;
}

/** The number of frames stated in an info frame (Xing and VBRI headers, as documented by their makers). */
function declaredFrames(frame: Uint8Array, header: FrameHeader): number | undefined {
  if (header.layer !== 3) return undefined;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const at = 4 + (header.checked ? 2 : 0) + sideInfoLength(header);
  if ((says(frame, at, 'Xing') || says(frame, at, 'Info')) && at + 12 <= frame.length)
    return (view.getUint32(at + 4) & 1) === 1 ? view.getUint32(at + 8) : 0;
  if (says(frame, 36, 'VBRI') && frame.length >= 36 + 18) return view.getUint32(36 + 14);
  return undefined;
}

/** Position of audio frame `number` (0-based). */
export async function frameStart(bytes: SourceBytes, walk: FrameWalk, number: number): Promise<Bytes> {
  let at = walk.marks[Math.floor(number / MARK_EVERY)] ?? walk.start;
  for (let left = number % MARK_EVERY; left > 0; left -= 1) at = await nextFrame(bytes, walk, at);
  return at;
}

/** Position of the frame after the one at `at`; past the end if it is the last. */
export async function nextFrame(bytes: SourceBytes, walk: FrameWalk, at: Bytes): Promise<Bytes> {
  const header = frameHeader(await bytes.at(at, 4), 0);
  const next = at + (header?.length ?? 4);
  const following = frameHeader(await bytes.at(next, 4), 0);
  if (following && alike(walk.first, following)) return next;
  return (await findFrame(bytes, next, walk.first)) ?? bytes.size;
}

// FLAC files (RFC 9639): duration, and clips of whole frames, renumbered.

import type { Bytes } from '../../src/contract/index.ts';
import { joined, type SourceBytes } from './bytes.ts';
import { readComments } from './comments.ts';
import type { Clip, Recording, Tags } from './recording.ts';

const MAX_BLOCKS = 1000;
const MAX_COMMENT_BYTES: Bytes = 64 * 1024;
const STREAMINFO_BYTES: Bytes = 34;
/** Bytes to search for a frame; the largest frame of the streamable subset has about 300 KiB. */
const MAX_GAP: Bytes = 1024 * 1024;
const USUAL_FRAME: Bytes = 32 * 1024;
/** Headers to try for a frame that another follows: noise of 1 MiB holds about one false one. */
const MAX_CANDIDATES = 16;

/** The fields of STREAMINFO (RFC 9639, 8.2). */
export interface StreamInfo {
  readonly bytes: Uint8Array;
  readonly sampleRate: number;
  readonly channels: number;
  readonly bits: number;
  /** Samples per channel; 0 means unknown. */
  readonly samples: number;
  readonly minBlock: number;
  readonly maxBlock: number;
}

export function streamInfo(bytes: Uint8Array): StreamInfo | undefined {
  if (bytes.length < STREAMINFO_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, STREAMINFO_BYTES);
  const packed = view.getUint32(10);
  const sampleRate = packed >>> 12;
  return {
    bytes: bytes.slice(0, STREAMINFO_BYTES),
    sampleRate,
    channels: ((packed >>> 9) & 7) + 1,
    bits: ((packed >>> 4) & 31) + 1,
    samples: (packed & 15) * 2 ** 32 + view.getUint32(14),
    minBlock: view.getUint16(0),
    maxBlock: view.getUint16(2),
  };
}

/** The recording, or undefined without a STREAMINFO block, or if a stream that states samples has no frame. */
export async function openFlac(bytes: SourceBytes): Promise<Recording | undefined> {
  let at = 4;
  let info: StreamInfo | undefined;
  let tags: Tags = {};
  for (let step = 0; step < MAX_BLOCKS; step += 1) {
    const head = await bytes.view(at, 4);
    if (head.byteLength < 4) break;
    const type = head.getUint8(0);
    const length = head.getUint32(0) & 0xffffff;
    if ((type & 0x7f) === 0)
      info ??= streamInfo(await bytes.copy(at + 4, Math.min(length, STREAMINFO_BYTES)));
    if ((type & 0x7f) === 4)
      tags = readComments(await bytes.copy(at + 4, Math.min(length, MAX_COMMENT_BYTES)));
    at += 4 + length;
    if (type & 0x80) break;
  }
  if (!info || info.sampleRate === 0) return undefined;
  const stream = info;
  const start = at;
  const soundBytes = Math.max(0, bytes.size - start);
  const claimed = stream.samples > 0 && soundBytes > 0;
  if (claimed && !(await findFrame(bytes, { stream, start }, start))) return undefined;
  const seconds = stream.samples > 0 ? stream.samples / stream.sampleRate : undefined;
  return {
    container: 'flac',
    mimeType: 'audio/flac',
    seconds,
    codec: 'FLAC',
    sampleRate: stream.sampleRate,
    channels: stream.channels,
    bitsPerSample: stream.bits,
    soundBytes,
    tags,
    ...(seconds !== undefined && {
      bytesPerSecond: soundBytes / seconds,
      cut: (from: number, to: number) => cut(bytes, { stream, start }, from, to),
    }),
  };
}

interface Frame {
  readonly at: Bytes;
  /** Number of the first sample. */
  readonly sample: number;
  readonly blockSize: number;
  /** Length of the header without its checksum byte, and of the coded number in it. */
  readonly headerLength: number;
  readonly numberLength: number;
}

interface Flac {
  readonly stream: StreamInfo;
  readonly start: Bytes;
}

/** Parses the frame header at `at` in `piece` (RFC 9639, 9.1) and verifies its checksum. */
function frameAt(piece: Uint8Array, at: number, base: Bytes, { stream }: Flac): Frame | undefined {
  if (piece[at] !== 0xff || ((piece[at + 1] ?? 0) & 0xfe) !== 0xf8 || at + 16 > piece.length)
    return undefined;
  const variable = ((piece[at + 1] ?? 0) & 1) === 1;
  const sizes = piece[at + 2] ?? 0;
  const sizeCode = sizes >> 4;
  const rateCode = sizes & 15;
  if (sizeCode === 0 || rateCode === 15 || ((piece[at + 3] ?? 0) & 1) === 1) return undefined;
  const lead = piece[at + 4] ?? 0;
  const numberLength = lead < 0x80 ? 1 : Math.clz32(~(lead << 24));
  if (numberLength > 7 || (lead >= 0x80 && numberLength < 2)) return undefined;
  let number = lead < 0x80 ? lead : lead & (0x7f >> numberLength);
  for (let i = 1; i < numberLength; i += 1) {
    const byte = piece[at + 4 + i] ?? 0;
    if ((byte & 0xc0) !== 0x80) return undefined;
    number = number * 64 + (byte & 0x3f);
  }
  let end = at + 4 + numberLength;
  let blockSize: number;
  if (sizeCode === 6) {
    blockSize = (piece[end] ?? 0) + 1;
    end += 1;
  } else if (sizeCode === 7) {
    blockSize = ((piece[end] ?? 0) << 8) + (piece[end + 1] ?? 0) + 1;
    end += 2;
  } else blockSize = sizeCode === 1 ? 192 : sizeCode < 6 ? 576 << (sizeCode - 2) : 256 << (sizeCode - 8);
  end += rateCode === 12 ? 1 : rateCode > 12 ? 2 : 0;
  if (crc8(piece, at, end) !== piece[end]) return undefined;
  return {
    at: base + at,
    sample: variable ? number : number * stream.maxBlock,
    blockSize,
    headerLength: end - at,
    numberLength,
  };
}

/**
 * The first frame at or after `from`. Sound holds bytes that read as a header with a right checksum, about one byte in 2^24: a
 * frame is believed if it is the last, or if another follows whose number continues from it. If none is, the first is taken:
 * the file ends within it.
 */
async function findFrame(bytes: SourceBytes, flac: Flac, from: Bytes): Promise<Frame | undefined> {
  const piece = await bytes.at(from, MAX_GAP);
  let first: Frame | undefined;
  let tried = 0;
  for (let at = piece.indexOf(0xff); at >= 0 && tried < MAX_CANDIDATES; at = piece.indexOf(0xff, at + 1)) {
    const frame = frameAt(piece, at, from, flac);
    if (!frame || frame.sample >= flac.stream.samples) continue;
    first ??= frame;
    tried += 1;
    const isLast = frame.sample + frame.blockSize >= flac.stream.samples;
    if (isLast || (await after(bytes, flac, frame))) return frame;
  }
  return first;
}

/** The frame that contains `sample`: binary search, then a short walk. */
async function seek(bytes: SourceBytes, flac: Flac, sample: number): Promise<Frame | undefined> {
  let low = flac.start;
  let high = bytes.size;
  for (let step = 0; step < 40 && high - low > 256 * 1024; step += 1) {
    const middle = Math.floor((low + high) / 2);
    const frame = await findFrame(bytes, flac, middle);
    if (frame && frame.sample <= sample && frame.at < high) low = Math.max(frame.at, low + 1);
    else high = middle;
  }
  let frame = await findFrame(bytes, flac, low);
  while (frame && frame.sample + frame.blockSize <= sample) {
    const following = await after(bytes, flac, frame);
    if (!following) break;
    frame = following;
  }
  return frame;
}

/** The next frame, whose number continues from this one. */
async function after(bytes: SourceBytes, flac: Flac, frame: Frame): Promise<Frame | undefined> {
  const from = frame.at + frame.headerLength;
  for (const most of [USUAL_FRAME, MAX_GAP]) {
    const piece = await bytes.at(from, most);
    for (let at = piece.indexOf(0xff); at >= 0; at = piece.indexOf(0xff, at + 1)) {
      const next = frameAt(piece, at, from, flac);
      if (next && next.sample === frame.sample + frame.blockSize) return next;
    }
  }
  return undefined;
}

async function cut(bytes: SourceBytes, flac: Flac, from: number, to: number): Promise<Clip> {
  const { sampleRate, samples } = flac.stream;
  const end = Math.min(samples, Math.round(to * sampleRate));
  let frame = await seek(bytes, flac, Math.min(samples - 1, Math.floor(from * sampleRate)));
  const first = frame?.sample ?? 0;
  let last = first;
  const pieces: Uint8Array[] = [];
  while (frame && frame.sample < end) {
    const next: Frame | undefined = await after(bytes, flac, frame);
    const whole = await bytes.copy(
      frame.at,
      (next?.at ?? Math.min(bytes.size, frame.at + MAX_GAP)) - frame.at,
    );
    pieces.push(renumbered(whole, frame, last - first));
    last += frame.blockSize;
    frame = next;
  }
  const info = new Uint8Array(flac.stream.bytes);
  const view = new DataView(info.buffer);
  const played = last - first;
  info.fill(0, 4, 10); // frame sizes: unknown
  view.setUint32(10, (view.getUint32(10) & 0xfffffff0) | Math.floor(played / 2 ** 32));
  view.setUint32(14, played >>> 0);
  info.fill(0, 18); // MD5 of the audio: unknown
  const head = new Uint8Array([0x66, 0x4c, 0x61, 0x43, 0x80, 0, 0, STREAMINFO_BYTES]);
  return {
    data: joined([head, info, ...pieces]),
    mimeType: 'audio/flac',
    from: first / sampleRate,
    to: last / sampleRate,
  };
}

/** Rewrites `frame` to start at `sample`, always by sample number, which fits any block size. */
function renumbered(frame: Uint8Array, { headerLength, numberLength }: Frame, sample: number): Uint8Array {
  const fixed = frame.slice(0, 4);
  fixed[1] = (fixed[1] ?? 0) | 1;
  const header = joined([fixed, coded(sample), frame.subarray(4 + numberLength, headerLength)]);
  const body = frame.subarray(headerLength + 1, Math.max(headerLength + 1, frame.length - 2));
  const whole = joined([header, new Uint8Array([crc8(header, 0, header.length)]), body]);
  const check = crc16(whole);
  return joined([whole, new Uint8Array([check >> 8, check & 0xff])]);
}

/** RFC 9639, 9.1.5: a UTF-8-like coded number of up to 36 bits. */
function coded(value: number): Uint8Array {
  if (value < 0x80) return new Uint8Array([value]);
  let length = 2;
  while (length < 7 && value >= 2 ** (5 * length + 1)) length += 1;
  const bytes = new Uint8Array(length);
  let rest = value;
  for (let i = length - 1; i > 0; i -= 1) {
    bytes[i] = 0x80 | (rest % 64);
    rest = Math.floor(rest / 64);
  }
  bytes[0] = ((0xff00 >> length) & 0xff) | rest;
  return bytes;
}

function table(polynomial: number, bits: number): Uint16Array {
  const values = new Uint16Array(256);
  const top = 2 ** (bits - 1);
  for (let i = 0; i < 256; i += 1) {
    let value = i << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) value = value & top ? (value << 1) ^ polynomial : value << 1;
    values[i] = value & (2 ** bits - 1);
  }
  return values;
}

const CRC8 = table(0x07, 8);
const CRC16 = table(0x8005, 16);

function crc8(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let at = from; at < to; at += 1) crc = CRC8[crc ^ (bytes[at] ?? 0)] ?? 0;
  return crc;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) crc = ((crc << 8) & 0xffff) ^ (CRC16[(crc >> 8) ^ byte] ?? 0);
  return crc;
}

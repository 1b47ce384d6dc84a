// AIFF and AIFF-C files: duration, and clips cut at sample frames.

import type { Bytes } from '../../src/contract/index.ts';
import { joined, letters, type SourceBytes } from './bytes.ts';
import type { Clip, Recording } from './recording.ts';

const MAX_CHUNKS = 2000;
const MAX_COMMON: Bytes = 1024;
const MAX_TAG_CHUNK: Bytes = 16 * 1024;
const MAX_TAGS = 8;

interface Aiff {
  readonly compressed: boolean;
  readonly common: Uint8Array;
  readonly version: Uint8Array | undefined;
  readonly start: Bytes;
  readonly length: Bytes;
  readonly tags: readonly Uint8Array[];
}

/** Bits per sample of each uncompressed encoding; 0 means the value in `COMM`. */
const PLAIN: Readonly<Record<string, number>> = {
  NONE: 0,
  twos: 0,
  sowt: 0,
  'raw ': 0,
  in24: 24,
  in32: 32,
  fl32: 32,
  FL32: 32,
  fl64: 64,
  FL64: 64,
  alaw: 8,
  ALAW: 8,
  ulaw: 8,
  ULAW: 8,
};

/** The recording, or undefined without a `COMM` or `SSND` chunk. */
export async function openAiff(bytes: SourceBytes): Promise<Recording | undefined> {
  const aiff = await chunksOf(bytes);
  if (!aiff || aiff.common.length < 18) return undefined;
  const { common, length } = aiff;
  const view = new DataView(common.buffer, common.byteOffset, common.length);
  const channels = view.getUint16(0);
  const frames = view.getUint32(2);
  const bits = view.getUint16(6);
  const sampleRate = extended(view, 8);
  const kind = aiff.compressed && common.length >= 22 ? letters(common, 18, 4) : 'NONE';
  const width = PLAIN[kind];
  const frame = width === undefined ? 0 : Math.ceil((width || bits) / 8) * channels;
  const even = frame > 0 && sampleRate > 0;
  const held = even ? Math.min(frames, Math.floor(length / frame)) : frames;
  return {
    container: 'aiff',
    mimeType: 'audio/aiff',
    seconds: sampleRate > 0 ? held / sampleRate : undefined,
    codec: kind === 'NONE' || kind === 'sowt' || kind === 'twos' ? 'PCM' : kind.trim(),
    sampleRate,
    channels,
    ...(width !== undefined && { bitsPerSample: width || bits }),
    soundBytes: even ? held * frame : length,
    bytesPerSecond: even ? frame * sampleRate : undefined,
    ...(aiff.tags.length > 0 && {
      tagFile: form(aiff, [chunk('COMM', common), ...aiff.tags, chunk('SSND', new Uint8Array(8))]),
    }),
    ...(even && { cut: (from, to) => cut(bytes, aiff, { frame, sampleRate, frames: held }, from, to) }),
  };
}

/** 80-bit IEEE 754 extended, the sample rate format of `COMM`; 0 for an invalid rate. */
function extended(view: DataView, at: number): number {
  const exponent = view.getUint16(at) - 16383 - 31;
  const rate = view.getUint32(at + 2) * 2 ** exponent;
  return rate >= 1 && rate <= 10_000_000 ? rate : 0;
}

async function chunksOf(bytes: SourceBytes): Promise<Aiff | undefined> {
  const compressed = letters(await bytes.at(8, 4), 0, 4) === 'AIFC';
  let common: Uint8Array | undefined;
  let version: Uint8Array | undefined;
  let sound: { start: Bytes; length: Bytes } | undefined;
  const tags: Uint8Array[] = [];
  let at = 12;
  for (let step = 0; step < MAX_CHUNKS && at + 8 <= bytes.size; step += 1) {
    const head = await bytes.view(at, 16);
    const name = letters(new Uint8Array(head.buffer, head.byteOffset, 4), 0, 4);
    const size = Math.min(head.getUint32(4), bytes.size - at - 8);
    const whole = 8 + size + (size & 1);
    if (name === 'COMM' && !common) common = await bytes.copy(at + 8, Math.min(size, MAX_COMMON));
    else if (name === 'FVER' && size <= 16) version = await bytes.copy(at, whole);
    else if (name === 'SSND' && !sound && head.byteLength >= 16) {
      const skip = Math.min(8 + head.getUint32(8), size);
      sound = { start: at + 8 + skip, length: size - skip };
    } else if (/^(?:NAME|AUTH|ANNO|ID3 |id3 )$/.test(name) && size <= MAX_TAG_CHUNK && tags.length < MAX_TAGS)
      tags.push(await bytes.copy(at, whole));
    at += whole;
  }
  return common && sound ? { compressed, common, version, ...sound, tags } : undefined;
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const padded = new Uint8Array(8 + content.length + (content.length & 1));
  for (let i = 0; i < 4; i += 1) padded[i] = name.charCodeAt(i);
  new DataView(padded.buffer).setUint32(4, content.length);
  padded.set(content, 8);
  return padded;
}

function form({ compressed, version }: Aiff, chunks: readonly Uint8Array[]): Uint8Array {
  const kind = new Uint8Array([0x41, 0x49, 0x46, compressed ? 0x43 : 0x46]);
  return chunk('FORM', joined([kind, ...(version ? [version] : []), ...chunks]));
}

async function cut(
  bytes: SourceBytes,
  aiff: Aiff,
  layout: { readonly frame: Bytes; readonly sampleRate: number; readonly frames: number },
  from: number,
  to: number,
): Promise<Clip> {
  const { frame, sampleRate, frames } = layout;
  const first = Math.max(0, Math.min(frames - 1, Math.round(from * sampleRate)));
  const last = Math.max(first, Math.min(frames, Math.round(to * sampleRate)));
  const samples = await bytes.copy(aiff.start + first * frame, (last - first) * frame);
  const common = new Uint8Array(aiff.common);
  new DataView(common.buffer).setUint32(2, last - first);
  return {
    data: form(aiff, [chunk('COMM', common), chunk('SSND', joined([new Uint8Array(8), samples]))]),
    mimeType: 'audio/aiff',
    from: first / sampleRate,
    to: last / sampleRate,
  };
}

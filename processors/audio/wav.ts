// WAV and RF64 files: duration, and clips cut at samples under a matching header.

import type { Bytes } from '../../src/contract/index.ts';
import { joined, letters, type SourceBytes, says } from './bytes.ts';
import type { Clip, Recording } from './recording.ts';

const MAX_CHUNKS = 2000;
const MAX_FORMAT: Bytes = 1024;
const MAX_TAG_CHUNK: Bytes = 16 * 1024;
const MAX_TAGS = 8;
const UNKNOWN_SIZE = 0xffffffff;

interface Wav {
  readonly format: Uint8Array;
  readonly start: Bytes;
  readonly length: Bytes;
  readonly samples: number | undefined;
  readonly tags: readonly Uint8Array[];
}

/** The recording, or undefined without a format or data chunk. */
export async function openWav(bytes: SourceBytes): Promise<Recording | undefined> {
  const wav = await chunksOf(bytes);
  if (!wav || wav.format.length < 16) return undefined;
  const { format, length } = wav;
  const view = new DataView(format.buffer, format.byteOffset, format.length);
  const code = view.getUint16(0, true);
  const tag = code === EXTENSIBLE && format.length >= 26 ? view.getUint16(24, true) : code;
  const channels = view.getUint16(2, true);
  const sampleRate = view.getUint32(4, true);
  const rate = view.getUint32(8, true);
  const block = view.getUint16(12, true);
  const bits = view.getUint16(14, true);
  const plain = tag === PCM || tag === FLOAT || tag === ALAW || tag === MULAW;
  const blocked = (tag === MS_ADPCM || tag === IMA_ADPCM) && format.length >= 20;
  const perBlock = plain ? 1 : blocked ? view.getUint16(18, true) : 0;
  const even = block > 0 && perBlock > 0 && sampleRate > 0;
  const seconds = even
    ? (Math.floor(length / block) * perBlock) / sampleRate
    : wav.samples && sampleRate > 0
      ? wav.samples / sampleRate
      : rate > 0
        ? length / rate
        : undefined;
  return {
    container: 'wav',
    mimeType: 'audio/wav',
    seconds,
    codec: waveCodec(tag),
    sampleRate,
    channels,
    ...(bits > 0 && plain && { bitsPerSample: bits }),
    soundBytes: length,
    bytesPerSecond: even ? (sampleRate / perBlock) * block : rate,
    tagFile: tagFile(wav),
    ...(even && { cut: (from, to) => cut(bytes, wav, { block, perBlock, sampleRate }, from, to) }),
  };
}

/** Registered WAVE format tags (RFC 2361). */
const PCM = 1;
const MS_ADPCM = 2;
const FLOAT = 3;
const ALAW = 6;
const MULAW = 7;
const IMA_ADPCM = 0x11;
const EXTENSIBLE = 0xfffe;
const CODECS: Readonly<Record<number, string>> = {
  [PCM]: 'PCM',
  [MS_ADPCM]: 'MS ADPCM',
  [FLOAT]: 'PCM float',
  [ALAW]: 'A-law',
  [MULAW]: 'mu-law',
  [IMA_ADPCM]: 'IMA ADPCM',
  49: 'GSM 6.10',
  80: 'MPEG Layer II',
  85: 'MPEG Layer III',
  255: 'AAC',
};

/** The name of a registered format. */
export function waveCodec(tag: number): string {
  return CODECS[tag] ?? `WAVE format ${tag}`;
}

async function chunksOf(bytes: SourceBytes): Promise<Wav | undefined> {
  let format: Uint8Array | undefined;
  let data: { start: Bytes; length: Bytes } | undefined;
  let samples: number | undefined;
  let wide: Bytes | undefined;
  const tags: Uint8Array[] = [];
  let at = 12;
  for (let step = 0; step < MAX_CHUNKS && at + 8 <= bytes.size; step += 1) {
    const head = await bytes.view(at, 24);
    const name = letters(new Uint8Array(head.buffer, head.byteOffset, 4), 0, 4);
    const declared = head.getUint32(4, true);
    let size = Math.min(declared, bytes.size - at - 8);
    if (name === 'ds64' && head.byteLength >= 24) wide = Number(head.getBigUint64(16, true));
    if (name === 'fact' && size >= 4) samples = head.getUint32(8, true);
    if (name === 'fmt ' && !format) format = await bytes.copy(at + 8, Math.min(size, MAX_FORMAT));
    if (name === 'data' && !data) {
      // An interrupted recorder leaves the size at 0 or all ones: the data extends to the end.
      const open = declared === UNKNOWN_SIZE || declared === 0;
      size = Math.min(
        wide !== undefined && declared === UNKNOWN_SIZE ? wide : open ? bytes.size : declared,
        bytes.size - at - 8,
      );
      data = { start: at + 8, length: size };
    }
    if (/^(?:LIST|id3 |ID3 )$/.test(name) && size <= MAX_TAG_CHUNK && tags.length < MAX_TAGS)
      tags.push(await bytes.copy(at, 8 + size + (size & 1)));
    at += 8 + size + (size & 1);
  }
  return format && data ? { format, ...data, samples, tags } : undefined;
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const padded = new Uint8Array(8 + content.length + (content.length & 1));
  for (let i = 0; i < 4; i += 1) padded[i] = name.charCodeAt(i);
  new DataView(padded.buffer).setUint32(4, content.length, true);
  padded.set(content, 8);
  return padded;
}

function riff(chunks: readonly Uint8Array[]): Uint8Array {
  return chunk('RIFF', joined([new Uint8Array([0x57, 0x41, 0x56, 0x45]), ...chunks]));
}

function tagFile({ format, tags }: Wav): Uint8Array | undefined {
  const kept = tags.filter((tag) => !says(tag, 0, 'LIST') || says(tag, 8, 'INFO'));
  return kept.length === 0
    ? undefined
    : riff([chunk('fmt ', format), ...kept, chunk('data', new Uint8Array(0))]);
}

interface Layout {
  readonly block: Bytes;
  readonly perBlock: number;
  readonly sampleRate: number;
}

async function cut(
  bytes: SourceBytes,
  wav: Wav,
  { block, perBlock, sampleRate }: Layout,
  from: number,
  to: number,
): Promise<Clip> {
  const perSecond = sampleRate / perBlock;
  const blocks = Math.floor(wav.length / block);
  const first = Math.max(0, Math.min(blocks - 1, Math.round(from * perSecond)));
  const last = Math.max(first, Math.min(blocks, Math.round(to * perSecond)));
  const data = await bytes.copy(wav.start + first * block, (last - first) * block);
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, (last - first) * perBlock, true);
  const fact = wav.samples === undefined ? [] : [chunk('fact', count)];
  return {
    data: riff([chunk('fmt ', wav.format), ...fact, chunk('data', data)]),
    mimeType: 'audio/wav',
    from: first / perSecond,
    to: last / perSecond,
  };
}

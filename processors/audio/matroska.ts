// Matroska and WebM files (RFC 9559 over EBML, RFC 8794): how long they play and what tracks they have.

import type { Bytes } from '../../src/contract/index.ts';
import type { SourceBytes } from './bytes.ts';
import { tagsFrom } from './comments.ts';
import type { Recording } from './recording.ts';

const MAX_ELEMENTS = 20_000;
/** Of a list of tracks or of tags. */
const MAX_LIST: Bytes = 1024 * 1024;

const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const CLUSTER = 0x1f43b675;
const TIMESTAMP_SCALE = 0x2ad7b1;
const DURATION = 0x4489;
const TITLE = 0x7ba9;
const TRACK_ENTRY = 0xae;
const TRACK_TYPE = 0x83;
const CODEC_ID = 0x86;
const VIDEO = 0xe0;
const AUDIO = 0xe1;
const PIXEL_WIDTH = 0xb0;
const PIXEL_HEIGHT = 0xba;
const SAMPLING = 0xb5;
const CHANNELS = 0x9f;
const BIT_DEPTH = 0x6264;
const CLUSTER_TIME = 0xe7;
const SIMPLE_BLOCK = 0xa3;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;

interface Element {
  readonly id: number;
  readonly content: Bytes;
  readonly end: Bytes;
  /** Its size is not told: it reaches to the end of what holds it, or to the next of its kind. */
  readonly open: boolean;
}

async function elementAt(bytes: SourceBytes, at: Bytes, to: Bytes): Promise<Element | undefined> {
  const head = await bytes.at(at, 12);
  const first = head[0] ?? 0;
  const idLength = Math.clz32(first) - 23;
  if (first === 0 || idLength > 4 || idLength >= head.length) return undefined;
  let id = 0;
  for (let i = 0; i < idLength; i += 1) id = id * 256 + (head[i] ?? 0);
  const sizeFirst = head[idLength] ?? 0;
  const sizeLength = Math.clz32(sizeFirst) - 23;
  if (sizeFirst === 0 || idLength + sizeLength > head.length) return undefined;
  let size = sizeFirst & (0xff >> sizeLength);
  let ones = size === 0xff >> sizeLength;
  for (let i = 1; i < sizeLength; i += 1) {
    const byte = head[idLength + i] ?? 0;
    ones &&= byte === 0xff;
    size = size * 256 + byte;
  }
  const content = at + idLength + sizeLength;
  return { id, content, end: ones ? to : Math.min(to, content + size), open: ones };
}

/** The elements in `[from, to)`; those inside a cluster of unknown size come as its siblings. */
async function* elements(bytes: SourceBytes, from: Bytes, to: Bytes): AsyncGenerator<Element> {
  let at = from;
  for (let step = 0; step < MAX_ELEMENTS && at < to; step += 1) {
    const element = await elementAt(bytes, at, to);
    if (!element) return;
    yield element;
    at = element.open ? element.content : element.end;
  }
}

async function unsigned(bytes: SourceBytes, { content, end }: Element): Promise<number> {
  const value = await bytes.at(content, Math.min(8, end - content));
  return value.reduce((sum, byte) => sum * 256 + byte, 0);
}

async function float(bytes: SourceBytes, { content, end }: Element): Promise<number> {
  const view = await bytes.view(content, Math.min(8, end - content));
  const value = view.byteLength === 8 ? view.getFloat64(0) : view.byteLength === 4 ? view.getFloat32(0) : 0;
  return Number.isFinite(value) && value > 0 ? value : 0;
}

async function words(bytes: SourceBytes, { content, end }: Element): Promise<string> {
  return new TextDecoder().decode(await bytes.copy(content, Math.min(4096, end - content)));
}

interface Track {
  kind: number;
  codec: string;
  sampleRate?: number;
  channels?: number;
  bits?: number;
  width?: number;
  height?: number;
}

/** The recording, or undefined when there is no segment. */
export async function openMatroska(bytes: SourceBytes): Promise<Recording | undefined> {
  const head = new TextDecoder('latin1').decode(await bytes.copy(0, 64));
  let scale = 1_000_000;
  let units = 0;
  let latest = 0;
  let cluster = 0;
  let title: string | undefined;
  let found = false;
  const tracks: Track[] = [];
  for await (const segment of elements(bytes, 0, bytes.size)) {
    if (segment.id !== SEGMENT) continue;
    found = true;
    for await (const part of elements(bytes, segment.content, segment.end)) {
      if (part.id === INFO)
        for await (const fact of elements(bytes, part.content, part.end)) {
          if (fact.id === TIMESTAMP_SCALE) scale = (await unsigned(bytes, fact)) || scale;
          if (fact.id === DURATION) units = await float(bytes, fact);
          if (fact.id === TITLE) title = await words(bytes, fact);
        }
      if (part.id === TRACKS && part.end - part.content <= MAX_LIST)
        for await (const entry of elements(bytes, part.content, part.end))
          if (entry.id === TRACK_ENTRY && tracks.length < 100) tracks.push(await readTrack(bytes, entry));
      if (units > 0 && tracks.length > 0) break;
      // Without a duration the time of the last block stands for it.
      if (part.id === CLUSTER && !part.open)
        for await (const inner of elements(bytes, part.content, part.end)) {
          if (inner.id === CLUSTER_TIME) cluster = await unsigned(bytes, inner);
          latest = Math.max(latest, cluster + (await blockTime(bytes, inner)));
        }
      if (part.id === CLUSTER_TIME) cluster = await unsigned(bytes, part);
      latest = Math.max(latest, cluster + (await blockTime(bytes, part)));
    }
    break;
  }
  if (!found) return undefined;
  const sound = tracks.find(({ kind }) => kind === 2);
  const video = tracks.find(({ kind }) => kind === 1);
  const seconds = ((units > 0 ? units : latest) * scale) / 1e9;
  const type = head.includes('webm') ? 'webm' : 'matroska';
  return {
    container: 'matroska',
    mimeType: video
      ? type === 'webm'
        ? 'video/webm'
        : 'video/x-matroska'
      : type === 'webm'
        ? 'audio/webm'
        : 'audio/x-matroska',
    ...(seconds > 0 && Number.isFinite(seconds) && { seconds, bytesPerSecond: bytes.size / seconds }),
    codec: sound?.codec,
    sampleRate: sound?.sampleRate,
    channels: sound?.channels,
    ...(/PCM|FLAC|ALAC/.test(sound?.codec ?? '') && { bitsPerSample: sound?.bits }),
    soundBytes: bytes.size,
    tags: tagsFrom({ title }),
    ...(video && {
      video: {
        codec: video.codec,
        ...(video.width && video.height && { width: video.width, height: video.height }),
      },
    }),
  };
}

async function blockTime(bytes: SourceBytes, element: Element): Promise<number> {
  if (element.id === BLOCK_GROUP) {
    for await (const inner of elements(bytes, element.content, element.end))
      if (inner.id === BLOCK) return blockTime(bytes, { ...inner, id: SIMPLE_BLOCK });
    return 0;
  }
  if (element.id !== SIMPLE_BLOCK) return 0;
  const view = await bytes.view(element.content, 12);
  if (view.byteLength < 4) return 0;
  const track = Math.clz32(view.getUint8(0)) - 23;
  return track <= 4 && view.byteLength >= track + 2 ? view.getInt16(track) : 0;
}

async function readTrack(bytes: SourceBytes, entry: Element): Promise<Track> {
  const track: Track = { kind: 0, codec: '', sampleRate: 8000, channels: 1 };
  for await (const fact of elements(bytes, entry.content, entry.end)) {
    if (fact.id === TRACK_TYPE) track.kind = await unsigned(bytes, fact);
    if (fact.id === CODEC_ID) track.codec = codecOf(await words(bytes, fact));
    if (fact.id === VIDEO)
      for await (const inner of elements(bytes, fact.content, fact.end)) {
        if (inner.id === PIXEL_WIDTH) track.width = await unsigned(bytes, inner);
        if (inner.id === PIXEL_HEIGHT) track.height = await unsigned(bytes, inner);
      }
    if (fact.id === AUDIO)
      for await (const inner of elements(bytes, fact.content, fact.end)) {
        if (inner.id === SAMPLING) track.sampleRate = await float(bytes, inner);
        if (inner.id === CHANNELS) track.channels = await unsigned(bytes, inner);
        if (inner.id === BIT_DEPTH) track.bits = await unsigned(bytes, inner);
      }
  }
  return track;
}

/** `V_VP9` as `VP9`, `A_MPEG/L3` as `MPEG/L3`. */
function codecOf(id: string): string {
  const plain = id.replace(/[^\x21-\x7e]/g, '').slice(0, 40);
  const known: Readonly<Record<string, string>> = {
    A_OPUS: 'Opus',
    A_VORBIS: 'Vorbis',
    'V_MPEG4/ISO/AVC': 'H.264',
    'V_MPEGH/ISO/HEVC': 'H.265',
  };
  return known[plain] ?? plain.replace(/^[AV]_/, '');
}

// Matroska and WebM files (RFC 9559 over EBML, RFC 8794): duration and tracks.

import type { Bytes } from '../../../src/contract/index.ts';
import type { SourceBytes } from '../bytes.ts';
import { tagsFrom } from '../comments.ts';
import type { Recording } from '../recording.ts';
import { type Element, elementAt, elements, float, unsigned, words } from './ebml.ts';
import { type MatroskaTags, readTags, tagsPosition } from './tags.ts';

/** Maximum size of a track or tag list. */
const MAX_LIST: Bytes = 1024 * 1024;

const SEGMENT = 0x18538067;
const SEEK_HEAD = 0x114d9b74;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const TAGS = 0x1254c367;
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

interface Track {
  kind: number;
  codec: string;
  sampleRate?: number;
  channels?: number;
  bits?: number;
  width?: number;
  height?: number;
}

/** Facts collected from the elements of a segment. */
interface Segment {
  /** Nanoseconds per time unit. */
  scale: number;
  /** In time units; 0 if unknown, as in browser recordings. */
  duration: number;
  /** Time of the last block seen, in time units. */
  latest: number;
  /** Time of the current cluster. */
  cluster: number;
  title: string | undefined;
  readonly tracks: Track[];
  tags: MatroskaTags | undefined;
  /** Position of the tags according to the index, from the start of the segment's content. */
  tagsAt: Bytes | undefined;
}

/** The recording, or undefined if there is no segment. */
export async function openMatroska(bytes: SourceBytes): Promise<Recording | undefined> {
  const head = new TextDecoder('latin1').decode(await bytes.copy(0, 64));
  for await (const element of elements(bytes, 0, bytes.size))
    if (element.id === SEGMENT)
      return recordingOf(await readSegment(bytes, element), bytes.size, head.includes('webm'));
  return undefined;
}

async function readSegment(bytes: SourceBytes, { content, end }: Element): Promise<Segment> {
  const segment: Segment = {
    scale: 1_000_000,
    duration: 0,
    latest: 0,
    cluster: 0,
    title: undefined,
    tracks: [],
    tags: undefined,
    tagsAt: undefined,
  };
  for await (const part of elements(bytes, content, end)) {
    if (part.id === CLUSTER && segment.duration > 0 && segment.tracks.length > 0) break;
    await readPart(bytes, part, segment);
  }
  if (segment.tags || segment.tagsAt === undefined) return segment;
  const late = await elementAt(bytes, content + segment.tagsAt, end);
  if (late?.id === TAGS) await readPart(bytes, late, segment);
  return segment;
}

async function readPart(bytes: SourceBytes, part: Element, segment: Segment): Promise<void> {
  const { id, content, end } = part;
  if (id === INFO)
    for await (const fact of elements(bytes, content, end)) {
      if (fact.id === TIMESTAMP_SCALE) segment.scale = (await unsigned(bytes, fact)) || segment.scale;
      if (fact.id === DURATION) segment.duration = await float(bytes, fact);
      if (fact.id === TITLE) segment.title = await words(bytes, fact);
    }
  if (id === TRACKS && end - content <= MAX_LIST)
    for await (const entry of elements(bytes, content, end))
      if (entry.id === TRACK_ENTRY && segment.tracks.length < 100)
        segment.tracks.push(await readTrack(bytes, entry));
  if (id === TAGS && end - content <= MAX_LIST) segment.tags ??= await readTags(bytes, part);
  if (id === SEEK_HEAD && end - content <= MAX_LIST) segment.tagsAt ??= await tagsPosition(bytes, part);
  // Without a stated duration, use the time of the last block.
  if (id === CLUSTER && !part.open)
    for await (const inner of elements(bytes, content, end)) await readBlock(bytes, inner, segment);
  // Blocks of a cluster of unknown size.
  await readBlock(bytes, part, segment);
}

async function readBlock(bytes: SourceBytes, element: Element, segment: Segment): Promise<void> {
  if (element.id === CLUSTER_TIME) segment.cluster = await unsigned(bytes, element);
  segment.latest = Math.max(segment.latest, segment.cluster + (await blockTime(bytes, element)));
}

function recordingOf(segment: Segment, size: Bytes, isWebm: boolean): Recording {
  const { duration, latest, scale, tracks, title, tags } = segment;
  const sound = tracks.find(({ kind }) => kind === 2);
  const video = tracks.find(({ kind }) => kind === 1);
  const seconds = ((duration > 0 ? duration : latest) * scale) / 1e9;
  return {
    container: 'matroska',
    mimeType: `${video ? 'video' : 'audio'}/${isWebm ? 'webm' : 'x-matroska'}`,
    ...(seconds > 0 && Number.isFinite(seconds) && { seconds, bytesPerSecond: size / seconds }),
    codec: sound?.codec,
    sampleRate: sound?.sampleRate,
    channels: sound?.channels,
    ...(/PCM|FLAC|ALAC/.test(sound?.codec ?? '') && { bitsPerSample: sound?.bits }),
    soundBytes: size,
    tags: tagsFrom({ ...tags, title: title ?? tags?.title }),
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

/** `V_VP9` becomes `VP9`, `A_MPEG/L3` becomes `MPEG/L3`. */
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

// MP4, M4A and QuickTime files (ISO/IEC 14496-12): duration, tracks and tags. Reads no samples.

import type { Bytes } from '../../../src/contract/index.ts';
import { letters, type SourceBytes } from '../bytes.ts';
import { tagsFrom } from '../comments.ts';
import type { Recording, Tags } from '../recording.ts';
import { type Box, boxes } from './boxes.ts';
import { Fragments } from './fragments.ts';

/** Maximum size of the `moov` box; the tables of a long film take about 20 MiB. */
const MAX_MOOV: Bytes = 64 * 1024 * 1024;

interface Track {
  kind: string;
  id?: number;
  /** Time units per second. */
  scale?: number;
  codec?: string;
  seconds?: number;
  channels?: number;
  sampleRate?: number;
  bits?: number;
  width?: number;
  height?: number;
}

/** The recording, or undefined without a `moov` box. */
export async function openMp4(bytes: SourceBytes): Promise<Recording | undefined> {
  const brand = letters(await bytes.copy(4, 8), 0, 8);
  const tracks: Track[] = [];
  const movie: Movie = { scale: 0, seconds: 0, tags: {} };
  let found = false;
  let indexed = 0;
  let soundBytes = 0;
  let read: Bytes = 0;
  const fragments = new Fragments();
  for await (const box of boxes(bytes, 0, bytes.size)) {
    if (box.type === 'mdat') soundBytes += box.end - box.content;
    read = box.end;
    if (box.type === 'moof' && movie.seconds === 0) await fragments.add(bytes, box);
    if (box.type === 'sidx') indexed += await indexSeconds(bytes, box);
    if (box.type !== 'moov' || box.end - box.content > MAX_MOOV) continue;
    found = true;
    await readMovie(bytes, box, movie, tracks, fragments);
  }
  if (!found || tracks.length === 0) return undefined;
  const sound = tracks.find(({ kind }) => kind === 'soun');
  const video = tracks.find(({ kind }) => kind === 'vide');
  const seconds =
    movie.seconds ||
    tracks.reduce((most, { seconds = 0 }) => Math.max(most, seconds), 0) ||
    indexed ||
    // Fragments count only if all of them were read.
    (read < bytes.size
      ? 0
      : tracks.reduce((most, { id, scale }) => Math.max(most, fragments.seconds(id, scale)), 0));
  const quickTime = brand.startsWith('ftyp') ? brand.slice(4) === 'qt  ' : true;
  const mimeType = video ? (quickTime ? 'video/quicktime' : 'video/mp4') : 'audio/mp4';
  return {
    container: 'mp4',
    mimeType,
    ...(seconds > 0 && { seconds }),
    codec: sound?.codec,
    sampleRate: sound?.sampleRate,
    channels: sound?.channels,
    ...(sound?.bits !== undefined &&
      /PCM|ALAC|FLAC/.test(sound.codec ?? '') && { bitsPerSample: sound.bits }),
    soundBytes,
    ...(seconds > 0 && { bytesPerSecond: soundBytes / seconds }),
    tags: movie.tags,
    ...(video && {
      video: {
        ...(video.codec !== undefined && { codec: video.codec }),
        ...(video.width && video.height && { width: video.width, height: video.height }),
      },
    }),
  };
}

interface Movie {
  scale: number;
  seconds: number;
  tags: Tags;
}

async function readMovie(
  bytes: SourceBytes,
  moov: Box,
  movie: Movie,
  tracks: Track[],
  fragments: Fragments,
): Promise<void> {
  for await (const box of boxes(bytes, moov.content, moov.end)) {
    if (box.type === 'mvhd') {
      const header = await headerTimes(bytes, box);
      movie.scale = header.scale;
      movie.seconds = Math.max(movie.seconds, header.seconds);
    }
    if (box.type === 'mvex') {
      movie.seconds = Math.max(movie.seconds, await fragmentSeconds(bytes, box, movie.scale));
      await fragments.readDefaults(bytes, box);
    }
    if (box.type === 'trak' && tracks.length < 100) tracks.push(await readTrack(bytes, box));
    if (box.type === 'udta') movie.tags = { ...movie.tags, ...(await readUserData(bytes, box)) };
  }
}

/** ISO/IEC 14496-12, 8.2.2 and 8.4.2: time scale and duration, laid out the same in `mvhd` and `mdhd`. */
async function headerTimes(bytes: SourceBytes, box: Box): Promise<{ scale: number; seconds: number }> {
  const view = await bytes.view(box.content, 32);
  if (view.byteLength < 32) return { scale: 0, seconds: 0 };
  const wide = view.getUint8(0) === 1;
  const scale = view.getUint32(wide ? 20 : 12);
  const units = wide ? Number(view.getBigUint64(24)) : view.getUint32(16);
  const unknown = wide ? units >= 2 ** 63 : units === 0xffffffff;
  return { scale, seconds: scale > 0 && !unknown ? units / scale : 0 };
}

/** 8.8.2: total duration of the fragments, in movie time units. */
async function fragmentSeconds(bytes: SourceBytes, mvex: Box, scale: number): Promise<number> {
  for await (const box of boxes(bytes, mvex.content, mvex.end)) {
    if (box.type !== 'mehd' || scale === 0) continue;
    const view = await bytes.view(box.content, 12);
    if (view.byteLength < 12) return 0;
    return (view.getUint8(0) === 1 ? Number(view.getBigUint64(4)) : view.getUint32(4)) / scale;
  }
  return 0;
}

/** 8.16.3: total duration of the indexed segments. */
async function indexSeconds(bytes: SourceBytes, box: Box): Promise<number> {
  const view = await bytes.view(box.content, Math.min(64 * 1024, box.end - box.content));
  if (view.byteLength < 24) return 0;
  const scale = view.getUint32(8);
  const start = view.getUint8(0) === 0 ? 20 : 28;
  if (scale === 0 || view.byteLength < start + 4) return 0;
  const count = view.getUint16(start + 2);
  let units = 0;
  for (let i = 0; i < count && start + 4 + i * 12 + 8 <= view.byteLength; i += 1)
    units += view.getUint32(start + 4 + i * 12 + 4);
  return units / scale;
}

async function readTrack(bytes: SourceBytes, trak: Box): Promise<Track> {
  const track: Track = { kind: '' };
  for await (const box of boxes(bytes, trak.content, trak.end)) {
    if (box.type === 'tkhd') {
      const view = await bytes.view(box.content, 96);
      const wide = view.byteLength > 0 && view.getUint8(0) === 1;
      const at = wide ? 88 : 76;
      if (view.byteLength >= 24) track.id = view.getUint32(wide ? 20 : 12);
      if (view.byteLength >= at + 8) {
        track.width = view.getUint32(at) >>> 16;
        track.height = view.getUint32(at + 4) >>> 16;
      }
    }
    if (box.type !== 'mdia') continue;
    for await (const inner of boxes(bytes, box.content, box.end)) {
      if (inner.type === 'hdlr') track.kind = letters(await bytes.copy(inner.content + 8, 4), 0, 4);
      if (inner.type === 'mdhd') Object.assign(track, await headerTimes(bytes, inner));
      if (inner.type === 'minf') await readSampleTable(bytes, inner, track);
    }
  }
  return track;
}

async function readSampleTable(bytes: SourceBytes, minf: Box, track: Track): Promise<void> {
  for await (const stbl of boxes(bytes, minf.content, minf.end)) {
    if (stbl.type !== 'stbl') continue;
    for await (const box of boxes(bytes, stbl.content, stbl.end)) {
      if (box.type !== 'stsd') continue;
      // 8.5.2: the first entry states the codec.
      const view = await bytes.view(box.content, 8 + 64);
      if (view.byteLength < 16) return;
      const code = letters(new Uint8Array(view.buffer, view.byteOffset + 12, 4), 0, 4);
      track.codec = CODECS[code] ?? code.replace(/[^\x21-\x7e]/g, '').slice(0, 4);
      if (track.kind !== 'soun' || view.byteLength < 8 + 36) return;
      track.channels = view.getUint16(8 + 24);
      track.bits = view.getUint16(8 + 26);
      track.sampleRate = view.getUint16(8 + 32);
      return;
    }
  }
}

const CODECS: Readonly<Record<string, string>> = {
  mp4a: 'AAC',
  alac: 'ALAC',
  fLaC: 'FLAC',
  Opus: 'Opus',
  '.mp3': 'MPEG Layer III',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
  samr: 'AMR',
  lpcm: 'PCM',
  sowt: 'PCM',
  twos: 'PCM',
  avc1: 'H.264',
  avc3: 'H.264',
  hvc1: 'H.265',
  hev1: 'H.265',
  av01: 'AV1',
  vp09: 'VP9',
  vp08: 'VP8',
  mp4v: 'MPEG-4 Visual',
  jpeg: 'Motion JPEG',
  apcn: 'ProRes',
  apch: 'ProRes',
};

const MAX_TAG: Bytes = 4096;

/** Apple metadata: `udta` > `meta` > `ilst` > one box per tag > `data`. */
async function readUserData(bytes: SourceBytes, udta: Box): Promise<Tags> {
  const found = new Map<string, Uint8Array>();
  const texts = new Set<string>();
  for await (const meta of boxes(bytes, udta.content, udta.end)) {
    if (meta.type !== 'meta') continue;
    for await (const list of boxes(bytes, meta.content + 4, meta.end)) {
      if (list.type !== 'ilst') continue;
      for await (const tag of boxes(bytes, list.content, list.end)) {
        if (tag.type === 'covr' || found.has(tag.type) || found.size >= MAX_TAGS) continue;
        let name = tag.type;
        for await (const data of boxes(bytes, tag.content, tag.end)) {
          // A tag with a name of its own, and not of Apple's.
          if (data.type === 'name' && tag.type === FREE)
            name = `${FREE}${new TextDecoder().decode(await bytes.copy(data.content + 4, Math.min(MAX_TAG, data.end - data.content - 4)))}`;
          if (data.type !== 'data') continue;
          const [, , , kind] = await bytes.copy(data.content, 4);
          if (kind === UTF8) texts.add(name);
          const most = Math.min(MAX_TAG, data.end - data.content - 8);
          if (!found.has(name)) found.set(name, await bytes.copy(data.content + 8, most));
          break;
        }
      }
    }
  }
  const text = (name: string): string | undefined => {
    const value = found.get(name);
    return value && new TextDecoder().decode(value);
  };
  const track = found.get('trkn');
  return tagsFrom({
    title: text('\u00a9nam'),
    artist: text('\u00a9ART') ?? text('aART'),
    album: text('\u00a9alb'),
    year: Number.parseInt(text('\u00a9day') ?? '', 10),
    ...(track && track.length >= 4 && { track: ((track[2] ?? 0) << 8) | (track[3] ?? 0) }),
    other: [...texts]
      .filter((name) => !KNOWN.has(name) && !(name === 'aART' && !found.has('\u00a9ART')))
      .map((name) => [NAMES[name] ?? name.replace(/^(?:\u00a9|----)/, ''), text(name)] as const),
  });
}

/** The type of a tag that states its name. */
const FREE = '----';
/** The type of a value that is text (QuickTime File Format, well-known types). */
const UTF8 = 1;
const MAX_TAGS = 500;
const KNOWN: ReadonlySet<string> = new Set([
  '\u00a9nam',
  '\u00a9too',
  '\u00a9ART',
  '\u00a9alb',
  '\u00a9day',
  'trkn',
]);
const NAMES: Readonly<Record<string, string>> = {
  aART: 'albumartist',
  cprt: 'copyright',
  desc: 'description',
  ldes: 'long description',
  '\u00a9cmt': 'comment',
  '\u00a9gen': 'genre',
  '\u00a9grp': 'grouping',
  '\u00a9lyr': 'lyrics',
  '\u00a9wrt': 'composer',
};

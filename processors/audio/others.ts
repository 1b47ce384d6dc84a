// Containers read for their metadata only: ASF (WMA, WMV), AVI, FLV, AU and MPEG. Clips are not supported.

import type { Bytes } from '../../src/contract/index.ts';
import { letters, type SourceBytes, says } from './bytes.ts';
import type { Recording } from './recording.ts';
import { waveCodec } from './wav.ts';

const MAX_OBJECTS = 500;
const MAX_HEADER: Bytes = 1024 * 1024;

/** First four bytes of the GUIDs of the objects read here ([ASF] 10). */
const FILE_PROPERTIES = 0x8cabdca1;
const STREAM_PROPERTIES = 0xb7dc0791;
const AUDIO_MEDIA = 0xf8699e40;
const VIDEO_MEDIA = 0xbc19efc0;

/** [ASF] 3: reads the objects inside the header object. Undefined without a stream. */
export async function openAsf(bytes: SourceBytes): Promise<Recording | undefined> {
  const start = await bytes.view(0, 30);
  if (start.byteLength < 30) return undefined;
  const end = Math.min(bytes.size, MAX_HEADER, Number(start.getBigUint64(16, true)));
  let at = 30;
  let seconds: number | undefined;
  let packets: Bytes = 0;
  let sound: Pick<Recording, 'codec' | 'sampleRate' | 'channels' | 'bitsPerSample'> | undefined;
  let video: Recording['video'];
  for (let step = 0; step < MAX_OBJECTS && at + 24 <= end; step += 1) {
    const view = await bytes.view(at, 140);
    const id = view.getUint32(0, true);
    const size = Number(view.getBigUint64(16, true));
    if (size < 24) break;
    if (id === FILE_PROPERTIES && view.byteLength >= 104) {
      const preroll = Number(view.getBigUint64(80, true)) / 1000;
      const played = Number(view.getBigUint64(64, true)) / 1e7 - preroll;
      if (played > 0 && played < 1e8) seconds = played;
      packets = Number(view.getBigUint64(56, true)) * view.getUint32(92, true);
    }
    if (id === STREAM_PROPERTIES && view.byteLength >= 94) {
      const kind = view.getUint32(24, true) >>> 0;
      if (kind === AUDIO_MEDIA)
        sound ??= {
          codec: WMA[view.getUint16(78, true)] ?? waveCodec(view.getUint16(78, true)),
          channels: view.getUint16(80, true),
          sampleRate: view.getUint32(82, true),
        };
      if (kind === VIDEO_MEDIA)
        video ??= { width: view.getUint32(78, true), height: view.getUint32(82, true) };
    }
    at += size;
  }
  if (!sound && !video) return undefined;
  // The data object has a 50-byte header; all packets have the same length.
  const there = Math.max(0, bytes.size - Number(start.getBigUint64(16, true)) - 50);
  const held =
    seconds !== undefined && packets > 0 && there < packets * 0.95 ? (seconds * there) / packets : undefined;
  const played = held ?? seconds;
  return {
    container: 'asf',
    mimeType: video ? 'video/x-ms-wmv' : 'audio/x-ms-wma',
    ...(played !== undefined && played > 0 && { seconds: played, bytesPerSecond: bytes.size / played }),
    ...(held !== undefined && { held, promised: seconds }),
    ...sound,
    soundBytes: bytes.size,
    ...(video && { video }),
    tagFile: await bytes.copy(0, Math.min(end, TAG_BYTES)),
  };
}

/** Maximum bytes passed to the tag library, which takes up to ten seconds per MiB of hostile input. */
const TAG_BYTES: Bytes = 64 * 1024;
const WMA: Readonly<Record<number, string>> = {
  352: 'WMA 1',
  353: 'WMA 2',
  354: 'WMA Pro',
  355: 'WMA Lossless',
  10: 'WMA Voice',
};

/** AVI 1.0: the main header and the stream headers in `hdrl`. */
export async function openAvi(bytes: SourceBytes): Promise<Recording | undefined> {
  const head = await bytes.copy(0, 64 * 1024);
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  let width = 0;
  let height = 0;
  let seconds = 0;
  let codec: string | undefined;
  let sound: Pick<Recording, 'codec' | 'sampleRate' | 'channels'> | undefined;
  let kind = '';
  let at = 12;
  for (let step = 0; step < MAX_OBJECTS && at + 8 <= head.length; step += 1) {
    const name = letters(head, at, 4);
    const size = view.getUint32(at + 4, true);
    const inside = at + 8;
    if (name === 'LIST') {
      if (letters(head, inside, 4) === 'movi') break;
      at = inside + 4;
      continue;
    }
    if (name === 'avih' && inside + 40 <= head.length) {
      seconds = (view.getUint32(inside, true) * view.getUint32(inside + 16, true)) / 1e6;
      width = view.getUint32(inside + 32, true);
      height = view.getUint32(inside + 36, true);
    }
    if (name === 'strh' && inside + 8 <= head.length) {
      kind = letters(head, inside, 4);
      if (kind === 'vids') codec = letters(head, inside + 4, 4).replace(/[^\x21-\x7e]/g, '');
    }
    if (name === 'strf' && kind === 'auds' && inside + 8 <= head.length)
      sound ??= {
        codec: waveCodec(view.getUint16(inside, true)),
        channels: view.getUint16(inside + 2, true),
        sampleRate: view.getUint32(inside + 4, true),
      };
    at = inside + size + (size & 1);
  }
  return {
    container: 'avi',
    mimeType: 'video/x-msvideo',
    ...(seconds > 0 && { seconds }),
    ...sound,
    soundBytes: bytes.size,
    video: { ...(codec && { codec }), ...(width > 0 && height > 0 && { width, height }) },
  };
}

/** FLV: the fields of its `onMetaData` record, searched by name in the first 16 KiB. */
export async function openFlv(bytes: SourceBytes): Promise<Recording> {
  const head = Buffer.from(await bytes.copy(0, 16 * 1024));
  const number = (name: string): number => {
    const at = head.indexOf(name);
    const value = at + name.length;
    // AMF 0: a number is a zero byte followed by a double.
    if (at < 0 || head[value] !== 0 || value + 9 > head.length) return 0;
    const read = head.readDoubleBE(value + 1);
    return Number.isFinite(read) && read > 0 && read < 1e8 ? read : 0;
  };
  const [seconds, width, height] = [number('duration'), number('width'), number('height')];
  return {
    container: 'flv',
    mimeType: 'video/x-flv',
    ...(seconds && { seconds }),
    soundBytes: bytes.size,
    video: width && height ? { width, height } : {},
  };
}

/** AU and SND: a 24-byte header. */
export async function openAu(bytes: SourceBytes): Promise<Recording | undefined> {
  const head = await bytes.copy(0, 24);
  if (head.length < 24 || !says(head, 0, '.snd')) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, 24);
  const stated = view.getUint32(8);
  const length = Math.min(
    stated === 0xffffffff ? bytes.size : stated,
    Math.max(0, bytes.size - view.getUint32(4)),
  );
  const [codec, width] = AU_CODECS[view.getUint32(12)] ?? [undefined, 0];
  const sampleRate = view.getUint32(16);
  const channels = view.getUint32(20);
  const rate = width * channels * sampleRate;
  return {
    container: 'au',
    mimeType: 'audio/basic',
    ...(rate > 0 && { seconds: length / rate, bytesPerSecond: rate }),
    codec,
    sampleRate,
    channels,
    ...(width > 0 && { bitsPerSample: width * 8 }),
    soundBytes: length,
    ...(rate > 0 && {
      cut: async (from: number, to: number) => {
        const frame = width * channels;
        const first = Math.round(from * sampleRate);
        const last = Math.min(Math.floor(length / frame), Math.round(to * sampleRate));
        const sound = await bytes.copy(view.getUint32(4) + first * frame, (last - first) * frame);
        const data = new Uint8Array(24 + sound.length);
        data.set(head);
        data.set(sound, 24);
        const header = new DataView(data.buffer);
        header.setUint32(4, 24);
        header.setUint32(8, sound.length);
        return { data, mimeType: 'audio/basic', from: first / sampleRate, to: last / sampleRate };
      },
    }),
  };
}

/** MPEG program and transport streams: the picture size, if an MPEG 1 or 2 sequence header occurs early. */
export async function openMpeg(bytes: SourceBytes): Promise<Recording> {
  const head = Buffer.from(await bytes.copy(0, 64 * 1024));
  const at = head.indexOf(Buffer.from([0, 0, 1, 0xb3]));
  const size = at >= 0 && at + 7 <= head.length ? head.readUIntBE(at + 4, 3) : 0;
  return {
    container: 'mpeg',
    mimeType: head[0] === 0 && head[2] === 1 ? 'video/mpeg' : 'video/mp2t',
    soundBytes: bytes.size,
    video: size > 0 ? { width: size >> 12, height: size & 0xfff } : {},
  };
}

const AU_CODECS: Readonly<Record<number, readonly [string, number]>> = {
  1: ['mu-law', 1],
  2: ['PCM', 1],
  3: ['PCM', 2],
  4: ['PCM', 3],
  5: ['PCM', 4],
  6: ['PCM float', 4],
  7: ['PCM float', 8],
  27: ['A-law', 1],
};

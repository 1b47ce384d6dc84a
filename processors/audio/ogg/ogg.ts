// Ogg files (RFC 3533) with Vorbis, Opus, Speex or FLAC: duration, and clips of whole Vorbis and Opus pages under the
// stream's own headers, with renumbered positions.

import type { Bytes } from '../../../src/contract/index.ts';
import { joined, type SourceBytes, says } from '../bytes.ts';
import { readComments } from '../comments.ts';
import { streamInfo } from '../flac.ts';
import type { Clip, Recording, Tags } from '../recording.ts';
import { NO_POSITION, PAGE_HEADER, type Page, pages } from './page.ts';
import { headerPages, pageOf } from './written-page.ts';

const MARK_EVERY = 32;

type Codec = 'Vorbis' | 'Opus' | 'Speex' | 'FLAC';

interface Stream {
  readonly serial: number;
  readonly codec: Codec;
  readonly rate: number;
  readonly channels: number;
  readonly preSkip: number;
  /** Number of header packets. */
  readonly headers: number;
}

/** Identifies a stream by its first packet; undefined if it is not a known audio codec. */
function streamOf(packet: Uint8Array, serial: number): Stream | undefined {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.length);
  if (says(packet, 0, '\u0001vorbis') && packet.length >= 30)
    return {
      serial,
      codec: 'Vorbis',
      rate: view.getUint32(12, true),
      channels: packet[11] ?? 0,
      preSkip: 0,
      headers: 3,
    };
  if (says(packet, 0, 'OpusHead') && packet.length >= 19)
    // RFC 7845, 4: positions count at 48 kHz regardless of the input rate.
    return {
      serial,
      codec: 'Opus',
      rate: 48_000,
      channels: packet[9] ?? 0,
      preSkip: view.getUint16(10, true),
      headers: 2,
    };
  if (says(packet, 0, 'Speex   ') && packet.length >= 80)
    return {
      serial,
      codec: 'Speex',
      rate: view.getUint32(36, true),
      channels: view.getUint32(48, true),
      preSkip: 0,
      headers: 2,
    };
  if (says(packet, 0, '\u007fFLAC') && packet.length >= 51) {
    const info = streamInfo(packet.subarray(17));
    return (
      info && {
        serial,
        codec: 'FLAC',
        rate: info.sampleRate,
        channels: info.channels,
        preSkip: 0,
        headers: 2,
      }
    );
  }
  return undefined;
}

export interface Ogg {
  readonly stream: Stream;
  readonly video: string | undefined;
  /** Position of the first audio page. */
  readonly start: Bytes;
  readonly first: number;
  /** Samples over all links of a chained stream. */
  readonly samples: number;
  readonly chained: boolean;
  readonly marks: readonly { readonly at: Bytes; readonly position: number }[];
}

/** The recording, or undefined if there is no audio or video stream. */
export async function openOgg(bytes: SourceBytes): Promise<Recording | undefined> {
  const ogg = await walk(bytes);
  if (!ogg) return undefined;
  const { stream, samples } = ogg;
  if (!stream) return { container: 'ogg', mimeType: 'video/ogg', video: { codec: ogg.video ?? 'unknown' } };
  const known: Ogg = { ...ogg, stream };
  const seconds = stream.rate > 0 ? samples / stream.rate : undefined;
  const soundBytes = bytes.size - ogg.start;
  const cuts =
    (stream.codec === 'Vorbis' || stream.codec === 'Opus') && !ogg.chained && ogg.video === undefined;
  return {
    container: 'ogg',
    mimeType: ogg.video === undefined ? 'audio/ogg' : 'video/ogg',
    seconds,
    codec: stream.codec,
    sampleRate: stream.rate,
    channels: stream.channels,
    soundBytes,
    tags: await tagsOf(bytes, stream),
    ...(ogg.video !== undefined && { video: { codec: ogg.video } }),
    ...(seconds !== undefined && seconds > 0 && { bytesPerSecond: soundBytes / seconds }),
    ...(cuts && { cut: (from: number, to: number) => cut(bytes, known, from, to) }),
  };
}

async function walk(
  bytes: SourceBytes,
): Promise<(Omit<Ogg, 'stream'> & { stream: Stream | undefined }) | undefined> {
  let stream: Stream | undefined;
  let video: string | undefined;
  let left = 0;
  let start: Bytes = 0;
  let samples = 0;
  let chained = false;
  let first = NO_POSITION;
  let last = NO_POSITION;
  let count = 0;
  let any = false;
  const marks: { at: Bytes; position: number }[] = [];
  for await (const page of pages(bytes, 0)) {
    any = true;
    if (page.begins) {
      const packet = await bytes.at(page.at + PAGE_HEADER + page.lacing.length, 128);
      if (says(packet, 0, '\u0080theora')) video ??= 'Theora';
      const found = streamOf(packet, page.serial);
      if (!found) continue;
      if (stream && (last === NO_POSITION || stream.codec !== found.codec)) continue;
      if (stream) {
        samples += length(stream, first, last);
        chained = true;
      }
      stream = found;
      left = found.headers - packetsEnding(page);
      first = NO_POSITION;
      last = NO_POSITION;
      continue;
    }
    if (!stream || page.serial !== stream.serial) continue;
    if (left > 0) {
      left -= packetsEnding(page);
      if (left <= 0) start = page.at + page.length;
      continue;
    }
    if (page.position === NO_POSITION) continue;
    // A file cut from a longer one starts at a later position.
    if (first === NO_POSITION) first = page.position;
    last = page.position;
    if (count % MARK_EVERY === 0) marks.push({ at: page.at, position: page.position });
    count += 1;
  }
  if (!any) return undefined;
  return {
    stream,
    video,
    start,
    first,
    samples: samples + (stream ? length(stream, first, last) : 0),
    chained,
    marks,
  };
}

/** Samples between the start of the first page, assumed to be 0 if plausible, and the last position. */
export function length(stream: Stream, first: number, last: number): number {
  if (last === NO_POSITION) return 0;
  // A first page never holds more than 10 seconds, so a larger position is an offset.
  const offset = first > stream.rate * 10 ? first : 0;
  return Math.max(0, last - offset - stream.preSkip);
}

const packetsEnding = ({ lacing }: Page): number =>
  lacing.reduce((sum, size) => sum + (size < 255 ? 1 : 0), 0);

/** The second packet: its first 64 KiB, without an embedded cover. */
async function tagsOf(bytes: SourceBytes, { serial, codec }: Stream): Promise<Tags> {
  let packet: Uint8Array = new Uint8Array(0);
  let packets = 0;
  for await (const page of pages(bytes, 0)) {
    if (page.serial !== serial) continue;
    let at = page.at + PAGE_HEADER + page.lacing.length;
    for (const size of page.lacing) {
      if (packets === 1) packet = joined([packet, await bytes.at(at, size)]);
      at += size;
      if (size < 255) packets += 1;
    }
    if (packets > 1 || packet.length > 64 * 1024) break;
  }
  const skip = { Vorbis: 7, Opus: 8, Speex: 0, FLAC: 4 }[codec];
  return readComments(packet.slice(skip));
}

async function cut(bytes: SourceBytes, ogg: Ogg, from: number, to: number): Promise<Clip> {
  const { stream, marks, start } = ogg;
  const offset = ogg.first > stream.rate * 10 ? ogg.first : 0;
  const wanted = offset + stream.preSkip + from * stream.rate;
  const until = offset + stream.preSkip + to * stream.rate;
  const pieces: Uint8Array[] = await headerPages(bytes, ogg.stream.serial, ogg.start);
  let sequence = pieces.length;
  // Start two marks back and skip at least one page: the position before the first page kept must be known.
  let mark = { at: start, position: offset };
  for (const candidate of marks) if (candidate.position <= wanted - stream.rate) mark = candidate;
  let base = mark.at === start ? offset : NO_POSITION;
  let end = base;
  for await (const page of pages(bytes, mark.at)) {
    if (page.serial !== stream.serial) continue;
    const begun = pieces.length > 0 && sequence > 0 && end !== base;
    if (!begun && page.position !== NO_POSITION && page.position <= wanted) {
      base = page.position;
      end = base;
      continue;
    }
    if (base === NO_POSITION) continue;
    const content = await bytes.copy(page.at + PAGE_HEADER, page.length - PAGE_HEADER);
    const trimmed =
      !begun && page.continued
        ? afterFirstPacket(page, content)
        : { lacing: page.lacing, content: content.subarray(page.lacing.length) };
    if (trimmed.lacing.length > 0) {
      const last = page.position !== NO_POSITION && page.position >= until;
      const position = page.position === NO_POSITION ? NO_POSITION : page.position - base;
      pieces.push(
        pageOf({
          flags: (begun && page.continued ? 1 : 0) | (last ? 4 : 0),
          position,
          serial: stream.serial,
          sequence,
          ...trimmed,
        }),
      );
      sequence += 1;
    }
    if (page.position !== NO_POSITION) end = page.position;
    if (end >= until) break;
  }
  return {
    data: joined(pieces),
    mimeType: 'audio/ogg',
    // The decoder drops the pre-skip at the start of the clip as well.
    from: Math.max(0, (base - offset) / stream.rate),
    to: (end - offset - stream.preSkip) / stream.rate,
  };
}

/** A page's lacing and content without the packet continued from the previous page. */
function afterFirstPacket(page: Page, content: Uint8Array): { lacing: Uint8Array; content: Uint8Array } {
  const end = page.lacing.findIndex((size) => size < 255);
  const gone = end < 0 ? page.lacing.length : end + 1;
  const bytes = page.lacing.subarray(0, gone).reduce((sum, size) => sum + size, 0);
  return { lacing: page.lacing.subarray(gone), content: content.subarray(page.lacing.length + bytes) };
}

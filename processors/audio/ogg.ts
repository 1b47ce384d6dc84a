// Ogg files (RFC 3533) with Vorbis, Opus, Speex or FLAC: how long they play, and stretches of whole pages of Vorbis and Opus
// under the stream's own headers, their positions counted anew.

import type { Bytes } from '../../src/contract/index.ts';
import { joined, type SourceBytes, says } from './bytes.ts';
import { readComments } from './comments.ts';
import { streamInfo } from './flac.ts';
import type { Clip, Recording, Tags } from './recording.ts';

const PAGE_HEADER: Bytes = 27;
/** Garbage passed over between two pages. */
const MAX_GAP: Bytes = 128 * 1024;
/** Of the headers of one stream: a cover among the comments makes them long. */
const MAX_HEADER_BYTES: Bytes = 4 * 1024 * 1024;
const MARK_EVERY = 32;
/** Position of a page on which no packet ends. */
const NO_POSITION = -1;

interface Page {
  readonly at: Bytes;
  readonly length: Bytes;
  readonly continued: boolean;
  readonly begins: boolean;
  readonly serial: number;
  readonly position: number;
  readonly lacing: Uint8Array;
}

/** The page at `at`, or undefined when none starts there. */
async function pageAt(bytes: SourceBytes, at: Bytes): Promise<Page | undefined> {
  const near = bytes.at(at, PAGE_HEADER + 255);
  const head = near instanceof Uint8Array ? near : await near;
  if (head.length < PAGE_HEADER || !says(head, 0, 'OggS') || head[4] !== 0) return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  const lacing = head.slice(PAGE_HEADER, PAGE_HEADER + (head[26] ?? 0));
  const length = PAGE_HEADER + lacing.length + lacing.reduce((sum, size) => sum + size, 0);
  if (lacing.length < (head[26] ?? 0)) return undefined;
  const flags = head[5] ?? 0;
  const position = view.getBigInt64(6, true);
  return {
    at,
    length,
    continued: (flags & 1) !== 0,
    begins: (flags & 2) !== 0,
    serial: view.getUint32(14, true),
    position: position < 0n || position > 2n ** 50n ? NO_POSITION : Number(position),
    lacing,
  };
}

/** Every page from `from` on, passing over short garbage. */
async function* pages(bytes: SourceBytes, from: Bytes): AsyncGenerator<Page> {
  let at = from;
  while (at < bytes.size) {
    const page = await pageAt(bytes, at);
    if (page) {
      yield page;
      at += page.length;
      continue;
    }
    const piece = await bytes.at(at + 1, MAX_GAP);
    const next = Buffer.from(piece.buffer, piece.byteOffset, piece.length).indexOf('OggS');
    if (next < 0) return;
    at += 1 + next;
  }
}

type Codec = 'Vorbis' | 'Opus' | 'Speex' | 'FLAC';

interface Stream {
  readonly serial: number;
  readonly codec: Codec;
  readonly rate: number;
  readonly channels: number;
  readonly preSkip: number;
  /** Packets before the sound. */
  readonly headers: number;
}

/** What a first packet says of its stream; undefined for what is no sound known here. */
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
    // RFC 7845, 4: positions count at 48 kHz, whatever the input was.
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

interface Ogg {
  readonly stream: Stream;
  readonly video: string | undefined;
  /** Where the first page with sound starts. */
  readonly start: Bytes;
  readonly first: number;
  /** Samples over all links of a chain. */
  readonly samples: number;
  readonly chained: boolean;
  readonly marks: readonly { readonly at: Bytes; readonly position: number }[];
}

/** The recording, or undefined when no stream of sound or video is found. */
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
    // A file cut from a longer one starts at a later position: what lies before the first page is not there.
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

/** Samples between the first page's start, taken for 0 where that is likely, and the last position. */
function length(stream: Stream, first: number, last: number): number {
  if (last === NO_POSITION) return 0;
  // More than 10 seconds on the first page are none of its own.
  const offset = first > stream.rate * 10 ? first : 0;
  return Math.max(0, last - offset - stream.preSkip);
}

const packetsEnding = ({ lacing }: Page): number =>
  lacing.reduce((sum, size) => sum + (size < 255 ? 1 : 0), 0);

/** The second packet: its first 64 KiB, without a cover that follows. */
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
  const pieces: Uint8Array[] = await headerPages(bytes, ogg);
  let sequence = pieces.length;
  // Two marks back at most one page is missed: the position before the first page kept must be known.
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
    // The decoder drops what lies before the pre-skip anew.
    from: Math.max(0, (base - offset) / stream.rate),
    to: (end - offset - stream.preSkip) / stream.rate,
  };
}

/** A page's lacing and content without the packet that came over from the page before. */
function afterFirstPacket(page: Page, content: Uint8Array): { lacing: Uint8Array; content: Uint8Array } {
  const end = page.lacing.findIndex((size) => size < 255);
  const gone = end < 0 ? page.lacing.length : end + 1;
  const bytes = page.lacing.subarray(0, gone).reduce((sum, size) => sum + size, 0);
  return { lacing: page.lacing.subarray(gone), content: content.subarray(page.lacing.length + bytes) };
}

async function headerPages(bytes: SourceBytes, { stream, start }: Ogg): Promise<Uint8Array[]> {
  const kept: Uint8Array[] = [];
  let total = 0;
  for await (const page of pages(bytes, 0)) {
    if (page.at >= start || total > MAX_HEADER_BYTES) break;
    if (page.serial !== stream.serial) continue;
    total += page.length;
    const content = await bytes.copy(page.at + PAGE_HEADER, page.length - PAGE_HEADER);
    kept.push(
      pageOf({
        flags: (page.continued ? 1 : 0) | (page.begins ? 2 : 0),
        position: page.position,
        serial: page.serial,
        sequence: kept.length,
        lacing: page.lacing,
        content: content.subarray(page.lacing.length),
      }),
    );
  }
  return kept;
}

interface NewPage {
  readonly flags: number;
  readonly position: number;
  readonly serial: number;
  readonly sequence: number;
  readonly lacing: Uint8Array;
  readonly content: Uint8Array;
}

function pageOf({ flags, position, serial, sequence, lacing, content }: NewPage): Uint8Array {
  const page = joined([new Uint8Array(PAGE_HEADER), lacing, content]);
  const view = new DataView(page.buffer);
  view.setUint32(0, 0x4f676753);
  view.setUint8(5, flags);
  view.setBigInt64(6, BigInt(position), true);
  view.setUint32(14, serial, true);
  view.setUint32(18, sequence, true);
  view.setUint8(26, lacing.length);
  view.setUint32(22, crc(page), true);
  return page;
}

/** RFC 3533, 6: CRC-32 with the polynomial 04c11db7, neither reflected nor inverted. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
  let value = i * 2 ** 24;
  for (let bit = 0; bit < 8; bit += 1) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value >>> 0;
});

function crc(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = ((value << 8) ^ (CRC_TABLE[(value >>> 24) ^ byte] ?? 0)) >>> 0;
  return value;
}

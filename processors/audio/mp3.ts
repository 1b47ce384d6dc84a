// MP3, MP2 and MP1 files: duration, and clips that play on their own. A Layer III clip starts with a silent frame that
// carries the bits its first frame borrows from earlier frames (ISO/IEC 11172-3, 2.4.2.7 `main_data_begin`).

import type { Bytes } from '../../src/contract/index.ts';
import { joined, type SourceBytes, says } from './bytes.ts';
import { ID3_HEADER_BYTES, id3Length, id3TextFrames } from './id3.ts';
import {
  bitratesOf,
  type FrameHeader,
  type FrameWalk,
  frameHeader,
  frameLength,
  frameStart,
  nextFrame,
  sideInfoLength,
  walkFrames,
} from './mpeg.ts';
import type { Clip, Recording } from './recording.ts';

/** Maximum consecutive tags to skip. */
const MAX_TAGS = 16;
const LAYERS = ['', 'I', 'II', 'III'];

/** The recording, or undefined if there are no frames. */
export async function openMp3(bytes: SourceBytes): Promise<Recording | undefined> {
  let start = 0;
  for (let tag = 0; tag < MAX_TAGS; tag += 1) {
    const length = id3Length(await bytes.at(start, ID3_HEADER_BYTES));
    if (length === 0) break;
    start += length;
  }
  const walk = await walkFrames(bytes, start);
  if (!walk || walk.count === 0) return undefined;
  const { first, count, declared } = walk;
  const held = (count * first.samples) / first.sampleRate;
  const statedSeconds = declared ? (declared * first.samples) / first.sampleRate : held;
  return {
    container: 'mp3',
    mimeType: 'audio/mpeg',
    // A header that states fewer frames than present, or slightly more, is merely inexact.
    seconds: Math.max(statedSeconds, held),
    ...(statedSeconds > held * 1.02 + 0.2 && { held }),
    codec: `MPEG ${first.version} Layer ${LAYERS[first.layer]}`,
    sampleRate: first.sampleRate,
    channels: first.channels,
    soundBytes: walk.bytes,
    bytesPerSecond: walk.bytes / held,
    tagFile: await tagFile(bytes, walk),
    cut: (from, to) => cut(bytes, walk, from, to),
  };
}

/** The tags before and after the audio, with a few frames between them. */
async function tagFile(bytes: SourceBytes, walk: FrameWalk): Promise<Uint8Array> {
  const frames = await bytes.copy(walk.start, Math.min(2048, walk.first.length * 3));
  const tail = await bytes.copy(Math.max(0, bytes.size - TAIL_BYTES), TAIL_BYTES);
  const old = tail.length >= 128 && says(tail, tail.length - 128, 'TAG');
  const ape = Buffer.from(tail.buffer, tail.byteOffset, tail.length).indexOf('APETAGEX');
  const after = ape >= 0 ? tail.subarray(ape) : old ? tail.subarray(-128) : new Uint8Array(0);
  return joined([await id3TextFrames(bytes), frames, after]);
}

const TAIL_BYTES: Bytes = 32 * 1024;

async function cut(bytes: SourceBytes, walk: FrameWalk, from: number, to: number): Promise<Clip> {
  const { first, count } = walk;
  const perSecond = first.sampleRate / first.samples;
  const begin = Math.min(count - 1, Math.floor(from * perSecond + 1e-6));
  const end = Math.max(begin + 1, Math.min(count, Math.round(to * perSecond)));
  const start = await frameStart(bytes, walk, begin);
  const pieces: Uint8Array[] = first.layer === 3 ? [await lead(bytes, walk, begin, start)] : [];
  let at = start;
  for (let number = begin; number < end && at < bytes.size; number += 1) {
    const header = frameHeader(await bytes.at(at, 4), 0);
    if (header) pieces.push(new Uint8Array(await bytes.at(at, header.length)));
    at = await nextFrame(bytes, walk, at);
  }
  const data = joined(pieces);
  if (first.layer !== 3)
    return { data, mimeType: 'audio/mpeg', from: begin / perSecond, to: end / perSecond };
  const silent = (pieces[0]?.length ?? 0) > infoFrame(first, await bytes.copy(start, 4)).length ? 1 : 0;
  const frames = end - begin + silent;
  writeInfo(data, first, frames);
  return {
    data,
    mimeType: 'audio/mpeg',
    from: begin / perSecond,
    to: end / perSecond,
    plays: frames / perSecond,
  };
}

/** The most a frame may borrow: `main_data_begin` has nine bits, eight in MPEG 2. */
const MAX_BORROWED: Bytes = 511;
/** Maximum earlier frames to look at. 8 kbit/s would need more, which such streams do not have. */
const MAX_BACK = 24;

/** An info frame, then a silent frame whose unused bytes end with the bits the frame at `start` borrows. */
async function lead(bytes: SourceBytes, walk: FrameWalk, begin: number, start: Bytes): Promise<Uint8Array> {
  const head = await bytes.copy(start, 4 + 2 + 2);
  const header = frameHeader(head, 0);
  const information = infoFrame(walk.first, head);
  if (!header) return information;
  const at = header.checked ? 6 : 4;
  const borrowed =
    header.version === 1 ? ((head[at] ?? 0) << 1) | ((head[at + 1] ?? 0) >> 7) : (head[at] ?? 0);
  let before: Uint8Array = new Uint8Array(0);
  let place = await frameStart(bytes, walk, Math.max(0, begin - MAX_BACK));
  for (let number = Math.max(0, begin - MAX_BACK); number < begin && place < start; number += 1) {
    const earlier = frameHeader(await bytes.at(place, 4), 0);
    if (earlier) {
      const skip = 4 + (earlier.checked ? 2 : 0) + sideInfoLength(earlier);
      const main = (await bytes.at(place, earlier.length)).subarray(skip);
      before = joined([before, main]).slice(-MAX_BORROWED);
    }
    place = await nextFrame(bytes, walk, place);
  }
  if (borrowed === 0) return information;
  const kept = before.slice(-borrowed);
  const silent = emptyFrame(walk.first, head, kept.length);
  silent.set(kept, silent.length - kept.length);
  return joined([information, silent]);
}

/** A silent frame with the parameters of `head` and `room` bytes after its side information. */
function emptyFrame(header: FrameHeader, head: Uint8Array, room: Bytes): Uint8Array {
  const needed = 4 + sideInfoLength(header) + room;
  const rates = bitratesOf(header);
  const index = rates.findIndex((rate) => rate > 0 && frameLength(header, rate) >= needed);
  const chosen = index > 0 ? index : rates.length - 1;
  const frame = new Uint8Array(frameLength(header, rates[chosen] ?? 0));
  frame[0] = 0xff;
  frame[1] = (head[1] ?? 0) | 1; // no checksum
  frame[2] = (chosen << 4) | ((head[2] ?? 0) & 0x0c);
  frame[3] = head[3] ?? 0;
  return frame;
}

/** Bytes of the header that states the number of frames and bytes that follow. */
const INFO_BYTES: Bytes = 16;

function infoFrame(header: FrameHeader, head: Uint8Array): Uint8Array {
  return emptyFrame(header, head, INFO_BYTES);
}

/** Fills in the info frame at the start of `data`, so that players know the duration without walking the frames. */
function writeInfo(data: Uint8Array, header: FrameHeader, frames: number): void {
  const view = new DataView(data.buffer);
  const at = 4 + sideInfoLength(header);
  data.set([0x58, 0x69, 0x6e, 0x67], at); // Xing
  view.setUint32(at + 4, 3);
  view.setUint32(at + 8, frames);
  view.setUint32(at + 12, data.length);
}

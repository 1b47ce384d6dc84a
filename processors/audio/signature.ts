// Identifies an audio or video container by its first bytes. Does not check whether it plays.

import { letters, says } from './bytes.ts';
import { confirmedFrame } from './mpeg.ts';
import type { Container } from './recording.ts';

/** Bytes to search for MPEG frames: some files start with a few bytes of other data. */
const SEARCH_BYTES = 16 * 1024;

/** ISO base media brands of pictures (HEIF, AVIF, JPEG XL). */
const PICTURE_BRANDS = /^(?:avi[fs]|hei[cxms]|hev[cxms]|mif1|msf1|jxl )$/;

/** Containers that are always video. */
export const VIDEO_ALONE: ReadonlySet<Container> = new Set<Container>(['avi', 'flv', 'mpeg']);
/** Containers of either audio or video. */
export const FOR_BOTH: ReadonlySet<Container> = new Set<Container>([
  'mp4',
  'matroska',
  'ogg',
  'asf',
  'realmedia',
]);

/** The container of a file that starts with `head`; undefined if unknown. */
export function containerOf(head: Uint8Array): Container | undefined {
  if (head.length < 4) return undefined;
  if (says(head, 0, 'RIFF') || says(head, 0, 'RF64')) {
    if (says(head, 8, 'WAVE')) return 'wav';
    return says(head, 8, 'AVI ') ? 'avi' : undefined;
  }
  if (says(head, 0, 'FORM') && (says(head, 8, 'AIFF') || says(head, 8, 'AIFC'))) return 'aiff';
  if (says(head, 0, 'FRM8') && says(head, 12, 'DSD ')) return 'dff';
  if (says(head, 0, 'OggS')) return 'ogg';
  if (says(head, 0, 'fLaC')) return 'flac';
  if (says(head, 0, 'MAC ')) return 'ape';
  if (says(head, 0, 'wvpk')) return 'wavpack';
  if (says(head, 0, 'MPCK') || says(head, 0, 'MP+')) return 'musepack';
  if (says(head, 0, 'DSD ')) return 'dsf';
  if (says(head, 0, '.snd')) return 'au';
  if (says(head, 0, 'caff')) return 'caf';
  if (says(head, 0, '#!AMR')) return 'amr';
  if (says(head, 0, 'FLV\u0001')) return 'flv';
  if (says(head, 0, '.RMF') || says(head, 0, '.ra\u00fd')) return 'realmedia';
  if (says(head, 0, '\u001aE\u00df\u00a3')) return 'matroska';
  if (ASF_HEADER.every((byte, i) => head[i] === byte)) return 'asf';
  if (says(head, 4, 'ftyp')) return PICTURE_BRANDS.test(letters(head, 8, 4)) ? undefined : 'mp4';
  if (/^(?:moov|mdat|wide|free|skip|pnot)$/.test(letters(head, 4, 4))) return 'mp4';
  if (says(head, 0, 'ID3')) return 'mp3';
  if (head[0] === 0 && head[1] === 0 && head[2] === 1 && (head[3] === 0xba || head[3] === 0xb3))
    return 'mpeg';
  if (isTransportStream(head)) return 'mpeg';
  if (isAdts(head)) return 'aac';
  return confirmedFrame(head, SEARCH_BYTES) >= 0 ? 'mp3' : undefined;
}

/** [ASF] 10.1, ASF_Header_Object. */
const ASF_HEADER = [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0, 0xaa, 0, 0x62, 0xce, 0x6c];

/** Packets of 188 bytes (192 with a timestamp before each) that start with `G`. */
function isTransportStream(head: Uint8Array): boolean {
  return [
    [0, 188],
    [4, 192],
  ].some(([start = 0, step = 188]) =>
    [0, 1, 2, 3].every((packet) => head[start + packet * step] === 0x47 && head.length > start + 3 * step),
  );
}

/** ISO/IEC 14496-3, 1.A.2.2: two frame headers, the second at the offset the first states. */
function isAdts(head: Uint8Array): boolean {
  const sync = (at: number): boolean => head[at] === 0xff && ((head[at + 1] ?? 0) & 0xf6) === 0xf0;
  if (!sync(0) || head.length < 7) return false;
  const length = (((head[3] ?? 0) & 3) << 11) | ((head[4] ?? 0) << 3) | ((head[5] ?? 0) >> 5);
  return length >= 7 && (length + 2 > head.length || sync(length));
}

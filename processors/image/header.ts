// Reads the size from the header of a picture that is not decoded. Reads fixed offsets and bounded lists only, and
// returns nothing rather than a guess.

import type { PictureFormat } from './signature.ts';

/** In pixels as stored, before any rotation. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** Maximum boxes or entries to visit. */
const MAX_STEPS = 1000;
const MAX_EDGE = 2 ** 31;

/** The size stated in `bytes`, the start of a file of this format; undefined if it has none. */
export function headerSize(format: PictureFormat, bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const size = READERS[format]?.(view);
    return size && size.width > 0 && size.height > 0 && size.width < MAX_EDGE && size.height < MAX_EDGE
      ? size
      : undefined;
  } catch (error) {
    // Reading past the end means a truncated header.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

type Reader = (view: DataView) => PictureSize | undefined;

const at32 =
  (width: number, height: number, littleEndian: boolean): Reader =>
  (view) => ({ width: view.getUint32(width, littleEndian), height: view.getUint32(height, littleEndian) });

const READERS: Readonly<Partial<Record<PictureFormat, Reader>>> = {
  // PNG (W3C), 11.2.2: IHDR is the first chunk.
  png: at32(16, 20, false),
  gif: (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  bmp: (view) =>
    view.getUint32(14, true) === 12
      ? { width: view.getUint16(18, true), height: view.getUint16(20, true) }
      : { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) },
  ico: iconSize,
  cur: iconSize,
  psd: at32(18, 14, false),
  qoi: at32(4, 8, false),
  dds: at32(16, 12, true),
  xcf: at32(14, 18, false),
  j2k: (view) => codestreamSize(view, 0),
  jp2: jp2Size,
  jxl: jxlSize,
  heic: heifSize,
  avif: heifSize,
};

/** The largest picture in an icon; 0 means 256. */
function iconSize(view: DataView): PictureSize | undefined {
  const count = Math.min(view.getUint16(4, true), MAX_STEPS);
  let largest: PictureSize | undefined;
  for (let i = 0; i < count; i += 1) {
    const width = view.getUint8(6 + i * 16) || 256;
    const height = view.getUint8(7 + i * 16) || 256;
    if (!largest || width * height > largest.width * largest.height) largest = { width, height };
  }
  return largest;
}

/** ISO/IEC 15444-1, A.5.1: the SIZ marker follows the start of the codestream. */
function codestreamSize(view: DataView, at: number): PictureSize | undefined {
  if (view.getUint32(at) !== 0xff4fff51) return undefined;
  return {
    width: view.getUint32(at + 8) - view.getUint32(at + 16),
    height: view.getUint32(at + 12) - view.getUint32(at + 20),
  };
}

const fourCharacters = (text: string): number =>
  [...text].reduce((code, character) => code * 256 + character.charCodeAt(0), 0);
const IHDR_BOX = fourCharacters('ihdr');
const ISPE_BOX = fourCharacters('ispe');
const JXLC_BOX = fourCharacters('jxlc');
const JXLP_BOX = fourCharacters('jxlp');

/** Calls `found` with the content offset of each box in `[from, to)`; returning true ends the walk. */
function eachBox(
  view: DataView,
  from: number,
  to: number,
  found: (type: number, content: number, end: number) => boolean,
): void {
  let at = from;
  for (let step = 0; step < MAX_STEPS && at + 8 <= to; step += 1) {
    const short = view.getUint32(at);
    const large = short === 1;
    const length = large ? Number(view.getBigUint64(at + 8)) : short === 0 ? to - at : short;
    const content = at + (large ? 16 : 8);
    if (length < content - at) return;
    if (found(view.getUint32(at + 4), content, Math.min(to, at + length))) return;
    at += length;
  }
}

const JP2H_BOX = fourCharacters('jp2h');

/** ISO/IEC 15444-1, I.5.3.1: `ihdr` in `jp2h` holds height, then width. */
function jp2Size(view: DataView): PictureSize | undefined {
  let size: PictureSize | undefined;
  eachBox(view, 0, view.byteLength, (type, content, end) => {
    if (type !== JP2H_BOX) return false;
    eachBox(view, content, end, (inner, place) => {
      if (inner === IHDR_BOX) size = { width: view.getUint32(place + 4), height: view.getUint32(place) };
      return inner === IHDR_BOX;
    });
    return true;
  });
  return size;
}

const META_BOX = fourCharacters('meta');
const IPRP_BOX = fourCharacters('iprp');
const IPCO_BOX = fourCharacters('ipco');

/** ISO/IEC 23008-12, 6.5.3: the largest `ispe` property, because tiles have their own. */
function heifSize(view: DataView): PictureSize | undefined {
  let largest: PictureSize | undefined;
  const enter = (content: number, end: number, path: readonly number[]): void =>
    eachBox(view, content, end, (type, inside, innerEnd) => {
      const [wanted, ...rest] = path;
      if (type === wanted && rest.length > 0) enter(inside + (type === META_BOX ? 4 : 0), innerEnd, rest);
      else if (type === wanted) {
        const size = { width: view.getUint32(inside + 4), height: view.getUint32(inside + 8) };
        if (!largest || size.width * size.height > largest.width * largest.height) largest = size;
      }
      return false;
    });
  enter(0, view.byteLength, [META_BOX, IPRP_BOX, IPCO_BOX, ISPE_BOX]);
  return largest;
}

/** ISO/IEC 18181-1, SizeHeader: bits from the lowest up, directly after the signature `ff 0a`. */
function jxlSize(view: DataView): PictureSize | undefined {
  let start = 0;
  if (view.getUint16(0) !== 0xff0a) {
    start = -1;
    eachBox(view, 0, view.byteLength, (type, content) => {
      if (type === JXLC_BOX) start = content;
      if (type === JXLP_BOX) start = content + 4;
      return start >= 0;
    });
    if (start < 0 || view.getUint16(start) !== 0xff0a) return undefined;
  }
  let at = (start + 2) * 8;
  const bits = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i += 1, at += 1) value += ((view.getUint8(at >> 3) >> (at & 7)) & 1) * 2 ** i;
    return value;
  };
  const small = bits(1) === 1;
  const edge = (): number => (small ? (bits(5) + 1) * 8 : bits([9, 13, 18, 30][bits(2)] ?? 30) + 1);
  const height = edge();
  const [across, down] = JXL_RATIOS[bits(3)] ?? [0, 0];
  return { height, width: down === 0 ? edge() : Math.floor((height * across) / down) };
}

/** Width to height; index 0 means that the width is coded explicitly. */
const JXL_RATIOS: readonly (readonly [number, number])[] = [
  [0, 0],
  [1, 1],
  [12, 10],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
];

/** Number of frames of an animated PNG (PNG, 11.3.6.1 `acTL`, which precedes the first `IDAT`); 1 for any other. */
export function pngFrames(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 8;
  for (let step = 0; step < MAX_STEPS && at + 12 <= bytes.length; step += 1) {
    const length = view.getUint32(at);
    const type = view.getUint32(at + 4);
    if (type === IDAT_CHUNK) return 1;
    if (type === ACTL_CHUNK && length >= 8) return Math.max(1, view.getUint32(at + 8));
    at += length + 12;
  }
  return 1;
}

const IDAT_CHUNK = fourCharacters('IDAT');
const ACTL_CHUNK = fourCharacters('acTL');

// Decodes Windows bitmaps of OS/2 1 and Windows 3 to 5 ([MS-WMF] 2.2.2): palettes, RGB, bit fields, run lengths. Reads
// what there is of a truncated file; the rest is black, or transparent.

import type { RawPicture } from './raw-picture.ts';

/** Values of the field `Compression`. */
const RGB = 0;
const RLE8 = 1;
const RLE4 = 2;
const BIT_FIELDS = 3;
const ALPHA_BIT_FIELDS = 6;

/** With less of its pixels, a file is not worth the memory that its header states. */
const LEAST_SHARE = 0.1;

/** Pixels of a run-length picture that is decoded even if nothing of it is there. */
const SMALL = 1_000_000;

const FILE_HEADER = 14;
const CORE_HEADER = 12;
const INFO_HEADER = 40;

interface Header {
  readonly width: number;
  readonly height: number;
  readonly topDown: boolean;
  readonly bits: number;
  readonly compression: number;
  readonly masks: readonly [red: number, green: number, blue: number, alpha: number];
  readonly palette: Uint8Array;
  /** Bytes of a palette entry. */
  readonly entry: 3 | 4;
  readonly pixels: number;
}

/** Undefined for a variant that is not a bitmap of pixels (JPEG and PNG in a bitmap), or one with too many. */
export function decodeBmp(bytes: Uint8Array, maxPixels: number): RawPicture | undefined {
  const header = headerOf(bytes);
  if (!header || header.width * header.height > maxPixels) return undefined;
  const { compression, bits } = header;
  const runLength = compression === RLE8 || compression === RLE4;
  const stated = rowBytes(header) * header.height;
  // Two bytes stand for at most 255 pixels. A small picture costs nothing.
  const pixels = header.width * header.height;
  const least = runLength ? (2 / 255) * Math.max(0, pixels - SMALL) : stated;
  if (least > 0 && bytes.length - header.pixels < LEAST_SHARE * least)
    throw new Error('Hardly any of the pixels are there.');
  const isCut = !runLength && bytes.length < header.pixels + stated;
  if (runLength) return fromIndexes(header, runs(bytes, header));
  if (bits <= 8) return fromIndexes(header, { found: indexes(bytes, header), isCut });
  return { ...fromColors(bytes, header), isCut };
}

function headerOf(bytes: Uint8Array): Header | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < FILE_HEADER + CORE_HEADER) return undefined;
  const size = view.getUint32(FILE_HEADER, true);
  const core = size === CORE_HEADER;
  if ((!core && size < INFO_HEADER) || bytes.length < FILE_HEADER + size) return undefined;
  const at = FILE_HEADER + 4;
  const width = core ? view.getUint16(at, true) : Math.abs(view.getInt32(at, true));
  const tall = core ? view.getUint16(at + 2, true) : view.getInt32(at + 4, true);
  const bits = view.getUint16(core ? at + 6 : at + 10, true);
  const compression = core ? RGB : view.getUint32(at + 12, true);
  const fields = compression === BIT_FIELDS || compression === ALPHA_BIT_FIELDS;
  const known =
    (compression === RGB && [1, 4, 8, 16, 24, 32].includes(bits)) ||
    (compression === RLE8 && bits === 8) ||
    (compression === RLE4 && bits === 4) ||
    (fields && (bits === 16 || bits === 32));
  if (width === 0 || tall === 0 || !known) return undefined;
  // Masks follow a header of 40 bytes, and are part of longer ones.
  const maskBytes = size === INFO_HEADER && fields ? (compression === BIT_FIELDS ? 12 : 16) : 0;
  const mask = (index: number): number => {
    const place = FILE_HEADER + INFO_HEADER + 4 * index;
    return place + 4 <= bytes.length ? view.getUint32(place, true) : 0;
  };
  const withAlpha = compression === ALPHA_BIT_FIELDS || size >= 56;
  const plain = bits === 16 ? ([0x7c00, 0x03e0, 0x001f, 0] as const) : ([0xff0000, 0xff00, 0xff, 0] as const);
  const entry = core ? 3 : 4;
  const stated = core ? 0 : view.getUint32(at + 28, true);
  const start = FILE_HEADER + size + maskBytes;
  const count = bits <= 8 ? Math.min(stated || 2 ** bits, 2 ** bits) : 0;
  return {
    width,
    height: Math.abs(tall),
    topDown: tall < 0,
    bits,
    compression,
    masks: fields ? [mask(0), mask(1), mask(2), withAlpha ? mask(3) : 0] : plain,
    palette: bytes.subarray(start, start + count * entry),
    entry,
    pixels: view.getUint32(10, true),
  };
}

/** The row of the file for a row of the picture. */
const stored = ({ topDown, height }: Header, row: number): number => (topDown ? row : height - 1 - row);

/** Bytes of a row, which is padded to four. */
const rowBytes = ({ width, bits }: Header): number => Math.ceil((width * bits) / 32) * 4;

function indexes(bytes: Uint8Array, header: Header): Uint8Array {
  const { width, height, bits, pixels } = header;
  const found = new Uint8Array(width * height);
  const perByte = 8 / bits;
  for (let row = 0; row < height; row += 1) {
    const start = pixels + stored(header, row) * rowBytes(header);
    for (let x = 0; x < width; x += 1) {
      const byte = bytes[start + Math.floor(x / perByte)] ?? 0;
      const shift = 8 - bits * ((x % perByte) + 1);
      found[row * width + x] = (byte >> shift) & (2 ** bits - 1);
    }
  }
  return found;
}

/** Run lengths ([MS-WMF] 3.1.6): pairs of a count and an index, or a zero and a command. */
function runs(bytes: Uint8Array, header: Header): Indexes {
  const { width, height, bits, pixels } = header;
  const found = new Uint8Array(width * height);
  let x = 0;
  let y = 0;
  let ended = false;
  const put = (index: number): void => {
    if (x < width && y < height) found[stored(header, y) * width + x] = index;
    x += 1;
  };
  const nibble = (byte: number, i: number): number =>
    bits === 8 ? byte : i % 2 === 0 ? byte >> 4 : byte & 15;
  for (let at = pixels; at + 1 < bytes.length && y < height; ) {
    const count = bytes[at] ?? 0;
    const value = bytes[at + 1] ?? 0;
    at += 2;
    if (count > 0) for (let i = 0; i < count; i += 1) put(nibble(value, i));
    else if (value === 0) {
      x = 0;
      y += 1;
    } else if (value === 1) {
      ended = true;
      break;
    } else if (value === 2) {
      x += bytes[at] ?? 0;
      y += bytes[at + 1] ?? 0;
      at += 2;
    } else {
      const length = bits === 8 ? value : Math.ceil(value / 2);
      for (let i = 0; i < value; i += 1) put(nibble(bytes[at + (bits === 8 ? i : i >> 1)] ?? 0, i));
      at += length + (length % 2);
    }
  }
  return { found, isCut: !ended && y < height - 1 };
}

interface Indexes {
  /** Into the palette, for each pixel. */
  readonly found: Uint8Array;
  readonly isCut: boolean;
}

function fromIndexes({ width, height, palette, entry }: Header, { found, isCut }: Indexes): RawPicture {
  const pixels = new Uint8Array(width * height * 3);
  for (let i = 0; i < found.length; i += 1) {
    const at = (found[i] ?? 0) * entry;
    pixels[i * 3] = palette[at + 2] ?? 0;
    pixels[i * 3 + 1] = palette[at + 1] ?? 0;
    pixels[i * 3 + 2] = palette[at] ?? 0;
  }
  return { width, height, channels: 3, pixels, isCut };
}

function fromColors(bytes: Uint8Array, header: Header): Omit<RawPicture, 'isCut'> {
  const { width, height, bits, masks, pixels: start } = header;
  const channels = masks[3] === 0 ? 3 : 4;
  const pixels = new Uint8Array(width * height * channels);
  const size = bits / 8;
  const scales = masks.map(scaleOf);
  for (let row = 0; row < height; row += 1) {
    let at = start + stored(header, row) * rowBytes(header);
    for (let x = 0; x < width; x += 1, at += size) {
      let value = 0;
      for (let i = size - 1; i >= 0; i -= 1) value = value * 256 + (bytes[at + i] ?? 0);
      const to = (row * width + x) * channels;
      for (let channel = 0; channel < channels; channel += 1)
        pixels[to + channel] = scales[channel]?.(value) ?? 0;
    }
  }
  return { width, height, channels, pixels };
}

/** Takes the bits of a mask and scales them to 8. */
function scaleOf(mask: number): (value: number) => number {
  if (mask === 0) return () => 0;
  const shift = 31 - Math.clz32(mask & -mask);
  const most = mask >>> shift;
  return (value) => Math.round((((value & mask) >>> shift) * 255) / most);
}

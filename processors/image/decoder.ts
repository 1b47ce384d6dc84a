// Restricts the image library to safe use: bytes in memory only, a fixed list of loaders, bounded pixels and time.
// Identifies and decodes pictures; `fit.ts` scales them to the limits.

import type { Sharp, SharpOptions } from 'sharp';
import { type Limits, plural, ReaderError } from '../../src/contract/index.ts';
import { checkDrawing } from './drawing.ts';
import { headerSize, type PictureSize, pngFrames } from './header.ts';
import { isRaw, type RawFormat, type RawPicture, rawPicture } from './raw-picture.ts';
import { FORMAT_NAME, type PictureFormat, pictureFormat } from './signature.ts';

/** Formats that can be decoded; of the others only the header is read. */
export type DecodedFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'tiff' | 'avif' | 'svg' | RawFormat;

/** Facts of a picture from its header. Sizes are of one frame, upright, in pixels. */
export interface Picture {
  readonly format: DecodedFormat;
  readonly width: number;
  readonly height: number;
  /** Frames of an animation or pages of a document; 1 for a still. */
  readonly frames: number;
  /** EXIF orientation, 1 to 8; 1 is upright. */
  readonly orientation: number;
  readonly hasAlpha: boolean;
  readonly palette: boolean;
  readonly colorspace: string;
  readonly bitDepth: number | undefined;
  /** Pixels per inch. */
  readonly density: number | undefined;
  /** Playing time of an animation in seconds. */
  readonly duration: number | undefined;
  /** Set if part of the pixels is not in the file, as far as known before decoding. */
  readonly isCut?: true;
}

/** Time limit of one pass over a picture; the largest allowed takes about 5 seconds. */
const PASS_SECONDS = 30;
/** Maximum pixels held decoded, four bytes each. */
const MAX_RAW_PIXELS = 100_000_000;
/** Pixels per inch at which one unit of an SVG is one pixel. */
export const SVG_DENSITY = 72;

type SharpModule = (input: Uint8Array, options: SharpOptions) => Sharp;
let loading: Promise<SharpModule> | undefined;

/**
 * Loads the library once and blocks all loaders except those of the supported formats. They get bytes, never a path:
 * libvips' `svgload` reads neighbouring files of a drawing loaded by path, but none of one loaded from bytes. Loading
 * by path and from streams stays enabled for the supported formats, because the block applies to the whole process and
 * the host may use sharp for its own files.
 */
function library(): Promise<SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif', 'Svg'].flatMap((name) =>
        ['Buffer', 'File', 'Source'].map((from) => `VipsForeignLoad${name}${from}`),
      ),
    });
    sharp.cache(false);
    sharp.concurrency(1);
    return sharp;
  });
  return loading;
}

/** Formats that may hold several pictures in sequence; of an AVIF collection the primary one is used. */
const PAGED: ReadonlySet<DecodedFormat> = new Set(['gif', 'webp', 'tiff']);

/** Which frames to decode, the size of a drawing, and how strictly to decode. */
export interface DecodeOptions {
  readonly maxPixels: number;
  /** 1-based. Default: all frames, stacked vertically. */
  readonly frame?: number;
  readonly density?: number;
  /** Accept what can be decoded of a damaged picture. */
  readonly lenient?: boolean;
}

/** A decoding pass over `bytes`, which contain `picture`. */
export async function decoding(
  bytes: Uint8Array,
  picture: Pick<Picture, 'format'>,
  options: DecodeOptions,
): Promise<Sharp> {
  const sharp = await library();
  const { format } = picture;
  if (isRaw(format)) {
    const raw = await rawPicture(bytes, format, options.maxPixels);
    if (!raw) throw notDecoded(format, bytes);
    const { pixels, width, height, channels } = raw;
    return sharp(pixels, {
      raw: { width, height, channels },
      limitInputPixels: options.maxPixels,
    }).timeout({ seconds: PASS_SECONDS });
  }
  return sharp(bytes, {
    failOn: options.lenient ? 'none' : 'error',
    limitInputPixels: options.maxPixels,
    sequentialRead: true,
    ...(PAGED.has(format) &&
      (options.frame === undefined ? { pages: -1 } : { page: options.frame - 1, pages: 1 })),
    ...(format === 'svg' && options.density !== undefined && { density: options.density }),
  }).timeout({ seconds: PASS_SECONDS });
}

const DECODED: Readonly<Partial<Record<PictureFormat, DecodedFormat>>> = {
  png: 'png',
  jpeg: 'jpeg',
  gif: 'gif',
  webp: 'webp',
  tiff: 'tiff',
  avif: 'avif',
  bmp: 'bmp',
  heic: 'heic',
};

/** `1024 x 768 pixels`, or `an unknown size`. */
export function sizeInWords(size: PictureSize | undefined): string {
  return size ? `${size.width} x ${plural(size.height, 'pixel')}` : 'an unknown size';
}

function isDrawing(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 64 * 1024));
  return /<(?:[\w-]+:)?svg[\s>/]/.test(start);
}

/** The format of a picture from its bytes. `undefined` if they are not a picture. */
export function formatOfPicture(bytes: Uint8Array): PictureFormat | undefined {
  return pictureFormat(bytes) ?? (isDrawing(bytes) ? 'svg' : undefined);
}

/** UNSUPPORTED_FORMAT for a picture that is recognised but cannot be decoded. */
export function notDecoded(format: PictureFormat, bytes: Uint8Array, cause?: unknown): ReaderError {
  const size = headerSize(format, bytes);
  return new ReaderError(
    'UNSUPPORTED_FORMAT',
    `The file is ${FORMAT_NAME[format]}${size ? ` of ${sizeInWords(size)}` : ''}, which cannot be decoded.`,
    format === 'heic'
      ? 'Install the package `libheif-js`, or convert the picture to JPEG.'
      : 'Convert it to PNG or JPEG and read that.',
    cause,
  );
}

/**
 * Reads a picture's facts from its header, without decoding.
 * @throws {ReaderError} UNSUPPORTED_FORMAT (another format or an unsupported encoding), CORRUPT_FILE, LIMIT_EXCEEDED (a
 * drawing that would take too long)
 */
export async function lookAt(bytes: Uint8Array): Promise<Picture> {
  const format = formatOfPicture(bytes);
  if (format === undefined)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      'The bytes are not a picture in a known format.',
      'Give a PNG, JPEG, GIF or WebP image.',
    );
  const decoded = DECODED[format] ?? (format === 'svg' ? 'svg' : undefined);
  if (!decoded) throw notDecoded(format, bytes);
  if (isRaw(decoded)) return lookAtRaw(bytes, decoded);
  if (decoded === 'svg') checkDrawing(bytes);
  const sharp = await library();
  let found: Awaited<ReturnType<Sharp['metadata']>>;
  try {
    found = await sharp(bytes, { failOn: 'none', limitInputPixels: false }).metadata();
  } catch (cause) {
    // Sequences and encodings the loader does not support still have a valid header.
    if (decoded === 'avif' && headerSize(decoded, bytes)) throw notDecoded(decoded, bytes, cause);
    throw damaged(decoded, bytes, cause);
  }
  if (decoded === 'avif' && found.compression !== 'av1') return lookAtRaw(bytes, 'heic');
  const orientation = found.orientation ?? 1;
  const duration = (found.delay ?? []).reduce((sum, milliseconds) => sum + milliseconds, 0) / 1000;
  return {
    format: decoded,
    width: found.autoOrient.width,
    height: found.autoOrient.height,
    frames: decoded === 'png' ? pngFrames(bytes) : PAGED.has(decoded) ? Math.max(1, found.pages ?? 1) : 1,
    orientation: orientation >= 1 && orientation <= 8 ? orientation : 1,
    hasAlpha: found.hasAlpha,
    palette: found.isPalette,
    colorspace: found.space,
    bitDepth: found.bitsPerSample ?? BITS[found.depth],
    density: decoded === 'svg' ? undefined : found.density,
    duration: duration > 0 ? duration : undefined,
  };
}

/** The facts of a picture that the image library cannot decode. */
async function lookAtRaw(bytes: Uint8Array, format: RawFormat): Promise<Picture> {
  const size = headerSize(format, bytes);
  if (size) checkPixels(size, MAX_RAW_PIXELS);
  let raw: RawPicture | undefined;
  try {
    raw = await rawPicture(bytes, format, MAX_RAW_PIXELS);
  } catch (cause) {
    throw damaged(format, bytes, cause);
  }
  if (!raw) throw notDecoded(format, bytes);
  return {
    format,
    width: raw.width,
    height: raw.height,
    frames: 1,
    orientation: 1,
    hasAlpha: format === 'bmp' && raw.channels === 4,
    palette: false,
    colorspace: 'srgb',
    bitDepth: 8,
    density: undefined,
    duration: undefined,
    ...(raw.isCut && { isCut: true as const }),
  };
}

const BITS: Readonly<Record<string, number>> = {
  uchar: 8,
  char: 8,
  ushort: 16,
  short: 16,
  uint: 32,
  float: 32,
};

/** CORRUPT_FILE, with the size if the header is still readable. */
export function damaged(format: PictureFormat, bytes: Uint8Array, cause?: unknown): ReaderError {
  const size = headerSize(format, bytes);
  return new ReaderError(
    'CORRUPT_FILE',
    `The file starts as ${FORMAT_NAME[format]}${size ? ` of ${sizeInWords(size)}` : ''}, but cannot be decoded.`,
    'Check that it was saved or transferred completely.',
    cause,
  );
}

/** LIMIT_EXCEEDED if one frame has more pixels than the limit. */
export function checkPixels({ width, height }: PictureSize, maxPixels: Limits['maxImagePixels']): void {
  if (width * height > maxPixels)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The picture has ${width} x ${height} pixels, ${width * height} in all; the limit \`maxImagePixels\` is ${maxPixels}.`,
      'Scale the picture down, or raise the limit.',
    );
}

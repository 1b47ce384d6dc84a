// The picture library, held to what is safe: bytes in memory only, a closed list of loaders, bounded pixels and time. What
// a picture is and whether it decodes is told here; how it is made to fit is `fit.ts`.

import type { Sharp, SharpOptions } from 'sharp';
import { type Limits, plural, ReaderError } from '../../src/contract/index.ts';
import { checkDrawing } from './drawing.ts';
import { headerSize, type PictureSize, pngFrames } from './header.ts';
import { FORMAT_NAME, type PictureFormat, pictureFormat } from './signature.ts';

/** Formats that are decoded; the others are known by their header alone. */
export type DecodedFormat = 'png' | 'jpeg' | 'gif' | 'webp' | 'tiff' | 'avif' | 'svg';

/** What a picture is, from its header. Sizes are of one frame, upright, in pixels. */
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
  /** Seconds that an animation plays. */
  readonly duration: number | undefined;
}

/** Time for one pass over a picture; the largest allowed takes about 5 seconds. */
const PASS_SECONDS = 30;
/** Pixels per inch at which one unit of an SVG is one pixel. */
export const SVG_DENSITY = 72;

type SharpModule = (input: Uint8Array, options: SharpOptions) => Sharp;
let loading: Promise<SharpModule> | undefined;

/**
 * Loads the library once, and leaves it only the loaders of the formats that are read here. They are given bytes, never a
 * path: a drawing given by path reads what lies beside it, one given as bytes reads nothing (libvips, `svgload`). Loading by
 * path and from streams stays open for the same formats, since the block holds for the whole process and a host may use
 * sharp for its own files.
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

/** Formats that may hold several pictures in a row; of an AVIF collection the main one is taken. */
const PAGED: ReadonlySet<DecodedFormat> = new Set(['gif', 'webp', 'tiff']);

/** Which frames to decode, how large a drawing, and how strictly. */
export interface DecodeOptions {
  readonly maxPixels: number;
  /** 1-based; every frame below each other without it. */
  readonly frame?: number;
  readonly density?: number;
  /** Take what can be decoded of a damaged picture. */
  readonly lenient?: boolean;
}

/** A pass over `bytes`, which hold `picture`. */
export async function decoding(
  bytes: Uint8Array,
  picture: Pick<Picture, 'format'>,
  options: DecodeOptions,
): Promise<Sharp> {
  const sharp = await library();
  const { format } = picture;
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
};

/** `1024 x 768 pixels`, where it is known. */
export function sizeInWords(size: PictureSize | undefined): string {
  return size ? `${size.width} x ${plural(size.height, 'pixel')}` : 'an unknown size';
}

function isDrawing(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 64 * 1024));
  return /<(?:[\w-]+:)?svg[\s>/]/.test(start);
}

/** A picture's format from its own bytes. `undefined` when they are no picture at all. */
export function formatOfPicture(bytes: Uint8Array): PictureFormat | undefined {
  return pictureFormat(bytes) ?? (isDrawing(bytes) ? 'svg' : undefined);
}

/** UNSUPPORTED_FORMAT for a picture that can be told but not decoded. */
export function notDecoded(format: PictureFormat, bytes: Uint8Array, cause?: unknown): ReaderError {
  const size = headerSize(format, bytes);
  return new ReaderError(
    'UNSUPPORTED_FORMAT',
    `The file is ${FORMAT_NAME[format]}${size ? ` of ${sizeInWords(size)}` : ''}, which cannot be decoded here.`,
    'Convert it to PNG or JPEG and read that.',
    cause,
  );
}

/**
 * What the picture is, from its header; decodes nothing.
 * @throws {ReaderError} UNSUPPORTED_FORMAT (of another format, or coded in a way that is not decoded), CORRUPT_FILE,
 * LIMIT_EXCEEDED (a drawing that would take too long)
 */
export async function lookAt(bytes: Uint8Array): Promise<Picture> {
  const format = formatOfPicture(bytes);
  if (format === undefined)
    throw new ReaderError(
      'UNSUPPORTED_FORMAT',
      'The bytes are no picture of a known format.',
      'Give a PNG, JPEG, GIF or WebP image.',
    );
  const decoded = DECODED[format] ?? (format === 'svg' ? 'svg' : undefined);
  if (!decoded) throw notDecoded(format, bytes);
  if (decoded === 'svg') checkDrawing(bytes);
  const sharp = await library();
  let found: Awaited<ReturnType<Sharp['metadata']>>;
  try {
    found = await sharp(bytes, { failOn: 'none', limitInputPixels: false }).metadata();
  } catch (cause) {
    // Sequences and codings that the loader does not know have a sound header all the same.
    if (decoded === 'avif' && headerSize(decoded, bytes)) throw notDecoded(decoded, bytes, cause);
    throw damaged(decoded, bytes, cause);
  }
  if (decoded === 'avif' && found.compression !== 'av1') throw notDecoded('heic', bytes);
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

const BITS: Readonly<Record<string, number>> = {
  uchar: 8,
  char: 8,
  ushort: 16,
  short: 16,
  uint: 32,
  float: 32,
};

/** CORRUPT_FILE, with the size where the header still tells it. */
export function damaged(format: PictureFormat, bytes: Uint8Array, cause?: unknown): ReaderError {
  const size = headerSize(format, bytes);
  return new ReaderError(
    'CORRUPT_FILE',
    `The file starts like ${FORMAT_NAME[format]}${size ? ` of ${sizeInWords(size)}` : ''}, but cannot be decoded.`,
    'Check that it was saved or transferred completely.',
    cause,
  );
}

/** LIMIT_EXCEEDED when one frame has more pixels than may be decoded. */
export function checkPixels({ width, height }: PictureSize, maxPixels: Limits['maxImagePixels']): void {
  if (width * height > maxPixels)
    throw new ReaderError(
      'LIMIT_EXCEEDED',
      `The picture has ${width} x ${height} pixels, ${width * height} in all; at most ${maxPixels} are decoded (limit \`maxImagePixels\`).`,
      'Make it smaller with another program, or raise the limit.',
    );
}

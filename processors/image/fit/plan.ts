// How a picture comes within its bounds: untouched, cropped, turned or scaled.

import { type Bytes, type Detail, ReaderError, type Region } from '../../../src/contract/index.ts';
import { checkPixels, type DecodedFormat, decoding, type Picture } from '../decoder.ts';
import { type FittedImage, MAX_ANIMATED_PIXELS, MAX_PIXELS } from './fitted-image.ts';
import { MIME } from './write.ts';

/** What a picture has to fit. */
export interface FitOptions {
  /** Of the file. */
  readonly maxBytes: Bytes;
  /** Of the file written as base64, four characters for three bytes. Default: no bound. */
  readonly maxBase64Bytes?: Bytes;
  /** Of the longest edge in pixels. Default: no bound. */
  readonly maxEdge?: number;
  /** Pixels that are decoded, of all frames that are kept together. Default 100 million. */
  readonly maxPixels?: number;
  /** A crop, in pixels of the upright picture (of a drawing: in its own units). */
  readonly region?: Region;
  /** `low` bounds the longest edge to 512; `full` gives up quality before pixels. Default `auto`. */
  readonly detail?: Detail;
  /** One frame of an animation, or page, from 1. Default: an animation whole where it fits, else its first. */
  readonly frame?: number;
  readonly signal?: AbortSignal;
}

export interface Job {
  readonly bytes: Uint8Array;
  readonly picture: Picture;
  readonly options: FitOptions;
  readonly maxBytes: Bytes;
  readonly maxPixels: number;
  /** What is shown of the upright picture, in its pixels. */
  readonly region: Region;
  /** The longest edge of the answer in pixels. */
  readonly edge: number;
  /** An animation whose frames can all be decoded and written again. */
  readonly animated: boolean;
}

export function plan(bytes: Uint8Array, picture: Picture, options: FitOptions): Job {
  const { width, height, frames, format } = picture;
  const { detail = 'auto', frame, maxPixels = MAX_PIXELS } = options;
  if (format !== 'svg') checkPixels(picture, maxPixels);
  if (frame !== undefined && !(Number.isSafeInteger(frame) && frame >= 1 && frame <= frames))
    throw new ReaderError(
      'BAD_INPUT',
      `There is no frame ${frame}: the picture has ${frames}.`,
      `Ask for a frame between 1 and ${frames}.`,
    );
  const edge = Math.min(
    options.maxEdge ?? Number.POSITIVE_INFINITY,
    format === 'svg' ? DRAWN_EDGE[detail] : detail === 'low' ? LOW_EDGE : Number.POSITIVE_INFINITY,
  );
  return {
    bytes,
    picture,
    options,
    maxBytes: Math.min(
      options.maxBytes,
      Math.floor((options.maxBase64Bytes ?? Number.POSITIVE_INFINITY) / 4) * 3,
    ),
    maxPixels,
    region: checkRegion(options.region, { width, height }),
    edge,
    animated:
      (format === 'gif' || format === 'webp') &&
      frames > 1 &&
      frames * width * height <= Math.min(maxPixels, MAX_ANIMATED_PIXELS),
  };
}

/** @throws {ReaderError} BAD_INPUT with the real size when the crop does not start inside; its end is cut to the picture */
function checkRegion(
  region: Region | undefined,
  size: { readonly width: number; readonly height: number },
): Region {
  if (!region) return { left: 0, top: 0, ...size };
  const { left, top, width, height } = region;
  const whole = [left, top, width, height].every((value) => Number.isSafeInteger(value) && value >= 0);
  if (!whole || width === 0 || height === 0 || left + width > size.width || top + height > size.height)
    throw new ReaderError(
      'BAD_INPUT',
      `\`region\` \`${left},${top},${width},${height}\` reaches outside the picture, which has ${size.width} x ${size.height} pixels.`,
      `Keep \`left\` + \`width\` within ${size.width} and \`top\` + \`height\` within ${size.height}.`,
    );
  return region;
}

/** The input itself, where it fits and decodes to its last row. */
export async function untouched({
  bytes,
  picture,
  options,
  maxBytes,
  maxPixels,
  edge,
}: Job): Promise<FittedImage | undefined> {
  const { format, width, height, frames, orientation } = picture;
  const whole = options.frame === undefined || frames === 1;
  if (!isTarget(format) || orientation !== 1 || options.region || !whole) return undefined;
  if (bytes.length > maxBytes || Math.max(width, height) > edge) return undefined;
  if (frames * width * height > maxPixels) return undefined;
  try {
    const pass = await decoding(bytes, picture, { maxPixels });
    await pass.resize({ width: 8, height: 8, fit: 'fill' }).raw().toBuffer();
  } catch {
    return undefined; // damaged somewhere: what can be decoded is written anew
  }
  return {
    data: bytes,
    mimeType: MIME[format],
    untouched: true,
    original: { ...picture, bytes: bytes.length },
    shown: { width, height, first: 1, frames, bytes: bytes.length },
    damaged: false,
  };
}

export type Target = 'png' | 'jpeg' | 'gif' | 'webp';

const isTarget = (format: DecodedFormat): format is Target =>
  format === 'png' || format === 'jpeg' || format === 'gif' || format === 'webp';

/** The format that loses least of it. */
export function targetOf({ format, hasAlpha }: Picture, frame: number | undefined): Target {
  if (format === 'jpeg') return 'jpeg';
  if (format === 'webp') return 'webp';
  if (format === 'gif') return frame === undefined ? 'gif' : 'png';
  return format === 'avif' && !hasAlpha ? 'jpeg' : 'png';
}

/** Longest edge of a thumbnail. */
const LOW_EDGE = 512;
/** A drawing has no pixels of its own: the longest edge it is drawn with. */
const DRAWN_EDGE: Readonly<Record<Detail, number>> = { low: LOW_EDGE, auto: 1024, full: 2048 };

// Decides how a picture is fitted to its limits: unchanged, cropped, rotated or scaled.

import { type Bytes, type Detail, ReaderError, type Region } from '../../../src/contract/index.ts';
import { checkPixels, type DecodedFormat, decoding, type Picture } from '../decoder.ts';
import { type FittedImage, MAX_ANIMATED_PIXELS, MAX_PIXELS } from './fitted-image.ts';
import { MIME } from './write.ts';

/** The limits a picture must fit. */
export interface FitOptions {
  /** Maximum size of the file. */
  readonly maxBytes: Bytes;
  /** Maximum size of the file as base64, four characters per three bytes. Default: unlimited. */
  readonly maxBase64Bytes?: Bytes;
  /** Maximum length of the longest edge in pixels. Default: unlimited. */
  readonly maxEdge?: number;
  /** Maximum pixels to decode, over all frames kept together. Default 100 million. */
  readonly maxPixels?: number;
  /** A crop in pixels of the upright picture, or in the units of a drawing. */
  readonly region?: Region;
  /** `low` limits the longest edge to 512; `full` reduces quality before pixels. Default `auto`. */
  readonly detail?: Detail;
  /** One frame of an animation, or page, 1-based. Default: the whole animation if it fits, else its first frame. */
  readonly frame?: number;
  readonly signal?: AbortSignal;
}

export interface Job {
  readonly bytes: Uint8Array;
  readonly picture: Picture;
  readonly options: FitOptions;
  readonly maxBytes: Bytes;
  readonly maxPixels: number;
  /** The part of the upright picture to show, in its pixels. */
  readonly region: Region;
  /** The longest edge of the result in pixels. */
  readonly edge: number;
  /** True for an animation whose frames can all be decoded and re-encoded. */
  readonly animated: boolean;
}

export function plan(bytes: Uint8Array, picture: Picture, options: FitOptions): Job {
  const { width, height, frames, format } = picture;
  const { detail = 'auto', frame, maxPixels = MAX_PIXELS } = options;
  if (format !== 'svg') checkPixels(picture, maxPixels);
  if (frame !== undefined && !(Number.isSafeInteger(frame) && frame >= 1 && frame <= frames))
    throw new ReaderError(
      'BAD_INPUT',
      `Frame ${frame} does not exist: the picture has ${frames}.`,
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

/** @throws {ReaderError} BAD_INPUT with the actual size if the crop starts outside the picture; its end is clamped */
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

/** The input itself, if it fits and decodes to its last row. */
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
    return undefined; // damaged: what can be decoded is re-encoded
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

/** The output format with the least loss. */
export function targetOf({ format, hasAlpha }: Picture, frame: number | undefined): Target {
  if (format === 'jpeg') return 'jpeg';
  if (format === 'webp') return 'webp';
  if (format === 'gif') return frame === undefined ? 'gif' : 'png';
  return (format === 'avif' || format === 'heic') && !hasAlpha ? 'jpeg' : 'png';
}

/** Longest edge of a thumbnail. */
const LOW_EDGE = 512;
/** The longest edge a drawing is rendered at, since it has no pixels of its own. */
const DRAWN_EDGE: Readonly<Record<Detail, number>> = { low: LOW_EDGE, auto: 1024, full: 2048 };

// A picture made to fit: its own bytes where they already do, else upright, cropped and smaller until it truly does.
// Pure: bytes in, bytes out.

import type { Sharp } from 'sharp';
import {
  type Bytes,
  type Detail,
  type MimeType,
  ReaderError,
  type Region,
  throwIfAborted,
} from '../../src/contract/index.ts';
import {
  checkPixels,
  type DecodedFormat,
  type DecodeOptions,
  damaged,
  decoding,
  lookAt,
  type Picture,
  SVG_DENSITY,
} from './decoder.ts';

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

/** A picture that fits. */
export interface FittedImage {
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  /** `data` is the input, byte for byte. */
  readonly untouched: boolean;
  readonly original: Picture & { readonly bytes: Bytes };
  /** Of one frame. `first` is its number in the original, `frames` how many there are. */
  readonly shown: {
    readonly width: number;
    readonly height: number;
    readonly first: number;
    readonly frames: number;
    readonly bytes: Bytes;
  };
  /** The crop that was asked for. */
  readonly region?: Region;
  /** The file is damaged: only a part of it could be decoded. */
  readonly damaged: boolean;
}

/** Longest edge of a thumbnail. */
const LOW_EDGE = 512;
/** A drawing has no pixels of its own: the longest edge it is drawn with. */
const DRAWN_EDGE: Readonly<Record<Detail, number>> = { low: LOW_EDGE, auto: 1024, full: 2048 };
const MAX_PIXELS = 100_000_000;
/** An animation of more pixels is not made smaller: each pass takes about a second for ten million. */
const MAX_ANIMATED_PIXELS = 40_000_000;
const QUALITY = 90;
/** What `full` gives up, in order, before it gives up pixels. */
const FULL_QUALITIES: readonly number[] = [QUALITY, 75, 55];
/** Below this share of the edge an opaque picture goes from PNG to JPEG. */
const SMALL = 0.5;
const MAX_PASSES = 24;
/** Passes after which a picture that fits is not made larger any more. */
const MAX_GROWING = 4;
/** Of an animation, which may be given up for its first frame. */
const MAX_ANIMATED_PASSES = 4;

const MIME: Readonly<Record<Target, MimeType>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

type Target = 'png' | 'jpeg' | 'gif' | 'webp';

const isTarget = (format: DecodedFormat): format is Target =>
  format === 'png' || format === 'jpeg' || format === 'gif' || format === 'webp';

/**
 * `bytes` as a picture within the bounds: PNG, JPEG, GIF and WebP untouched where they are upright and fit, else made
 * smaller with Lanczos; other formats as PNG or JPEG. Never larger than the original, but for a drawing.
 * @throws {ReaderError} UNSUPPORTED_FORMAT, CORRUPT_FILE, LIMIT_EXCEEDED, BAD_INPUT (`region` or `frame` outside), ABORTED
 */
export async function fitImage(bytes: Uint8Array, options: FitOptions): Promise<FittedImage> {
  const picture = await lookAt(bytes);
  const job = plan(bytes, picture, options);
  const asIs = await untouched(job);
  if (asIs) return asIs;
  const { frames } = picture;
  if (frames > 1 && options.frame === undefined && job.animated) {
    const whole = await fitted(job, undefined, MAX_ANIMATED_PASSES);
    if (whole) return whole;
  }
  const one = await fitted(job, options.frame ?? 1, MAX_PASSES);
  if (one) return one;
  throw new ReaderError(
    'LIMIT_EXCEEDED',
    `The picture cannot be made smaller than ${job.maxBytes} bytes.`,
    'Allow more bytes for a picture.',
  );
}

interface Job {
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

function plan(bytes: Uint8Array, picture: Picture, options: FitOptions): Job {
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
async function untouched({
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

/** Passes over the picture until the result fits; undefined when it never does. */
async function fitted(job: Job, frame: number | undefined, passes: number): Promise<FittedImage | undefined> {
  const { bytes, picture, maxBytes, region, edge, options } = job;
  const longest = Math.max(region.width, region.height);
  const most = picture.format === 'svg' ? edge / longest : Math.min(1, edge / longest);
  const share = (region.width * region.height) / (picture.width * picture.height);
  const qualities = options.detail === 'full' ? FULL_QUALITIES : [QUALITY];
  let target = targetOf(picture, frame);
  let quality = 0;
  // The file's own size says about what its pixels cost, unless another quality is written.
  const cost = bytes.length * share;
  let scale =
    target === picture.format && options.detail !== 'full' && cost > maxBytes
      ? Math.min(most, Math.sqrt(maxBytes / cost))
      : most;
  let best: Written | undefined;
  let fits = 0;
  let lenient = false;
  for (let pass = 0; pass < passes; pass += 1) {
    if (options.signal) throwIfAborted(options.signal);
    let written: Written;
    try {
      written = await write(job, { frame, scale, target, quality: qualities[quality] ?? QUALITY, lenient });
    } catch (cause) {
      if (cause instanceof ReaderError) throw cause;
      // A drawing that fails has failed for good, and took its time.
      if (lenient || picture.format === 'svg') throw damaged(picture.format, bytes, cause);
      lenient = true;
      continue;
    }
    const ratio = maxBytes / written.data.length;
    if (ratio >= 1) {
      if (!best || written.width * written.height > best.width * best.height) best = written;
      // Far below the bound: the guess was too careful.
      if (scale >= most || ratio < 2 || pass >= MAX_GROWING) break;
      fits = scale;
      scale = Math.min(most, scale * Math.sqrt(ratio) * 0.95);
      continue;
    }
    if (best) {
      scale *= Math.sqrt(ratio) * 0.95;
      if (scale < fits * 1.1 || pass >= MAX_GROWING) break;
      continue;
    }
    if (quality + 1 < qualities.length && target !== 'png') {
      quality += 1;
      continue;
    }
    if (written.width === 1 && written.height === 1) break;
    const shrink = Math.sqrt(ratio) * 0.97;
    if (target === 'png' && !picture.hasAlpha && shrink < SMALL) target = 'jpeg';
    else scale *= Math.min(0.95, shrink);
  }
  if (!best) return undefined;
  return {
    data: best.data,
    mimeType: MIME[target],
    untouched: false,
    original: { ...picture, bytes: bytes.length },
    shown: {
      width: best.width,
      height: best.height,
      first: frame ?? 1,
      frames: frame === undefined ? picture.frames : 1,
      bytes: best.data.length,
    },
    ...(options.region && { region }),
    damaged: lenient,
  };
}

/** The format that loses least of it. */
function targetOf({ format, hasAlpha }: Picture, frame: number | undefined): Target {
  if (format === 'jpeg') return 'jpeg';
  if (format === 'webp') return 'webp';
  if (format === 'gif') return frame === undefined ? 'gif' : 'png';
  return format === 'avif' && !hasAlpha ? 'jpeg' : 'png';
}

interface Written {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

interface Pass {
  readonly frame: number | undefined;
  readonly scale: number;
  readonly target: Target;
  readonly quality: number;
  readonly lenient: boolean;
}

async function write(job: Job, { frame, scale, target, quality, lenient }: Pass): Promise<Written> {
  const { bytes, picture, region, options, maxPixels } = job;
  // An edge of a hair's width keeps its one pixel.
  const width = Math.max(1, Math.round(region.width * scale));
  const height = Math.max(1, Math.round(region.height * scale));
  const drawing = picture.format === 'svg' ? drawingAt(picture, scale, maxPixels) : undefined;
  const decode: DecodeOptions = {
    maxPixels,
    lenient,
    ...(frame !== undefined && { frame }),
    ...(drawing && { density: drawing.density }),
  };
  const pass = (await decoding(bytes, picture, decode)).autoOrient();
  if (options.region) pass.extract(drawing ? scaled(region, picture, drawing) : region);
  pass.resize({ width, height, fit: 'fill', kernel: 'lanczos3' });
  pass.toColourspace(/^(?:b-w|grey16)$/.test(picture.colorspace) ? 'b-w' : 'srgb');
  const { data, info } = await encoder(pass, target, quality, picture).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.pageHeight ?? info.height };
}

function encoder(pass: Sharp, target: Target, quality: number, picture: Picture): Sharp {
  switch (target) {
    case 'jpeg':
      return pass.flatten({ background: '#ffffff' }).jpeg({ quality });
    case 'webp':
      return pass.webp({ quality, effort: 2 });
    case 'gif':
      return pass.gif({ effort: 3, reuse: true });
    case 'png':
      // The least effort: more takes most of a minute for a few million colourful pixels.
      return picture.palette && picture.format === 'png'
        ? pass.png({ palette: true, effort: 1 })
        : pass.png({ compressionLevel: 6 });
  }
}

interface Drawing {
  readonly density: number;
  readonly width: number;
  readonly height: number;
}

/** The resolution at which the whole drawing has `scale` pixels a unit. @throws {ReaderError} LIMIT_EXCEEDED */
function drawingAt(picture: Picture, scale: number, maxPixels: number): Drawing {
  const density = Math.min(100_000, Math.max(1, SVG_DENSITY * scale));
  const factor = density / SVG_DENSITY;
  const width = Math.max(1, Math.round(picture.width * factor));
  const height = Math.max(1, Math.round(picture.height * factor));
  checkPixels({ width, height }, maxPixels);
  return { density, width, height };
}

function scaled(region: Region, picture: Picture, drawing: Drawing): Region {
  const across = drawing.width / picture.width;
  const down = drawing.height / picture.height;
  const left = Math.min(drawing.width - 1, Math.floor(region.left * across));
  const top = Math.min(drawing.height - 1, Math.floor(region.top * down));
  return {
    left,
    top,
    width: Math.max(1, Math.min(drawing.width - left, Math.round(region.width * across))),
    height: Math.max(1, Math.min(drawing.height - top, Math.round(region.height * down))),
  };
}

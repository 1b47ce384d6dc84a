// A picture made to fit: its own bytes where they already do, else upright, cropped and smaller until it truly does.
// Pure: bytes in, bytes out.

import { ReaderError, throwIfAborted } from '../../../src/contract/index.ts';
import { damaged, lookAt } from '../decoder.ts';
import type { FittedImage } from './fitted-image.ts';
import { type FitOptions, type Job, plan, targetOf, untouched } from './plan.ts';
import { MIME, QUALITY, type Written, write } from './write.ts';

/** What `full` gives up, in order, before it gives up pixels. */
const FULL_QUALITIES: readonly number[] = [QUALITY, 75, 55];
/** Below this share of the edge an opaque picture goes from PNG to JPEG. */
const SMALL = 0.5;
const MAX_PASSES = 24;
/** Passes after which a picture that fits is not made larger any more. */
const MAX_GROWING = 4;
/** Of an animation, which may be given up for its first frame. */
const MAX_ANIMATED_PASSES = 4;

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

// Fits a picture to the limits: returns its own bytes if they fit, else rotates, crops and scales it until the result
// fits. Pure: bytes in, bytes out.

import { ReaderError, throwIfAborted } from '../../../src/contract/index.ts';
import { damaged, lookAt } from '../decoder.ts';
import type { FittedImage } from './fitted-image.ts';
import { type FitOptions, type Job, plan, targetOf, untouched } from './plan.ts';
import { MIME, QUALITY, type Written, write } from './write.ts';

/** Qualities that `full` tries in order before it reduces the pixels. */
const FULL_QUALITIES: readonly number[] = [QUALITY, 75, 55];
/** Below this scale an opaque picture is written as JPEG instead of PNG. */
const SMALL = 0.5;
const MAX_PASSES = 24;
/** Passes after which a picture that fits is not enlarged further. */
const MAX_GROWING = 4;
/** Maximum passes for an animation before it is reduced to its first frame. */
const MAX_ANIMATED_PASSES = 4;

/**
 * Returns `bytes` as a picture within the limits. Upright PNG, JPEG, GIF and WebP that fit are returned unchanged,
 * larger ones are scaled down with Lanczos; other formats become PNG or JPEG. Never larger than the original, except
 * for a drawing.
 * @throws {ReaderError} UNSUPPORTED_FORMAT, CORRUPT_FILE, LIMIT_EXCEEDED, BAD_INPUT (`region` or `frame` out of range),
 * ABORTED
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
    `The picture cannot be reduced to ${job.maxBytes} bytes.`,
    'Raise the byte limit for pictures.',
  );
}

/** Repeats passes until the result fits; undefined if it never does. */
async function fitted(job: Job, frame: number | undefined, passes: number): Promise<FittedImage | undefined> {
  const { bytes, picture, maxBytes, region, edge, options } = job;
  const longest = Math.max(region.width, region.height);
  const most = picture.format === 'svg' ? edge / longest : Math.min(1, edge / longest);
  const share = (region.width * region.height) / (picture.width * picture.height);
  const qualities = options.detail === 'full' ? FULL_QUALITIES : [QUALITY];
  let target = targetOf(picture, frame);
  let quality = 0;
  // The file's own size is a good estimate of bytes per pixel unless it is written at another quality.
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
      // Retrying a failed drawing would fail again, slowly.
      if (lenient || picture.format === 'svg') throw damaged(picture.format, bytes, cause);
      lenient = true;
      continue;
    }
    const ratio = maxBytes / written.data.length;
    if (ratio >= 1) {
      if (!best || written.width * written.height > best.width * best.height) best = written;
      // Far below the limit: the estimate was too low.
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
    damaged: lenient || picture.isCut === true,
  };
}

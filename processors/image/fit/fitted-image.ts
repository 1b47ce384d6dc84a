// The result of fitting a picture to its limits.

import type { Bytes, MimeType, Region } from '../../../src/contract/index.ts';
import type { Picture } from '../decoder.ts';

/** A picture within the limits. */
export interface FittedImage {
  readonly data: Uint8Array;
  readonly mimeType: MimeType;
  /** `data` equals the input byte for byte. */
  readonly untouched: boolean;
  readonly original: Picture & { readonly bytes: Bytes };
  /** Size of one frame. `first` is its number in the original, `frames` their count. */
  readonly shown: {
    readonly width: number;
    readonly height: number;
    readonly first: number;
    readonly frames: number;
    readonly bytes: Bytes;
  };
  /** The requested crop. */
  readonly region?: Region;
  /** True if the file is damaged and only part of it could be decoded. */
  readonly damaged: boolean;
}

/** Animations with more pixels are not scaled: a pass takes about a second per ten million pixels. */
export const MAX_ANIMATED_PIXELS = 40_000_000;
export const MAX_PIXELS = 100_000_000;

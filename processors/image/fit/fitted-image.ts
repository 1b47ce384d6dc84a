// A picture within its bounds, and how large a picture may be at all.

import type { Bytes, MimeType, Region } from '../../../src/contract/index.ts';
import type { Picture } from '../decoder.ts';

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

/** An animation of more pixels is not made smaller: each pass takes about a second for ten million. */
export const MAX_ANIMATED_PIXELS = 40_000_000;
export const MAX_PIXELS = 100_000_000;

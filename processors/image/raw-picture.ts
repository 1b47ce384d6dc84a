// Pictures in formats that the image library cannot decode, as pixels: BMP by code of our own, HEIC by a package that
// the caller may install.

import type { PictureFormat } from './signature.ts';

/** Rows from top to bottom, without padding; 8 bits a channel. */
export interface RawPicture {
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
  readonly pixels: Uint8Array;
  /** Part of the pixels is not in the file. */
  readonly isCut: boolean;
}

/** Formats decoded to pixels here. */
export type RawFormat = Extract<PictureFormat, 'bmp' | 'heic'>;

export const isRaw = (format: string): format is RawFormat => format === 'bmp' || format === 'heic';

const decoded = new WeakMap<Uint8Array, Promise<RawPicture | undefined>>();

/**
 * The pixels of `bytes`, decoded once. Undefined if the format or its variant cannot be decoded, or has more than
 * `maxPixels`. @throws errors of a decoder for a damaged file
 */
export function rawPicture(
  bytes: Uint8Array,
  format: RawFormat,
  maxPixels: number,
): Promise<RawPicture | undefined> {
  const known = decoded.get(bytes);
  if (known) return known;
  const picture = (async () =>
    format === 'bmp'
      ? (await import('./bmp.ts')).decodeBmp(bytes, maxPixels)
      : (await import('./heic.ts')).decodeHeic(bytes, maxPixels))();
  decoded.set(bytes, picture);
  return picture;
}

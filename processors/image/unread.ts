// Pictures and models that are recognised but not supported.

import type { Bytes, UnreadFormat } from '../../src/contract/index.ts';

export const unreadImages: readonly UnreadFormat[] = [
  {
    extensions: [],
    magic: [
      { starts: 'SIMPLE  =                    T', what: 'a FITS image' }, // FITS 4.0, 4.4.1.1
      { starts: '#?RADIANCE\n', what: 'a Radiance HDR image' }, // Radiance, picture file format
      { starts: '#?RGBE\n', what: 'a Radiance HDR image' },
      { starts: 'farbfeld\0', what: 'a farbfeld image' }, // farbfeld(5)
      { starts: 'P7\nWIDTH ', what: 'a Netpbm image' }, // pam(5)
      { starts: isNetpbm, what: 'a Netpbm image' },
      { starts: '????????????????????GPAT', what: 'a GIMP pattern' }, // GIMP, devel-docs/pat.txt
      { starts: '????????????????????GIMP', what: 'a GIMP brush' }, // GIMP, devel-docs/gbr.txt
      { starts: 'ply\nformat binary_', what: 'a binary PLY model' },
    ],
  },
];

/** Raster images with a text header stating their size (pbm(5), pgm(5), ppm(5)); P1 to P3 are text throughout. */
const NETPBM =
  /^P([456])(?:\s|#[^\n]*\n)+(\d{1,7})(?:\s|#[^\n]*\n)+(\d{1,7})(?:(?:\s|#[^\n]*\n)+(\d{1,5}))?\s/;
const NETPBM_HEADER: Bytes = 1024;
/** Smaller than any picture, but larger than numbers at the start of a sentence. */
const MIN_RASTER: Bytes = 64;

function isNetpbm(head: Uint8Array, size: Bytes): boolean {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, NETPBM_HEADER));
  const match = NETPBM.exec(start.toString('latin1'));
  if (!match) return false;
  const [header, kind, width, height, most] = match;
  const across = kind === '4' ? Math.ceil(Number(width) / 8) : Number(width);
  const samples = across * Number(height) * (kind === '6' ? 3 : 1);
  const raster = samples * (Number(most ?? 1) > 255 ? 2 : 1);
  return raster >= MIN_RASTER && size >= header.length + raster;
}

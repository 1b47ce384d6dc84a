// Identifies a picture format by its first bytes. Does not check whether the picture decodes.

/** Formats recognised by their first bytes. `raw` is a camera raw file. */
export type PictureFormat =
  | 'png'
  | 'jpeg'
  | 'gif'
  | 'webp'
  | 'tiff'
  | 'avif'
  | 'svg'
  | 'heic'
  | 'bmp'
  | 'ico'
  | 'cur'
  | 'psd'
  | 'jp2'
  | 'j2k'
  | 'jxl'
  | 'qoi'
  | 'dds'
  | 'xcf'
  | 'icns'
  | 'raw';

/** Name of each format for messages, with its article. */
export const FORMAT_NAME: Readonly<Record<PictureFormat, string>> = {
  png: 'a PNG image',
  jpeg: 'a JPEG image',
  gif: 'a GIF image',
  webp: 'a WebP image',
  tiff: 'a TIFF image',
  avif: 'an AVIF image',
  svg: 'an SVG drawing',
  heic: 'a HEIC image',
  bmp: 'a BMP image',
  ico: 'an icon file',
  cur: 'a cursor file',
  psd: 'a Photoshop document',
  jp2: 'a JPEG 2000 image',
  j2k: 'a JPEG 2000 codestream',
  jxl: 'a JPEG XL image',
  qoi: 'a QOI image',
  dds: 'a DDS texture',
  xcf: 'a GIMP image',
  icns: 'an Apple icon file',
  raw: 'a camera raw image',
};

const ascii = (head: Uint8Array, at: number, text: string): boolean =>
  head.length >= at + text.length &&
  [...text].every((character, i) => head[at + i] === character.charCodeAt(0));

const starts = (head: Uint8Array, ...bytes: readonly number[]): boolean =>
  head.length >= bytes.length && bytes.every((byte, i) => head[i] === byte);

/** ISO/IEC 23008-12 (HEIF) and the AVIF specification: brands of the `ftyp` box. */
function heifBrand(head: Uint8Array): PictureFormat | undefined {
  if (!ascii(head, 4, 'ftyp')) return undefined;
  const end = Math.min(head.length, 256, ((head[2] ?? 0) << 8) | (head[3] ?? 0));
  const brands: string[] = [];
  for (let at = 8; at + 4 <= end; at += 4)
    if (at !== 12) brands.push(String.fromCharCode(...head.subarray(at, at + 4)));
  if (brands.some((brand) => brand === 'avif' || brand === 'avis')) return 'avif';
  const heif = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs', 'mif1', 'msf1']);
  return brands.some((brand) => heif.has(brand)) ? 'heic' : undefined;
}

/**
 * Camera raw files with their own TIFF variant: Canon marks byte 8, Olympus and Panasonic use another TIFF version
 * number.
 */
function isRaw(head: Uint8Array): boolean {
  return (
    (ascii(head, 0, 'II*\0') && ascii(head, 8, 'CR')) ||
    ascii(head, 0, 'IIRO') ||
    ascii(head, 0, 'IIRS') ||
    ascii(head, 0, 'MMOR') ||
    ascii(head, 0, 'IIU\0') ||
    ascii(head, 0, 'FUJIFILMCCD-RAW')
  );
}

/** The header length of a bitmap is one of a few values (BITMAPCOREHEADER to BITMAPV5HEADER). */
function isBitmap(head: Uint8Array): boolean {
  return (
    ascii(head, 0, 'BM') && head.length >= 18 && [12, 16, 40, 52, 56, 64, 108, 124].includes(head[14] ?? 0)
  );
}

/** The format of a file that starts with `head`; undefined if unknown. SVG is text and is not detected here. */
export function pictureFormat(head: Uint8Array): PictureFormat | undefined {
  if (starts(head, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'png';
  if (starts(head, 0xff, 0xd8, 0xff)) return 'jpeg';
  if (ascii(head, 0, 'GIF87a') || ascii(head, 0, 'GIF89a')) return 'gif';
  if (ascii(head, 0, 'RIFF') && ascii(head, 8, 'WEBP')) return 'webp';
  if (isRaw(head)) return 'raw';
  if (starts(head, 0x49, 0x49, 0x2a, 0) || starts(head, 0x4d, 0x4d, 0, 0x2a)) return 'tiff';
  if (starts(head, 0x49, 0x49, 0x2b, 0) || starts(head, 0x4d, 0x4d, 0, 0x2b)) return 'tiff';
  if (isBitmap(head)) return 'bmp';
  if (starts(head, 0, 0, 1, 0) && (head[4] ?? 0) > 0 && head[5] === 0) return 'ico';
  if (starts(head, 0, 0, 2, 0) && (head[4] ?? 0) > 0 && head[5] === 0) return 'cur';
  if (ascii(head, 0, '8BPS')) return 'psd';
  if (starts(head, 0, 0, 0, 0x0c, 0x6a, 0x50, 0x20, 0x20)) return 'jp2';
  if (starts(head, 0xff, 0x4f, 0xff, 0x51)) return 'j2k';
  if (starts(head, 0xff, 0x0a) || starts(head, 0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20)) return 'jxl';
  if (ascii(head, 0, 'qoif')) return 'qoi';
  if (ascii(head, 0, 'DDS ')) return 'dds';
  if (ascii(head, 0, 'gimp xcf ')) return 'xcf';
  if (ascii(head, 0, 'icns')) return 'icns';
  return heifBrand(head);
}

// How binary files start whose bytes can pass for text: a printable signature, few zero bytes, or text in front of the data.
// What a format is named when no processor reads it; which processor reads one is detection's.

/** The format of a file that is not text, by its first bytes. */
export interface BinaryFormat {
  /** What the first bytes are: a character a byte; `?` is any. */
  readonly magic: string;
  /** In words a model understands. */
  readonly what: string;
}

const FORMATS: readonly BinaryFormat[] = [
  { magic: '%PDF-', what: 'a PDF' }, // ISO 32000-1, 7.5.2
  // Images
  { magic: '\x89PNG\r\n\x1a\n', what: 'a PNG image' }, // PNG (third edition), 5.2
  { magic: '\xff\xd8\xff', what: 'a JPEG image' }, // ITU T.81, B.1.1.3
  { magic: 'GIF87a', what: 'a GIF image' },
  { magic: 'GIF89a', what: 'a GIF image' },
  { magic: 'RIFF????WEBP', what: 'a WebP image' },
  { magic: 'II*\0', what: 'a TIFF image' }, // TIFF 6.0, section 2
  { magic: 'MM\0*', what: 'a TIFF image' },
  { magic: 'AT&TFORM????DJV', what: 'a DjVu document' }, // DjVu 3, 5.1
  { magic: 'SIMPLE  =                    T', what: 'a FITS image' }, // FITS 4.0, 4.4.1.1
  { magic: '#?RADIANCE\n', what: 'a Radiance HDR image' }, // Radiance, picture file format
  { magic: '#?RGBE\n', what: 'a Radiance HDR image' },
  { magic: 'farbfeld\0', what: 'a farbfeld image' }, // farbfeld(5)
  { magic: 'qoif\0', what: 'a QOI image' }, // QOI 1.0, header
  { magic: 'P7\nWIDTH ', what: 'a Netpbm image' }, // pam(5)
  { magic: '????????????????????GPAT', what: 'a GIMP pattern' }, // GIMP, devel-docs/pat.txt
  { magic: '????????????????????GIMP', what: 'a GIMP brush' }, // GIMP, devel-docs/gbr.txt
  // Sound and video
  { magic: 'RIFF????WAVE', what: 'a WAV recording' },
  { magic: 'RIFF????AVI ', what: 'an AVI video' },
  { magic: 'FORM????AIF', what: 'an AIFF recording' }, // Audio IFF 1.3
  { magic: 'OggS\0', what: 'an Ogg file' }, // RFC 3533, 6
  { magic: 'fLaC\0', what: 'a FLAC recording' }, // RFC 9639, 8
  { magic: 'fLaC\x80', what: 'a FLAC recording' },
  { magic: 'ID3?\0', what: 'an MP3 recording' }, // ID3v2.4, 3.1
  { magic: '.snd\0\0\0', what: 'an AU recording' }, // Sun, au(4)
  { magic: '#!AMR\n', what: 'an AMR recording' }, // RFC 4867, 5.1
  { magic: '#!AMR-WB\n', what: 'an AMR recording' },
  { magic: 'YUV4MPEG2 ', what: 'a YUV4MPEG2 video' }, // yuv4mpeg(5)
  { magic: '\0\0\0?ftyp', what: 'an MP4 or HEIF file' }, // ISO/IEC 14496-12, 4.3
  // Archives, programs and their resources
  { magic: '\x1f\x8b\x08', what: 'a gzip file' }, // RFC 1952, 2.3.1
  { magic: 'BZh?1AY&SY', what: 'a bzip2 file' },
  // ar(5): the header of a first member is 60 bytes, of which the last two are fixed.
  { magic: `!<arch>\n${'?'.repeat(58)}\`\n`, what: 'an ar archive' },
  { magic: `!<thin>\n${'?'.repeat(58)}\`\n`, what: 'an ar archive' },
  { magic: 'qres\0\0\0', what: 'a Qt resource file' }, // Qt, RCCResourceLibrary::writeHeader
  { magic: 'BC\xc0\xde', what: 'LLVM bitcode' }, // LLVM bitcode file format
  { magic: 'Microsoft C/C++ MSF 7.00\r\n\x1a', what: 'a PDB file' },
  // Fonts
  { magic: '\x80\x01????%!', what: 'a Type 1 font' }, // Adobe Technical Note 5040, 3.3
  { magic: 'wOFF\0\x01', what: 'a WOFF font' }, // WOFF 1.0, 3
  { magic: 'wOFFOTTO', what: 'a WOFF font' },
  { magic: 'wOF2\0\x01', what: 'a WOFF2 font' }, // WOFF 2.0, 4.1
  { magic: 'wOF2OTTO', what: 'a WOFF2 font' },
  // Data
  { magic: '\xc5\xd0\xd3\xc6', what: 'an EPS file with a preview' }, // Adobe Technical Note 5002, 5.2
  { magic: 'SQLite format 3\0', what: 'an SQLite database' },
  { magic: 'PGDMP\x01', what: 'a PostgreSQL dump' }, // pg_dump, custom format
  { magic: 'Obj\x01', what: 'an Avro file' }, // Avro 1.11, object container files
  { magic: 'CDF\x01', what: 'a NetCDF file' },
  { magic: 'CDF\x02', what: 'a NetCDF file' },
  { magic: 'ply\nformat binary_', what: 'a binary PLY model' },
];

/** Raster images with their size in a text header (pbm(5), pgm(5), ppm(5)); P1 to P3 are text throughout. */
const NETPBM =
  /^P([456])(?:\s|#[^\n]*\n)+(\d{1,7})(?:\s|#[^\n]*\n)+(\d{1,7})(?:(?:\s|#[^\n]*\n)+(\d{1,5}))?\s/;
const NETPBM_HEADER = 1024;
/** Smaller than any picture, larger than the numbers that open a sentence. */
const MIN_RASTER = 64;

/** The binary format that `head`, the start of a file of `size` bytes, has by its signature. */
export function binaryFormatOf(head: Uint8Array, size: number): BinaryFormat | undefined {
  return (
    FORMATS.find(({ magic }) => startsLike(head, magic)) ??
    (isNetpbm(head, size) ? { magic: 'P', what: 'a Netpbm image' } : undefined)
  );
}

function isNetpbm(head: Uint8Array, size: number): boolean {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, NETPBM_HEADER));
  const match = NETPBM.exec(start.toString('latin1'));
  if (!match) return false;
  const [header, kind, width, height, most] = match;
  const across = kind === '4' ? Math.ceil(Number(width) / 8) : Number(width);
  const samples = across * Number(height) * (kind === '6' ? 3 : 1);
  const raster = samples * (Number(most ?? 1) > 255 ? 2 : 1);
  return raster >= MIN_RASTER && size >= header.length + raster;
}

function startsLike(head: Uint8Array, magic: string): boolean {
  for (let i = 0; i < magic.length; i += 1)
    if (magic[i] !== '?' && head[i] !== magic.charCodeAt(i)) return false;
  return true;
}

// Files for attachments: pictures of an exact size, PDF files under a password, and what pretends to be another type.

import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { pdfFile } from '../support/pdf.ts';
import { pixels } from '../support/pictures.ts';

/** A PNG of exactly `bytes` bytes, filled up by a chunk that decoders pass over. */
export async function pngOf(bytes: number, width = 64, height = 64): Promise<Buffer> {
  const png = await pixels(width, height, 3, 'slope').png().toBuffer();
  const filling = bytes - png.length - 12;
  if (filling < 0) throw new Error(`the picture alone has ${png.length} bytes`);
  const end = png.length - 12;
  return Buffer.concat([png.subarray(0, end), chunk('leCt', Buffer.alloc(filling, 0x2e)), png.subarray(end)]);
}

/** A PNG of so many black pixels squared, of a bit each. */
export function bombOf(edge: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(edge);
  header.writeUInt32BE(edge, 4);
  header.writeUInt8(1, 8);
  const rows = deflateSync(Buffer.alloc(edge * (1 + Math.ceil(edge / 8))), { level: 1 });
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND')]);
}

function chunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');

function rc4(key: Uint8Array, data: Uint8Array): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i);
  const at = (i: number): number => state[i & 255] ?? 0;
  const swap = (i: number, j: number): void => {
    const held = at(i);
    state[i & 255] = at(j);
    state[j & 255] = held;
  };
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  const coded = Buffer.alloc(data.length);
  let j = 0;
  for (const [index, byte] of data.entries()) {
    const i = (index + 1) & 255;
    j = (j + at(i)) & 255;
    swap(i, j);
    coded[index] = byte ^ at(at(i) + at(j));
  }
  return coded;
}

/** A PDF of one page, encrypted; it opens with the empty password, or does not (ISO 32000-1, 7.6.3, revision 2). */
export function encryptedPdf(opens: boolean): Buffer {
  const owner = Buffer.alloc(32, 7);
  const id = Buffer.alloc(16, 9);
  const rights = Buffer.alloc(4);
  rights.writeInt32LE(-4);
  const key = createHash('md5')
    .update(Buffer.concat([PADDING, owner, rights, id]))
    .digest()
    .subarray(0, 5);
  const user = opens ? rc4(key, PADDING) : Buffer.alloc(32, 1);
  const hex = (bytes: Buffer): string => `<${bytes.toString('hex')}>`;
  return pdfFile(
    [
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] >>',
      `<< /Filter /Standard /V 1 /R 2 /O ${hex(owner)} /U ${hex(user)} /P -4 >>`,
    ],
    { trailer: `/Encrypt 4 0 R /ID [${hex(id)} ${hex(id)}]` },
  );
}

/** A PDF whose pages are each this JPEG of so many pixels, and no text. */
export function scanOf(jpeg: Uint8Array, pages: number, width: number, height: number): Buffer {
  const numbers = Array.from({ length: pages }, (_, page) => 5 + page);
  return pdfFile([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${numbers.map((number) => `${number} 0 R`).join(' ')}] /Count ${pages} >>`,
    {
      dictionary: `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode`,
      bytes: jpeg,
    },
    { bytes: 'q 600 0 0 800 0 0 cm /Im Do Q' },
    ...numbers.map(
      () =>
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /XObject << /Im 3 0 R >> >> >>',
    ),
  ]);
}

/** The start of a HEIC picture, which is told by its brand and not decoded. */
export function heic(): Buffer {
  return Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from('ftypheic\0\0\0\0mif1heic', 'latin1'),
    Buffer.alloc(400, 3),
  ]);
}

export const DRAWING =
  '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="80" height="40" fill="red"/></svg>\n';

// Renders a scanned page as a picture: its images, upright as on the page, with scanner strips merged. Draws no text or
// lines; a page with more than its images has no picture.

import type { PDFPageProxy } from 'pdfjs-dist';
import type { OverlayOptions, Sharp } from 'sharp';
import { inkOf } from './ink/extract.ts';
import type { Box, Ink, Picture } from './ink/ink.ts';
import type { PagePicture, PictureShape } from './messages.ts';
import type { Pdf } from './open.ts';
import { pictureShare } from './page-class.ts';

type SharpModule = typeof import('sharp')['default'];

/** A page with less of its area covered is not represented by its images. */
const LEAST_SHARE = 0.5;
/** Maximum images merged; scanners produce a few dozen strips. */
const MOST_PICTURES = 400;
/** An image with this share of the total image area is the whole page. */
const ONE_SHARE = 0.9;

/** The picture of a page; undefined for a page that is not represented by its images. */
export async function pictureOf(
  pdf: Pdf,
  number: number,
  shape: PictureShape,
): Promise<PagePicture | undefined> {
  const page = await pdf.document.getPage(number);
  const ink = await inkOf(pdf, page);
  const seen = ink.glyphs.some((glyph) => glyph.hiding === undefined && glyph.text.trim() !== '');
  if (ink.pictures.length === 0 || (seen && pictureShare(ink) < LEAST_SHARE)) return undefined;
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  const areas = ink.pictures.map(
    ({ left, top, right, bottom }, index) => [(right - left) * (bottom - top), index] as const,
  );
  areas.sort((a, b) => b[0] - a[0]);
  const total = areas.reduce((sum, [area]) => sum + area, 0);
  const [largest, index] = areas[0] ?? [0, 0];
  const main = ink.pictures[index];
  if (main && largest >= ONE_SHARE * total) {
    const image = await imageOf(sharp, page, main, shape.maxPixels);
    return image && encode(image, shape, main);
  }
  const composed = await compose(sharp, page, ink, shape);
  return composed && encode(composed, shape, { left: 0, top: 0, right: ink.width, bottom: ink.height });
}

/** All images in place on white paper, at the resolution of the finest of the large ones. */
async function compose(
  sharp: SharpModule,
  page: PDFPageProxy,
  ink: Ink,
  shape: PictureShape,
): Promise<Sharp | undefined> {
  const longest = Math.max(ink.width, ink.height);
  const scale = Math.min(
    Math.min(shape.longestEdge, 4000) / longest,
    Math.sqrt(shape.maxPixels / Math.max(1, ink.width * ink.height)),
  );
  const width = Math.max(1, Math.round(ink.width * scale));
  const height = Math.max(1, Math.round(ink.height * scale));
  const layers: OverlayOptions[] = [];
  for (const picture of ink.pictures.slice(0, MOST_PICTURES)) {
    const left = Math.max(0, Math.round(picture.left * scale));
    const top = Math.max(0, Math.round(picture.top * scale));
    const right = Math.min(width, Math.round(picture.right * scale));
    const bottom = Math.min(height, Math.round(picture.bottom * scale));
    if (right <= left || bottom <= top) continue;
    const image = await imageOf(sharp, page, picture, shape.maxPixels);
    if (!image) continue;
    const input = await image
      .resize(right - left, bottom - top, { fit: 'fill' })
      .png({ compressionLevel: 1 })
      .toBuffer();
    layers.push({ input, left, top });
  }
  if (layers.length === 0) return undefined;
  return sharp({ create: { width, height, channels: 3, background: '#ffffff' } }).composite(layers);
}

/** One image, rotated as on the page. */
async function imageOf(
  sharp: SharpModule,
  page: PDFPageProxy,
  picture: Picture,
  maxPixels: number,
): Promise<Sharp | undefined> {
  const raw = await objectOf(page, picture.object);
  if (!raw) return undefined;
  const { width, height } = raw;
  if (!(width > 0 && height > 0 && width * height <= maxPixels)) return undefined;
  let image: Sharp;
  if (raw.jpeg) image = sharp(raw.jpeg, { limitInputPixels: maxPixels, failOn: 'none' });
  else if (raw.pixels) image = sharp(raw.pixels, { raw: { width, height, channels: raw.channels } });
  else return undefined;
  const [a, b, c, d] = picture.matrix ?? [1, 0, 0, -1];
  // Page y runs downward, so for an image that is not mirrored the determinant is negative.
  if (a * d - b * c > 0) image = sharp(await image.flip().png({ compressionLevel: 1 }).toBuffer());
  const quarter = ((Math.round((Math.atan2(b, a) * 2) / Math.PI) % 4) + 4) % 4;
  return quarter === 0 ? image : image.rotate(quarter * 90);
}

interface RawImage {
  readonly width: number;
  readonly height: number;
  readonly jpeg?: Uint8Array;
  readonly pixels?: Uint8Array;
  readonly channels: 1 | 3 | 4;
}

/** Pixel formats of pdf.js. */
const ONE_BIT = 1;
const RGB = 2;
const RGBA = 3;

/** The image decoded by pdf.js, or the JPEG it passed through. */
async function objectOf(page: PDFPageProxy, name: string): Promise<RawImage | undefined> {
  if (name === '') return undefined;
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  const value = await new Promise<unknown>((resolve) => {
    objects.get(name, resolve);
  });
  if (typeof value !== 'object' || value === null) return undefined;
  const raw: Record<string, unknown> = { ...value };
  const { width, height, kind, data, bitmap } = raw;
  if (typeof width !== 'number' || typeof height !== 'number') return undefined;
  if (bitmap instanceof ArrayBuffer) {
    const jpeg = new Uint8Array(bitmap);
    // Never let a decoder guess what a stream that claims to be JPEG contains.
    return jpeg[0] === 0xff && jpeg[1] === 0xd8 ? { width, height, jpeg, channels: 3 } : undefined;
  }
  if (!ArrayBuffer.isView(data)) return undefined;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  if (kind === RGB && bytes.length >= width * height * 3)
    return { width, height, pixels: bytes.subarray(0, width * height * 3), channels: 3 };
  if (kind === RGBA && bytes.length >= width * height * 4)
    return { width, height, pixels: bytes.subarray(0, width * height * 4), channels: 4 };
  // Stencils have no kind: one bit per pixel, like gray pictures.
  if (kind === ONE_BIT || kind === undefined)
    return { width, height, pixels: unpacked(bytes, width, height), channels: 1 };
  return undefined;
}

/** Expands rows of bits to one byte per pixel; missing ones are white. */
function unpacked(bits: Uint8Array, width: number, height: number): Uint8Array {
  const pixels = new Uint8Array(width * height).fill(255);
  const rowBytes = (width + 7) >> 3;
  for (let y = 0; y < height; y += 1) {
    const row = y * rowBytes;
    if (row >= bits.length) break;
    for (let x = 0; x < width; x += 1)
      if (((bits[row + (x >> 3)] ?? 255) & (0x80 >> (x & 7))) === 0) pixels[y * width + x] = 0;
  }
  return pixels;
}

const QUALITY = 80;

/** Encodes in the requested size, and smaller until it fits the byte limit. */
async function encode(
  image: Sharp,
  shape: PictureShape,
  { left, top, right, bottom }: Box,
): Promise<PagePicture> {
  const { default: sharp } = await import('sharp');
  const flat = await image.flatten({ background: '#ffffff' }).png({ compressionLevel: 1 }).toBuffer();
  const { width = 1, height = 1 } = await sharp(flat).metadata();
  const lossless = shape.lossless === true;
  let edge = Math.max(1, Math.round(shape.longestEdge));
  for (;;) {
    const sized = sharp(flat).resize({
      width: edge,
      height: edge,
      fit: 'inside',
      withoutEnlargement: true,
    });
    const encoded = lossless ? sized.png({ compressionLevel: 1 }) : sized.jpeg({ quality: QUALITY });
    const { data, info } = await encoded.toBuffer({ resolveWithObject: true });
    if (data.length <= shape.maxBytes || edge <= 64)
      return {
        data: new Uint8Array(data),
        mimeType: lossless ? 'image/png' : 'image/jpeg',
        width: info.width,
        height: info.height,
        box: { left, top, right, bottom },
      };
    edge = Math.floor(Math.min(edge, Math.max(width, height)) * 0.8);
  }
}

// Encodes a picture in its target format at a given size and quality.

import type { Sharp } from 'sharp';
import type { MimeType } from '../../../src/contract/index.ts';
import { type DecodeOptions, decoding, type Picture } from '../decoder.ts';
import { drawingAt, scaled } from './drawing.ts';
import type { Job, Target } from './plan.ts';

export interface Written {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

interface Pass {
  readonly frame: number | undefined;
  readonly scale: number;
  readonly target: Target;
  readonly quality: number;
  readonly lenient: boolean;
}

export async function write(job: Job, { frame, scale, target, quality, lenient }: Pass): Promise<Written> {
  const { bytes, picture, region, options, maxPixels } = job;
  // Keep at least one pixel per edge.
  const width = Math.max(1, Math.round(region.width * scale));
  const height = Math.max(1, Math.round(region.height * scale));
  const drawing = picture.format === 'svg' ? drawingAt(picture, scale, maxPixels) : undefined;
  const decode: DecodeOptions = {
    maxPixels,
    lenient,
    ...(frame !== undefined && { frame }),
    ...(drawing && { density: drawing.density }),
  };
  const pass = (await decoding(bytes, picture, decode)).autoOrient();
  if (options.region) pass.extract(drawing ? scaled(region, picture, drawing) : region);
  pass.resize({ width, height, fit: 'fill', kernel: 'lanczos3' });
  pass.toColourspace(/^(?:b-w|grey16)$/.test(picture.colorspace) ? 'b-w' : 'srgb');
  const { data, info } = await encoder(pass, target, quality, picture).toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.pageHeight ?? info.height };
}

function encoder(pass: Sharp, target: Target, quality: number, picture: Picture): Sharp {
  switch (target) {
    case 'jpeg':
      return pass.flatten({ background: '#ffffff' }).jpeg({ quality });
    case 'webp':
      return pass.webp({ quality, effort: 2 });
    case 'gif':
      return pass.gif({ effort: 3, reuse: true });
    case 'png':
      // The lowest effort: more takes close to a minute for a few million colourful pixels.
      return picture.palette && picture.format === 'png'
        ? pass.png({ palette: true, effort: 1 })
        : pass.png({ compressionLevel: 6 });
  }
}

export const QUALITY = 90;

export const MIME: Readonly<Record<Target, MimeType>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

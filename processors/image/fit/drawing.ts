// Renders vector drawings, and scales pictures.

import type { Region } from '../../../src/contract/index.ts';
import { checkPixels, type Picture, SVG_DENSITY } from '../decoder.ts';

interface Drawing {
  readonly density: number;
  readonly width: number;
  readonly height: number;
}

/** The resolution at which the whole drawing has `scale` pixels per unit. @throws {ReaderError} LIMIT_EXCEEDED */
export function drawingAt(picture: Picture, scale: number, maxPixels: number): Drawing {
  const density = Math.min(100_000, Math.max(1, SVG_DENSITY * scale));
  const factor = density / SVG_DENSITY;
  const width = Math.max(1, Math.round(picture.width * factor));
  const height = Math.max(1, Math.round(picture.height * factor));
  checkPixels({ width, height }, maxPixels);
  return { density, width, height };
}

export function scaled(region: Region, picture: Picture, drawing: Drawing): Region {
  const across = drawing.width / picture.width;
  const down = drawing.height / picture.height;
  const left = Math.min(drawing.width - 1, Math.floor(region.left * across));
  const top = Math.min(drawing.height - 1, Math.floor(region.top * down));
  return {
    left,
    top,
    width: Math.max(1, Math.min(drawing.width - left, Math.round(region.width * across))),
    height: Math.max(1, Math.min(drawing.height - top, Math.round(region.height * down))),
  };
}

// Decides which pictures of a page get a mark in its text, with their alternative text. What looks like a background, a
// rule or an ornament is only counted.

import { imageMark, linesBlock } from '../../../../src/document/index.ts';
import type { Glyph, Ink, Picture, StructureNode } from '../ink/ink.ts';
import type { PlacedBlock } from './words.ts';

const MAX_PICTURES = 40;
/** Minimum width and height in points, and minimum share of the page. */
const LEAST_EDGE = 40;
const LEAST_SHARE = 0.03;
/** A picture with at least this share of the page is a background. */
const BACKGROUND_SHARE = 0.8;
/** With more glyphs on it, a picture is the background of a text; with fewer, a figure with words in it. */
const GROUND_GLYPHS = 400;
const WORDED_GLYPHS = 40;

/** The marks of pictures, with their positions, and the number of pictures without a mark. */
export function pictureBlocks(ink: Ink): {
  readonly blocks: readonly PlacedBlock[];
  readonly unmarked: number;
} {
  const page = ink.width * ink.height;
  const all = joined(ink.pictures);
  const large = all.filter((picture) => {
    const width = picture.right - picture.left;
    const height = picture.bottom - picture.top;
    const share = (width * height) / page;
    return width >= LEAST_EDGE && height >= LEAST_EDGE && share >= LEAST_SHARE && share < BACKGROUND_SHARE;
  });
  if (large.length === 0 || large.length > MAX_PICTURES) return { blocks: [], unmarked: all.length };
  const alts = ink.structure === undefined ? [] : figureTexts(ink.structure);
  const blocks: PlacedBlock[] = [];
  for (const [index, picture] of large.entries()) {
    const glyphs = glyphsOn(picture, ink.glyphs);
    if (glyphs > GROUND_GLYPHS) continue;
    const alt = alts.length === large.length ? (alts[index] ?? '') : '';
    const block = linesBlock(imageMark(alt, picture.object));
    // Words in a figure must form their own columns, so the figure only takes up room along its upper edge.
    const bottom = glyphs > WORDED_GLYPHS ? picture.top + 1 : picture.bottom;
    blocks.push({ left: picture.left, right: picture.right, top: picture.top, bottom, block });
  }
  return { blocks, unmarked: all.length - blocks.length };
}

/** Merges the strips of a picture that was cut into pieces. */
function joined(pictures: readonly Picture[]): Picture[] {
  const sorted = [...pictures].sort((a, b) => a.left - b.left || a.top - b.top);
  const result: Picture[] = [];
  for (const picture of sorted) {
    const last = result.at(-1);
    const strip =
      last !== undefined &&
      Math.abs(last.left - picture.left) < 2 &&
      Math.abs(last.right - picture.right) < 2 &&
      picture.top - last.bottom < 2;
    if (strip) result[result.length - 1] = { ...last, bottom: Math.max(last.bottom, picture.bottom) };
    else result.push(picture);
  }
  return result.sort((a, b) => a.top - b.top || a.left - b.left);
}

function glyphsOn(picture: Picture, glyphs: readonly Glyph[]): number {
  let count = 0;
  for (const glyph of glyphs) {
    const inside =
      glyph.x >= picture.left &&
      glyph.x <= picture.right &&
      glyph.y >= picture.top &&
      glyph.y <= picture.bottom;
    if (inside && glyph.text !== ' ') count += 1;
  }
  return count;
}

/** The alternative texts of the figures of a tagged page, in order. */
const figureTexts = (node: StructureNode): string[] => [
  ...(node.role === 'Figure' ? [node.alt ?? ''] : []),
  ...node.children.flatMap((child) => (typeof child === 'number' ? [] : figureTexts(child))),
];

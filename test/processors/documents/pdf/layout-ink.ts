// Inks for tests of the layout: lines of text typed onto a page, every character half as wide as it is high.

import type { Font, Glyph, Ink } from '../../../../processors/documents/pdf/ink/ink.ts';

const FONTS: readonly Font[] = [
  { name: 'Serif', bold: false, italic: false, monospace: false, ascent: 0.8, descent: 0.2 },
  { name: 'Serif-Bold', bold: true, italic: false, monospace: false, ascent: 0.8, descent: 0.2 },
  { name: 'Serif-Italic', bold: false, italic: true, monospace: false, ascent: 0.8, descent: 0.2 },
  { name: 'Mono', bold: false, italic: false, monospace: true, ascent: 0.8, descent: 0.2 },
  { name: 'Mono-Bold', bold: true, italic: false, monospace: true, ascent: 0.8, descent: 0.2 },
];

export const PLAIN = 0;
export const BOLD = 1;
export const ITALIC = 2;
export const MONO = 3;
export const MONO_BOLD = 4;

export interface Style {
  readonly size?: number;
  readonly font?: number;
  readonly angle?: number;
}

/** The glyphs of a text from `x` on, its baseline at `y`; a space is a gap without a glyph. */
export function typed(
  text: string,
  x: number,
  y: number,
  { size = 10, font = PLAIN, angle = 0 }: Style = {},
): Glyph[] {
  const glyphs: Glyph[] = [];
  let at = 0;
  for (const character of text) {
    const place = angle === 90 ? { x, y: y + at } : { x: x + at, y };
    const width = /[\u3000-\u9fff]/u.test(character) ? size : size / 2;
    if (character !== ' ')
      glyphs.push({
        text: character,
        ...place,
        width,
        size,
        font,
        angle,
        color: 0,
        mcid: -1,
        artifact: false,
      });
    at += width;
  }
  return glyphs;
}

/** Lines of text under each other from `y` on. */
export function lines(texts: readonly string[], x: number, y: number, step = 12, style: Style = {}): Glyph[] {
  return texts.flatMap((text, index) => typed(text, x, y + index * step, style));
}

/** A page of A4 with these glyphs. */
export function inkOf(glyphs: readonly Glyph[], more: Partial<Ink> = {}): Ink {
  return {
    page: 1,
    width: 595,
    height: 842,
    fonts: FONTS,
    glyphs,
    rules: [],
    fills: [],
    pictures: [],
    links: [],
    ...more,
  };
}

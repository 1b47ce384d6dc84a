// Classifies a page: text, a scan, both, or unreliable text. Also reports its invisible text.

import { quoted, type Warning } from '../../../src/contract/index.ts';
import type { Section } from '../document.ts';
import { areaOf } from './ink/box.ts';
import type { Glyph, Hiding, Ink } from './ink/ink.ts';

/** Fewer visible characters on a page that is mostly a picture are a stamp or page number on a scan. */
const FEW = 30;
/** Share of the page from which pictures make up most of it. */
const MOSTLY = 0.5;
const SOME = 0.1;
/** A page with this share of unmapped characters is unreliable. */
const BROKEN_SHARE = 0.25;
/** A font or a text layer with this share of unmapped characters says nothing. */
const LOST_SHARE = 0.5;

/** The page's kind, by its visible characters and the area of its pictures. */
export function kindOf(ink: Ink): NonNullable<Section['kind']> {
  let seen = 0;
  let unknown = 0;
  for (const glyph of ink.glyphs) {
    if (glyph.hiding !== undefined || glyph.text.trim() === '') continue;
    seen += 1;
    if (glyph.text.includes('\ufffd')) unknown += 1;
  }
  const share = pictureShare(ink);
  if (seen === 0) return share >= SOME ? 'scan' : 'text';
  if (seen < FEW && share >= MOSTLY) return 'scan';
  // Its picture shows what its text layer does not say.
  if (unknown >= LOST_SHARE * seen && share >= MOSTLY) return 'scan';
  if (seen >= FEW && unknown >= BROKEN_SHARE * seen) return 'broken';
  return share >= MOSTLY ? 'mixed' : 'text';
}

/**
 * The page without the fonts whose characters are unknown, and how many characters that leaves out; the same page if
 * most of its text can be read.
 */
export function decoded(ink: Ink): { readonly ink: Ink; readonly lost: number } {
  const fonts = new Map<number, { all: number; unknown: number }>();
  let all = 0;
  let unknown = 0;
  for (const { text, font, hiding } of ink.glyphs) {
    if (hiding !== undefined || text.trim() === '') continue;
    const counts = fonts.get(font) ?? { all: 0, unknown: 0 };
    fonts.set(font, counts);
    counts.all += 1;
    all += 1;
    if (!text.includes('\ufffd')) continue;
    counts.unknown += 1;
    unknown += 1;
  }
  if (all < FEW || unknown < BROKEN_SHARE * all) return { ink, lost: 0 };
  const isLost = (font: number): boolean => {
    const counts = fonts.get(font);
    return counts !== undefined && counts.unknown >= LOST_SHARE * counts.all;
  };
  let lost = 0;
  for (const [font, counts] of fonts) if (isLost(font)) lost += counts.all;
  return { ink: { ...ink, glyphs: ink.glyphs.filter(({ font }) => !isLost(font)) }, lost };
}

/** Share of the page under pictures, with overlaps counted twice, at most 1. */
export function pictureShare(ink: Ink): number {
  const area = Math.max(1, ink.width * ink.height);
  const sum = ink.pictures.reduce((total, picture) => total + areaOf(picture), 0);
  return Math.min(1, sum / area);
}

const WORDS: Readonly<Record<Hiding, string>> = {
  invisible: 'drawn invisibly',
  'off-page': 'outside the page',
  tiny: 'too small to read',
  'background-color': 'in the color of the background',
  'hidden-layer': 'on a hidden layer',
  clipped: 'clipped away',
  covered: 'covered',
};

/** A warning about invisible text, which the page's blocks leave out. */
export function hiddenTextOf(ink: Ink): Warning | undefined {
  const counts = new Map<Hiding, number>();
  const hidden: Glyph[] = [];
  let letters = 0;
  for (const run of unseenRuns(ink)) {
    for (const glyph of run) {
      const { hiding } = glyph;
      if (hiding === undefined) continue;
      counts.set(hiding, (counts.get(hiding) ?? 0) + 1);
      if (/[\p{L}\p{N}]/u.test(glyph.text)) letters += 1;
      if (hidden.length < MOST_SAMPLED) hidden.push(glyph);
    }
  }
  if (letters === 0) return undefined;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const reasons = [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([hiding, count]) => `${count} ${WORDS[hiding]}`)
    .join(', ');
  return {
    code: 'HIDDEN_TEXT',
    message: `Page ${ink.page}: ${total} invisible characters are left out (${reasons}), such as ${quoted(sampleOf(hidden))}.`,
  };
}

const MOST_CONTRADICTIONS = 3;

/** A warning of text that the file states for glyphs that say something else. */
export function contradictionsOf({ page, contradictions = [] }: Ink): Warning | undefined {
  if (contradictions.length === 0) return undefined;
  const pairs = contradictions.slice(0, MOST_CONTRADICTIONS).map(({ drawn, stated, replaced }) => {
    const seen = drawn === '' ? 'nothing' : quoted(drawn);
    return `${quoted(stated)} for ${seen} (${replaced ? 'the stated text is shown' : 'left out'})`;
  });
  const more = contradictions.length - pairs.length;
  return {
    code: 'HIDDEN_TEXT',
    message: `Page ${page}: the file states other text than it draws: ${pairs.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
  };
}

const MOST_SAMPLED = 120;
/** Maximum lines searched in the page's text; each takes a pass over it. */
const MOST_COMPARED = 200;

/** Hidden glyphs by line, without lines that are also visible on the page: drawn twice, once painted over. */
function unseenRuns(ink: Ink): Glyph[][] {
  const runs: Glyph[][] = [];
  let seen = '';
  let last: Glyph | undefined;
  for (const glyph of ink.glyphs) {
    if (glyph.text.trim() === '') continue;
    if (glyph.hiding === undefined) seen += glyph.text;
    else if (last && last.hiding === glyph.hiding && last.y === glyph.y) runs.at(-1)?.push(glyph);
    else runs.push([glyph]);
    last = glyph;
  }
  return runs.filter(
    (run, index) => index >= MOST_COMPARED || !seen.includes(run.map(({ text }) => text).join('')),
  );
}

/** The characters in drawing order, with spaces at gaps. */
function sampleOf(glyphs: readonly Glyph[]): string {
  let text = '';
  let last: Glyph | undefined;
  for (const glyph of glyphs) {
    if (last) {
      const radians = (last.angle * Math.PI) / 180;
      const ahead = (glyph.x - last.x) * Math.cos(radians) + (glyph.y - last.y) * Math.sin(radians);
      if (ahead < 0 || ahead - last.width > 0.2 * last.size) text += ' ';
    }
    text += glyph.text;
    last = glyph;
  }
  return text;
}

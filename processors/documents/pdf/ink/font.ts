// The properties of a page's font: name and style for the layout, units for placing glyphs.

import type { Font, Glyph } from './ink.ts';

/** A font with what is needed to place its glyphs. */
export interface PageFont {
  readonly font: Font;
  /** Index into `Ink.fonts`. */
  readonly index: number;
  /** Size of a glyph width unit in em. */
  readonly unit: number;
  readonly vertical: boolean;
  /** Its glyphs are drawings (Type 3). */
  readonly drawn: boolean;
  /** Default advance, and x and y of the origin, for glyphs without their own metric. */
  readonly verticalMetric: readonly number[] | undefined;
}

/** Names that imply bold or italic: Computer Modern, and Adobe's and Monotype's abbreviations. */
const BOLD = /bold|black|heavy|demi|[-,]bd\b|^cm(?:b|ssbx)|^sfbx|-medi(?:ital)?$/i;
const ITALIC = /ital|obli|slant|kursiv|[-,]it\b|^cm(?:ti|sl|bxti|ssi)|^sfti/i;
const MONOSPACE = /mono|courier|consol|typewriter|fixed|^cmtt|^sftt|menlo|terminal/i;
/** Symbol fonts, of which a page uses few glyphs: any width looks fixed. */
const SIGNS = /^cm(?:sy|ex|mi)|^ms[ab]m|symbol|dingbat|awesome|icon/i;

/** Converts a pdf.js font object; a missing one is treated as a regular font. */
export function fontOf(object: unknown, index: number): PageFont {
  const raw: Record<string, unknown> = {};
  if (typeof object === 'object' && object !== null) {
    const source = object as Record<string, unknown>; // Its fields are getters of a class; each is checked below.
    for (const key of FIELDS) raw[key] = source[key];
  }
  const full = typeof raw['name'] === 'string' ? raw['name'].slice(0, 200) : '';
  const name = full.replace(/^[A-Za-z\d]{6}\+/, '');
  const matrix = raw['fontMatrix'];
  const unit: unknown = Array.isArray(matrix) ? matrix[0] : undefined;
  const metric = raw['defaultVMetrics'];
  return {
    index,
    unit: typeof unit === 'number' && Number.isFinite(unit) && unit !== 0 ? Math.abs(unit) : 0.001,
    vertical: raw['vertical'] === true,
    drawn: raw['isType3Font'] === true,
    verticalMetric:
      Array.isArray(metric) && metric.every((value) => typeof value === 'number') ? metric : undefined,
    font: {
      name,
      bold: raw['bold'] === true || raw['black'] === true || BOLD.test(name),
      italic: raw['italic'] === true || ITALIC.test(name),
      monospace: MONOSPACE.test(name) || (raw['fallbackName'] === 'monospace' && !SIGNS.test(name)),
      ascent: share(raw['ascent'], 0.75),
      descent: share(raw['descent'], 0.25),
    },
  };
}

/**
 * Marks drawn fonts as bold that a page uses beside an embedded one of the same name: a browser embeds the face it has,
 * and draws the weight it has not.
 */
export function withDrawnWeights(fonts: readonly PageFont[]): Font[] {
  const embedded = new Set(fonts.filter(({ drawn }) => !drawn).map(({ font }) => font.name));
  return fonts.map(({ font, drawn }) =>
    drawn && font.name !== '' && embedded.has(font.name) ? { ...font, bold: true } : font,
  );
}

/** Letters that differ in width in every font but a monospaced one. */
const NARROW = /^[fijlrt.,:;'|!]$/;
const WIDE = /^[mwMW@%]$/;

/** Marks fonts as monospaced if their narrow and wide letters on the page are equally wide, regardless of their names. */
export function withFixedWidths(fonts: readonly Font[], glyphs: readonly Glyph[]): Font[] {
  const narrow = fonts.map(() => 0);
  const wide = fonts.map(() => 0);
  for (const { font, text, width, size } of glyphs) {
    if (NARROW.test(text)) narrow[font] = Math.max(narrow[font] ?? 0, width / size);
    else if (WIDE.test(text)) wide[font] = Math.max(wide[font] ?? 0, width / size);
  }
  return fonts.map((font, index) => {
    const [least = 0, most = 0] = [narrow[index], wide[index]];
    return least > 0 && Math.abs(most - least) < 0.01 ? { ...font, monospace: true } : font;
  });
}

const FIELDS = [
  'name',
  'bold',
  'black',
  'italic',
  'fallbackName',
  'ascent',
  'descent',
  'vertical',
  'isType3Font',
  'defaultVMetrics',
  'fontMatrix',
] as const;

/** A value from 0.2 to 1.5 em, or the usual one for fonts. */
function share(value: unknown, usual: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return usual;
  const size = Math.abs(value);
  return size >= 0.05 && size <= 1.5 ? size : usual;
}

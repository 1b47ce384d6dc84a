// What a page's font says of itself: its name and style for the layout, its units for placing glyphs.

import type { Font } from './ink.ts';

/** A font and what placing its glyphs needs. */
export interface PageFont {
  readonly font: Font;
  /** Into `Ink.fonts`. */
  readonly index: number;
  /** What one unit of a glyph's width is of the em. */
  readonly unit: number;
  readonly vertical: boolean;
  /** Advance, and the origin's x and y, of glyphs that have no metric of their own. */
  readonly verticalMetric: readonly number[] | undefined;
}

/** Names that mean bold or italic without saying so: Computer Modern, Adobe's and Monotype's short forms. */
const BOLD = /bold|black|heavy|demi|[-,]bd\b|^cm(?:b|ssbx)|^sfbx|-medi(?:ital)?$/i;
const ITALIC = /ital|obli|slant|kursiv|[-,]it\b|^cm(?:ti|sl|bxti|ssi)|^sfti/i;
const MONOSPACE = /mono|courier|consol|typewriter|fixed|^cmtt|^sftt|menlo|terminal/i;
/** Fonts of signs, of which a page uses few: any width looks fixed. */
const SIGNS = /^cm(?:sy|ex|mi)|^ms[ab]m|symbol|dingbat|awesome|icon/i;

/** Reads a font object of pdf.js; a missing one is an ordinary font. */
export function fontOf(object: unknown, index: number): PageFont {
  const raw: Record<string, unknown> = {};
  if (typeof object === 'object' && object !== null) {
    const source = object as Record<string, unknown>; // Its fields are getters of a class; each is checked below.
    for (const key of FIELDS) raw[key] = source[key];
  }
  const full = typeof raw['name'] === 'string' ? raw['name'].slice(0, 200) : '';
  const name = full.replace(/^[A-Z]{6}\+/, '');
  const matrix = raw['fontMatrix'];
  const unit: unknown = Array.isArray(matrix) ? matrix[0] : undefined;
  const metric = raw['defaultVMetrics'];
  return {
    index,
    unit: typeof unit === 'number' && Number.isFinite(unit) && unit !== 0 ? Math.abs(unit) : 0.001,
    vertical: raw['vertical'] === true,
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

const FIELDS = [
  'name',
  'bold',
  'black',
  'italic',
  'fallbackName',
  'ascent',
  'descent',
  'vertical',
  'defaultVMetrics',
  'fontMatrix',
] as const;

/** Between a fifth and one and a half of the em, or what fonts usually have. */
function share(value: unknown, usual: number): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) return usual;
  const size = Math.abs(value);
  return size >= 0.05 && size <= 1.5 ? size : usual;
}

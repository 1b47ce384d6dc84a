// Simple formulas whose geometry leaves no doubt, as LaTeX: fractions over a bar, and scripts of a single italic
// letter. Anything else stays text.

import { countBefore } from '../../../../src/contract/index.ts';
import type { Font, Glyph, Ink, Rule } from '../ink/ink.ts';
import type { Line } from './line.ts';

/** A glyph that stands for a formula: its text is LaTeX between dollar signs. */
export interface FormulaGlyph extends Glyph {
  readonly formula: true;
}

export function isFormula(glyph: Glyph): glyph is FormulaGlyph {
  return 'formula' in glyph;
}

/** Longer parts are not simple. */
const MOST_GLYPHS = 12;
/** Rules and glyphs on a page with drawings, where a search takes too long. */
const MOST_RULES = 400;
/** A bar is at most this much wider than the wider part, in em. */
const OVERHANG = 0.9;

/** The glyphs with those of each fraction replaced by one. */
export function withFormulas(glyphs: readonly Glyph[], rules: Ink['rules']): readonly Glyph[] {
  const bars = rules.filter((rule) => rule.horizontal && rule.thickness < 2 && rule.to - rule.from < 120);
  if (bars.length === 0 || bars.length > MOST_RULES) return glyphs;
  const sorted = glyphs.filter((glyph) => glyph.text.trim() !== '').sort((a, b) => a.y - b.y);
  const replaced = new Map<Glyph, Glyph | undefined>();
  for (const bar of bars) {
    const near = nearTo(sorted, bar).filter((glyph) => !replaced.has(glyph));
    const made = fractionOf(bar, near);
    if (made === undefined) continue;
    for (const glyph of made.of) replaced.set(glyph, undefined);
    const first = made.of[0];
    if (first !== undefined) replaced.set(first, made.glyph);
  }
  if (replaced.size === 0) return glyphs;
  return glyphs.flatMap((glyph) => {
    if (!replaced.has(glyph)) return [glyph];
    const made = replaced.get(glyph);
    return made === undefined ? [] : [made];
  });
}

interface Made {
  readonly glyph: FormulaGlyph;
  readonly of: readonly Glyph[];
}

/** The glyphs whose baseline is at most 40 points from the bar. */
function nearTo(sorted: readonly Glyph[], bar: Rule): Glyph[] {
  const first = countBefore(sorted.length, (at) => (sorted[at]?.y ?? 0) < bar.at - 40);
  const found: Glyph[] = [];
  for (let index = first; index < sorted.length; index += 1) {
    const glyph = sorted[index];
    if (glyph === undefined || glyph.y > bar.at + 40) break;
    if (glyph.x + glyph.width > bar.from - 60 && glyph.x < bar.to + 60) found.push(glyph);
  }
  return found;
}

const isWithin = (glyph: Glyph, bar: Rule): boolean =>
  glyph.x >= bar.from - 0.15 * glyph.size && glyph.x + glyph.width <= bar.to + 0.15 * glyph.size;

function fractionOf(bar: Rule, near: readonly Glyph[]): Made | undefined {
  const above = near.filter(
    (glyph) =>
      isWithin(glyph, bar) && glyph.y <= bar.at + 0.02 * glyph.size && glyph.y > bar.at - 0.8 * glyph.size,
  );
  const below = near.filter(
    (glyph) =>
      isWithin(glyph, bar) && glyph.y > bar.at + 0.5 * glyph.size && glyph.y < bar.at + 1.35 * glyph.size,
  );
  if (!isPart(above, bar, near) || !isPart(below, bar, near)) return undefined;
  const width = bar.to - bar.from;
  const size = Math.max(...above.map((glyph) => glyph.size), ...below.map((glyph) => glyph.size));
  if (width > Math.max(widthOf(above), widthOf(below)) + OVERHANG * size) return undefined;
  const base = above[0];
  if (base === undefined) return undefined;
  return {
    of: [...above, ...below],
    glyph: {
      ...base,
      text: `$\\frac{${tex(above)}}{${tex(below)}}$`,
      x: bar.from,
      y: bar.at + 0.28 * size,
      width,
      size,
      formula: true,
    },
  };
}

/** True for a few glyphs on one baseline, with nothing of that line beside the bar: else they are underlined text. */
function isPart(part: readonly Glyph[], bar: Rule, near: readonly Glyph[]): boolean {
  const first = part[0];
  if (first === undefined || part.length > MOST_GLYPHS) return false;
  if (part.some((glyph) => Math.abs(glyph.y - first.y) > 0.1 * first.size)) return false;
  if (!part.every((glyph) => /^[\p{L}\p{N}+\u2212\u2013.,()-]$|\$$/u.test(glyph.text.normalize('NFKC'))))
    return false;
  return !near.some(
    (glyph) =>
      !part.includes(glyph) &&
      Math.abs(glyph.y - first.y) < 0.15 * first.size &&
      glyph.x < bar.to + 1.2 * first.size &&
      glyph.x + glyph.width > bar.from - 1.2 * first.size,
  );
}

function widthOf(part: readonly Glyph[]): number {
  const left = Math.min(...part.map((glyph) => glyph.x));
  return Math.max(...part.map((glyph) => glyph.x + glyph.width)) - left;
}

function tex(part: readonly Glyph[]): string {
  return [...part]
    .sort((a, b) => a.x - b.x)
    .map((glyph) => texOf(glyph.text))
    .join('');
}

/** Mathematical letters as plain ones, which LaTeX sets in italics. */
function texOf(text: string): string {
  return text
    .replace(/\$/gu, '')
    .normalize('NFKC')
    .replace(/[\u2212\u2013]/gu, '-');
}

/** A letter with raised or lowered signs as LaTeX, and what follows it; undefined for any other word. */
export function scriptsOf(
  glyphs: readonly Glyph[],
  line: Pick<Line, 'y' | 'size'>,
  fonts: readonly Font[],
): { tex: string; rest: string } | undefined {
  const [base, ...others] = glyphs;
  if (base === undefined || others.length === 0 || others.length > MOST_GLYPHS) return undefined;
  if (!isVariable(base, fonts) || Math.abs(base.y - line.y) > 0.1 * line.size) return undefined;
  let raised = '';
  let lowered = '';
  let rest = '';
  for (const glyph of others) {
    const rise = (line.y - glyph.y) / line.size;
    const small = glyph.size < 0.85 * base.size;
    if (rest === '' && small && rise > 0.15) raised += texOf(glyph.text);
    else if (rest === '' && small && rise < -0.04) lowered += texOf(glyph.text);
    else if (/^[.,;:!?)]$/u.test(glyph.text)) rest += glyph.text;
    else return undefined;
  }
  if (!/^[\p{L}\p{N}+-]*$/u.test(raised + lowered) || raised + lowered === '') return undefined;
  const scripts = `${lowered === '' ? '' : `_{${lowered}}`}${raised === '' ? '' : `^{${raised}}`}`;
  return { tex: `$${texOf(base.text)}${scripts}$`, rest };
}

/** True for a mathematical letter, or a letter in italics. */
function isVariable({ text, font }: Glyph, fonts: readonly Font[]): boolean {
  if (/^[\u{1D400}-\u{1D7CB}]$/u.test(text)) return true;
  return /^\p{L}$/u.test(text) && (fonts[font]?.italic === true || /^cmmi/iu.test(fonts[font]?.name ?? ''));
}

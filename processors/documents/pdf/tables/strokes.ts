// Merges a page's ruling lines into few long strokes: pieces drawn per cell, twice, or as dashes.

import type { Ink, Rule } from '../ink/ink.ts';

/** A straight line; `at` on its own axis, `from` and `to` along the other. */
export interface Stroke {
  readonly horizontal: boolean;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** The strokes of a page, each sorted by `at`. */
export interface Strokes {
  readonly horizontal: readonly Stroke[];
  readonly vertical: readonly Stroke[];
}

/** A page with more rules is a drawing. */
const MAX_RULES = 200_000;
/** A page with more strokes in one direction, after merging, is a drawing. */
const MAX_STROKES = 4_000;
/** Lines this close, in points, are merged: double rules, borders of adjacent cells. */
const SAME_LINE = 2;
/** Gaps up to this, in points, are gaps of a dashed line or between the borders of adjacent cells. */
const SMALL_GAP = 3.5;
const SHORTEST = 5;

/** The strokes of a page; none for a drawing. */
export function strokesOf(ink: Ink): Strokes {
  if (ink.rules.length > MAX_RULES) return { horizontal: [], vertical: [] };
  const horizontal = joined(
    ink.rules.filter((rule) => rule.horizontal && rule.at >= -2 && rule.at <= ink.height + 2),
    true,
    ink.width,
  );
  const vertical = joined(
    ink.rules.filter((rule) => !rule.horizontal && rule.at >= -2 && rule.at <= ink.width + 2),
    false,
    ink.height,
  );
  if (horizontal.length > MAX_STROKES || vertical.length > MAX_STROKES)
    return { horizontal: [], vertical: [] };
  return { horizontal, vertical };
}

function joined(rules: readonly Rule[], horizontal: boolean, extent: number): Stroke[] {
  const sorted = [...rules].sort((a, b) => a.at - b.at);
  const strokes: Stroke[] = [];
  let band: Rule[] = [];
  const close = (): void => {
    for (const stroke of joinedBand(band, horizontal)) strokes.push(stroke);
    band = [];
  };
  for (const rule of sorted) {
    if (rule.to < -2 || rule.from > extent + 2) continue;
    const first = band[0];
    if (first !== undefined && rule.at - first.at > SAME_LINE) close();
    band.push(rule);
  }
  close();
  return strokes.filter((stroke) => stroke.to - stroke.from >= SHORTEST).sort((a, b) => a.at - b.at);
}

function joinedBand(rules: readonly Rule[], horizontal: boolean): Stroke[] {
  const sorted = [...rules].sort((a, b) => a.from - b.from);
  const strokes: Stroke[] = [];
  let from = 0;
  let to = Number.NEGATIVE_INFINITY;
  let weight = 0;
  let sum = 0;
  const close = (): void => {
    if (weight > 0) strokes.push({ horizontal, at: sum / weight, from, to });
  };
  for (const rule of sorted) {
    const length = Math.max(0.1, rule.to - rule.from);
    if (rule.from - to > SMALL_GAP) {
      close();
      from = rule.from;
      to = rule.to;
      weight = 0;
      sum = 0;
    }
    to = Math.max(to, rule.to);
    weight += length;
    sum += rule.at * length;
  }
  close();
  return strokes;
}

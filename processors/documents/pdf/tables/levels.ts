// Groups horizontal rules of one table: those with the same left and right edge, one below the other. Edges of filled
// bands count as rules.

import { countBefore } from '../../../../src/contract/index.ts';
import type { Box, Fill } from '../ink/ink.ts';
import { chunksOf, type Line, partOf } from './lines.ts';
import type { Stroke } from './strokes.ts';
import { isProse } from './zones.ts';

/** A rule across a page or part of it, possibly drawn in pieces, one per column. */
export interface Level {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly pieces: readonly Stroke[];
}

/** Rules of one width, from top to bottom. */
export interface Ladder {
  readonly from: number;
  readonly to: number;
  readonly levels: readonly Level[];
}

/** Maximum gap between pieces of one rule, in points: as wide as a gap between columns. */
const PIECE_GAP = 25;
/** Ends this close, in points, are the same. */
const SAME_END = 7;
const SHORTEST = 60;
const MAX_LADDERS = 60;
const MAX_FILLS = 2_000;
/** A band this wide, as a share of the page, may be a row with long text. */
const WIDE_BAND = 0.4;

/**
 * The rules of a page and the edges of its bands, from top to bottom, excluding underlines and what is inside `taken`.
 */
export function levelsOf(
  strokes: readonly Stroke[],
  fills: readonly Fill[],
  lines: readonly Line[],
  taken: readonly Box[],
  page: Box,
): Level[] {
  const all = [...strokes.filter((stroke) => !isUnderline(stroke, lines)), ...bandEdges(fills, page)]
    .filter((stroke) => !taken.some((box) => isInside(stroke, box)))
    .sort((a, b) => a.at - b.at);
  return joinedLevels(all);
}

/** The ladders formed by the levels. */
export function laddersOf(levels: readonly Level[]): Ladder[] {
  const ladders: { from: number; to: number; levels: Level[] }[] = [];
  for (const level of levels) {
    const same = ladders.find(
      (ladder) =>
        Math.abs(ladder.from - level.from) <= SAME_END && Math.abs(ladder.to - level.to) <= SAME_END,
    );
    if (same !== undefined) same.levels.push(level);
    else if (level.to - level.from >= SHORTEST && ladders.length < MAX_LADDERS)
      ladders.push({ from: level.from, to: level.to, levels: [level] });
  }
  return ladders;
}

/** Share of the lines between the rules that may have text right beside them, as lines of another column do. */
const BESIDE = 0.5;
/** A rule across more columns is at most this far above, in points: a few lines of a header. */
const HEADER_HEIGHT = 45;

/**
 * True if rows end where the ladder's rules do. Rules under the columns of numbers only, whose rows have their labels
 * beside them, frame no table; nor do rules of a header under the columns of labels only.
 */
export function framesRows(ladder: Ladder, levels: readonly Level[], lines: readonly Line[]): boolean {
  const top = ladder.levels[0]?.at ?? 0;
  const bottom = ladder.levels.at(-1)?.at ?? 0;
  const isPart = levels.some(
    (level) =>
      level.at < top &&
      level.at > top - HEADER_HEIGHT &&
      Math.abs(level.from - ladder.from) <= SAME_END &&
      level.to > ladder.to + SAME_END,
  );
  let inside = 0;
  let beside = 0;
  for (const line of lines) {
    const middle = line.y - 0.3 * line.size;
    if (middle < top || middle > bottom) continue;
    const within = line.words.some((word) => word.right > ladder.from && word.left < ladder.to);
    if (!within) continue;
    inside += 1;
    const left = line.words.some((word) => word.right < ladder.from - 1);
    if (left || (isPart && goesOn(line, ladder.to + 1))) beside += 1;
  }
  return inside === 0 || beside < BESIDE * inside;
}

/** True if cells of the line begin to the right of `x`. */
function goesOn(line: Line, x: number): boolean {
  const right = line.words.filter((word) => word.left > x);
  return right.length > 0 && chunksOf(partOf(line, right), 1).every((chunk) => !isProse(chunk));
}

function isInside(stroke: Stroke, box: Box): boolean {
  return (
    stroke.at >= box.top - 3 &&
    stroke.at <= box.bottom + 3 &&
    stroke.from >= box.left - 4 &&
    stroke.to <= box.right + 4
  );
}

function joinedLevels(strokes: readonly Stroke[]): Level[] {
  const levels: Level[] = [];
  let band: Stroke[] = [];
  const close = (): void => {
    band.sort((a, b) => a.from - b.from);
    let pieces: Stroke[] = [];
    let to = 0;
    const end = (): void => {
      const first = pieces[0];
      if (first !== undefined) levels.push({ at: first.at, from: first.from, to, pieces });
      pieces = [];
    };
    for (const stroke of band) {
      if (pieces.length > 0 && stroke.from - to > PIECE_GAP) end();
      to = pieces.length === 0 ? stroke.to : Math.max(to, stroke.to);
      pieces.push(stroke);
    }
    end();
    band = [];
  };
  for (const stroke of strokes) {
    const first = band[0];
    if (first !== undefined && stroke.at - first.at > 2.5) close();
    band.push(stroke);
  }
  close();
  return levels.sort((a, b) => a.at - b.at);
}

/** The upper and lower edges of filled bands, such as shaded headers and alternating rows. */
function bandEdges(fills: readonly Fill[], page: Box): Stroke[] {
  if (fills.length > MAX_FILLS) return [];
  const edges: Stroke[] = [];
  for (const fill of fills) {
    const high = fill.bottom - fill.top;
    const wide = fill.right - fill.left;
    if (high < 5 || wide < 8 || high > (wide > WIDE_BAND * (page.right - page.left) ? 160 : 45)) continue;
    if (fill.right - fill.left > 0.97 * (page.right - page.left)) continue;
    for (const at of [fill.top, fill.bottom])
      edges.push({ horizontal: true, at, from: fill.left, to: fill.right });
  }
  return edges;
}

/** True if a stroke is drawn below words of the same width. */
function isUnderline(stroke: Stroke, lines: readonly Line[]): boolean {
  const first = countBefore(lines.length, (at) => (lines[at]?.y ?? 0) < stroke.at - 6);
  for (let index = first; index < lines.length; index += 1) {
    const line = lines[index];
    if (line === undefined || line.y > stroke.at + 2) break;
    const below = stroke.at - line.y;
    if (below < -0.1 * line.size || below > 0.25 * line.size) continue;
    let from = Number.POSITIVE_INFINITY;
    let to = Number.NEGATIVE_INFINITY;
    for (const word of line.words) {
      const middle = (word.left + word.right) / 2;
      if (middle < stroke.from || middle > stroke.to) continue;
      from = Math.min(from, word.left);
      to = Math.max(to, word.right);
    }
    if (Math.abs(from - stroke.from) <= 3 && Math.abs(to - stroke.to) <= 3) return true;
  }
  return false;
}

// The horizontal rules of a page, each put together from its pieces. Edges of filled bands count as rules.

import type { Box, Fill } from '../ink/ink.ts';
import type { Stroke } from './strokes.ts';

/** A rule across a page or part of it, possibly drawn in pieces, one per column. */
export interface Level {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly pieces: readonly Stroke[];
}

/** Maximum gap between pieces of one rule, in points: as wide as a gap between columns. */
const PIECE_GAP = 25;
const MAX_FILLS = 2_000;
/** A band this wide, as a share of the page, may be a row with long text. */
const WIDE_BAND = 0.4;

/**
 * The rules of a page and the edges of its bands, from top to bottom, excluding what is inside `taken`.
 */
export function levelsOf(
  strokes: readonly Stroke[],
  fills: readonly Fill[],
  taken: readonly Box[],
  page: Box,
): Level[] {
  const all = [...strokes, ...bandEdges(fills, page)]
    .filter((stroke) => !taken.some((box) => isInside(stroke, box)))
    .sort((a, b) => a.at - b.at);
  return joinedLevels(all);
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

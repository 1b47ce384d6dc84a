// The horizontal rules of a page, each put together from its pieces.

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

/** The rules of a page, from top to bottom. */
export function levelsOf(strokes: readonly Stroke[]): Level[] {
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
  for (const stroke of [...strokes].sort((a, b) => a.at - b.at)) {
    const first = band[0];
    if (first !== undefined && stroke.at - first.at > 2.5) close();
    band.push(stroke);
  }
  close();
  return levels.sort((a, b) => a.at - b.at);
}

// The columns and rows of a table whose cells state where they lie, not which columns they span.

import { countBefore } from '../contract/index.ts';

/**
 * The edges among `places`, in order: places within `tolerance` after an edge belong to it, unless it `isFine`.
 */
export function edgesOf(
  places: Iterable<number>,
  tolerance: number,
  isFine: (edge: number) => boolean = () => false,
): number[] {
  const edges: number[] = [];
  for (const place of [...new Set(places)].sort((a, b) => a - b)) {
    const last = edges.at(-1);
    if (last === undefined || place - last > tolerance || isFine(last)) edges.push(place);
  }
  return edges;
}

/** The number of the last edge at or before `place`, -1 if there is none. */
export function edgeAt(edges: readonly number[], place: number): number {
  return countBefore(edges.length, (at) => (edges[at] ?? 0) <= place) - 1;
}

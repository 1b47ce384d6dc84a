// Cuts cells that are too long. The walk later continues from the same place.

import { safeCut } from '../contract/index.ts';

/** `text` in at most `max` units, ending with `…` if it was longer. */
export function cutCell(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, keptLength(text, max))}…`;
}

/** Number of units of `text` that `cutCell` keeps. */
export function keptLength(text: string, max: number): number {
  return text.length <= max ? text.length : safeCut(text, Math.max(0, max - 1));
}

// How a cell that is too long is cut. What is cut here, the walk gives again from the same place on.

import { safeCut } from '../contract/index.ts';

/** `text` in at most `max` units, the last of them `…` when it was longer. */
export function cutCell(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, keptLength(text, max))}…`;
}

/** Units of `text` that `cutCell` shows of it. */
export function keptLength(text: string, max: number): number {
  return text.length <= max ? text.length : safeCut(text, Math.max(0, max - 1));
}

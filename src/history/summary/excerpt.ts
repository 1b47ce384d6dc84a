// Shortens a text in its middle and keeps count of the removed characters across repeated shortening.

import { isInsidePair, plural } from '../../contract/index.ts';

export interface Excerpt {
  readonly head: string;
  /** Empty if nothing was removed. */
  readonly tail: string;
  /** Characters removed between `head` and `tail`. */
  readonly left: number;
}

/**
 * `text` in at most `max` characters: two thirds from the start, the rest from the end. Never splits a surrogate pair.
 */
export function excerptOf(text: string, max: number): Excerpt {
  return shorter({ head: text, tail: '', left: 0 }, max);
}

/** `excerpt` shortened to at most `max` characters of the text. */
export function shorter({ head, tail, left }: Excerpt, max: number): Excerpt {
  if (head.length + tail.length <= max) return { head, tail, left };
  const end = tail === '' && left === 0 ? head : tail;
  const fromEnd = Math.min(end.length, Math.floor(max / 3));
  const headTo = before(head, Math.min(head.length, Math.max(0, max - fromEnd)));
  const tailFrom = after(end, Math.max(end === head ? headTo : 0, end.length - fromEnd));
  const kept = headTo + (end.length - tailFrom);
  return {
    head: head.slice(0, headTo),
    tail: end.slice(tailFrom),
    left: left + head.length + tail.length - kept,
  };
}

/** The text, with a note of what was removed. */
export function excerptText({ head, tail, left }: Excerpt): string {
  return left === 0 ? head + tail : `${head} [${plural(left, 'character')} left out] ${tail}`.trim();
}

const before = (text: string, at: number): number => (isInsidePair(text, at) ? at - 1 : at);
/** `at`, or behind the surrogate pair it would split. */
export const after = (text: string, at: number): number => (isInsidePair(text, at) ? at + 1 : at);

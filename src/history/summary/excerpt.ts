// A text shortened in its middle, which still knows how much is missing when it is shortened again.

import { isInsidePair, plural } from '../../contract/index.ts';

export interface Excerpt {
  readonly head: string;
  /** Empty when nothing is left out. */
  readonly tail: string;
  /** Characters between both. */
  readonly left: number;
}

/** `text` in at most `max` characters: two thirds from its start, the rest from its end. Parts no surrogate pair. */
export function excerptOf(text: string, max: number): Excerpt {
  return shorter({ head: text, tail: '', left: 0 }, max);
}

/** `excerpt` in at most `max` characters of the text. */
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

/** What it says, with a note of what is missing. */
export function excerptText({ head, tail, left }: Excerpt): string {
  return left === 0 ? head + tail : `${head} [${plural(left, 'character')} left out] ${tail}`.trim();
}

const before = (text: string, at: number): number => (isInsidePair(text, at) ? at - 1 : at);
const after = (text: string, at: number): number => (isInsidePair(text, at) ? at + 1 : at);

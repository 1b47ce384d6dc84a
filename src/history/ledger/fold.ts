// Represents a run of permanently removed messages as one mark: a list that still holds them all is recognised, and the
// ledger does not grow with messages no list holds.

import { hash } from 'node:crypto';

const HEX_DIGITS = 32;

/** The mark of one or more messages, followed by another. */
export const joinedMark = (mark: string, next: string): string =>
  hash('sha256', `${mark} ${next}`, 'hex').slice(0, HEX_DIGITS);

/** The mark of consecutive messages. */
export const foldedMark = (marks: readonly string[]): string | undefined =>
  marks.slice(1).reduce(joinedMark, marks[0] ?? '');

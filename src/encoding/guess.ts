// A guess at the encoding of a file, and the canonical spelling of encoding names.

import type { Bytes } from '../contract/index.ts';

/** An encoding, its confidence, and the mark to skip. */
export interface Guess {
  readonly name: string;
  readonly confidence: number;
  /** Length of the byte order mark to skip. */
  readonly mark: Bytes;
  /** UTF-8 with invalid bytes. */
  readonly damaged?: boolean;
  /** Other candidates, most likely first. */
  readonly others?: readonly string[];
}

/** One spelling per encoding: lower case, WHATWG's dashes for the Unicode family. */
export function canonical(name: string): string {
  const lower = name.trim().toLowerCase();
  if (/^utf[-_]?8$/.test(lower)) return 'utf-8';
  const wide = /^utf[-_]?(16|32)[-_]?(le|be)?$/.exec(lower);
  return wide ? `utf-${wide[1]}${wide[2] ?? 'le'}` : lower;
}

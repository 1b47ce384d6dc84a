// What is known of the encoding of a file, and the one spelling of each encoding's name.

import type { Bytes } from '../../contract/index.ts';

/** An encoding, how sure it is, and what to leave out. */
export interface Guess {
  readonly name: string;
  readonly confidence: number;
  /** Bytes of byte order mark to leave out. */
  readonly mark: Bytes;
  /** UTF-8 with bytes that are not. */
  readonly damaged?: boolean;
  /** What else it may be, the likelier first. */
  readonly others?: readonly string[];
}

/** One spelling per encoding: lower case, WHATWG's dashes for the Unicode family. */
export function canonical(name: string): string {
  const lower = name.trim().toLowerCase();
  if (/^utf[-_]?8$/.test(lower)) return 'utf-8';
  const wide = /^utf[-_]?(16|32)[-_]?(le|be)?$/.exec(lower);
  return wide ? `utf-${wide[1]}${wide[2] ?? 'le'}` : lower;
}

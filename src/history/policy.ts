// What a compactor does when: thresholds of every tier, as data. The presets are in `presets.ts`.

import type { Tokens } from '../contract/index.ts';

export type PresetName = 'lectern' | 'valis' | 'duragent' | 'aixtools';

/** Which end of a result stays when it is cut. */
export type Cut = 'head' | 'tail' | 'both';

/**
 * Thresholds. Fractions are of the model's window. `false` switches a tier off. Every tier that runs at a trigger goes
 * down to the low-water mark in one batch, so that the prompt's front stays the same for many calls.
 */
export interface Policy {
  /** Tier 1: a result over `over` tokens goes to a file as it arrives; a preview of `lines` lines stays. */
  readonly offload: { readonly over: Tokens; readonly lines: number } | false;
  /** Tier 2: a result over `over` tokens is cut to that as it arrives. */
  readonly truncate: { readonly over: Tokens; readonly keep: Cut } | false;
  /**
   * Tier 3: results but the first `keepFirst`, the last `keepLast` and errors give way to a line about them.
   * `names`: tokens of that line spent on names the result introduced.
   */
  readonly mask:
    | {
        /** Fraction of the window above which it acts; 0 for always. */
        readonly at: number;
        readonly keepFirst: number;
        readonly keepLast: number;
        /** Acts only where at least this fraction of the window is won. */
        readonly atLeast: number;
        readonly names: Tokens;
      }
    | false;
  /** Tier 4: content of files written goes from arguments, above this fraction of the window. */
  readonly pointers: { readonly at: number } | false;
  /** Tier 5: oldest whole groups go, above this fraction of the window. `digest`: tokens of what is extracted from them, 0 for a count alone. */
  readonly drop: { readonly at: number; readonly digest: Tokens } | false;
  /** Tier 6: the older part gives way to a summary, above this fraction of the window or above `over` tokens. */
  readonly summarize:
    | {
        readonly at: number;
        readonly over: Tokens | null;
        /** Down to this many tokens; null for the low-water mark. */
        readonly to: Tokens | null;
        /** Fraction of the window whose newest messages stay as they are. */
        readonly keepRecent: number;
      }
    | false;
  /** Fraction of the window a batch goes down to. */
  readonly lowWater: number;
  /** Tokens of the history before the newest user message; 0 for no cap. */
  readonly maxHistoryTokens: Tokens;
  /** Messages at most: `window` derives the number from the window; 0 for no bound. */
  readonly maxMessages: number | 'window';
}

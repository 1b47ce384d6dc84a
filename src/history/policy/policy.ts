// What a compactor does when: thresholds of every tier, as data. The presets are in `presets.ts`.

import type { Tokens } from '../../contract/index.ts';

export type PresetName = 'lectern' | 'lean' | 'valis' | 'duragent' | 'aixtools';

/** Which end of a result stays when it is cut. */
export type Cut = 'head' | 'tail' | 'both';

/** When a result is judged as it arrives. */
export interface Sparing {
  /** Only where the whole of it does not fit the window beside what must stay. Default: any result over `over`. */
  readonly unlessFits?: boolean;
}

/**
 * Thresholds; `false` switches a tier off. `at` is a fraction of the model's window: a tier acts when the prompt is above
 * it, or above what `over` says, and goes down to the low-water mark in one batch, so that the prompt's front stays the same
 * for many calls. No trigger lies above what the window leaves beside the answer's reserve and the margin.
 */
export interface Policy {
  /** Tier 1: a result over `over` tokens goes to a file as it arrives; a preview of `lines` lines stays. */
  readonly offload: ({ readonly over: Tokens; readonly lines: number } & Sparing) | false;
  /** Tier 2: a result over `over` tokens is cut to that as it arrives. */
  readonly truncate: ({ readonly over: Tokens; readonly keep: Cut } & Sparing) | false;
  /**
   * Tier 3: results but the first `keepFirst`, the last `keepLast` and errors give way to a line about them. `at` 0: at every
   * call, all of them. `atLeast`: acts only where that fraction of the window is won.
   */
  readonly mask:
    | {
        readonly at: number;
        readonly keepFirst: number;
        readonly keepLast: number;
        readonly atLeast: number;
      }
    | false;
  /**
   * Tier 4: content of files written goes from arguments, and results of those calls over `results` characters with it.
   * `preview`: characters of the content that stay. Default: none of either.
   */
  readonly pointers: { readonly at: number; readonly preview?: number; readonly results?: number } | false;
  /** Tier 5: whole groups go. `digest`: share of the low-water mark for what is extracted from them, 0 for their count alone. */
  readonly drop: { readonly at: number; readonly digest: number } | false;
  /**
   * What goes first in tiers 5 and 6: the oldest turns, or what no later call dealt with (`working-set.ts`). The files in
   * work may then keep the prompt above the low-water mark, up to twice that.
   */
  readonly leaves: 'oldest' | 'unused';
  /**
   * Tier 6: as tier 5, and a summarizer says what they held, in `digest` of the low-water mark at most. Without one, `without`
   * says what stands there: facts extracted from them (default), or the first 25 % and the last 75 % of what fits.
   */
  readonly summarize:
    | { readonly at: number; readonly digest: number; readonly without?: 'digest' | 'ends' }
    | false;
  /** Tokens of the history, without instructions and tools, above which every tier that has a trigger acts; null for none. */
  readonly over: Tokens | null;
  /** The low-water mark: a fraction of the trigger that was passed, or tokens of the history. */
  readonly lowWater: number | { readonly tokens: Tokens };
  /** Fraction of the window that stays free beside the reserve for the answer: estimates are never exact. */
  readonly margin: number;
  /** Fraction of the window whose newest groups stay as they are; at most half of the low-water mark. */
  readonly keepRecent: number;
  /** Tokens of the history before the newest message of the user; 0 for no cap. */
  readonly maxHistoryTokens: Tokens;
  /** Messages at most: `window` derives the number from the window; 0 for no bound. */
  readonly maxMessages: number | 'window';
}

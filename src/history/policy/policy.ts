// What a compactor does when: every tier and strategy, as data. The presets are in `presets.ts`.

import type { Tokens } from '../../contract/index.ts';
import type { Threshold } from './threshold.ts';

export type PresetName =
  | 'lectern'
  | 'lean'
  | 'valis'
  | 'duragent'
  | 'aixtools'
  | 'sliding-window'
  | 'summary-chain'
  | 'importance'
  | 'combination';

/** What of a result stays when it is cut: an end, half of each, or 40 % of each in whole lines, what is between counted. */
export type Cut = 'head' | 'tail' | 'both' | 'ends';

/** When a result is judged as it arrives. */
export interface Sparing {
  /** Only where the whole of it does not fit the window beside what must stay. Default: any result over `over`. */
  readonly unlessFits?: boolean;
}

/** A tier that acts on the history. */
export interface Triggered {
  /** Acts above this, in the form of `Threshold.at`; 0: at every call. Default: where compaction begins. */
  readonly at?: number;
}

/**
 * Tiers and strategies, `false` where off. A tier acts when the prompt is above its trigger and goes down to `to` of the
 * threshold in one batch, so that the prompt's front stays the same for many calls. No trigger lies above what the window
 * leaves beside the answer's reserve and the margin.
 */
export interface Policy {
  /** Tier 1: a result over `over` tokens goes to a file as it arrives; a preview of `lines` lines stays. */
  readonly offload: ({ readonly over: Tokens; readonly lines: number } & Sparing) | false;
  /** Tier 2: a result over `over` tokens is cut to that as it arrives. */
  readonly truncate: ({ readonly over: Tokens; readonly keep: Cut } & Sparing) | false;
  /**
   * Tier 3: a line takes the place of results but the first `keepFirst`, the last `keepLast` and errors. `atLeast`: only where
   * that fraction of the window is won, so that one result at a time does not change the prompt's front at every call.
   */
  readonly mask:
    | (Triggered & { readonly keepFirst: number; readonly keepLast: number; readonly atLeast?: number })
    | false;
  /** A short account of what the result held stays with the line that takes its place: counts, names, failures. */
  readonly accounts: boolean;
  /** Before tier 3: a line takes the place of results that a later one repeats word for word. */
  readonly repeats: boolean;
  /**
   * Tier 4: content of files written goes from arguments, and results of those calls over `results` characters with it.
   * `preview`: characters of the content that stay. Default: none of either.
   */
  readonly pointers: (Triggered & { readonly preview?: number; readonly results?: number }) | false;
  /** Tier 5: whole groups go. `digest`: share of `to` for what is extracted from them, 0 for their count alone. */
  readonly drop: (Triggered & { readonly digest: number }) | false;
  /**
   * Tier 6: as tier 5, and a summarizer says what they held, in `digest` of `to` at most. Without one, `without` says what
   * stands there: facts extracted from them (default), or the first 25 % and the last 75 % of what fits. `keep`: all but the
   * newest so many messages go, even where there is room for more.
   */
  readonly summarize:
    | (Triggered & { readonly digest: number; readonly without?: 'digest' | 'ends'; readonly keep?: number })
    | false;
  /**
   * What goes first in tiers 5 and 6: the oldest turns, what no later call dealt with (`working-set.ts`), or what is least
   * important (`importance.ts`). With `unused` the files in work may keep the prompt above `to` of a preset, up to twice that.
   */
  readonly leaves: 'oldest' | 'unused' | 'unimportant';
  /** Fraction of the window whose newest groups stay as they are; at most half of `to`. */
  readonly keepRecent: number;
  /** Tier 5 also acts on tokens before the newest message of the user. */
  readonly earlier: Threshold | false;
  /** Tier 5 also acts on the number of messages. */
  readonly messages: Threshold | false;
  /** Fraction of the window that stays free beside the reserve for the answer: estimates are never exact. */
  readonly margin: number;
  /** Tokens kept free for the answer. Default: a tenth of the window, at most 8192. */
  readonly reserve?: Tokens;
}

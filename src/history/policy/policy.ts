// The type of a policy: every tier, as data. The default and those of three documented systems are in `presets.ts`.

import type { Tokens } from '../../contract/index.ts';
import type { Threshold } from './threshold.ts';

export type PresetName = 'lectern' | 'valis' | 'duragent' | 'aixtools';

/** What remains of a truncated result: one end, or half of each. */
export type Cut = 'head' | 'tail' | 'both';

/** When a new result is processed. */
export interface Sparing {
  /** Only if the whole result does not fit the window next to what must stay. Default: any result over `over`. */
  readonly unlessFits?: boolean;
}

/** A tier that acts on the history. */
export interface Triggered {
  /** Acts above this size, in the unit of `Threshold.at`; 0: at every call. Default: `threshold.at`. */
  readonly at?: number;
}

/**
 * Tiers; `false` turns one off. A tier acts when the prompt is above its trigger, and reduces it to `threshold.to` in
 * one batch, so that the start of the prompt stays unchanged for many calls. No trigger exceeds the window minus the
 * answer reserve and the margin.
 */
export interface Policy {
  /** Tier 1: moves a new result of more than `over` tokens to a file; a preview of `lines` lines stays. */
  readonly offload: ({ readonly over: Tokens; readonly lines: number } & Sparing) | false;
  /** Tier 2: truncates a new result of more than `over` tokens to that size. */
  readonly truncate: ({ readonly over: Tokens; readonly keep: Cut } & Sparing) | false;
  /**
   * Tier 3: replaces results with a line, except the first `keepFirst`, the last `keepLast` and errors. `atLeast`: acts
   * only if it saves that fraction of the window, so that it does not change the start of the prompt at every call for
   * one result.
   */
  readonly mask:
    | (Triggered & { readonly keepFirst: number; readonly keepLast: number; readonly atLeast?: number })
    | false;
  /**
   * Tier 4: removes the content of written files from arguments, and results of those calls over `results` characters.
   * `preview`: characters of the content to keep. Default: no preview, and results stay.
   */
  readonly pointers: (Triggered & { readonly preview?: number; readonly results?: number }) | false;
  /**
   * Tier 5: removes turns, in the order of `workingSet` or of the option `importance`; a notice of at most the share
   * `notice` of `to` replaces them. The summarizer writes it; `without` one, it holds extracted facts (default) or the
   * first 25 % and last 75 % of what fits.
   */
  readonly drop: (Triggered & { readonly notice: number; readonly without?: 'digest' | 'ends' }) | false;
  /**
   * Tier 5 removes first what no later call dealt with (`working-set.ts`), and may leave the prompt at up to twice the
   * preset's `to` to keep files in work. Off: the oldest first.
   */
  readonly workingSet: boolean;
  /** Fraction of the window whose newest groups stay unchanged; at most half of `to`. */
  readonly keepRecent: number;
  /** Limit on the number of messages; tier 5 enforces it. */
  readonly messages: Threshold | false;
  /** Fraction of the window kept free in addition to the answer reserve, because estimates are not exact. */
  readonly margin: number;
  /** Tokens reserved for the answer. Default: a tenth of the window, at most 8192. */
  readonly reserve?: Tokens;
}

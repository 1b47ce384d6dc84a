// Corrects estimates with the provider's token counts: the last count is an anchor, and only what changed since is
// estimated, with a factor learned from earlier changes. Does not keep messages.

import type { Tokens } from '../../contract/index.ts';

/** JSON, stored in a compactor's state. */
export interface CalibrationState {
  readonly factor: number;
  readonly anchor: { readonly real: Tokens; readonly raw: Tokens } | null;
}

/** Weight of a new ratio; the rest is the previous factor. 0.2, as in gemini-cli. */
const SHARE = 0.2;
/** A new ratio counts as at most this multiple of the factor, and at least its inverse, to limit outliers. */
const MOST_CHANGE = 2;
/** No tokenizer in use deviates more from any profile. */
const MOST_FACTOR = 4;
/** Smaller additions are mostly framing and not informative; about 400 characters. */
const LEAST_ADDITION: Tokens = 100;
/** Additions of this size or more have full weight; smaller ones less, because framing is a larger part. */
const FULL_ADDITION: Tokens = 2000;
/** A prompt is at least this share of its estimate, even if it is much smaller than the anchor. */
const LEAST_SHARE = 0.4;
/**
 * A count above this multiple of the estimate, or below its inverse, is for something else than the estimated prompt.
 */
const ABSURD = 50;
/** System text and tools that the estimate may not include. */
const UNSEEN: Tokens = 200_000;
/** More than any window; keeps sums exact. */
const MOST: Tokens = 1e12;

function isTokens(value: unknown): value is Tokens {
  return typeof value === 'number' && value > 0 && value <= MOST;
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Whether a count can belong to a prompt with this estimate. */
function plausible(real: unknown, raw: unknown): boolean {
  if (!isTokens(real) || !isTokens(raw)) return false;
  return real <= raw * ABSURD + UNSEEN && real >= raw / ABSURD;
}

/** One conversation with one model; use a new one for another model. */
export class Calibration {
  private ratio: number;
  private anchored: CalibrationState['anchor'];

  /** `state` from `toJSON`. */
  constructor({ factor, anchor }: CalibrationState = { factor: 1, anchor: null }) {
    this.ratio = factor;
    this.anchored = anchor;
  }

  /** Learned real tokens per estimated token: 0.25 to 4; 1 if nothing was learned. */
  get factor(): number {
    return this.ratio;
  }

  /**
   * Records that the provider counted `real` tokens, including cached ones, for a prompt estimated as `raw`. Ignores
   * values that are not positive numbers or cannot belong to one prompt.
   */
  observe(real: Tokens, raw: Tokens): void {
    if (!plausible(real, raw)) return;
    const before = this.anchored;
    this.anchored = { real, raw };
    if (before === null || raw - before.raw < LEAST_ADDITION) return;
    // The real size shrank although the estimate grew: the provider received something else.
    if (real <= before.real) return;
    const seen = (real - before.real) / (raw - before.raw);
    const held = within(seen, this.ratio / MOST_CHANGE, this.ratio * MOST_CHANGE);
    const share = SHARE * Math.min(1, (raw - before.raw) / FULL_ADDITION);
    this.ratio = within((1 - share) * this.ratio + share * held, 1 / MOST_FACTOR, MOST_FACTOR);
  }

  /**
   * Expected tokens of a prompt estimated as `raw`: the anchor plus the rest times `factor`; 0 if not a positive
   * number.
   */
  tokens(raw: Tokens): Tokens {
    if (!(raw > 0)) return 0;
    const { anchored } = this;
    const estimate = Math.min(raw, MOST);
    if (anchored === null) return Math.ceil(estimate * this.ratio);
    const expected = anchored.real + this.ratio * (estimate - anchored.raw);
    return Math.ceil(Math.max(expected, estimate * LEAST_SHARE));
  }

  /** Real tokens per additional estimated token, for a prompt estimated as `raw`. */
  slope(raw: Tokens): number {
    const { anchored, ratio } = this;
    const isLeast = anchored !== null && anchored.real + ratio * (raw - anchored.raw) < raw * LEAST_SHARE;
    return isLeast ? LEAST_SHARE : ratio;
  }

  toJSON(): CalibrationState {
    return { factor: this.ratio, anchor: this.anchored };
  }
}

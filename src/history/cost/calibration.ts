// Puts estimates right by what the provider says a prompt really was: the last such figure is an anchor, and only what
// changed since is estimated, by a factor learned from earlier changes. Holds no messages.

import type { Tokens } from '../../contract/index.ts';

/** As `toJSON` writes it and `Calibration.from` reads it. */
export interface CalibrationState {
  readonly factor: number;
  readonly anchor: { readonly real: Tokens; readonly raw: Tokens } | null;
}

/** Of a new ratio, the share that counts; the rest is what was known. As gemini-cli's calculator, 0.2. */
const SHARE = 0.2;
/** A new ratio counts as at most so many times the factor, and at least its inverse: one odd report moves it little. */
const MOST_CHANGE = 2;
/** No tokenizer in use is further from any profile; a factor read from elsewhere is held to it too. */
const MOST_FACTOR = 4;
/** Smaller additions are mostly framing and tell nothing; about 400 characters. */
const LEAST_ADDITION: Tokens = 100;
/** From here on an addition counts in full; a smaller one less, being frames to a larger part. */
const FULL_ADDITION: Tokens = 2000;
/** A prompt is at least this share of its estimate, however much smaller than the anchored one it is. */
const LEAST_SHARE = 0.4;
/** A report this many times the estimate, or this part of it, is of something else than the prompt estimated. */
const ABSURD = 50;
/** System text and tools the estimate may not have seen. */
const UNSEEN: Tokens = 200_000;
/** More than any window, so that sums stay exact. */
const MOST: Tokens = 1e12;

function isTokens(value: unknown): value is Tokens {
  return typeof value === 'number' && value > 0 && value <= MOST;
}

function within(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}

/** Whether a report can be of a prompt of this estimate. */
function plausible(real: unknown, raw: unknown): boolean {
  if (!isTokens(real) || !isTokens(raw)) return false;
  return real <= raw * ABSURD + UNSEEN && real >= raw / ABSURD;
}

/** One conversation with one model; a new one for another model. */
export class Calibration {
  private ratio = 1;
  private anchored: CalibrationState['anchor'] = null;

  /** Real tokens for each estimated one, as learned; 0.25 to 4, 1 where nothing was learned. */
  get factor(): number {
    return this.ratio;
  }

  /**
   * The provider counted `real` tokens for the prompt estimated as `raw` (cached ones included). Figures that are no
   * numbers above 0, or cannot be of one prompt, change nothing.
   */
  observe(real: Tokens, raw: Tokens): void {
    if (!plausible(real, raw)) return;
    const before = this.anchored;
    this.anchored = { real, raw };
    if (before === null || raw - before.raw < LEAST_ADDITION) return;
    // Shrunk though it should have grown: the provider was sent something else.
    if (real <= before.real) return;
    const seen = (real - before.real) / (raw - before.raw);
    const held = within(seen, this.ratio / MOST_CHANGE, this.ratio * MOST_CHANGE);
    const share = SHARE * Math.min(1, (raw - before.raw) / FULL_ADDITION);
    this.ratio = within((1 - share) * this.ratio + share * held, 1 / MOST_FACTOR, MOST_FACTOR);
  }

  /** Tokens to expect of a prompt estimated as `raw`: the anchor and the rest by `factor`; 0 for what is no number above 0. */
  tokens(raw: Tokens): Tokens {
    if (!(raw > 0)) return 0;
    const { anchored } = this;
    const estimate = Math.min(raw, MOST);
    if (anchored === null) return Math.ceil(estimate * this.ratio);
    const expected = anchored.real + this.ratio * (estimate - anchored.raw);
    return Math.ceil(Math.max(expected, estimate * LEAST_SHARE));
  }

  /** Real tokens that one estimated token more or less makes of a prompt estimated as `raw`. */
  slope(raw: Tokens): number {
    const { anchored, ratio } = this;
    const isLeast = anchored !== null && anchored.real + ratio * (raw - anchored.raw) < raw * LEAST_SHARE;
    return isLeast ? LEAST_SHARE : ratio;
  }

  toJSON(): CalibrationState {
    return { factor: this.ratio, anchor: this.anchored };
  }

  /** What `toJSON` gave, from anywhere: parts that cannot be true are as if nothing was learned. Never throws. */
  static from(json: unknown): Calibration {
    const made = new Calibration();
    const factor = field(json, 'factor');
    if (typeof factor === 'number' && factor > 0) made.ratio = within(factor, 1 / MOST_FACTOR, MOST_FACTOR);
    const anchor = field(json, 'anchor');
    const real = field(anchor, 'real');
    const raw = field(anchor, 'raw');
    if (isTokens(real) && isTokens(raw) && plausible(real, raw)) made.anchored = { real, raw };
    return made;
  }
}

/** Undefined where there is none, and where a getter throws. */
function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    // An object of unknown make: the field may be anything.
    return (value as Readonly<Record<string, unknown>>)[name];
  } catch {
    return undefined;
  }
}

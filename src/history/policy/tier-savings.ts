// Counts what each tier changed and saved in a draft.

import type { Tier } from '../report.ts';

export class TierSavings {
  readonly #byTier = new Map<Tier, { changed: number; saved: number }>();

  /** By tier, in the order of their first action. */
  get all(): ReadonlyMap<Tier, { readonly changed: number; readonly saved: number }> {
    return this.#byTier;
  }

  /** Adds changes and the tokens they save in total. */
  add(tier: Tier, saved: number, changed: number = 1): void {
    const counted = this.#byTier.get(tier) ?? { changed: 0, saved: 0 };
    counted.changed += changed;
    counted.saved += saved;
    this.#byTier.set(tier, counted);
  }

  /** Subtracts earlier changes; a tier without any is removed. */
  takeBack(tier: Tier, saved: number, changed: number): void {
    const counted = this.#byTier.get(tier);
    if (!counted) return;
    counted.saved -= saved;
    counted.changed -= changed;
    if (counted.changed === 0) this.#byTier.delete(tier);
  }

  /** Subtracts tokens of a tier's savings that something else costs. */
  spend(tier: Tier, tokens: number): void {
    const counted = this.#byTier.get(tier);
    if (counted) counted.saved -= tokens;
  }
}

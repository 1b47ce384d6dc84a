// Divides the budget of a response between the sheets of a workbook.

import type { Budget } from '../../../src/contract/index.ts';

/** The same counter with a smaller budget. `reserve` is also deducted from the budget beside notes. */
export function limited(budget: Budget, tokens: number, characters: number, reserve = 0): Budget {
  return {
    tokens: Math.max(0, tokens),
    tokensBesideNotes: Math.max(0, Math.min(tokens, budget.tokensBesideNotes - reserve)),
    characters: Math.max(0, characters),
    charactersBesideNotes: Math.max(0, Math.min(characters, budget.charactersBesideNotes - reserve)),
    count: (text) => budget.count(text),
    fits: (text, most, units) => budget.fits(text, most, units),
    prefix: (text, most) => budget.prefix(text, most),
  };
}

/** Divides a budget by demand: whoever needs less than an even share gets that much; the others share the rest. */
export class Shares {
  readonly #budget: Budget;
  readonly #wishes: readonly number[];
  #left: number;
  #leftCharacters: number;

  constructor(budget: Budget, wishes: readonly number[]) {
    this.#budget = budget;
    this.#wishes = wishes;
    this.#left = budget.tokensBesideNotes;
    this.#leftCharacters = budget.charactersBesideNotes;
  }

  take(index: number): Budget {
    const waiting = this.#wishes.slice(index);
    const share = fairShare(waiting, this.#left);
    const part = this.#left > 0 ? share / this.#left : 0;
    return limited(this.#budget, Math.floor(share), Math.floor(this.#leftCharacters * part));
  }

  spend(tokens: number): void {
    const part = this.#left > 0 ? tokens / this.#left : 0;
    this.#left = Math.max(0, this.#left - tokens);
    this.#leftCharacters = Math.max(0, Math.floor(this.#leftCharacters * (1 - Math.min(1, part))));
  }
}

/** The share of the first of `wishes` in `total`: everything the others, in turn, cannot use. */
function fairShare(wishes: readonly number[], total: number): number {
  let left = total;
  const sorted = wishes.slice(1).sort((a, b) => a - b);
  for (const [index, wish] of sorted.entries()) {
    const even = left / (sorted.length - index + 1);
    left -= Math.min(wish, even);
  }
  return left;
}

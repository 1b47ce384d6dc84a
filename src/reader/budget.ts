// What an answer may cost: the tokens and characters of a request, less what the notes may need.

import type { Budget, Limits, Tokens } from '../contract/index.ts';
import type { TokenCounter } from '../tokens/index.ts';

/** Tokens kept free for the notes: most say what is shown and how to go on in 25 to 60. */
export function noteReserve(maxTokens: Tokens): Tokens {
  if (maxTokens === Number.POSITIVE_INFINITY) return 0;
  if (maxTokens < 140) return Math.ceil(maxTokens * 0.35);
  return Math.min(120, Math.max(45, Math.ceil(maxTokens * 0.08)));
}

/** What of a budget is taken already. */
export interface Taken {
  /** Tokens kept free for the notes; the usual ones where it is left out. */
  readonly notes?: Tokens;
  /** Characters that stand above the content. */
  readonly characters?: number;
}

/** The budget of an answer of `tokens`; without bounds when that is Infinity. */
export function createBudget(
  { counter, limits }: { readonly counter: TokenCounter; readonly limits: Limits },
  tokens: Tokens,
  { notes = noteReserve(tokens), characters: above = 0 }: Taken = {},
): Budget {
  const unlimited = tokens === Number.POSITIVE_INFINITY;
  const characters = unlimited ? tokens : Math.max(0, limits.maxTotalOutput - above);
  return {
    tokens,
    tokensBesideNotes: Math.max(0, tokens - notes),
    characters,
    charactersBesideNotes: unlimited ? characters : characters - Math.min(1000, Math.ceil(characters * 0.1)),
    count: (text) => counter.count(text),
    fits: (text, most, units) =>
      text.length <= units && (most === Number.POSITIVE_INFINITY || counter.fits(text, most)),
    prefix: (text, most) => (most === Number.POSITIVE_INFINITY ? text.length : counter.prefix(text, most)),
  };
}

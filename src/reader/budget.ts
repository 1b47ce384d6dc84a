// The budget of an answer: the tokens and characters of a request, minus a reserve for notes.

import type { Budget, Limits, Tokens } from '../contract/index.ts';
import type { TokenCounter } from '../tokens/index.ts';

/** Tokens reserved for notes: most take 25 to 60 to say what is shown and how to continue. */
export function noteReserve(maxTokens: Tokens): Tokens {
  if (maxTokens === Number.POSITIVE_INFINITY) return 0;
  if (maxTokens < 140) return Math.ceil(maxTokens * 0.35);
  return Math.min(120, Math.max(45, Math.ceil(maxTokens * 0.08)));
}

/** The part of a budget already used. */
export interface Taken {
  /** Tokens reserved for notes. Default: `noteReserve`. */
  readonly notes?: Tokens;
  /** Characters of the text above the content. */
  readonly characters?: number;
}

/** The budget of an answer of `tokens`; Infinity means unlimited. */
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

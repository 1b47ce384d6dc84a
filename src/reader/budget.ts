// What an answer may cost: the tokens and characters of a request, less what the notes may need.

import type { Budget, Limits, Tokens } from '../contract/index.ts';
import type { TokenCounter } from '../tokens/index.ts';

/**
 * Tokens kept free for the notes. A full note of a table or a nested file takes 60 to 150 tokens, the shortest that says
 * how to go on about 90: budgets that can spare that much do, smaller ones give about a third.
 */
function noteReserve(maxTokens: Tokens): Tokens {
  return Math.min(200, Math.max(Math.ceil(maxTokens * 0.35), maxTokens < 140 ? 0 : 90));
}

/** The budget of an answer of `tokens`; without bounds when that is Infinity. `counter` says what text costs. */
export function createBudget(
  { counter, limits }: { readonly counter: TokenCounter; readonly limits: Limits },
  tokens: Tokens,
): Budget {
  const unlimited = tokens === Number.POSITIVE_INFINITY;
  const characters = unlimited ? tokens : limits.maxTotalOutput;
  return {
    tokens,
    tokensBesideNotes: unlimited ? tokens : tokens - noteReserve(tokens),
    characters,
    charactersBesideNotes: unlimited ? characters : characters - Math.min(1000, Math.ceil(characters * 0.1)),
    count: (text) => counter.count(text),
    fits: (text, most, units) =>
      text.length <= units && (most === Number.POSITIVE_INFINITY || counter.fits(text, most)),
    prefix: (text, most) => (most === Number.POSITIVE_INFINITY ? text.length : counter.prefix(text, most)),
  };
}

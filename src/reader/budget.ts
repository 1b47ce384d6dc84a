// The budget of an answer: the tokens and characters of a request, minus a reserve for what stands beside the content.

import { type Budget, disarmed, type Limits, type Tokens } from '../contract/index.ts';
import type { TokenCounter } from '../tokens/index.ts';

/** Tokens reserved for notes: most take 25 to 60 to say what is shown and how to continue. */
export function noteReserve(maxTokens: Tokens): Tokens {
  if (maxTokens === Number.POSITIVE_INFINITY) return 0;
  if (maxTokens < 140) return Math.ceil(maxTokens * 0.35);
  return Math.min(120, Math.max(45, Math.ceil(maxTokens * 0.08)));
}

/** What stands beside content that is not shown as a whole. */
interface Beside {
  /** Tokens reserved for notes. Default: `noteReserve` of what `above` leaves. */
  readonly notes?: Tokens;
  /** The text above the content. */
  readonly above?: { readonly tokens: Tokens; readonly characters: number };
}

/** A budget in numbers. Infinity means unlimited. */
export type Room = Pick<Budget, 'tokens' | 'tokensBesideNotes' | 'characters' | 'charactersBesideNotes'>;

const NOTHING = { tokens: 0, characters: 0 };

/** The budget of an answer of `tokens`; Infinity means unlimited. */
export function createBudget(
  { counter, limits }: { readonly counter: TokenCounter; readonly limits: Limits },
  tokens: Tokens,
  { above = NOTHING, notes = noteReserve(tokens - above.tokens) }: Beside = {},
): Budget {
  if (tokens === Number.POSITIVE_INFINITY)
    return budgetIn(counter, {
      tokens,
      tokensBesideNotes: tokens,
      characters: tokens,
      charactersBesideNotes: tokens,
    });
  const characters = limits.maxTotalOutput;
  const below = Math.max(0, characters - above.characters);
  return budgetIn(counter, {
    tokens,
    tokensBesideNotes: Math.max(0, tokens - above.tokens - notes),
    characters,
    charactersBesideNotes: below - Math.min(1000, Math.ceil(below * 0.1)),
  });
}

/** The budget of `room`, which costs texts as answers show them: with the escapes of lines that look like notes. */
export function budgetIn(counter: TokenCounter, room: Room): Budget {
  const fits = (text: string, tokens: Tokens, units: number): boolean =>
    text.length <= units && counter.fits(text, tokens);
  return {
    ...room,
    count: (text) => counter.count(disarmed(text)),
    fits: (text, tokens, units) => {
      if (tokens === Number.POSITIVE_INFINITY) return text.length <= units;
      if (!fits(text, tokens, units)) return false;
      const shown = disarmed(text);
      return shown === text || fits(shown, tokens, units);
    },
    prefix: (text, tokens) => {
      if (tokens === Number.POSITIVE_INFINITY) return text.length;
      for (let most = tokens; ; ) {
        const length = counter.prefix(text, most);
        const start = text.slice(0, length);
        const shown = disarmed(start);
        const over = shown === start ? 0 : counter.count(shown) - tokens;
        if (over <= 0) return length;
        most = Math.max(0, most - over);
      }
    },
  };
}

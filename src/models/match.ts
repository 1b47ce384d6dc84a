// Finds a model in the table by its name. The only place where model names are normalised and matched.

import type { Limits } from './limit.ts';
import { FAMILIES, type Family, type ModelFacts } from './names.ts';

/** No model has a longer name; only this much of a longer one is read. */
const MAX_NAME = 300;

/** A model in the table. */
export interface NamedModel extends ModelFacts, Pick<Family, 'maker'> {
  readonly limits: Partial<Limits>;
}

/**
 * The row of `model`, with an optional provider prefix (`anthropic/NAME`, `us.anthropic.NAME`,
 * `publishers/google/models/NAME`) and an optional date or version suffix (`@20251101`); undefined if no row matches.
 * The most specific name wins.
 */
export function namedModel(model: string): NamedModel | undefined {
  const name = String(model).slice(0, MAX_NAME).toLowerCase().replace(/[._@]/g, '-');
  for (const { maker, profile, rows } of FAMILIES) {
    for (const [part, window, output, limits = {}] of rows) {
      if (has(name, part)) return { maker, profile, window, output, limits };
    }
  }
  return undefined;
}

/**
 * True if `name` contains `part` at the start of a word, with its complete version: `o1` is in `openai/o1`, not in
 * `foo1`.
 */
function has(name: string, part: string): boolean {
  const isWhole = part.endsWith('!');
  const text = isWhole ? part.slice(0, -1) : part;
  for (let at = name.indexOf(text); at >= 0; at = name.indexOf(text, at + 1)) {
    const rest = name.slice(at + text.length);
    const endsInDigit = /\d$/.test(text);
    if (endsInDigit && /^\d/.test(rest)) continue;
    if (isWhole && /^-\d{1,2}(?!\d)/.test(rest)) continue;
    if (text.startsWith('[') || !/[a-z0-9]/.test(name.charAt(at - 1))) return true;
  }
  return false;
}

/** Assumed for an unknown model: the minimum of most models since 2024. */
const UNKNOWN: ModelFacts = { window: 128_000, output: null, profile: 'conservative' };

/**
 * Context window, longest answer and estimate profile of `model`. Unknown names: 128 000 tokens, with a high estimate.
 */
export function modelFacts(model: string): ModelFacts {
  const named = namedModel(model);
  return named ? { window: named.window, output: named.output, profile: named.profile } : UNKNOWN;
}

// Finds a model in the table by its name. The only place where a model name is normalised and matched.

import type { Limits } from './limit.ts';
import { FAMILIES, type Family, type ModelFacts } from './names.ts';

/** No model has a longer name; only this much of a longer one is read. */
const MAX_NAME = 300;

/** A model that is in the table. */
export interface NamedModel extends ModelFacts, Pick<Family, 'maker'> {
  readonly limits: Partial<Limits>;
}

/**
 * The row of `model`, with or without a provider in front (`anthropic/NAME`, `us.anthropic.NAME`,
 * `publishers/google/models/NAME`) and a date or version behind (`@20251101`); undefined for a name that is in
 * no row. The most specific name counts.
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

/** Whether `name` has `part` at the start of a word, its version whole: `o1` is in `openai/o1`, not in `foo1`. */
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

/** Of a model that is in no row: what most models of 2024 and later take at least. */
const UNKNOWN: ModelFacts = { window: 128_000, output: null, profile: 'conservative' };

/** Window, longest answer and estimate profile of `model`. Unknown names: 128 000 tokens, estimated high. */
export function modelFacts(model: string): ModelFacts {
  const named = namedModel(model);
  return named ? { window: named.window, output: named.output, profile: named.profile } : UNKNOWN;
}

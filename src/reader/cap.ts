// The guard of the budget: passes parts on while they fit, and at the first that does not cuts it at a character and
// stops, which closes the processor and its source. Processors fit themselves; this holds whatever they do.

import { type Budget, isInsidePair, type Part, viewOf } from '../contract/index.ts';

export interface Capped {
  readonly part: Part;
  /** UTF-16 units of the view kept, when it was cut. */
  readonly keptOfView?: number;
}

export async function* cap(parts: AsyncIterable<Part>, budget: Budget): AsyncGenerator<Capped> {
  let tokens = 0;
  let characters = 0;
  for await (const part of parts) {
    if (part.kind === 'binary') {
      yield { part };
      continue;
    }
    const view = viewOf(part);
    const tokensLeft = budget.tokens - tokens;
    const charactersLeft = budget.characters - characters;
    if (budget.fits(view, tokensLeft, charactersLeft)) {
      if (budget.tokens !== Number.POSITIVE_INFINITY) tokens += budget.count(view);
      characters += view.length;
      yield { part };
      continue;
    }
    const within = view.slice(0, Math.max(0, Math.min(view.length, charactersLeft)));
    let kept = budget.prefix(within, Math.max(0, tokensLeft));
    if (isInsidePair(view, kept)) kept -= 1;
    if (kept > 0) {
      const text = view.slice(0, kept);
      yield {
        part: { ...part, text: part.view === undefined ? text : part.text.slice(0, kept), view: text },
        keptOfView: kept,
      };
    }
    return;
  }
}

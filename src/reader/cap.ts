// The guard of the budget: passes parts on while they fit, and at the first that does not cuts it at a character and
// stops, which closes the processor and its source. Processors fit themselves; this holds whatever they do.

import { type Budget, isInsidePair, type Part, type TextPart, viewOf } from '../contract/index.ts';

export interface Capped {
  readonly part: Part;
  /** UTF-16 units of the view kept, when it was cut. */
  readonly keptOfView?: number;
}

export async function* cap(parts: AsyncIterable<Part>, budget: Budget): AsyncGenerator<Capped> {
  let tokens = 0;
  let characters = 0;
  // Views not counted yet: a token is at least a byte, so small files never need the token tables.
  let uncounted = '';
  for await (const part of parts) {
    if (part.kind === 'binary') {
      yield { part };
      continue;
    }
    const view = viewOf(part);
    const charactersLeft = budget.characters - characters;
    characters += view.length;
    if (budget.tokens === Number.POSITIVE_INFINITY) {
      yield { part };
      continue;
    }
    if (view.length <= charactersLeft && tokens + Buffer.byteLength(uncounted + view) <= budget.tokens) {
      uncounted += view;
      yield { part };
      continue;
    }
    tokens += budget.count(uncounted);
    uncounted = '';
    const tokensLeft = Math.max(0, budget.tokens - tokens);
    if (budget.fits(view, tokensLeft, charactersLeft)) {
      uncounted = view;
      yield { part };
      continue;
    }
    const kept = budget.prefix(view.slice(0, Math.max(0, Math.min(view.length, charactersLeft))), tokensLeft);
    if (kept > 0)
      yield { part: cutPart(part, view, isInsidePair(view, kept) ? kept - 1 : kept), keptOfView: kept };
    return;
  }
}

function cutPart(part: TextPart, view: string, kept: number): TextPart {
  const text = view.slice(0, kept);
  return { ...part, text: part.view === undefined ? text : part.text.slice(0, kept), view: text };
}

// Enforces the budget. Passes parts on while they fit; cuts the first that does not at a character and stops, which
// closes the processor and its source. Processors limit themselves; this guarantees it.

import { type Budget, isInsidePair, type Part, type TextPart, viewOf } from '../contract/index.ts';

/** An unchanged part, or the last one, cut. */
export interface Capped {
  readonly part: Part;
  /** UTF-16 units of the view that were kept, if it was cut. */
  readonly keptOfView?: number;
}

/** Yields `parts` while their views fit in `budget`, then the next one cut, and ends. */
export async function* cap(parts: AsyncIterable<Part>, budget: Budget): AsyncGenerator<Capped> {
  let tokens = 0;
  let characters = 0;
  // Views not counted yet: a token takes at least a byte, so small files never need the token tables.
  let uncounted: string[] = [];
  let uncountedBytes = 0;
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
    const bytes = Buffer.byteLength(view);
    if (view.length <= charactersLeft && tokens + uncountedBytes + bytes <= budget.tokens) {
      uncounted.push(view);
      uncountedBytes += bytes;
      yield { part };
      continue;
    }
    tokens += budget.count(uncounted.join(''));
    uncounted = [];
    uncountedBytes = 0;
    const tokensLeft = Math.max(0, budget.tokens - tokens);
    if (budget.fits(view, tokensLeft, charactersLeft)) {
      uncounted = [view];
      uncountedBytes = bytes;
      yield { part };
      continue;
    }
    const room = budget.prefix(view.slice(0, Math.max(0, Math.min(view.length, charactersLeft))), tokensLeft);
    const kept = isInsidePair(view, room) ? room - 1 : room;
    if (kept > 0) yield { part: cutPart(part, view, kept), keptOfView: kept };
    return;
  }
}

function cutPart(part: TextPart, view: string, kept: number): TextPart {
  const text = view.slice(0, kept);
  return { ...part, text: part.view === undefined ? text : part.text.slice(0, kept), view: text };
}

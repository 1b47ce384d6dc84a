// The guard of the budget: passes parts on while they fit, and at the first that does not cuts it at a character and
// stops, which closes the processor and its source. Processors fit themselves; this holds whatever they do.

import { type Budget, isInsidePair, type Part, type TextPart, viewOf } from '../contract/index.ts';

/** A part as it came, or the last one cut. */
export interface Capped {
  readonly part: Part;
  /** UTF-16 units of the view kept, when it was cut. */
  readonly keptOfView?: number;
}

/** `parts` as long as their views fit the whole of `budget`; the first that does not is cut, and ends them. */
export async function* cap(parts: AsyncIterable<Part>, budget: Budget): AsyncGenerator<Capped> {
  let tokens = 0;
  let characters = 0;
  // Views not counted yet: a token is at least a byte, so small files never need the token tables.
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

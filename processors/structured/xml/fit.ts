// Finds the loosest view that fits a budget, by passes over the document under increasingly tight limits.

import type { Budget, Bytes, Tokens } from '../../../src/contract/index.ts';
import { bestView, type Candidate, LineCosts, STEPS, tighten } from '../tree/fit.ts';
import type { TreeLimits } from '../tree/shape.ts';
import { assemble } from './assemble.ts';
import type { XmlDocument } from './document.ts';
import { type Subject, type View, type ViewLimits, ViewPass } from './view.ts';

export interface FittedView extends Candidate<ViewLimits> {
  readonly view: View;
}

/** Maximum bytes a view may show, marks included, regardless of the budget. */
export const MOST_SHOWN_BYTES: Bytes = 16 * 1024 * 1024;

/** The beginning of a text may cost this many tokens more alone than within the text, where its last word goes on. */
const SLACK: Tokens = 16;

/** The view of `subject` under `limits`, or undefined if it would exceed `most` bytes. */
export function viewUnder(
  document: XmlDocument,
  subject: Subject,
  limits: ViewLimits,
  most: Bytes,
  isTooLong: (beginning: string) => boolean = () => false,
): Promise<View | undefined> {
  return new ViewPass(document.reader, document.contents, limits).run(subject, most, isTooLong);
}

/** The loosest view under `limits` that fits; undefined if even the bare root does not fit. */
export async function fitView(
  document: XmlDocument,
  subject: Subject,
  limits: TreeLimits,
  budget: Budget,
): Promise<FittedView | undefined> {
  // A UTF-16 unit takes at most three bytes, so anything longer cannot fit.
  const most = Math.min(MOST_SHOWN_BYTES, 3 * budget.characters);

  const isTooLong = (beginning: string): boolean =>
    !budget.fits(beginning, budget.tokens + SLACK, budget.characters);

  const make = async (tried: ViewLimits): Promise<FittedView | undefined> => {
    const view = await viewUnder(document, subject, tried, most, isTooLong);
    if (!view) return undefined;
    const text = await assemble(document.window, subject, view.cuts);
    return { view, text, worth: view.worth, limits: tried, whole: view.cuts.length === 0 };
  };
  const costs = new LineCosts(budget);
  const attempt = async (tried: ViewLimits): Promise<FittedView | undefined> => {
    const made = await make(tried);
    return made && costs.allow(made) ? made : undefined;
  };
  const fitted = await bestView<ViewLimits, FittedView>(limits, budget, make);
  if (fitted) return fitted.whole ? fitted : opened(fitted, limits, budget, attempt);
  return (
    (await attempt({ ...tighten(limits, STEPS), quiet: 'prolog' })) ??
    (await attempt({ ...tighten(limits, STEPS), quiet: 'all' }))
  );
}

/** The search for a longer opening stops within this share of its length. */
const CLOSE_ENOUGH = 0.03;

/**
 * Extends `fitted` with the longest opening under looser limits that fits: one step of the scale may leave half of the
 * room unused.
 */
async function opened(
  fitted: FittedView,
  limits: TreeLimits,
  budget: Budget,
  attempt: (tried: ViewLimits) => Promise<FittedView | undefined>,
): Promise<FittedView> {
  const most = Math.min(MOST_SHOWN_BYTES, 3 * budget.charactersBesideNotes);
  const { depth, items, keys, string } = fitted.limits;
  // Several steps looser, so that an opening of any length can use the remaining room.
  const looser: TreeLimits = {
    depth: Math.min(limits.depth, depth + 4),
    items: Math.min(limits.items, items * 4 + 8),
    keys: Math.min(limits.keys, keys * 4 + 8),
    string: Math.min(limits.string, string * 4),
  };
  let best = fitted;
  for (let low = 1, high = most; high - low > CLOSE_ENOUGH * high; ) {
    const bytes = (low + high) >> 1;
    const tried = await attempt({ ...fitted.limits, opening: { ...looser, bytes } });
    if (tried) low = bytes + 1;
    else high = bytes - 1;
    if (tried && tried.text.length > best.text.length) best = tried;
  }
  return best;
}

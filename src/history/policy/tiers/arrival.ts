// Tiers 1 and 2: the cost of new results. A long one is moved to a file with a preview, or truncated. Each result is
// processed alone and once, so the start of the prompt never changes for it.

import { safeCut } from '../../../contract/index.ts';
import { type CutKind, cut, GAP, more, saved } from '../../archive/placeholder.ts';
import type { Estimator } from '../../cost/estimate.ts';
import type { ItemPosition } from '../../ledger/groups.ts';
import type { Tier } from '../../report.ts';
import { LONGEST_POINTER, type Pointer } from '../change.ts';
import type { Draft } from '../draft.ts';
import type { Cut, Policy, Sparing } from '../policy.ts';
import type { ToolRoles } from '../tool-roles.ts';
import { tokensOf } from './drop.ts';

/** Maximum characters per preview line; a single-line result shows this much of its start. */
const PREVIEW_LINE = 400;
const PREVIEW_ONE_LINE = 1200;
/** A truncation must save this share of the result; otherwise the placeholder is all it adds. */
const LEAST_SHARE = 0.05;

/** Converts between real tokens and characters of a text. */
export interface Measure {
  text(text: string): number;
  prefix(text: string, tokens: number): number;
  suffix(text: string, tokens: number): number;
}

/** A measure for `estimator`, where one of its tokens is `factor` real tokens. */
export function measureOf(estimator: Estimator, factor: number): Measure {
  return {
    text: (text) => Math.ceil(estimator.text(text) * factor),
    prefix: (text, tokens) => estimator.prefix(text, tokens / factor),
    suffix: (text, tokens) => estimator.suffix(text, tokens / factor),
  };
}

/** How a new result is replaced. `text` takes the location of the full result. */
export interface Arrival {
  readonly tier: Extract<Tier, 'offload' | 'truncate'>;
  text(pointer: Pointer): string;
}

function preview(text: string, lines: number): { shown: string; total: number } {
  const shown: string[] = [];
  let from = 0;
  for (; shown.length < lines && from <= text.length; ) {
    const end = text.indexOf('\n', from);
    const stop = end < 0 ? text.length : end;
    const most = end < 0 && from === 0 ? PREVIEW_ONE_LINE : PREVIEW_LINE;
    const line = text.slice(from, Math.min(stop, from + most + 1));
    shown.push(
      line.length > most
        ? `${line.slice(0, safeCut(line, most))} ${more(`${stop - from - most} characters`)}`
        : line,
    );
    from = stop + 1;
  }
  let left = 0;
  for (let at = from; at < text.length; left += 1) {
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
  }
  const total = shown.length + left;
  if (left > 0) shown.push(more(left === 1 ? '1 line' : `${left} lines`));
  return { shown: shown.join('\n'), total };
}

/** A text of at most `tokens`, with a line that says it was truncated; `whole` is the full text. */
export function cutTo(
  text: string,
  tokens: number,
  keep: Cut,
  pointer: Pointer,
  measure: Measure,
  whole: { readonly tokens: number; readonly kind: CutKind },
): string {
  const line = cut(keep, Math.min(tokens, whole.tokens), whole.tokens, pointer, whole.kind);
  const room = Math.max(0, tokens - measure.text(line) - measure.text(GAP) - 4);
  const head = keep === 'tail' ? 0 : measure.prefix(text, keep === 'both' ? room / 2 : room);
  const back = keep === 'head' ? 0 : measure.suffix(text, keep === 'both' ? room / 2 : room);
  const parts = [line];
  if (head > 0) parts.push(text.slice(0, head));
  if (keep === 'both') parts.push(GAP);
  if (back > 0) parts.push(text.slice(Math.max(text.length - back, head)));
  return parts.join('\n');
}

/** Maximum size of a result that stays whole: `room` if the tier spares what fits. */
function mostOf(tier: ({ readonly over: number } & Sparing) | false, room: number): number {
  if (!tier) return Number.POSITIVE_INFINITY;
  return tier.unlessFits ? Math.max(tier.over, room) : tier.over;
}

/** Results up to this size stay whole. */
function leastOf(
  { offload, truncate }: Pick<Policy, 'offload' | 'truncate'>,
  mayOffload: boolean,
  room: number,
): number {
  return Math.min(mostOf(mayOffload && offload, room), mostOf(truncate, room));
}

/** What the policy does with a result of `text` if the window has `room`; null if it stays whole. */
export function arrivalOf(
  text: string,
  toolName: string | null,
  { offload, truncate }: Policy,
  measure: Measure,
  mayOffload: boolean,
  room: number,
): Arrival | null {
  if (leastOf({ offload, truncate }, mayOffload, room) === Number.POSITIVE_INFINITY) return null;
  const tokens = measure.text(text);
  if (offload && mayOffload && tokens > mostOf(offload, room)) {
    const { shown, total } = preview(text, offload.lines);
    const line = (pointer: Pointer): string => `${saved(toolName, tokens, total, pointer ?? '')}\n`;
    // What is left must not be treated again, by this or the next tier.
    const most = Math.min(offload.over, truncate ? truncate.over : offload.over);
    const fits = measure.prefix(shown, Math.max(0, most - measure.text(line(LONGEST_POINTER))));
    return { tier: 'offload', text: (pointer) => line(pointer) + shown.slice(0, fits) };
  }
  if (!truncate || tokens <= Math.max(mostOf(truncate, room), truncate.over * (1 + LEAST_SHARE))) return null;
  const cutWith = (pointer: Pointer): string =>
    cutTo(text, truncate.over, truncate.keep, pointer, measure, { tokens, kind: 'result' });
  // With few tokens to keep, the placeholder may be longer than what is removed.
  const isShorter = [null, LONGEST_POINTER].every((pointer) => measure.text(cutWith(pointer)) < tokens);
  return isShorter ? { tier: 'truncate', text: cutWith } : null;
}

/** Input for processing the results of a call. */
export interface Arriving {
  /** Whether the model can read originals again. */
  readonly reachable: boolean;
  readonly tools: ToolRoles;
  /** Tokens that fit the window. */
  readonly capacity: number;
  /** Groups that always stay. Only these can hold a result that does not fit. */
  readonly kept: ReadonlySet<number>;
  mayTouch(place: ItemPosition): boolean;
  keep(toolName: string | null, text: string): Pointer;
}

/** Processes every result of the draft that may change, longest first: shorter ones may fit afterwards. */
export function arrive<M>(draft: Draft<M>, policy: Policy, arriving: Arriving): void {
  const { reachable, tools, kept, mayTouch, keep } = arriving;
  const measure = measureOf(draft.estimator, draft.factor);
  let excess = tokensOf(draft, kept) - arriving.capacity;
  const isKept = (place: ItemPosition): boolean => kept.has(draft.groupAt(place));
  const roomFor = (place: ItemPosition): number =>
    isKept(place) ? draft.cost(place) - excess : Number.POSITIVE_INFINITY;
  const judge = (place: ItemPosition): void => {
    const { text } = draft.item(place);
    // Includes the frame, so it costs more than the text alone.
    if (draft.cost(place) <= leastOf(policy, reachable, roomFor(place))) return;
    if (draft.isChanged(place) || !mayTouch(place) || draft.placeholder(place) !== null) return;
    const name = draft.nameOf(place);
    const mayOffload = reachable && !tools.isReader(name);
    const arrival = arrivalOf(text, name, policy, measure, mayOffload, roomFor(place));
    if (!arrival) return;
    const pointer = keep(name, text);
    const { item } = place;
    const before = draft.tokens;
    draft.change(place, arrival.tier, () => ({ op: 'text', item, text: arrival.text(pointer) }), {
      hasFile: true,
    });
    if (isKept(place)) excess -= before - draft.tokens;
  };
  resultsOf(draft, leastOf(policy, reachable, 0)).forEach(judge);
}

/** Results of the caller's tools that cost more than `least`, longest first. */
function resultsOf<M>(draft: Draft<M>, least: number): ItemPosition[] {
  return draft
    .placesOf('result')
    .filter((place) => {
      const { sealed, providerExecuted } = draft.item(place);
      return !sealed && !providerExecuted && draft.cost(place) > least;
    })
    .sort((a, b) => draft.cost(b) - draft.cost(a));
}

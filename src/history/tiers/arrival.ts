// Tiers 1 and 2: what a result may cost as it arrives. A long one goes to a file and leaves a preview, or is cut. Each result
// is judged alone, once, so that the prompt's front never changes for it.

import { isInsidePair } from '../../contract/index.ts';
import type { Draft, Pointer } from '../draft.ts';
import type { Estimator } from '../estimate.ts';
import type { Place } from '../groups.ts';
import { cut, GAP, more, saved } from '../placeholder.ts';
import type { Cut, Policy } from '../policy.ts';
import type { Tier } from '../report.ts';

/** Characters of a line in a preview; a result of one line shows this much of its start. */
const PREVIEW_LINE = 400;
const PREVIEW_ONE_LINE = 1200;
/** A cut must win this share of what it cuts: else the placeholder is all it brings. */
const LEAST_SHARE = 0.05;

/** How many real tokens the characters of a text are, forth and back. */
export interface Measure {
  text(text: string): number;
  prefix(text: string, tokens: number): number;
  suffix(text: string, tokens: number): number;
}

/** `estimator`, where a token of it is `factor` real ones. */
export function measureOf(estimator: Estimator, factor: number): Measure {
  return {
    text: (text) => Math.ceil(estimator.text(text) * factor),
    prefix: (text, tokens) => estimator.prefix(text, tokens / factor),
    suffix: (text, tokens) => estimator.suffix(text, tokens / factor),
  };
}

/** What becomes of a result as it arrives. `text` is asked for with where the whole of it lies. */
export interface Arrival {
  readonly tier: Extract<Tier, 'offload' | 'truncate'>;
  text(pointer: Pointer): string;
}

/** The text without half a character at its end. */
function front(text: string, length: number): string {
  return text.slice(0, isInsidePair(text, length) ? length - 1 : length);
}

function preview(text: string, lines: number): { shown: string; left: number; total: number } {
  const shown: string[] = [];
  let from = 0;
  for (; shown.length < lines && from <= text.length; ) {
    const end = text.indexOf('\n', from);
    const stop = end < 0 ? text.length : end;
    const most = end < 0 && from === 0 ? PREVIEW_ONE_LINE : PREVIEW_LINE;
    const line = text.slice(from, Math.min(stop, from + most + 1));
    shown.push(
      line.length > most ? `${front(line, most)} ${more(`${stop - from - most} characters`)}` : line,
    );
    from = stop + 1;
  }
  let left = 0;
  for (let at = from; at < text.length; left += 1) {
    const end = text.indexOf('\n', at);
    at = end < 0 ? text.length : end + 1;
  }
  return { shown: shown.join('\n'), left, total: shown.length + left };
}

/** A text that does not cost more than `tokens`, with the line that says so. */
export function cutTo(
  text: string,
  tokens: number,
  keep: Cut,
  pointer: Pointer,
  measure: Measure,
  whole: number,
): string {
  const room = Math.max(0, tokens - measure.text(cut(keep, tokens, whole, pointer)) - measure.text(GAP) - 4);
  const head = keep === 'tail' ? 0 : measure.prefix(text, keep === 'both' ? room / 2 : room);
  const back = keep === 'head' ? 0 : measure.suffix(text, keep === 'both' ? room / 2 : room);
  const parts = [cut(keep, Math.min(tokens, whole), whole, pointer)];
  if (head > 0) parts.push(text.slice(0, head));
  if (keep === 'both') parts.push(GAP);
  if (back > 0) parts.push(text.slice(Math.max(text.length - back, head)));
  return parts.join('\n');
}

/** Results of no more tokens stay as they are. */
function leastOf({ offload, truncate }: Pick<Policy, 'offload' | 'truncate'>, mayOffload: boolean): number {
  return Math.min(
    offload && mayOffload ? offload.over : Number.POSITIVE_INFINITY,
    truncate ? truncate.over : Number.POSITIVE_INFINITY,
  );
}

/** What the policy makes of a result of `text`; null where it stays as it is. */
export function arrivalOf(
  text: string,
  toolName: string | null,
  { offload, truncate }: Policy,
  measure: Measure,
  mayOffload: boolean,
): Arrival | null {
  if (leastOf({ offload, truncate }, mayOffload) === Number.POSITIVE_INFINITY) return null;
  const tokens = measure.text(text);
  if (offload && mayOffload && tokens > offload.over) {
    const { shown, left, total } = preview(text, offload.lines);
    const rest = left > 0 ? `\n${more(left === 1 ? '1 line' : `${left} lines`)}` : '';
    return {
      tier: 'offload',
      text: (pointer) => `${saved(toolName, tokens, total, pointer ?? '')}\n${shown}${rest}`,
    };
  }
  if (!truncate || tokens <= truncate.over * (1 + LEAST_SHARE)) return null;
  return {
    tier: 'truncate',
    text: (pointer) => cutTo(text, truncate.over, truncate.keep, pointer, measure, tokens),
  };
}

/** Judges every result of the draft that `mayTouch`. `exempt`: tools whose answers are files already. */
export function arrive<M>(
  draft: Draft<M>,
  policy: Policy,
  reachable: boolean,
  exempt: ReadonlySet<string>,
  mayTouch: (place: Place) => boolean,
  keep: (toolName: string | null, text: string) => Pointer,
): void {
  const measure = measureOf(draft.estimator, draft.factor);
  const least = leastOf(policy, reachable);
  draft.list.forEach(({ view }, message) => {
    view.items.forEach((item, index) => {
      if (item.kind !== 'result' || item.sealed || item.providerExecuted) return;
      const place = { message, item: index };
      // With its frame it costs more than its text alone.
      if (draft.cost(place) <= least || draft.isChanged(place) || !mayTouch(place)) return;
      if (draft.placeholder(place) !== null) return;
      const name = draft.nameOf(place);
      const arrival = arrivalOf(
        item.text,
        name,
        policy,
        measure,
        reachable && !(name !== null && exempt.has(name)),
      );
      if (!arrival) return;
      const pointer = keep(name, item.text);
      draft.change(place, arrival.tier, () => ({ op: 'text', item: index, text: arrival.text(pointer) }), {
        hasFile: true,
      });
    });
  });
}

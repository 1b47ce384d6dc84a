// Pairs results that are not next to their calls with the calls that they answer: by id, or by name and order in formats
// whose results may have none. Moves nothing.

import { grouped } from '../grouped.ts';
import type { ItemPosition } from './groups.ts';
import { type Call, nameIn } from './open-calls.ts';
import { placeKey } from './place-key.ts';

/** A result to move to the end of the turn of its call. */
export interface LateResult {
  readonly from: ItemPosition;
  readonly call: Call;
  /** Our own answer to the call, which the result replaces. */
  readonly replaces: ItemPosition | null;
}

/** A call that got no result next to it, or only our own answer. */
export interface Unanswered {
  readonly call: Call;
  readonly provisional: ItemPosition | null;
}

/** A result whose call is not next to it. */
export interface Loose {
  readonly place: ItemPosition;
  readonly id: string;
}

/** The results among `loose` whose calls are among `all`. */
export function pairedLate(all: readonly Unanswered[], loose: readonly Loose[]): LateResult[] {
  if (loose.length === 0) return [];
  const unanswered = all.toSorted((a, b) => orderOf(a) - orderOf(b));
  const late: LateResult[] = [];
  const pair = (from: ItemPosition, { call, provisional }: Unanswered): void => {
    late.push({ from, call, replaces: provisional });
  };
  const byId = grouped(unanswered, ({ call }) => call.id);
  for (const [id, results] of grouped(loose, (one) => one.id))
    if (nameIn(id) === null) matchId(results, byId.get(id) ?? [], pair);
  const taken = new Set(late.map(({ call }) => call));
  const byName = grouped(
    unanswered.filter(({ call }) => !taken.has(call)),
    ({ call }) => call.item.toolName ?? '',
  );
  const unnamed = loose.filter(({ id }) => nameIn(id) !== null);
  for (const [name, results] of grouped(unnamed, ({ id }) => nameIn(id) ?? ''))
    matchName(results, byName.get(name) ?? [], pair);
  return late;
}

type Pair = (from: ItemPosition, unanswered: Unanswered) => void;

const orderOf = ({ call }: Unanswered): number => placeKey(call.place);

/**
 * Each result belongs to the newest turn before it with a call of its id; without one, to the first behind it. Results
 * of one turn are in call order.
 */
function matchId(results: readonly Loose[], calls: readonly Unanswered[], pair: Pair): void {
  const coming = calls.toReversed();
  const before: Unanswered[] = [];
  const matched: { readonly from: ItemPosition; readonly of: Unanswered }[] = [];
  for (const { place } of results) {
    for (let next = coming.at(-1); next && orderOf(next) < placeKey(place); next = coming.at(-1)) {
      before.push(next);
      coming.pop();
    }
    const of = before.pop() ?? coming.pop();
    if (of) matched.push({ from: place, of });
  }
  for (const own of grouped(matched, ({ of }) => of.call.group).values()) {
    const due = own.map(({ of }) => of).sort((a, b) => orderOf(b) - orderOf(a));
    for (const { from } of own) {
      const of = due.pop();
      if (of) pair(from, of);
    }
  }
}

/** The newest result belongs to the newest turn before it, and so on; results of one turn are in call order. */
function matchName(results: readonly Loose[], calls: readonly Unanswered[], pair: Pair): void {
  const left = [...calls];
  const matched: { readonly from: ItemPosition; readonly group: number }[] = [];
  for (const { place } of results.toReversed()) {
    for (let last = left.at(-1); last && orderOf(last) > placeKey(place); last = left.at(-1)) left.pop();
    const of = left.pop();
    if (of) matched.push({ from: place, group: of.call.group });
  }
  const due = grouped(calls.toReversed(), ({ call }) => call.group);
  for (const { from, group } of matched.toReversed()) {
    const of = due.get(group)?.pop();
    if (of) pair(from, of);
  }
}

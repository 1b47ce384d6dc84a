// Puts the results of tool calls next to their calls: providers refuse a result that comes later, for example behind a
// user message, and one that comes before its call. A pure function of the list; makes no decisions about size.

import { ANSWER_LEFT_OUT } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import { grouped } from '../grouped.ts';
import type { Repair } from '../report.ts';
import { type ItemPosition, type Misplaced, misplacedResults } from './groups.ts';
import type { LateResult } from './misplaced.ts';
import { placeKey } from './place-key.ts';
import type { ReadMessage } from './read-messages.ts';

/** A message of a list, and its index there. */
export interface Placed<M> {
  readonly message: M;
  readonly reading: ReadMessage;
  readonly position: number;
}

export interface Arranged<M> {
  readonly list: readonly Placed<M>[];
  /** Results that moved, by the index in `list` of the message that holds each now. */
  readonly moved: readonly { readonly at: number; readonly repair: Repair }[];
}

/** A message of the new list. `seam`: it has another neighbour than before. */
interface Next<M> extends Placed<M> {
  readonly seam: boolean;
  readonly moved: readonly Repair[];
}

/** The result and the media in it. */
function ownItems<M>(one: Placed<M> | undefined, result: number): ReadonlySet<number> {
  const items = one?.reading.view.items ?? [];
  const own = new Set([result]);
  for (let at = result + 1; at < items.length && items[at]?.kind !== 'result'; at += 1)
    if (items[at]?.kind === 'media' && items[at]?.callId === items[result]?.callId) own.add(at);
  return own;
}

class Arrangement<M> {
  readonly #codec: Codec<M>;
  readonly #read: (message: M) => ReadMessage;
  readonly #given: readonly Placed<M>[];
  readonly #misplaced: Misplaced;
  /** Items that leave their message, by message. */
  readonly #leaving = new Map<number, Set<number>>();
  /** Late results, by the message they come after. */
  readonly #due: ReadonlyMap<number, readonly LateResult[]>;

  constructor(
    given: readonly Placed<M>[],
    codec: Codec<M>,
    read: (message: M) => ReadMessage,
    misplaced: Misplaced,
  ) {
    this.#given = given;
    this.#codec = codec;
    this.#read = read;
    this.#misplaced = misplaced;
    const leaving = misplaced.late.flatMap(({ from, replaces }) => (replaces ? [from, replaces] : [from]));
    for (const { message, item } of leaving) {
      const items = this.#leaving.get(message) ?? new Set<number>();
      for (const own of ownItems(given[message], item)) items.add(own);
      this.#leaving.set(message, items);
    }
    const late = misplaced.late.toSorted((a, b) => placeKey(a.call.place) - placeKey(b.call.place));
    this.#due = grouped(late, ({ call }) => misplaced.endOf(call));
  }

  /** The message with only some of its items; null if nothing is left. */
  #with(one: Placed<M>, isKept: (item: number) => boolean): Placed<M> | null {
    const { items } = one.reading.view;
    const edits = items.flatMap((_, item) => (isKept(item) ? [] : [{ op: 'remove' as const, item }]));
    if (edits.length === 0) return one;
    const message = edits.length === items.length ? null : this.#codec.edit(one.message, edits);
    return message === null ? null : { ...one, message, reading: this.#read(message) };
  }

  /** The result at `from` as a message of its own. */
  #single({ message, item }: ItemPosition): Placed<M> | null {
    const one = this.#given[message];
    const own = ownItems(one, item);
    return one ? this.#with(one, (each) => own.has(each)) : null;
  }

  /** Results that come after the message `at`, each as a message, with the order of its call. */
  #arriving(at: number): [order: number, Next<M>][] {
    return (this.#due.get(at) ?? []).flatMap(({ from, call }): [number, Next<M>][] => {
      const single = this.#single(from);
      const moved = [{ kind: 'late-result' as const, callId: call.id, message: single?.position ?? 0 }];
      return single ? [[placeKey(call.place), { ...single, seam: true, moved }]] : [];
    });
  }

  /** One message for all, if the format has such; `moved` and the place are kept. */
  #join(all: readonly Next<M>[]): readonly Next<M>[] {
    const [first, second] = all;
    if (!first || !second || !this.#codec.join) return all;
    const message = this.#codec.join(all.map((one) => one.message));
    const moved = all.flatMap((one) => one.moved);
    return [{ ...first, message, reading: this.#read(message), moved }];
  }

  /** The results that stay in the message `at` and those that arrive, in the order of their calls, then its other content. */
  #together(at: number, one: Placed<M>, arriving: readonly [number, Next<M>][]): readonly Next<M>[] {
    const results = new Set<number>();
    const staying = one.reading.view.items.flatMap(({ kind }, item): [number, Next<M>][] => {
      if (kind !== 'result') return [];
      for (const own of ownItems(one, item)) results.add(own);
      const single = this.#leaving.get(at)?.has(item) ? null : this.#single({ message: at, item });
      const call = this.#misplaced.callOf({ message: at, item });
      const order = call ? placeKey(call) : Number.POSITIVE_INFINITY;
      return single ? [[order, { ...single, seam: false, moved: [] }]] : [];
    });
    const rest = this.#with(one, (item) => !results.has(item));
    const all = [...staying, ...arriving].sort(([a], [b]) => a - b).map(([, each]) => each);
    return this.#join(rest ? [...all, { ...rest, seam: false, moved: [] }] : all);
  }

  list(): readonly Next<M>[] {
    const { resultsTogether, alternates } = this.#codec.rules;
    const next: Next<M>[] = [];
    let seam = false;
    this.#given.forEach((one, at) => {
      const leaving = this.#leaving.get(at);
      const left = leaving ? this.#with(one, (item) => !leaving.has(item)) : one;
      const arriving = this.#arriving(at);
      // Those in a response are of tools that the provider ran, and stay in it.
      const { role, items } = one.reading.view;
      const holdsResults = role !== 'assistant' && items.some(({ kind }) => kind === 'result');
      if (arriving.length > 0 && resultsTogether && holdsResults) {
        const all = this.#together(at, one, arriving);
        next.push(...all.map((each) => ({ ...each, position: one.position, seam })));
        seam = false;
      } else {
        if (left) next.push({ ...left, seam, moved: [] });
        const all = arriving.map(([, each]) => each);
        next.push(...(resultsTogether ? this.#join(all) : all));
        seam = left === null;
      }
    });
    if (!alternates) return next;
    // Two messages of one side that were not neighbours before.
    return next.reduce<Next<M>[]>((list, one) => {
      const last = list.at(-1);
      const { role } = one.reading.view;
      const before = last && (one.seam || last.seam) && role !== 'system' ? last.reading.view.role : null;
      if (last && before === role && this.#codec.join) list.push(...this.#join([list.pop() ?? last, one]));
      else if (before === 'tool' && role === 'user' && !this.#codec.join) list.push(this.#filler(one), one);
      else list.push(one);
      return list;
    }, []);
  }

  /** Separates a result from the user's message behind it, which `next` is. */
  #filler({ position }: Next<M>): Next<M> {
    const message = this.#codec.notice(ANSWER_LEFT_OUT, 'assistant');
    return { message, reading: this.#read(message), position, seam: false, moved: [] };
  }
}

/** `given` with each misplaced result next to its call; the same list if there is none. Untouched messages stay the same. */
export function arranged<M>(
  given: readonly Placed<M>[],
  codec: Codec<M>,
  read: (message: M) => ReadMessage,
): Arranged<M> {
  const views = given.map(({ reading }) => reading.view);
  const misplaced = misplacedResults(views, codec.rules);
  if (misplaced.late.length === 0) return { list: given, moved: [] };
  const list = new Arrangement(given, codec, read, misplaced).list();
  return { list, moved: list.flatMap(({ moved }, at) => moved.map((repair) => ({ at, repair }))) };
}

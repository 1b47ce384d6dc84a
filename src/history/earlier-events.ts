// Decisions of a state that holds no `arrived`, in the form of today. An earlier version wrote them: it told what a notice
// stands for before that was gone, and kept in its list the messages of ours that it took back.

import type { LedgerEvent, Made } from './ledger.ts';
import type { Edit } from './message.ts';

/** A message as the earlier version remembered it. */
interface Earlier {
  readonly made: Made | null;
  layers: (readonly Edit[])[];
  /** Before each of the layers, and as it is shown. */
  marks: (string | null)[];
  gone: boolean;
  /** What it stands for, from so many layers on. */
  covers: { readonly layers: number; readonly entries: readonly Earlier[] }[];
}

const isWord = ({ made }: Earlier): boolean => made?.kind === 'notice' && made.role === 'assistant';
const coversOf = ({ covers }: Earlier): readonly Earlier[] => covers.at(-1)?.entries ?? [];

/** The earlier list, as its events left it. */
class EarlierList {
  entries: Earlier[] = [];
  readonly #all: Earlier[] = [];

  follow(event: LedgerEvent): void {
    switch (event.type) {
      case 'seen':
        for (const mark of event.marks) this.entries.push(this.#entry(null, mark));
        break;
      case 'rewound':
        this.#rewind(event.position, this.#named(event.shows ?? []));
        break;
      case 'edited':
        for (const entry of this.#named([event.entry])) {
          entry.layers.push(event.edits);
          entry.marks.push(event.mark);
          if (event.mark === null) entry.gone = true;
          if (event.covers)
            entry.covers.push({ layers: entry.layers.length, entries: this.#named(event.covers) });
        }
        break;
      case 'gone':
        for (const entry of this.#named(event.entries)) entry.gone = true;
        break;
      case 'made': {
        const [before] = event.before === null ? [] : this.#named([event.before]);
        const at = before ? this.entries.indexOf(before) : -1;
        const entry = this.#entry(event.made, event.mark);
        if (event.covers.length > 0) entry.covers.push({ layers: 0, entries: this.#named(event.covers) });
        this.entries.splice(at < 0 ? this.entries.length : at, 0, entry);
      }
    }
  }

  #named(numbers: readonly number[]): Earlier[] {
    return numbers.flatMap((number) => this.#all[number] ?? []);
  }

  #entry(made: Made | null, mark: string): Earlier {
    const entry = { made, layers: [], marks: [mark], gone: false, covers: [] };
    this.#all.push(entry);
    return entry;
  }

  #rewind(position: number, shows: readonly Earlier[]): void {
    const lost = new Set(this.entries.slice(position));
    const back = new Set(shows);
    this.entries = this.entries.slice(0, position);
    const shown = new Set<Earlier>();
    for (const entry of this.entries) {
      const covers = coversOf(entry);
      if (!covers.some((one) => lost.has(one) || back.has(one))) continue;
      if (entry.made) entry.gone = true;
      else asItCame(entry);
      for (const one of covers) {
        if (lost.has(one)) continue;
        asItCame(one);
        shown.add(one);
      }
    }
    // A word in place of an answer goes where the answer comes back.
    let before: Earlier | null = null;
    for (const entry of this.entries) {
      if (entry.made === null) before = entry;
      else if (isWord(entry) && before && shown.has(before)) entry.gone = true;
    }
  }
}

function asItCame(entry: Earlier): void {
  entry.gone = entry.made !== null;
  entry.layers = [];
  entry.covers = [];
  entry.marks.length = 1;
}

/** Events that leave a ledger of today with the same list: what came, what was done to it, and what of ours still stands. */
export function eventsOfToday(earlier: readonly LedgerEvent[]): LedgerEvent[] {
  const list = new EarlierList();
  for (const event of earlier) list.follow(event);
  const came = list.entries.filter(({ made }) => made === null);
  const numbers = new Map(came.map((entry, number) => [entry, number]));
  const named = (entries: readonly Earlier[]): number[] =>
    entries.flatMap((entry) => numbers.get(entry) ?? []);
  const events: LedgerEvent[] = [];
  if (came.length > 0) events.push({ type: 'seen', marks: came.map(({ marks }) => marks[0] ?? '') });
  // What says what a notice stands for comes after what it stands for.
  const last: LedgerEvent[] = [];
  for (const [entry, number] of numbers) {
    entry.layers.forEach((edits, layer) => {
      const covers = entry.covers.findLast(({ layers }) => layers === layer + 1);
      const isLast = last.length > 0 || covers !== undefined;
      (isLast && entry.covers.length > 0 ? last : events).push({
        type: 'edited',
        entry: number,
        edits,
        mark: entry.marks[layer + 1] ?? null,
        ...(covers && { covers: named(covers.entries) }),
      });
    });
  }
  const gone = named(came.filter((entry) => entry.gone));
  if (gone.length > 0) events.push({ type: 'gone', entries: gone });
  events.push(...last);
  let before: number | null = null;
  const made: LedgerEvent[] = [];
  for (const entry of list.entries.toReversed()) {
    const number = numbers.get(entry);
    if (number !== undefined) before = number;
    else if (entry.made && !entry.gone)
      made.push({
        type: 'made',
        before,
        made: entry.made,
        mark: entry.marks[0] ?? '',
        covers: named(coversOf(entry)),
        ...(isWord(entry) && { joins: true }),
      });
  }
  events.push(...made.toReversed());
  return events;
}

// What a compactor remembers of a conversation: which messages it has seen, and what it decided about each, as events that
// are only ever added. It knows again both the messages as they came and its own output, and renders the same list from
// either. It decides nothing itself.

import { ReaderError } from '../contract/index.ts';
import type { Codec } from './codec.ts';
import type { Edit, OpenCall } from './message.ts';
import { markOf, type Reading, Readings } from './reading.ts';

/** A message of ours: a notice, or error results for calls that never got one. */
export type Made =
  | { readonly kind: 'notice'; readonly text: string; readonly role: 'user' | 'assistant' }
  | { readonly kind: 'answer'; readonly calls: readonly OpenCall[]; readonly text: string };

/** One decision. Entries are named by their number, given in the order they come up and never again. */
export type LedgerEvent =
  /** Messages seen for the first time, by their marks. */
  | { readonly type: 'seen'; readonly marks: readonly string[] }
  /**
   * The caller's list no longer holds the entries from this position on. `shows`: entries that are newest now, and were
   * taken away when they were not.
   */
  | { readonly type: 'rewound'; readonly position: number; readonly shows?: readonly number[] }
  /** The message is shown with these edits, after those it had. Null: nothing of it was left. */
  | {
      readonly type: 'edited';
      readonly entry: number;
      readonly edits: readonly Edit[];
      readonly mark: string | null;
      /** Entries that a notice in this message stands for. */
      readonly covers?: readonly number[];
    }
  | { readonly type: 'gone'; readonly entries: readonly number[] }
  /** A message of ours stands before `before`, and for what is gone of the entries of `covers`. Null: at the end. */
  | {
      readonly type: 'made';
      readonly before: number | null;
      readonly made: Made;
      readonly mark: string;
      readonly covers: readonly number[];
    };

interface Entry {
  readonly number: number;
  /** One of ours. */
  readonly made: Made | null;
  readonly layers: (readonly Edit[])[];
  /** Of the message before each of the layers, and as it is shown: a caller may give any of them. */
  marks: string[];
  gone: boolean;
  /** What it stands for, from so many layers on; the newest last. */
  covers: readonly { readonly layers: number; readonly entries: readonly number[] }[];
}

/** A message as it is shown now. */
export interface Shown<M> extends Reading {
  /** Number of its entry. */
  readonly entry: number;
  readonly message: M;
  /** Ours, not the caller's. */
  readonly made: Made | null;
  /** Where it stood in the list that came; null when it was not in it. */
  readonly position: number | null;
}

/** A message the ledger cannot take apart further; hostile lists hold functions, symbols and numbers. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Instructions may tell the time: nothing is ever taken of them, so that one that changes is the same entry. */
function entryMark(reading: Reading): string {
  const { role, items } = reading.view;
  const instructs = role === 'system' && items.some(({ text }) => text !== '');
  return instructs ? 'system' : markOf(reading);
}

export class Ledger<M> {
  readonly #codec: Codec<M>;
  readonly #readings: Readings<M>;
  readonly #events: LedgerEvent[] = [];
  #entries: Entry[] = [];
  readonly #byNumber = new Map<number, Entry>();
  #next = 0;
  #forgotten = 0;

  constructor(codec: Codec<M>, events: readonly LedgerEvent[] = []) {
    this.#codec = codec;
    this.#readings = new Readings(codec);
    for (const event of events) this.record(event);
  }

  get events(): readonly LedgerEvent[] {
    return this.#events;
  }

  /** How often messages were forgotten of which something had been taken: what was told of them holds no more. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Adds a decision, and follows it. Gives the number of the entry that a `made` event brings, else -1. */
  record(event: LedgerEvent): number {
    this.#events.push(event);
    switch (event.type) {
      case 'seen':
        for (const mark of event.marks) this.#entries.push(this.#entry(null, mark, []));
        return -1;
      case 'rewound':
        this.#rewind(event.position, event.shows ?? []);
        return -1;
      case 'edited': {
        const entry = this.#known(event.entry);
        entry.layers.push(event.edits);
        if (event.mark === null) entry.gone = true;
        else entry.marks.push(event.mark);
        if (event.covers)
          entry.covers = [...entry.covers, { layers: entry.layers.length, entries: event.covers }];
        return -1;
      }
      case 'gone':
        for (const number of event.entries) this.#known(number).gone = true;
        return -1;
      case 'made': {
        const entry = this.#entry(event.made, event.mark, event.covers);
        const at = event.before === null ? this.#entries.length : this.#position(event.before);
        this.#entries.splice(at, 0, entry);
        return entry.number;
      }
    }
  }

  #entry(made: Made | null, mark: string, covers: readonly number[]): Entry {
    const own = covers.length > 0 ? [{ layers: 0, entries: covers }] : [];
    const entry: Entry = { number: this.#next, made, layers: [], marks: [mark], gone: false, covers: own };
    this.#byNumber.set(this.#next, entry);
    this.#next += 1;
    return entry;
  }

  #known(number: number): Entry {
    const entry = this.#byNumber.get(number);
    if (!entry)
      throw new ReaderError(
        'CORRUPT_FILE',
        `The state of the history names entry ${number}, which it never had.`,
        'Start without a state: the messages are read again.',
      );
    return entry;
  }

  #position(number: number): number {
    const at = this.#entries.indexOf(this.#known(number));
    return at < 0 ? this.#entries.length : at;
  }

  /** Entries from `position` on are forgotten; what a notice stood for comes back where part of that is among them or `shows`. */
  #rewind(position: number, shows: readonly number[]): void {
    const forgotten = this.#entries.slice(position);
    const lost = new Set(forgotten.map(({ number }) => number));
    const back = new Set(shows);
    if (forgotten.some(({ made, gone, layers }) => made === null && (gone || layers.length > 0)))
      this.#forgotten += 1;
    this.#entries = this.#entries.slice(0, position);
    const shown = new Set<number>();
    for (const entry of this.#entries) {
      const covers = this.covers(entry.number);
      if (!covers.some((number) => lost.has(number) || back.has(number))) continue;
      if (entry.made) entry.gone = true;
      else this.#restore(entry);
      for (const number of covers) {
        if (lost.has(number)) continue;
        this.#restore(this.#known(number));
        shown.add(number);
      }
    }
    // A word in place of an answer goes where the answer comes back.
    let before = -1;
    for (const entry of this.#entries) {
      if (entry.made === null) before = entry.number;
      else if (entry.made.kind === 'notice' && entry.made.role === 'assistant' && shown.has(before))
        entry.gone = true;
    }
  }

  /** As it came. */
  #restore(entry: Entry): void {
    entry.gone = entry.made !== null;
    entry.layers.length = 0;
    entry.covers = [];
    entry.marks.length = 1;
  }

  /**
   * Knows the caller's list again, adds what is new, and gives the list as it is shown: earlier decisions carried out,
   * everything else by reference. Linear in the list.
   */
  follow(messages: readonly M[]): Shown<M>[] {
    // Not by `map`, which leaves holes where the list has them.
    const readings = Array.from(messages, (message) => this.#readings.read(message));
    const marks = readings.map(entryMark);
    /** Where each entry stands in the list that came, and how many of its layers it had there. */
    const places = new Map<number, { at: number; layers: number }>();
    const covered = new Set<number>();
    // A list without the notice is as it came: what the notice stands for is in it, or was taken back.
    const told = new Set(this.#entries.flatMap(({ gone, number }) => (gone ? [] : this.covers(number))));
    let at = 0;
    let position = 0;
    for (; position < this.#entries.length && at < messages.length; position += 1) {
      const entry = this.#entries[position];
      if (!entry) break;
      if (covered.has(entry.number) && entry.gone && !entry.made) continue;
      const mark = marks[at] ?? '';
      const layers = entry.marks.lastIndexOf(mark);
      if (layers >= 0 && !(entry.gone && this.#isMadeAgain(position, mark))) {
        // A list that holds a notice is one that was given: what the notice stands for is not in it.
        for (const number of entry.covers.findLast((one) => one.layers <= layers)?.entries ?? [])
          covered.add(number);
        places.set(entry.number, { at, layers });
        at += 1;
      } else if (!entry.made && (!entry.gone || told.has(entry.number))) break;
    }
    while (position < this.#entries.length && this.#isAbsent(this.#entries[position], covered)) position += 1;
    if (position < this.#entries.length) {
      const shows = this.#newestGone(readings, places);
      this.record({ type: 'rewound', position, ...(shows.length > 0 && { shows }) });
    }
    if (at < messages.length) {
      const first = this.#entries.length;
      this.record({ type: 'seen', marks: marks.slice(at) });
      for (const entry of this.#entries.slice(first)) {
        places.set(entry.number, { at, layers: 0 });
        at += 1;
      }
    }
    return this.#show(messages, readings, places);
  }

  /** A message of ours that is gone stands beside a later one that reads alike, and stays. */
  #isMadeAgain(position: number, mark: string): boolean {
    if (!this.#entries[position]?.made) return false;
    for (let next = position + 1; this.#entries[next]?.made; next += 1) {
      const entry = this.#entries[next];
      if (entry && !entry.gone && entry.marks.includes(mark)) return true;
    }
    return false;
  }

  /** Of the newest message and the newest of the user, those that were taken away before the list was rewound to them. */
  #newestGone(
    readings: readonly Reading[],
    places: ReadonlyMap<number, { at: number; layers: number }>,
  ): number[] {
    const user = readings.findLastIndex(
      ({ view }) =>
        view.role === 'user' && view.items.some(({ kind, callId }) => kind !== 'result' && callId === null),
    );
    const newest = new Set([user, readings.length - 1]);
    const shows: number[] = [];
    for (const [number, { at }] of places) {
      const { gone, made } = this.#known(number);
      if (gone && !made && newest.has(at)) shows.push(number);
    }
    return shows;
  }

  /** Not in a list that ended before it, and no sign that the list was rewound. */
  #isAbsent(entry: Entry | undefined, covered: ReadonlySet<number>): boolean {
    return entry !== undefined && (entry.made !== null || (entry.gone && covered.has(entry.number)));
  }

  #show(
    messages: readonly M[],
    readings: readonly Reading[],
    places: ReadonlyMap<number, { at: number; layers: number }>,
  ): Shown<M>[] {
    const shown: Shown<M>[] = [];
    for (const entry of this.#entries) {
      if (entry.gone) continue;
      const place = places.get(entry.number);
      const native = place && messages[place.at];
      const reading = place && readings[place.at];
      const { made, number } = entry;
      if (place && reading && place.layers >= entry.layers.length) {
        // The list holds it: `place.at` is one of its positions, whatever stands there.
        shown.push({ ...reading, entry: number, message: native as M, made, position: place.at });
        continue;
      }
      if (!place && !made) continue;
      const message = entry.layers
        .slice(place?.layers ?? 0)
        .reduce<M | null>(
          (edited, edits) => (edited === null ? null : this.#codec.edit(edited, edits)),
          made && !place ? this.make(made) : (native as M),
        );
      if (message === null) continue;
      const position = place ? place.at : null;
      shown.push({ ...this.#readings.read(message), entry: number, message, made, position });
    }
    return shown;
  }

  /** The native message of one of ours. */
  make(made: Made): M {
    if (made.kind === 'notice') return this.#codec.notice(made.text, made.role);
    const [message] = this.#codec.answer(made.calls, made.text);
    if (!isObject(message))
      throw new ReaderError(
        'INTERNAL',
        `The codec \`${this.#codec.name}\` made no message that answers a call.`,
        'Report this as a defect.',
      );
    return message;
  }

  /** The mark a message has. */
  mark(message: M): string {
    return entryMark(this.#readings.read(message));
  }

  /** What the notice `entry` stands for, in order; empty for other entries. */
  covers(entry: number): readonly number[] {
    return this.#known(entry).covers.at(-1)?.entries ?? [];
  }
}

// What a compactor remembers of a conversation: which messages it has seen, and what it decided about each, as events that
// are only ever added. It knows again both the messages as they came and its own output, and renders the same list from
// either. It decides nothing itself.

import { ReaderError } from '../../contract/index.ts';
import { isNotice } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Edit, OpenCall } from '../codecs/message.ts';
import { numbersOf, type Run } from './number-ranges.ts';
import { markOf, type Reading, Readings } from './reading.ts';

/** A message of ours: a notice, or error results for calls that never got one. */
export type Made =
  | { readonly kind: 'notice'; readonly text: string; readonly role: 'user' | 'assistant' }
  | { readonly kind: 'answer'; readonly calls: readonly OpenCall[]; readonly text: string };

/** One decision. Entries are named by their number, given in the order they come up and never again. */
export type LedgerEvent =
  /** Messages seen for the first time, by their marks. `notice`: which of them is a notice of another compactor. */
  | { readonly type: 'seen'; readonly marks: readonly string[]; readonly notice?: number }
  /**
   * The caller's list no longer holds the entries from this position on. `shows`: entries that are newest now, and were
   * taken away when they were not. `holds`: notices that the list itself holds, by entry and its layers.
   */
  | {
      readonly type: 'rewound';
      readonly position: number;
      readonly shows?: readonly number[];
      readonly holds?: readonly (readonly [entry: number, layers: number])[];
    }
  /** The message is shown with these edits, after those it had. Null: nothing of it was left. */
  | {
      readonly type: 'edited';
      readonly entry: number;
      readonly edits: readonly Edit[];
      readonly mark: string | null;
      /** Entries that a notice in this message stands for. */
      readonly covers?: readonly Run[];
    }
  | { readonly type: 'gone'; readonly entries: readonly number[] }
  /**
   * A message of ours stands before `before`, and for what is gone of the entries of `covers`. Null: at the end. `joins`: it
   * is there for the sake of the notice that came up last, and goes when that is taken back.
   */
  | {
      readonly type: 'made';
      readonly before: number | null;
      readonly made: Made;
      readonly mark: string;
      readonly covers: readonly Run[];
      readonly joins?: true;
    };

interface Entry {
  readonly number: number;
  /** One of ours. */
  readonly made: Made | null;
  /** A notice of another compactor. */
  readonly isForeign: boolean;
  readonly layers: (readonly Edit[])[];
  /** Of the message before each of the layers, and as it is shown: a caller may give any of them. */
  readonly marks: string[];
  gone: boolean;
  /** What it stands for, from so many layers on; the newest last. */
  readonly covers: Cover[];
  /** Who stands for what was taken of it; the newest last. */
  readonly taken: Taken[];
}

/** What a notice stands for. */
interface Cover {
  readonly by: Entry;
  /** In the order they came up: one that stands for another comes after it. */
  readonly order: number;
  /** Of the message it stands in, from where on it says so. */
  readonly layers: number;
  /** All of it, with what earlier notices among them stood for. */
  readonly entries: readonly number[];
  /** Taken for this notice, not for an earlier one. */
  readonly own: Entry[];
  /** Messages of ours that are there for its sake. */
  readonly joined: Entry[];
}

/** One taking of a message, whole or in part. */
interface Taken {
  readonly cover: Cover;
  /** Layers before; null where it went whole. */
  readonly from: number | null;
  readonly to: number;
}

/** A message as it is shown now. */
export interface Shown<M> extends Reading {
  /** Number of its entry. */
  readonly entry: number;
  readonly message: M;
  /** Ours, not the caller's. */
  readonly made: Made | null;
  /** A text of the user in it is a notice: ours, or of another compactor. */
  readonly isNotice: boolean;
  /** What was done to it. */
  readonly edits: readonly (readonly Edit[])[];
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

/**
 * Where a list that nobody knows holds the notice of another compactor; -1 for nowhere. It stands after instructions and the
 * first message of the user, or in that, or before that where an answer came first, and never last: elsewhere a user says
 * what reads like one. Messages with nothing in them may stand between.
 */
function foreignNotice(readings: readonly Reading[]): number {
  let users = 0;
  for (let at = 0; at < readings.length - 1 && users < 2; at += 1) {
    const { role, items } = readings[at]?.view ?? { role: 'system', items: [] };
    const last = items.at(-1);
    if (role === 'system' || last === undefined || items.some(({ boundary }) => boundary)) continue;
    if (role !== 'user') return -1;
    if (last.kind === 'user' && isNotice(last.text)) return at;
    users += 1;
  }
  return -1;
}

/** Shown with so many of its layers. */
function shorten({ layers, marks }: Entry, length: number): void {
  layers.length = Math.min(layers.length, length);
  marks.length = Math.min(marks.length, length + 1);
}

export class Ledger<M> {
  readonly #codec: Codec<M>;
  readonly #readings: Readings<M>;
  readonly #events: LedgerEvent[] = [];
  #entries: Entry[] = [];
  readonly #byNumber = new Map<number, Entry>();
  #next = 0;
  #newest: Cover | null = null;
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
        for (const [at, mark] of event.marks.entries())
          this.#entries.push(this.#entry(null, mark, event.notice === at));
        return -1;
      case 'rewound':
        this.#rewind(event.position, event.shows ?? [], event.holds ?? []);
        return -1;
      case 'edited': {
        const entry = this.#known(event.entry);
        entry.layers.push(event.edits);
        if (event.mark === null) entry.gone = true;
        else entry.marks.push(event.mark);
        if (event.covers) this.#cover(entry, event.covers);
        return -1;
      }
      case 'gone':
        for (const number of event.entries) this.#known(number).gone = true;
        return -1;
      case 'made': {
        const entry = this.#entry(event.made, event.mark, false);
        if (event.covers.length > 0) this.#cover(entry, event.covers);
        else if (event.joins) this.#newest?.joined.push(entry);
        const at = event.before === null ? this.#entries.length : this.#position(event.before);
        this.#entries.splice(at, 0, entry);
        return entry.number;
      }
    }
  }

  #entry(made: Made | null, mark: string, isForeign: boolean): Entry {
    const entry: Entry = {
      number: this.#next,
      made,
      isForeign,
      layers: [],
      marks: [mark],
      gone: false,
      covers: [],
      taken: [],
    };
    this.#byNumber.set(this.#next, entry);
    this.#next += 1;
    return entry;
  }

  /** A notice in `by` stands for these: for those taken just now itself, for the others as an earlier notice among them did. */
  #cover(by: Entry, runs: readonly Run[]): void {
    const entries = numbersOf(runs);
    const cover: Cover = {
      by,
      order: 1 + (this.#newest?.order ?? 0),
      layers: by.layers.length,
      entries,
      own: [],
      joined: [],
    };
    this.#newest = cover;
    by.covers.push(cover);
    for (const number of entries) {
      const entry = this.#known(number);
      const { gone, layers, taken } = entry;
      const last = taken.at(-1);
      if (last?.from === null) continue;
      const part = layers.findIndex(
        (edits, layer) => layer >= (last?.to ?? 0) && edits.some(({ op }) => op === 'remove'),
      );
      if (!gone && part < 0) continue;
      taken.push({ cover, from: gone ? null : part, to: layers.length });
      cover.own.push(entry);
    }
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

  /**
   * Entries from `position` on are forgotten. A notice that stands for one of them, or of `shows`, is taken back, and what it
   * was made of is as it was before: messages, and the notice before it. Not so a notice that the list holds: of what it
   * stands for nothing else is left.
   */
  #rewind(
    position: number,
    shows: readonly number[],
    holds: readonly (readonly [entry: number, layers: number])[],
  ): void {
    const forgotten = this.#entries.slice(position);
    this.#entries = this.#entries.slice(0, position);
    const untrue = new Set<Cover>();
    for (const { taken, covers } of forgotten) {
      for (const cover of covers) this.#standing(cover, untrue);
      for (const { cover } of taken) this.#standing(cover, untrue);
    }
    for (const number of shows)
      for (const { cover } of this.#known(number).taken) this.#standing(cover, untrue);
    const held = new Set(
      holds.flatMap(([number, layers]) =>
        this.#known(number).covers.filter((cover) => cover.layers === layers),
      ),
    );
    const isBack = this.#takeBack(
      [...untrue].sort((a, b) => b.order - a.order),
      held,
    );
    const isTaken = ({ made, gone, layers }: Entry): boolean => made === null && (gone || layers.length > 0);
    if (isBack || forgotten.some(isTaken)) this.#forgotten += 1;
  }

  /** Adds the notice, and those that stand for it. */
  #standing(cover: Cover, all: Set<Cover>): void {
    const next = [cover];
    for (let one = next.pop(); one; one = next.pop()) {
      if (all.has(one)) continue;
      all.add(one);
      const { covers, taken } = one.by;
      const later = covers[covers.indexOf(one) + 1];
      if (later) next.push(later);
      for (const by of taken) next.push(by.cover);
    }
  }

  /** Takes back notices, newest first, unless they are held or stand in one that is. False where all are. */
  #takeBack(covers: readonly Cover[], held: ReadonlySet<Cover>): boolean {
    let isBack = false;
    const undone = new Set<Entry>();
    for (const cover of covers) {
      const { by, layers } = cover;
      if (held.has(cover) || by.gone || by.covers.at(-1) !== cover) continue;
      isBack = true;
      by.covers.pop();
      for (const entry of cover.joined) undone.add(entry);
      if (by.made) undone.add(by);
      else shorten(by, layers - 1);
      for (const entry of cover.own) {
        const taken = entry.taken.pop();
        if (!taken) continue;
        if (taken.from === null) entry.gone = false;
        else shorten(entry, taken.from);
      }
    }
    this.#entries = this.#entries.filter((entry) => !undone.has(entry));
    return isBack;
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
    const holds: [entry: number, layers: number][] = [];
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
      if (layers >= 0) {
        // A list that holds a notice is one that was given: what the notice stands for is not in it.
        const cover = entry.covers.findLast((one) => one.layers <= layers);
        if (cover) holds.push([entry.number, cover.layers]);
        for (const number of cover?.entries ?? []) covered.add(number);
        places.set(entry.number, { at, layers });
        at += 1;
      } else if (!entry.made && (!entry.gone || told.has(entry.number))) break;
    }
    while (position < this.#entries.length && this.#isAbsent(this.#entries[position], covered)) position += 1;
    if (position < this.#entries.length) {
      const shows = this.#newestGone(readings, places);
      this.record({
        type: 'rewound',
        position,
        ...(shows.length > 0 && { shows }),
        ...(holds.length > 0 && { holds }),
      });
    }
    if (at < messages.length) {
      const first = this.#entries.length;
      const notice = foreignNotice(readings) - at;
      this.record({ type: 'seen', marks: marks.slice(at), ...(notice >= 0 && { notice }) });
      for (const entry of this.#entries.slice(first)) {
        places.set(entry.number, { at, layers: 0 });
        at += 1;
      }
    }
    return this.#show(messages, readings, places);
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
      const { made, number, layers: edits } = entry;
      const own = { entry: number, made, isNotice: entry.isForeign || entry.covers.length > 0, edits };
      if (place && reading && place.layers >= entry.layers.length) {
        // The list holds it: `place.at` is one of its positions, whatever stands there.
        shown.push({ ...reading, ...own, message: native as M, position: place.at });
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
      shown.push({ ...this.#readings.read(message), ...own, message, position });
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

  /** What the notice `entry` stands for, upwards; empty for other entries. */
  covers(entry: number): readonly number[] {
    return this.#known(entry).covers.at(-1)?.entries ?? [];
  }
}

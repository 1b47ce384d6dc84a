// What a compactor remembers of a conversation: which messages it has seen, and what it decided about each, as events that
// are only ever added. It knows again both the messages as they came and its own output, and renders the same list from
// either. It decides nothing itself.

import { ReaderError } from '../../contract/index.ts';
import { isNotice } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Edit } from '../codecs/message.ts';
import { condensed } from './condensed.ts';
import { Entries, type Entry } from './entries.ts';
import { foldedMark } from './fold.ts';
import type { LedgerEvent, Made } from './ledger-event.ts';
import { markOf, type ReadMessage, ReadMessages } from './read-messages.ts';

/** A message as it is shown now. */
export interface Shown<M> extends ReadMessage {
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
function entryMark(reading: ReadMessage): string {
  const { role, items } = reading.view;
  const instructs = role === 'system' && items.some(({ text }) => text !== '');
  return instructs ? 'system' : markOf(reading);
}

/**
 * Where a list that nobody knows holds the notice of another compactor; -1 for nowhere. It stands after instructions and the
 * first message of the user, or in that, or before that where an answer came first, and never last: elsewhere a user says
 * what reads like one. Messages with nothing in them may stand between.
 */
function foreignNotice(readings: readonly ReadMessage[]): number {
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

/** By entry: where in the list that came, and how many of its layers it has there. */
type Places = Map<number, { readonly at: number; readonly layers: number }>;

/** What of a list is known, and how far. */
interface Found {
  readonly places: Places;
  /** What the notices that the list holds stand for. */
  readonly covered: ReadonlySet<number>;
  readonly holds: readonly (readonly [entry: number, layers: number])[];
  /** The first message of the list that is not known. */
  readonly at: number;
  /** Of the entries the first that was not looked for. */
  readonly position: number;
}

export class Ledger<M> {
  readonly #codec: Codec<M>;
  readonly #readings: ReadMessages<M>;
  #entries: Entries;
  /** As it was shown last, by entry: one that is the same is the same object. */
  #shown = new Map<number, Shown<M>>();

  constructor(codec: Codec<M>, events: readonly LedgerEvent[] = []) {
    this.#codec = codec;
    this.#readings = new ReadMessages(codec);
    this.#entries = new Entries(events);
  }

  get events(): readonly LedgerEvent[] {
    return this.#entries.events;
  }

  /** As `Entries.forgotten`. */
  get forgotten(): number {
    return this.#entries.forgotten;
  }

  /** As `Entries.record`. */
  record(event: LedgerEvent): number {
    return this.#entries.record(event);
  }

  /**
   * Knows the caller's list again, adds what is new, and gives the list as it is shown: earlier decisions carried out,
   * everything else by reference. Linear in the list.
   */
  follow(messages: readonly M[]): Shown<M>[] {
    const readings: ReadMessage[] = [];
    const marks: string[] = [];
    // Not by `map`, which leaves holes where the list has them.
    for (const message of messages) {
      const reading = this.#readings.read(message);
      readings.push(reading);
      marks.push(entryMark(reading));
    }
    const { places, covered, holds, ...found } = this.#found(marks);
    let { at, position } = found;
    while (position < this.#entries.list.length && this.#isAbsent(this.#entries.list[position], covered))
      position += 1;
    if (position < this.#entries.list.length) {
      const shows = this.#newestGone(readings, places);
      this.record({
        type: 'rewound',
        position,
        ...(shows.length > 0 && { shows }),
        ...(holds.length > 0 && { holds }),
      });
    }
    if (at < messages.length) {
      const first = this.#entries.list.length;
      const notice = foreignNotice(readings) - at;
      this.record({ type: 'seen', marks: marks.slice(at), ...(notice >= 0 && { notice }) });
      for (const entry of this.#entries.list.slice(first)) {
        places.set(entry.number, { at, layers: 0 });
        at += 1;
      }
    }
    return this.#show(messages, readings, this.#condense(places));
  }

  /** The entries that a list of these marks holds, up to the first that it should hold and does not. */
  #found(marks: readonly string[]): Found {
    const places: Places = new Map();
    const covered = new Set<number>();
    const holds: [entry: number, layers: number][] = [];
    let represented: ReadonlySet<number> | null = null;
    let at = 0;
    let position = 0;
    for (; position < this.#entries.list.length && at < marks.length; position += 1) {
      const entry = this.#entries.list[position];
      if (!entry) break;
      if (covered.has(entry.number) && entry.gone && !entry.made) continue;
      // Its messages become entries, which no notice stood for before.
      if (entry.fold !== null) represented ??= this.#represented();
      if (entry.fold !== null && this.#unfold(entry, marks, at)) {
        position -= 1;
        continue;
      }
      const mark = marks[at] ?? '';
      const layers = entry.fold === null ? entry.marks.lastIndexOf(mark) : -1;
      if (layers >= 0) {
        // A list that holds a notice is one that was given: what the notice stands for is not in it.
        const cover = entry.covers.findLast((one) => one.layers <= layers);
        if (cover) holds.push([entry.number, cover.layers]);
        for (const number of cover?.entries ?? []) covered.add(number);
        places.set(entry.number, { at, layers });
        at += 1;
        continue;
      }
      if (entry.made) continue;
      if (!entry.gone) break;
      represented ??= this.#represented();
      if (represented.has(entry.number)) break;
    }
    return { places, covered, holds, at, position };
  }

  /** What standing notices stand for: a list without the notice is as it came, and has it, or it was taken back. */
  #represented(): Set<number> {
    return new Set(
      this.#entries.list.flatMap(({ gone, number }) => (gone ? [] : this.#entries.covers(number))),
    );
  }

  /** Whether the list holds the messages of a fold from `at` on: they are entries again. */
  #unfold({ number, fold, marks: [folded] }: Entry, marks: readonly string[], at: number): boolean {
    const held = marks.slice(at, at + (fold ?? 0));
    if (held.length !== fold || foldedMark(held) !== folded) return false;
    this.record({ type: 'unfolded', entry: number, marks: held });
    return true;
  }

  /** Writes the events anew once there are many that tell of what is over; gives the places by their new entries. */
  #condense(places: Places): Places {
    const { list, isLong } = this.#entries;
    if (!isLong) return places;
    // A list as an earlier notice left it: nothing of that is over.
    const isEarlier = list.some(({ number, made, gone, covers, layers }) => {
      const place = places.get(number);
      if (!place || (!gone && covers.length === 0)) return false;
      return gone ? made !== null || place.layers > 0 : place.layers > 0 && place.layers < layers.length;
    });
    if (isEarlier) return places;
    const { events: fewer, numbers } = condensed(list, ({ number }) => places.has(number));
    this.#entries = new Entries(fewer, this.#entries.forgotten);
    const known: Places = new Map();
    for (const [number, { at, layers }] of places) {
      const entry = numbers.get(number);
      if (entry === undefined) continue;
      const now = this.#entries.known(entry).layers.length;
      known.set(entry, { at, layers: layers === 0 ? 0 : Math.min(layers, now) });
    }
    return known;
  }

  /** Of the newest message and the newest of the user, those that were taken away before the list was rewound to them. */
  #newestGone(readings: readonly ReadMessage[], places: Places): number[] {
    const user = readings.findLastIndex(
      ({ view }) =>
        view.role === 'user' && view.items.some(({ kind, callId }) => kind !== 'result' && callId === null),
    );
    const newest = new Set([user, readings.length - 1]);
    const shows: number[] = [];
    for (const [number, { at }] of places) {
      const { gone, made } = this.#entries.known(number);
      if (gone && !made && newest.has(at)) shows.push(number);
    }
    return shows;
  }

  /** Not in a list that ended before it, and no sign that the list was rewound. */
  #isAbsent(entry: Entry | undefined, covered: ReadonlySet<number>): boolean {
    return entry !== undefined && (entry.made !== null || (entry.gone && covered.has(entry.number)));
  }

  #show(messages: readonly M[], readings: readonly ReadMessage[], places: Places): Shown<M>[] {
    const shown: Shown<M>[] = [];
    for (const entry of this.#entries.list) {
      if (entry.gone) continue;
      const place = places.get(entry.number);
      const native = place && messages[place.at];
      const reading = place && readings[place.at];
      if (place && reading && place.layers >= entry.layers.length) {
        // The list holds it: `place.at` is one of its positions, whatever stands there.
        shown.push(this.#asShown(entry, reading, native as M, place.at));
        continue;
      }
      if (!place && !entry.made) continue;
      const message = entry.layers
        .slice(place?.layers ?? 0)
        .reduce<M | null>(
          (edited, edits) => (edited === null ? null : this.#codec.edit(edited, edits)),
          entry.made && !place ? this.make(entry.made) : (native as M),
        );
      if (message === null) continue;
      shown.push(this.#asShown(entry, this.#readings.read(message), message, place ? place.at : null));
    }
    for (const one of shown) if (this.#shown.get(one.entry) !== one) this.#shown.set(one.entry, one);
    // Some are shown no more.
    if (this.#shown.size !== shown.length) this.#shown = new Map(shown.map((one) => [one.entry, one]));
    return shown;
  }

  #asShown(entry: Entry, { view, facts }: ReadMessage, message: M, position: number | null): Shown<M> {
    const { number, made, layers: edits } = entry;
    const isNotice = entry.isForeign || entry.covers.length > 0;
    const last = this.#shown.get(number);
    const isSame =
      last !== undefined &&
      last.message === message &&
      last.view === view &&
      last.position === position &&
      last.isNotice === isNotice &&
      last.edits === edits;
    return isSame ? last : { view, facts, entry: number, message, made, isNotice, edits, position };
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
    return this.#entries.covers(entry);
  }
}

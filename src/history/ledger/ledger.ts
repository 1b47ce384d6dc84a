// An append-only record of a conversation: the messages seen, and what was decided about each. It recognises both the
// original messages and its own output, and renders the same list from either. Makes no decisions itself.

import { ReaderError } from '../../contract/index.ts';
import { isNotice } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Edit } from '../codecs/message.ts';
import type { Repair } from '../report.ts';
import { type Arranged, arranged, type Placed } from './arranged.ts';
import { type Cover, Entries, type Entry, type Made, type SavedEntries } from './entries.ts';
import { markOf, type ReadMessage, ReadMessages } from './read-messages.ts';
import { sendable } from './sendable.ts';

/** A message as currently shown. */
export interface Shown<M> extends ReadMessage {
  /** Number of its entry. */
  readonly entry: number;
  readonly message: M;
  /** Set for our own messages; null for the caller's. */
  readonly made: Made | null;
  /** A user text in it is a notice, ours or another compactor's. */
  readonly isNotice: boolean;
  /** Edits applied to it. */
  readonly edits: readonly (readonly Edit[])[];
  /** Index in the input list; null if it was not in it. */
  readonly position: number | null;
}

/** Instructions may contain the time. They are never edited, so a changed instruction is still the same entry. */
function entryMark(reading: ReadMessage): string {
  const { role, items } = reading.view;
  const instructs = role === 'system' && items.some(({ text }) => text !== '');
  return instructs ? 'system' : markOf(reading);
}

/**
 * Index of another compactor's notice in a list that is new to the ledger, or -1. A notice comes after the instructions
 * and the user's first message, or inside that message, or before it if the list starts with an answer. It is never
 * last. Anywhere else, it is user text that looks like a notice. Empty messages may be in between.
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

/** Maps an entry to its index in the input list and the number of its layers there. */
type Places = Map<number, { readonly at: number; readonly layers: number }>;

/** A list that its provider takes. */
interface Legal<M> extends Arranged<M> {
  readonly readings: readonly ReadMessage[];
  readonly marks: readonly string[];
  readonly repairs: readonly Repair[];
}

/** The recognised part of a list. */
interface Found {
  readonly places: Places;
  /** Entries covered by notices in the list. */
  readonly covered: ReadonlySet<number>;
  readonly holds: ReadonlySet<Cover>;
  /** Index of the first unknown message in the list. */
  readonly at: number;
  /** First entry that was not looked for. */
  readonly position: number;
}

export class Ledger<M> {
  readonly #codec: Codec<M>;
  readonly #readings: ReadMessages<M>;
  readonly #entries: Entries;
  /** Last shown messages by entry; an unchanged message is the same object. */
  #shown = new Map<number, Shown<M>>();
  readonly #repairs: Repair[] = [];
  #given: readonly Placed<M>[] = [];
  #last: Legal<M> | null = null;

  constructor(codec: Codec<M>, saved?: SavedEntries) {
    this.#codec = codec;
    this.#readings = new ReadMessages(codec);
    this.#entries = new Entries(saved);
  }

  saved(): SavedEntries {
    return this.#entries.saved();
  }

  /** See `Entries.forgotten`. */
  get forgotten(): number {
    return this.#entries.forgotten;
  }

  /** Repairs of messages that are new since the last time: results that moved next to their calls, empty texts. */
  takeRepairs(): readonly Repair[] {
    return this.#repairs.splice(0);
  }

  /** Shows a message with these edits after its earlier ones. A notice in them replaces the entries `covers`. */
  edit(entry: number, edits: readonly Edit[], edited: M | null, covers?: readonly number[]): void {
    this.#entries.edit(entry, edits, edited === null ? null : this.#mark(edited));
    if (covers) this.#entries.cover(this.#entries.known(entry), covers);
  }

  /** See `Entries.remove`. */
  remove(entries: readonly number[]): void {
    this.#entries.remove(entries);
  }

  /** See `Entries.make`. A notice replaces the entries `covers`. */
  insert(before: number | null, made: Made, covers: readonly number[] = []): void {
    const entry = this.#entries.make(before, made, this.#mark(this.#make(made)));
    if (covers.length > 0) this.#entries.cover(entry, covers);
  }

  /**
   * Puts late results of the caller's list next to their calls, matches it with the ledger, adds new messages, and
   * returns the list as shown: with earlier decisions applied, and unchanged messages as the same objects. Linear in
   * the list.
   */
  follow(messages: readonly M[]): Shown<M>[] {
    const given: Placed<M>[] = [];
    const read = (message: M): ReadMessage => this.#readings.read(message);
    // `map` would keep the holes of a sparse list.
    for (const message of messages) given.push({ message, reading: read(message), position: given.length });
    const { list, readings, marks, repairs, moved } = this.#legal(given, read);
    const { places, covered, holds, ...found } = this.#found(marks);
    let { at, position } = found;
    while (position < this.#entries.list.length && this.#isAbsent(this.#entries.list[position], covered))
      position += 1;
    const isRewound = position < this.#entries.list.length;
    if (isRewound && this.#entries.rewind(position, this.#newestGone(readings, places), holds)) {
      places.clear();
      at = 0;
    }
    // Of a new list, everything; a message that was removed whole may be the first.
    const from = at === 0 ? 0 : (list[at]?.position ?? messages.length);
    for (const repair of repairs) if (repair.message >= from) this.#repairs.push(repair);
    for (const late of moved) if (late.at >= at) this.#repairs.push(late.repair);
    for (const entry of this.#entries.see(marks.slice(at), foreignNotice(readings) - at)) {
      places.set(entry.number, { at, layers: 0 });
      at += 1;
    }
    this.#dropAnswered(list, places);
    this.#condense(places);
    return this.#show(list, places);
  }

  /** The list with what is wrong in single messages and with late results mended; remembered for the same list. */
  #legal(given: readonly Placed<M>[], read: (message: M) => ReadMessage): Legal<M> {
    const last = this.#given.length === given.length ? this.#last : null;
    if (
      last &&
      given.every(
        (one, at) => one.message === this.#given[at]?.message && one.reading === this.#given[at].reading,
      )
    )
      return last;
    const { list: sent, repairs } = sendable(given, this.#codec, read);
    const { list, moved } = arranged(sent, this.#codec, read);
    const readings = list.map(({ reading }) => reading);
    this.#given = given;
    this.#last = { list, readings, marks: readings.map(entryMark), repairs, moved };
    return this.#last;
  }

  /** Removes our own answers and fillers before a result: it takes their place, and other calls are answered again. */
  #dropAnswered(list: readonly Placed<M>[], places: Places): void {
    const answers: number[] = [];
    let before: Entry[] = [];
    for (const entry of this.#entries.list) {
      const place = places.get(entry.number);
      if (entry.gone) continue;
      if (!place && entry.made && this.#entries.coversOf(entry).length === 0) {
        before.push(entry);
        continue;
      }
      const isResult = place && list[place.at]?.reading.view.items[0]?.kind === 'result';
      if (isResult && before.some(({ made }) => made?.kind === 'answer' || made?.role === 'assistant'))
        for (const { number } of before) answers.push(number);
      before = [];
    }
    this.#entries.remove(answers);
  }

  /** The entries that a list with these marks holds, up to the first expected entry that is missing. */
  #found(marks: readonly string[]): Found {
    const places: Places = new Map();
    const covered = new Set<number>();
    const holds = new Set<Cover>();
    let represented: ReadonlySet<number> | null = null;
    let at = 0;
    let position = 0;
    for (; position < this.#entries.list.length && at < marks.length; position += 1) {
      const entry = this.#entries.list[position];
      if (!entry) break;
      if (covered.has(entry.number) && entry.gone && !entry.made) continue;
      const mark = marks[at] ?? '';
      const layers = entry.marks.lastIndexOf(mark);
      if (layers >= 0) {
        // A list that holds a notice was produced by us, so what the notice covers is not in it.
        const cover = this.#entries.coversOf(entry).findLast((one) => one.layers <= layers);
        if (cover) holds.add(cover);
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

  /** Entries covered by current notices. A list without a notice holds the originals, or the notice was reverted. */
  #represented(): Set<number> {
    return new Set(this.#entries.list.flatMap((entry) => (entry.gone ? [] : this.#entries.covered(entry))));
  }

  /** Condenses the entries, unless the list matches an earlier notice: nothing of that is obsolete. */
  #condense(places: Places): void {
    const isEarlier = this.#entries.list.some((entry) => {
      const { number, made, gone, layers } = entry;
      const place = places.get(number);
      if (!place || (!gone && this.#entries.coversOf(entry).length === 0)) return false;
      return gone ? made !== null || place.layers > 0 : place.layers > 0 && place.layers < layers.length;
    });
    if (isEarlier) return;
    this.#entries.condense(({ number }) => places.has(number));
    for (const { number, layers } of this.#entries.list) {
      const place = places.get(number);
      if (place) places.set(number, { at: place.at, layers: Math.min(place.layers, layers.length) });
    }
  }

  /** Of the newest message and the newest user message, those that were removed before the list was rewound to them. */
  #newestGone(readings: readonly ReadMessage[], places: Places): Entry[] {
    const user = readings.findLastIndex(
      ({ view }) =>
        view.role === 'user' && view.items.some(({ kind, callId }) => kind !== 'result' && callId === null),
    );
    const newest = new Set([user, readings.length - 1]);
    return [...places].flatMap(([number, { at }]) => {
      const entry = this.#entries.known(number);
      return entry.gone && !entry.made && newest.has(at) ? [entry] : [];
    });
  }

  /** Whether the entry is missing although the list neither ended before it nor was rewound. */
  #isAbsent(entry: Entry | undefined, covered: ReadonlySet<number>): boolean {
    return entry !== undefined && (entry.made !== null || (entry.gone && covered.has(entry.number)));
  }

  #show(list: readonly Placed<M>[], places: Places): Shown<M>[] {
    const shown: Shown<M>[] = [];
    for (const entry of this.#entries.list) {
      if (entry.gone) continue;
      const place = places.get(entry.number);
      const given = place && list[place.at];
      if (place && given && place.layers >= entry.layers.length) {
        shown.push(this.#asShown(entry, given.reading, given.message, given.position));
        continue;
      }
      const first = given ? given.message : entry.made && this.#make(entry.made);
      const message = entry.layers
        .slice(place?.layers ?? 0)
        .reduce<M | null>(
          (edited, edits) => (edited === null ? null : this.#codec.edit(edited, edits)),
          first,
        );
      if (message === null) continue;
      shown.push(this.#asShown(entry, this.#readings.read(message), message, given?.position ?? null));
    }
    for (const one of shown) if (this.#shown.get(one.entry) !== one) this.#shown.set(one.entry, one);
    // Drop entries that are no longer shown.
    if (this.#shown.size !== shown.length) this.#shown = new Map(shown.map((one) => [one.entry, one]));
    return shown;
  }

  #asShown(entry: Entry, { view, facts }: ReadMessage, message: M, position: number | null): Shown<M> {
    const { number, made, layers: edits } = entry;
    const isNotice = entry.isForeign || this.#entries.coversOf(entry).length > 0;
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

  /** Creates the native message for one of our own. */
  #make(made: Made): M {
    if (made.kind === 'notice') return this.#codec.notice(made.text, made.role);
    const [message] = this.#codec.answer(made.calls, made.text);
    if (typeof message !== 'object' || message === null)
      throw new ReaderError(
        'INTERNAL',
        `The codec \`${this.#codec.name}\` did not return a message to answer a call.`,
        'Report this as a defect.',
      );
    return message;
  }

  #mark(message: M): string {
    return entryMark(this.#readings.read(message));
  }

  /** Numbers of the entries that the newest notice in a message replaces. */
  covers(entry: number): readonly number[] {
    return this.#entries.covered(this.#entries.known(entry));
  }
}

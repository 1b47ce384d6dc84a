// The messages of a ledger, in order, as its events leave them: which edits each has, which are gone, and which notice stands
// for what. A list that was rewound takes notices back with it.

import { ReaderError } from '../../contract/index.ts';
import type { Edit } from '../codecs/message.ts';
import type { LedgerEvent, Made } from './ledger-event.ts';
import { numbersOf, type Run } from './number-ranges.ts';

/** A message that has been seen, or one of ours. */
export interface Entry {
  readonly number: number;
  /** One of ours. */
  readonly made: Made | null;
  /** A notice of another compactor. */
  readonly isForeign: boolean;
  /** How many messages it stands for, as `foldOf` made one mark of theirs; null for a message. */
  readonly fold: number | null;
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
export interface Cover {
  readonly by: Entry;
  /** In the order they came up: one that stands for another comes after it. */
  readonly order: number;
  /** Of the message it stands in, from where on it says so. */
  readonly layers: number;
  /** All of it, with what earlier notices among them stood for. */
  entries: readonly number[];
  /** Taken for this notice, not for an earlier one. */
  own: Entry[];
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

/** Loose events are at most so many before they are written anew. */
const MOST_LOOSE = 64;
/** Superseded notices that stay: a caller who goes back a little finds the one before the newest. */
const MOST_SUPERSEDED = 1;

/** Shown with so many of its layers. */
function shorten({ layers, marks }: Entry, length: number): void {
  layers.length = Math.min(layers.length, length);
  marks.length = Math.min(marks.length, length + 1);
}

/** Entries are made from events alone: the same events give the same entries. */
export class Entries {
  readonly #events: LedgerEvent[] = [];
  #list: Entry[] = [];
  readonly #byNumber = new Map<number, Entry>();
  #next = 0;
  #newest: Cover | null = null;
  /** Notices that ever stood for something. */
  #covers = 0;
  /** Events of which one could tell what all of them do. */
  #loose = 0;
  #forgotten: number;

  constructor(events: readonly LedgerEvent[], forgotten: number = 0) {
    this.#forgotten = forgotten;
    for (const event of events) this.record(event);
  }

  /** In order; another list after a rewind. */
  get list(): readonly Entry[] {
    return this.#list;
  }

  get events(): readonly LedgerEvent[] {
    return this.#events;
  }

  /** Many events tell of what is over: fewer would give the same entries. */
  get isLong(): boolean {
    if (this.#loose > MOST_LOOSE) return true;
    if (this.#covers <= MOST_SUPERSEDED) return false;
    const standing = this.#list.filter(({ gone, covers }) => !gone && covers.length > 0);
    return this.#covers > standing.length + MOST_SUPERSEDED;
  }

  /** How often messages were forgotten of which something had been taken: what a digest holds of them is no longer true. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Adds a decision, and follows it. Gives the number of the entry that a `made` event brings, else -1. */
  record(event: LedgerEvent): number {
    this.#events.push(event);
    if (event.type !== 'edited' && event.type !== 'made') this.#loose += 1;
    switch (event.type) {
      case 'seen': {
        const folds = new Map(event.folds);
        for (const [at, mark] of event.marks.entries())
          this.#list.push(this.#entry(null, mark, event.notice === at, folds.get(at) ?? null));
        return -1;
      }
      case 'unfolded':
        this.#unfold(this.known(event.entry), event.marks);
        return -1;
      case 'rewound':
        this.#rewind(event.position, event.shows ?? [], event.holds ?? []);
        return -1;
      case 'edited': {
        const entry = this.known(event.entry);
        entry.layers.push(event.edits);
        if (event.mark === null) entry.gone = true;
        else entry.marks.push(event.mark);
        if (event.covers) this.#cover(entry, event.covers);
        return -1;
      }
      case 'gone':
        for (const number of event.entries) this.known(number).gone = true;
        return -1;
      case 'made': {
        const entry = this.#entry(event.made, event.mark, false);
        if (event.covers.length > 0) this.#cover(entry, event.covers);
        else if (event.joins) this.#newest?.joined.push(entry);
        const at = event.before === null ? this.#list.length : this.#position(event.before);
        this.#list.splice(at, 0, entry);
        return entry.number;
      }
    }
  }

  #entry(made: Made | null, mark: string, isForeign: boolean, fold: number | null = null): Entry {
    const entry: Entry = {
      number: this.#next,
      made,
      isForeign,
      fold,
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
    this.#covers += 1;
    by.covers.push(cover);
    for (const number of entries) {
      const entry = this.known(number);
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

  /** Messages in the place of a fold: gone as it is, and whoever stands for it stands for each of them. */
  #unfold(fold: Entry, marks: readonly string[]): void {
    const messages = marks.map((mark) => {
      const entry = this.#entry(null, mark, false);
      entry.gone = fold.gone;
      entry.taken.push(...fold.taken.map(({ cover }) => ({ cover, from: null, to: 0 })));
      return entry;
    });
    const numbers = messages.map(({ number }) => number);
    for (const { covers } of this.#byNumber.values())
      for (const cover of covers) {
        if (cover.own.includes(fold))
          cover.own = cover.own.flatMap((entry) => (entry === fold ? messages : [entry]));
        if (cover.entries.includes(fold.number))
          cover.entries = cover.entries.flatMap((number) => (number === fold.number ? numbers : [number]));
      }
    this.#list = this.#list.flatMap((entry) => (entry === fold ? messages : [entry]));
  }

  /** @throws {ReaderError} CORRUPT_FILE for a number that no entry has */
  known(number: number): Entry {
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
    const at = this.#list.indexOf(this.known(number));
    return at < 0 ? this.#list.length : at;
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
    const forgotten = this.#list.slice(position);
    this.#list = this.#list.slice(0, position);
    const untrue = new Set<Cover>();
    for (const { taken, covers } of forgotten) {
      for (const cover of covers) this.#standing(cover, untrue);
      for (const { cover } of taken) this.#standing(cover, untrue);
    }
    for (const number of shows)
      for (const { cover } of this.known(number).taken) this.#standing(cover, untrue);
    const held = new Set(
      holds.flatMap(([number, layers]) =>
        this.known(number).covers.filter((cover) => cover.layers === layers),
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
    this.#list = this.#list.filter((entry) => !undone.has(entry));
    return isBack;
  }

  /** What the notice `entry` stands for, upwards; empty for other entries. */
  covers(entry: number): readonly number[] {
    return this.known(entry).covers.at(-1)?.entries ?? [];
  }
}

// The messages of a ledger, in order, as computed from its events: edits, removals, and what each notice covers.
// Rewinding the list reverts notices too.

import { ReaderError } from '../../contract/index.ts';
import type { Edit } from '../codecs/message.ts';
import type { LedgerEvent, Made } from './ledger-event.ts';
import { numbersOf, type Run } from './number-ranges.ts';

/** A message that was seen, or one of our own. */
export interface Entry {
  readonly number: number;
  /** Set for our own messages. */
  readonly made: Made | null;
  /** A notice written by another compactor. */
  readonly isForeign: boolean;
  /** Number of messages folded into this entry's mark by `foldOf`; null for a single message. */
  readonly fold: number | null;
  readonly layers: (readonly Edit[])[];
  /** Marks of the original message, after each layer. The caller may pass any of these versions. */
  readonly marks: string[];
  gone: boolean;
  /** What it covers, each from a certain layer on; newest last. */
  readonly covers: Cover[];
  /** Which notices cover parts of it; newest last. */
  readonly taken: Taken[];
}

/** What a notice covers. */
export interface Cover {
  readonly by: Entry;
  /** Creation order: a notice that covers another comes after it. */
  readonly order: number;
  /** Number of layers of its message when the notice was added. */
  readonly layers: number;
  /** All covered entries, including those of earlier notices it covers. */
  entries: readonly number[];
  /** Entries removed for this notice, not for an earlier one. */
  own: Entry[];
  /** Our own messages that exist because of it. */
  readonly joined: Entry[];
}

/** One removal of a message, whole or in part. */
interface Taken {
  readonly cover: Cover;
  /** Number of layers before it; null if the whole message was removed. */
  readonly from: number | null;
  readonly to: number;
}

/** Number of superseded events above which the list is rewritten. */
const MOST_LOOSE = 64;
/** Number of superseded notices kept, so that a caller who rewinds a little finds the previous one. */
const MOST_SUPERSEDED = 1;

/** Reduces the entry to its first layers. */
function shorten({ layers, marks }: Entry, length: number): void {
  layers.length = Math.min(layers.length, length);
  marks.length = Math.min(marks.length, length + 1);
}

/** Deterministic: the same events produce the same entries. */
export class Entries {
  readonly #events: LedgerEvent[] = [];
  #list: Entry[] = [];
  readonly #byNumber = new Map<number, Entry>();
  #next = 0;
  #newest: Cover | null = null;
  /** Number of notices that ever covered something. */
  #covers = 0;
  /** Number of events that could be merged with others. */
  #loose = 0;
  #forgotten: number;

  constructor(events: readonly LedgerEvent[], forgotten: number = 0) {
    this.#forgotten = forgotten;
    for (const event of events) this.record(event);
  }

  /** In order. A rewind creates a new list. */
  get list(): readonly Entry[] {
    return this.#list;
  }

  get events(): readonly LedgerEvent[] {
    return this.#events;
  }

  /** Whether enough events are obsolete to rewrite the list. */
  get isLong(): boolean {
    if (this.#loose > MOST_LOOSE) return true;
    if (this.#covers <= MOST_SUPERSEDED) return false;
    const standing = this.#list.filter(({ gone, covers }) => !gone && covers.length > 0);
    return this.#covers > standing.length + MOST_SUPERSEDED;
  }

  /** Number of times a rewind forgot messages of which something was removed; a digest of them is then outdated. */
  get forgotten(): number {
    return this.#forgotten;
  }

  /** Adds an event and applies it. Returns the entry number of a `made` event, otherwise -1. */
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

  /**
   * Makes a notice in `by` cover these entries: those removed now directly, the others through the earlier notice among
   * them.
   */
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

  /** Replaces a fold with its messages: removed like the fold, and covered by the same notices. */
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

  /** @throws {ReaderError} CORRUPT_FILE if no entry has this number */
  known(number: number): Entry {
    const entry = this.#byNumber.get(number);
    if (!entry)
      throw new ReaderError(
        'CORRUPT_FILE',
        `The history state refers to entry ${number}, which does not exist.`,
        'Start without a state: the messages are read again.',
      );
    return entry;
  }

  #position(number: number): number {
    const at = this.#list.indexOf(this.known(number));
    return at < 0 ? this.#list.length : at;
  }

  /**
   * Forgets entries from `position` on. Reverts each notice that covers one of them, or one in `shows`: its messages,
   * and the notice before it, are restored. A notice that the list itself holds stays, because nothing else remains of
   * what it covers.
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

  /** Adds the notice and all notices that cover it. */
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

  /**
   * Reverts notices, newest first, unless they are held or are inside a held one. Returns false if none was reverted.
   */
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

  /** Entries covered by the notice `entry`, ascending; empty for other entries. */
  covers(entry: number): readonly number[] {
    return this.known(entry).covers.at(-1)?.entries ?? [];
  }
}

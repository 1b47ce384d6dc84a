// The messages of a ledger, in order: their edits and removals, and what each notice replaces. As JSON, this is the main
// part of a state.

import { isNotice } from '../archive/placeholder.ts';
import type { Edit, OpenCall } from '../codecs/message.ts';
import { numbersOf, type Run, runsOf } from './number-ranges.ts';

/** A message of our own: a notice, or error results for unanswered calls. */
export type Made =
  | { readonly kind: 'notice'; readonly text: string; readonly role: 'user' | 'assistant' }
  | { readonly kind: 'answer'; readonly calls: readonly OpenCall[]; readonly text: string };

/** A message that was seen, or one of our own. */
export interface Entry {
  /** Unique, in order of appearance. */
  readonly number: number;
  /** Set for our own messages. */
  readonly made: Made | null;
  /** A notice written by another compactor. */
  readonly isForeign: boolean;
  readonly layers: (readonly Edit[])[];
  /** Marks of the original message, after each layer. The caller may pass any of these versions. */
  readonly marks: string[];
  gone: boolean;
}

/** What a notice replaces. */
export interface Cover {
  /** The message of the notice. */
  readonly by: Entry;
  /** Number of layers of that message when the notice was added. */
  readonly layers: number;
  /** Numbers of all replaced entries, including those of earlier notices among them. */
  readonly entries: readonly number[];
  /** Some of the entries that it, or an earlier notice, replaced are no longer known. */
  readonly isPartial: boolean;
}

/** Entries as JSON. Places are indexes in `list`. */
export interface SavedEntries {
  /** A mark, for a message without anything else. */
  readonly list: readonly (string | SavedEntry)[];
  readonly gone: readonly Run[];
  readonly covers: readonly SavedCover[];
}

type SavedEntry = Pick<Entry, 'layers' | 'marks'> & Partial<Pick<Entry, 'made' | 'isForeign'>>;

interface SavedCover {
  readonly by: number;
  readonly layers: number;
  readonly entries: readonly Run[];
  readonly isPartial: boolean;
}

/** Removed messages that no list holds, and superseded notices, above which the entries are condensed. */
const MOST_LOOSE = 64;
/** A caller may still pass the previous output. */
const MOST_SUPERSEDED = 1;

/** Reduces the entry to its first layers. */
function shorten({ layers, marks }: Entry, length: number): void {
  layers.length = Math.min(layers.length, length);
  marks.length = Math.min(marks.length, length + 1);
}

export class Entries {
  #list: Entry[] = [];
  readonly #byNumber = new Map<number, Entry>();
  /** In the order they were written. */
  #covers: Cover[] = [];
  #next = 0;
  #forgotten = 0;

  constructor(saved?: SavedEntries) {
    for (const one of saved?.list ?? [])
      this.#list.push(typeof one === 'string' ? this.#entry(one) : this.#entry('', structuredClone(one)));
    // The numbers are the places.
    const known = (runs: readonly Run[]): readonly number[] => numbersOf(runs, this.#next);
    this.remove(known(saved?.gone ?? []));
    for (const { by, entries, ...cover } of saved?.covers ?? [])
      this.#covers.push({ ...cover, by: this.known(by), entries: known(entries) });
  }

  saved(): SavedEntries {
    const places = new Map(this.#list.map(({ number }, place) => [number, place]));
    const runs = (numbers: readonly number[]): Run[] =>
      runsOf(numbers.flatMap((number) => places.get(number) ?? []));
    return {
      list: this.#list.map(({ made, isForeign, layers, marks }) => {
        const [mark = ''] = marks;
        if (made === null && !isForeign && layers.length === 0) return mark;
        return {
          layers: [...layers],
          marks: [...marks],
          ...(made && { made }),
          ...(isForeign && { isForeign }),
        };
      }),
      gone: runs(this.#list.flatMap(({ gone, number }) => (gone ? [number] : []))),
      covers: this.#covers.flatMap(({ by, entries, ...cover }) => {
        const place = places.get(by.number);
        return place === undefined ? [] : [{ ...cover, by: place, entries: runs(entries) }];
      }),
    };
  }

  /** In order. A rewind creates a new list. */
  get list(): readonly Entry[] {
    return this.#list;
  }

  /** Number of times a rewind forgot messages of which something was removed; a digest of them is then outdated. */
  get forgotten(): number {
    return this.#forgotten;
  }

  #entry(mark: string, facts: Partial<Entry> = {}): Entry {
    const entry: Entry = {
      made: null,
      isForeign: false,
      layers: [],
      marks: [mark],
      gone: false,
      ...facts,
      number: this.#next,
    };
    this.#byNumber.set(this.#next, entry);
    this.#next += 1;
    return entry;
  }

  known(number: number): Entry {
    const entry = this.#byNumber.get(number);
    if (!entry) throw new RangeError(`There is no entry ${number}.`);
    return entry;
  }

  /** The notices in a message, oldest first. */
  coversOf(entry: Entry): readonly Cover[] {
    return this.#covers.filter(({ by }) => by === entry);
  }

  /** Numbers of the entries that the newest notice in a message replaces. */
  covered(entry: Entry): readonly number[] {
    return this.#covers.findLast(({ by }) => by === entry)?.entries ?? [];
  }

  /** Adds messages seen for the first time; `notice` is the index of a notice by another compactor. */
  see(marks: readonly string[], notice: number): readonly Entry[] {
    const seen = marks.map((mark, at) => this.#entry(mark, { isForeign: at === notice }));
    for (const entry of seen) this.#list.push(entry);
    return seen;
  }

  /** Shows a message with these edits after its earlier ones; `mark` is null if nothing is left of it. */
  edit(number: number, edits: readonly Edit[], mark: string | null): void {
    const entry = this.known(number);
    entry.layers.push(edits);
    if (mark === null) entry.gone = true;
    else entry.marks.push(mark);
  }

  remove(numbers: readonly number[]): void {
    for (const number of numbers) this.known(number).gone = true;
  }

  /** Adds a message of ours before the entry `before`, or at the end if null. */
  make(before: number | null, made: Made, mark: string): Entry {
    const entry = this.#entry(mark, { made });
    const at = before === null ? -1 : this.#list.indexOf(this.known(before));
    this.#list.splice(at < 0 ? this.#list.length : at, 0, entry);
    return entry;
  }

  /** Makes a notice in `by` replace these entries. */
  cover(by: Entry, entries: readonly number[]): void {
    const isPartial = this.#covers.some((cover) => cover.isPartial);
    this.#covers.push({ by, layers: by.layers.length, entries, isPartial });
  }

  /**
   * Forgets entries from `position` on. Forgets all, and returns true, if a notice that the list does not hold replaces
   * one of them, or one in `shows`: the list is then read again, as it is.
   */
  rewind(position: number, shows: readonly Entry[], held: ReadonlySet<Cover>): boolean {
    const forgotten = this.#list.slice(position);
    const lost = new Set([...forgotten, ...shows].map(({ number }) => number));
    const isUntrue = this.#covers.some(
      (cover) =>
        !cover.by.gone &&
        !held.has(cover) &&
        (cover.isPartial || cover.entries.some((number) => lost.has(number))),
    );
    const isTaken = ({ made, gone, layers }: Entry): boolean => made === null && (gone || layers.length > 0);
    if (isUntrue || forgotten.some(isTaken)) this.#forgotten += 1;
    this.#list = isUntrue ? [] : this.#list.slice(0, position);
    if (isUntrue) this.#covers = [];
    return isUntrue;
  }

  /**
   * Drops what a list no longer needs, if it is much: superseded notices, and removed messages that it does not
   * hold. This bounds the entries by the size of the list instead of the number of compactions.
   */
  condense(isHeld: (entry: Entry) => boolean): void {
    const isLoose = (entry: Entry): boolean => entry.gone && !isHeld(entry);
    const standing = this.#covers.filter((one) => !one.by.gone && this.coversOf(one.by).at(-1) === one);
    const loose = this.#list.reduce((sum, entry) => sum + (isLoose(entry) && !entry.made ? 1 : 0), 0);
    if (this.#covers.length <= standing.length + MOST_SUPERSEDED && loose <= MOST_LOOSE) return;
    this.#list = this.#list.filter((entry) => !isLoose(entry) || (loose <= MOST_LOOSE && !entry.made));
    for (const entry of this.#list) if (entry.gone) shorten(entry, 0);
    const kept = new Set(this.#list);
    this.#covers = standing.map(({ by, entries, layers, isPartial }) => {
      const left = entries.filter((number) => kept.has(this.known(number)));
      return {
        by,
        layers: merged(by, layers),
        entries: left,
        isPartial: isPartial || left.length < entries.length,
      };
    });
    this.#byNumber.clear();
    for (const entry of this.#list) this.#byNumber.set(entry.number, entry);
  }
}

/** Merges the notice in layer `layers` of a caller's message with the one it replaced; returns the number of its layer. */
function merged(entry: Entry, layers: number): number {
  const at = layers - 1;
  const one = entry.made ? null : replacedNotice(entry.layers[at - 1] ?? [], entry.layers[at] ?? []);
  if (!one) return layers;
  entry.layers.splice(at - 1, 2, one);
  entry.marks.splice(at, 1);
  return merged(entry, at);
}

/** Edits equivalent to a notice followed by its replacement; null if they cannot be merged. */
function replacedNotice(first: readonly Edit[], next: readonly Edit[]): readonly Edit[] | null {
  const [edit] = next;
  if (next.length !== 1 || edit?.op !== 'text' || !isNotice(edit.text)) return null;
  const at = first.findIndex(
    (one) =>
      (one.op === 'append' && isNotice(one.text)) ||
      (one.op === 'text' && one.item === edit.item && isNotice(one.text)),
  );
  const old = first[at];
  if (old?.op !== 'append' && old?.op !== 'text') return null;
  return first.with(at, { ...old, text: edit.text });
}

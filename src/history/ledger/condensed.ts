// Rewrites the events of a ledger as a shorter, equivalent list: superseded notices are omitted, and removed messages
// that the caller's list no longer holds are folded. This bounds the ledger by the size of the list instead of the
// number of compactions.

import { isNotice } from '../archive/placeholder.ts';
import type { Edit } from '../codecs/message.ts';
import type { Cover, Entry } from './entries.ts';
import { type Fold, foldOf, joined } from './fold.ts';
import type { LedgerEvent } from './ledger-event.ts';
import { runsOf } from './number-ranges.ts';

export interface Condensed {
  readonly events: readonly LedgerEvent[];
  /** Maps old entry numbers to new ones; folded entries are not included. */
  readonly numbers: ReadonlyMap<number, number>;
}

/** A remaining entry, or a run of folded ones. */
interface Row {
  readonly entry: Entry;
  readonly fold: Fold | null;
  /** Old entry numbers. */
  readonly folded: number[];
  /** The notice that covers the folded messages. */
  readonly owner: Cover | null;
}

/** `isHeld`: whether the caller's list holds the entry. */
export function condensed(list: readonly Entry[], isHeld: (entry: Entry) => boolean): Condensed {
  return new Condensing(rowsOf(list, isHeld)).run();
}

/** The shown notice that covers what `taken` lists of the entry; null if there is none. */
function ownerOf({ taken }: Entry): Cover | null {
  let cover = taken.at(-1)?.cover ?? null;
  while (cover?.by.gone) cover = cover.by.taken.at(-1)?.cover ?? null;
  return cover?.by.covers.at(-1) ?? null;
}

function rowsOf(list: readonly Entry[], isHeld: (entry: Entry) => boolean): Row[] {
  const rows: Row[] = [];
  for (const entry of list) {
    if (!entry.gone || isHeld(entry)) {
      rows.push({ entry, fold: null, folded: [], owner: null });
      continue;
    }
    if (entry.made) continue;
    const [mark = ''] = entry.marks;
    const fold = entry.fold === null ? foldOf(mark) : { mark, count: entry.fold };
    const owner = ownerOf(entry);
    const last = rows.at(-1);
    const isSame = last?.fold && (last.owner === owner || last.owner === null || owner === null);
    if (last?.fold && isSame)
      rows[rows.length - 1] = {
        entry: last.entry,
        fold: joined(last.fold, fold),
        folded: [...last.folded.splice(0), entry.number],
        owner: last.owner ?? owner,
      };
    else rows.push({ entry, fold, folded: [entry.number], owner });
  }
  return rows;
}

class Condensing {
  readonly #rows: readonly Row[];
  readonly #numbers = new Map<number, number>();
  /** Maps the old number of each folded message to its fold. */
  readonly #folds = new Map<number, number>();
  readonly #events: LedgerEvent[] = [];
  #next = 0;

  constructor(rows: readonly Row[]) {
    this.#rows = rows;
  }

  run(): Condensed {
    this.#seen();
    const layers = new Map<Entry, readonly Layer[]>();
    for (const { entry, fold } of this.#rows) if (!fold) layers.set(entry, layersOf(entry));
    for (const [entry, own] of layers)
      if (!entry.made) for (const layer of own.slice(0, hosted(own))) this.#edited(entry, layer);
    const gone = this.#rows.flatMap(({ entry, fold, folded }) => {
      if (!entry.gone) return [];
      return (fold ? this.#folds.get(folded[0] ?? -1) : this.#numbers.get(entry.number)) ?? [];
    });
    if (gone.length > 0) this.#events.push({ type: 'gone', entries: gone });
    for (const [entry, own] of layers)
      if (!entry.made) for (const layer of own.slice(hosted(own))) this.#edited(entry, layer);
    this.#made(layers);
    return { events: this.#events, numbers: this.#numbers };
  }

  /** Emits `seen` events for all messages, in order, with at most one foreign notice per event. */
  #seen(): void {
    let marks: string[] = [];
    let folds: [number, number][] = [];
    let notice = -1;
    const flush = (): void => {
      if (marks.length === 0) return;
      this.#events.push({
        type: 'seen',
        marks,
        ...(notice >= 0 && { notice }),
        ...(folds.length > 0 && { folds }),
      });
      marks = [];
      folds = [];
      notice = -1;
    };
    for (const { entry, fold, folded } of this.#rows) {
      if (entry.made) continue;
      if (entry.isForeign) {
        if (notice >= 0) flush();
        notice = marks.length;
      }
      const count = fold?.count ?? entry.fold;
      if (count !== null) folds.push([marks.length, count]);
      marks.push(fold?.mark ?? entry.marks[0] ?? '');
      if (fold) for (const number of folded) this.#folds.set(number, this.#next);
      else this.#numbers.set(entry.number, this.#next);
      this.#next += 1;
    }
    flush();
  }

  #edited(entry: Entry, { edits, mark, cover }: Layer): void {
    this.#events.push({
      type: 'edited',
      entry: this.#numbers.get(entry.number) ?? 0,
      edits,
      mark,
      ...(cover && { covers: this.#covers(cover) }),
    });
  }

  #covers({ entries }: Cover): ReturnType<typeof runsOf> {
    return runsOf(entries.flatMap((number) => this.#numbers.get(number) ?? this.#folds.get(number) ?? []));
  }

  /** Emits our own messages in order, each before the caller's message that follows it. */
  #made(layers: ReadonlyMap<Entry, readonly Layer[]>): void {
    const joins = new Set<Entry>();
    for (const [entry] of layers) for (const one of entry.covers.at(-1)?.joined ?? []) joins.add(one);
    let waiting: Entry[] = [];
    const place = (before: number | null): void => {
      for (const entry of waiting) {
        const { made, covers } = entry;
        const [own] = entry.marks;
        if (!made) continue;
        const number = this.#next;
        this.#numbers.set(entry.number, number);
        this.#next += 1;
        const cover = covers.at(-1);
        this.#events.push({
          type: 'made',
          before,
          made,
          mark: own ?? '',
          covers: cover ? this.#covers(cover) : [],
          ...(joins.has(entry) && { joins: true as const }),
        });
        for (const layer of layers.get(entry) ?? []) this.#edited(entry, { ...layer, cover: null });
      }
      waiting = [];
    };
    for (const { entry, fold, folded } of this.#rows) {
      if (entry.made) waiting.push(entry);
      else place((fold ? this.#folds.get(folded[0] ?? -1) : this.#numbers.get(entry.number)) ?? null);
    }
    place(null);
  }
}

/** One change to a message. */
interface Layer {
  readonly edits: readonly Edit[];
  readonly mark: string | null;
  /** The notice it adds, if that is the newest one in the message. */
  readonly cover: Cover | null;
}

/** Index of the first layer that must wait until everything its notice covers is gone. */
function hosted(layers: readonly Layer[]): number {
  const at = layers.findIndex(({ cover }) => cover !== null);
  return at < 0 ? layers.length : at;
}

/**
 * The layers of a message. A notice that replaced another is merged with it. A removed message needs no layers, because
 * it is restored unchanged.
 */
function layersOf({ layers, marks, covers, made, gone }: Entry): Layer[] {
  const all: Layer[] = [];
  if (gone) return all;
  const newest = made ? undefined : covers.at(-1);
  for (const [at, edits] of layers.entries()) {
    const mark = marks[at + 1] ?? null;
    const cover = newest?.layers === at + 1 ? newest : null;
    const before = all.at(-1);
    const one = before && cover && replacedNotice(before.edits, edits);
    if (one) all[all.length - 1] = { edits: one, mark, cover };
    else all.push({ edits, mark, cover });
  }
  return all;
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

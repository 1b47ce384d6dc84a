// One version of a list as shown: its messages with their edits, our own among them, and what the notice speaks for. Says
// how much of another list is the same. As JSON, this is the main part of a state.

import { hash } from 'node:crypto';
import { isNotice } from '../archive/placeholder.ts';
import type { Edit, OpenCall } from '../codecs/message.ts';

/** A message of our own: a notice or filler, or error results for unanswered calls. */
export type Made =
  | { readonly kind: 'notice'; readonly text: string; readonly role: 'user' | 'assistant' }
  | { readonly kind: 'answer'; readonly calls: readonly OpenCall[]; readonly text: string };

/** A message as shown. */
export interface Entry {
  /** Set for our own messages. */
  readonly made: Made | null;
  /** Index in the caller's own list; null for our own. */
  readonly from: number | null;
  readonly layers: readonly (readonly Edit[])[];
  /** Marks of the message as it came, and after each layer. A list may hold any of these versions. */
  readonly marks: readonly string[];
  /** The number of layers with which it holds the newest notice; null if it holds none. */
  readonly notice: number | null;
}

/** The caller's messages that the notice speaks for: how many, and a fingerprint of them. */
export interface Cut {
  readonly count: number;
  readonly mark: string;
}

export interface Version {
  readonly entries: readonly Entry[];
  readonly cut: Cut;
}

/** Of an entry that a list holds: the index there, and its layers there. */
export interface Place {
  readonly at: number;
  readonly layer: number;
}

/** What of a version is in a list. */
export interface Found {
  /** Of the first entries; null for a message of our own that the list does not hold. */
  readonly places: readonly (Place | null)[];
  /** Index in the list of the first message behind them. */
  readonly at: number;
  /** The version with these entries only. */
  readonly version: Version;
  /** All of the version is in the list. */
  readonly isWhole: boolean;
  /** Its notice is in the list, or what that speaks for, or it has none. */
  readonly isTrue: boolean;
}

interface SavedEntry {
  readonly marks: readonly string[];
  readonly layers?: readonly (readonly Edit[])[];
  readonly made?: Made;
  readonly notice?: number;
}

/** A mark for an unedited message, and a number for messages that are left out there. */
export interface SavedVersion {
  readonly cut: Cut;
  readonly list: readonly (string | number | SavedEntry)[];
}

/** The caller's own list. */
export const EMPTY: Version = { entries: [], cut: { count: 0, mark: '' } };

const HEX_DIGITS = 32;

/** The fingerprint of messages that continue those with the fingerprint `mark`. */
export function continued(mark: string, marks: readonly string[]): string {
  return marks.reduce((all, one) => hash('sha256', all + one, 'hex').slice(0, HEX_DIGITS), mark);
}

/** Index in the caller's list of the first message behind those of a version. */
export function endOf({ entries, cut }: Version): number {
  return Math.max(cut.count, (entries.findLast(({ from }) => from !== null)?.from ?? -1) + 1);
}

/** Whether the entry holds a notice that this compactor wrote. */
export const isOurs = ({ made, notice }: Entry): boolean => notice !== null && (made !== null || notice > 0);

/** How many layers the message with `mark` has; -1 if it is another, or does not hold the notice as `isOwn` says. */
function layerOf({ marks, notice }: Entry, mark: string | undefined, isOwn: boolean): number {
  const layer = mark === undefined ? -1 : marks.lastIndexOf(mark);
  return layer < 0 || !notice || layer >= notice === isOwn ? layer : -1;
}

/** What of a version's output is in a list. */
function own({ entries }: Version, marks: readonly string[]): readonly Place[] {
  const places: Place[] = [];
  for (const [at, entry] of entries.entries()) {
    const layer = layerOf(entry, marks[at], true);
    if (layer < 0) break;
    places.push({ at, layer });
  }
  return places;
}

/** What of a version is in a list that begins as the output of `form`, and continues with the caller's messages. */
export function found(version: Version, form: Version, marks: readonly string[]): Found {
  const { entries, cut } = version;
  const whole = own(form, marks);
  if (form === version) {
    const isWhole = whole.length === entries.length;
    const left = isWhole ? version : rewound(version, whole.length);
    const isTrue = entries.findIndex(isOurs) < whole.length;
    return { places: whole, at: whole.length, version: left, isWhole, isTrue };
  }
  if (whole.length < form.entries.length)
    return { places: [], at: 0, version: EMPTY, isWhole: false, isTrue: false };
  const end = endOf(form);
  const indexes = new Map(form.entries.map(({ from }, at) => [from, at]));
  const indexOf = (from: number): number =>
    from < end ? (indexes.get(from) ?? -1) : whole.length + from - end;
  const isVerified = holdsCut(cut, form, marks.slice(whole.length));
  const places: (Place | null)[] = [];
  let at = 0;
  for (const entry of entries) {
    if (!isVerified && isOurs(entry)) break;
    if (entry.from === null) {
      places.push(null);
      continue;
    }
    const index = indexOf(entry.from);
    if (isVerified) at = index;
    const layer = index === at ? layerOf(entry, marks[at], false) : -1;
    if (layer < 0) break;
    places.push({ at, layer });
    at += 1;
  }
  const isAll = places.length === entries.length;
  if (isVerified && isAll) at = indexOf(endOf(version));
  return {
    places,
    at,
    version: { entries: entries.slice(0, places.length), cut: isVerified ? cut : EMPTY.cut },
    isWhole: isVerified && isAll,
    isTrue: isVerified || !entries.some(isOurs),
  };
}

/** The messages with which each cut was seen last: comparing them is faster than their fingerprint. */
const seen = new WeakMap<Cut, { readonly since: Cut; readonly marks: readonly string[] }>();

/** Whether the caller's messages up to the cut are those of `form` and `later` ones. */
function holdsCut(cut: Cut, form: Version, later: readonly string[]): boolean {
  const since = form.cut;
  const past = form.entries.flatMap(({ from, marks: [mark] }) =>
    from !== null && from >= since.count ? [mark ?? ''] : [],
  );
  const count = cut.count - since.count;
  const marks = [...past, ...later].slice(0, Math.max(0, count));
  if (count !== marks.length) return false;
  const last = seen.get(cut);
  if (last?.since === since && marks.every((mark, at) => mark === last.marks[at])) return true;
  const isHeld = continued(since.mark, marks) === cut.mark;
  if (isHeld) seen.set(cut, { since, marks });
  return isHeld;
}

/** The version without the unedited messages at its end: a list tells them as well. */
export function trimmed({ entries, cut }: Version): Version {
  const isDecided = ({ made, layers, notice }: Entry): boolean =>
    made !== null || layers.length > 0 || notice !== null;
  const last = entries.findLastIndex((entry) => isDecided(entry) || (entry.from ?? 0) < cut.count);
  return { entries: entries.slice(0, last + 1), cut };
}

/** The first entries of a version, whose output was rewound to them. */
function rewound({ entries, cut }: Version, length: number): Version {
  const left = entries.slice(0, length);
  const gone = entries.slice(length).find(({ from }) => from !== null);
  if (gone === undefined || (gone.from ?? 0) >= cut.count) return { entries: left, cut };
  let count = 0;
  let isWhole = true;
  const numbered = left.map((entry) => {
    if (entry.from === null) return entry;
    isWhole &&= entry.from === count;
    return { ...entry, from: count++ };
  });
  if (isWhole && !left.some(isOurs)) return { entries: left, cut: EMPTY.cut };
  // The caller's own list is no longer known.
  return {
    entries: numbered,
    cut: {
      count,
      mark: `?${continued(
        '',
        left.flatMap(({ marks }) => marks),
      )}`,
    },
  };
}

/** A message with several notices as one with the newest only. */
export function withoutOld(entry: Entry): Entry {
  const at = (entry.notice ?? 0) - 1;
  const one = entry.made ? null : replacedNotice(entry.layers[at - 1] ?? [], entry.layers[at] ?? []);
  if (!one) return entry;
  return withoutOld({
    ...entry,
    layers: entry.layers.toSpliced(at - 1, 2, one),
    marks: entry.marks.toSpliced(at, 1),
    notice: at,
  });
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

export function savedVersion({ entries, cut }: Version): SavedVersion {
  let next = 0;
  const list = entries.flatMap(({ made, from, layers, marks, notice }): (string | number | SavedEntry)[] => {
    const gap = from === null || from === next ? [] : [from - next];
    if (from !== null) next = from + 1;
    if (made === null && notice === null && layers.length === 0) return [...gap, marks[0] ?? ''];
    return [
      ...gap,
      {
        marks,
        ...(layers.length > 0 && { layers }),
        ...(made && { made }),
        ...(notice !== null && { notice }),
      },
    ];
  });
  return { cut, list };
}

export function versionOf({ cut, list }: SavedVersion): Version {
  let next = 0;
  const entries = structuredClone(list).flatMap((one): Entry[] => {
    if (typeof one === 'number') {
      next += one;
      return [];
    }
    const {
      marks,
      made = null,
      layers = [],
      notice = null,
    } = typeof one === 'string' ? { marks: [one] } : one;
    return [{ made, from: made ? null : next++, layers, marks, notice }];
  });
  return { entries, cut };
}

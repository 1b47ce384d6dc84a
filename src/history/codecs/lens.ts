// The lens through which every format is read and edited: a message is a list of slots, each with what a part of it is
// and where and how a change of that part is written. One engine applies edits for all formats: it copies only what it
// changes, so untouched messages and parts stay the same objects.

import type { Codec, CodecName, ProviderRules } from './codec.ts';
import { mediaInside } from './media-facts.ts';
import { type Edit, type Item, item, type OpenCall, type Role } from './message.ts';
import { guarded, jsonValue, listOf, type Native, nativeOf, weightOf } from './native.ts';

/** The combined effect of a list's edits on one item; `removed` overrides all others, null leaves as it is. */
export interface Change {
  readonly removed: boolean;
  readonly text: string | null;
  readonly args: Native | null;
  /** Replaces a media item. */
  readonly media: string | null;
  readonly callId: string | null;
}

/** Field names and indexes from a message, or a part, to a value in it. */
export type Path = readonly (string | number)[];

/** The change of a slot's item, by its index in the slot. */
export type ChangeAt = (index: number) => Change | undefined;

/** What a write returns, and what a place is set to, to remove it. */
export const GONE: unique symbol = Symbol('gone');

/** A place of a part in its message; an empty path for the message itself, which is then removed as a whole. */
export interface Place {
  readonly at: Path;
  /** The value with the changes of the slot; absent if it can only be removed. */
  readonly write?: (value: unknown, change: ChangeAt) => unknown;
  /** What is left of the value if the first item is removed; absent to remove it. */
  readonly gone?: (value: unknown) => unknown;
}

/** A part of a message: what it is, and its places, more than one if the format holds it several times. */
export interface Slot {
  /** More than one for a result with media in it. */
  readonly items: readonly Item[];
  readonly places: readonly Place[];
}

/** A message as a format reads it. */
export interface Reading {
  readonly role: Role;
  readonly slots: readonly Slot[];
  /** The object that holds the paths of the slots; absent for the message itself. */
  readonly fields?: Native;
  /** The message with other values of `fields`; an undefined value removes its field. */
  readonly rebuild?: (patch: Native) => unknown;
}

/** A message format. All functions may throw: the message is then opaque, or stays as it is. */
export interface Format {
  readonly name: CodecName;
  readonly rules: ProviderRules;
  readonly detect: (messages: readonly unknown[]) => boolean;
  /** Null for a message that is not of the format. */
  readonly read: (message: Native) => Reading | null;
  /** The field with the parts of a message. */
  readonly list: 'content' | 'parts';
  /** A text as a part; absent if the content is always one text. */
  readonly part?: (text: string, role: Role) => unknown;
  readonly notice: (text: string, role: 'user' | 'assistant') => unknown;
  /** An error result for a call: a part if results are together in one message, otherwise a message. */
  readonly answer: (call: OpenCall, text: string) => unknown;
  /** The message of results, for a format with results together. */
  readonly results?: { readonly role: string; readonly isResult: (part: unknown) => boolean };
  /** Fields that no model reads. */
  readonly unread?: readonly string[];
  /** Last corrections of a changed message. */
  readonly tidy?: (patch: Record<string, unknown>, fields: Native, role: Role) => void;
  readonly encode?: (message: unknown) => unknown;
}

/** Where a part keeps what can be changed. */
export interface Writes {
  readonly text?: Path;
  /** Written as JSON text if they were text. */
  readonly args?: Path;
  readonly id?: Path;
  /** A text in place of media. */
  readonly media?: (text: string, part: unknown) => unknown;
}

/** `value` with `next` at `path`. */
export function withAt(value: unknown, path: Path, next: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return next;
  return { ...nativeOf(value), [name]: withAt(nativeOf(value)?.[name], rest, next) };
}

export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, name) => nativeOf(inner)?.[name], value);
}

/** How changes are written to the fields of a part. */
export function writing({ text, args, id, media }: Writes): NonNullable<Place['write']> {
  return (value, changes) => {
    const change = changes(0);
    if (!change) return value;
    if (media && change.media !== null) return media(change.media, value);
    let next = value;
    if (text && change.text !== null) next = withAt(next, text, change.text);
    if (args && change.args) {
      const isText = typeof valueAt(value, args) === 'string';
      next = withAt(next, args, isText ? JSON.stringify(change.args) : change.args);
    }
    return id && change.callId !== null ? withAt(next, id, change.callId) : next;
  };
}

/** A part with one item at one place; without `writes`, it can only be removed. */
export function slot(at: Path, own: Item, writes?: Writes): Slot {
  return { items: [own], places: [writes ? { at, write: writing(writes) } : { at }] };
}

/** A part or message that is not understood, weighed without the fields in `unread`; 0 if it cannot be weighed. */
export function opaqueSlot(at: Path, value: unknown, unread: readonly string[] = [], sealed = false): Slot {
  return slot(at, item('opaque', { sealed, weight: guarded(() => weightOf(value, unread), 0) }));
}

/** A part of a tool that the provider runs: it is never changed, and stays or goes with all parts that share a link. */
export function hostedSlot(
  at: Path,
  value: unknown,
  links: readonly (string | null)[] = [],
  unread: readonly string[] = [],
  isSigned = false,
): Slot {
  const { media, isSealed } = mediaInside(value, unread);
  const facts = { links: links.filter((link) => link !== null), sealed: isSigned || isSealed };
  const own = item('opaque', { ...facts, weight: weightOf(value, unread) });
  return {
    items: [own, ...media.map((each) => item('opaque', { ...facts, media: each }))],
    places: [{ at }],
  };
}

/** The slots of a list's entries; an entry that cannot be read is opaque. */
export function slotsIn(
  at: Path,
  list: readonly unknown[],
  read: (entry: unknown, at: Path) => Slot | null,
  unread: readonly string[] = [],
): readonly Slot[] {
  const slots: Slot[] = [];
  // A loop, because every part of every message passes here.
  for (const [index, entry] of list.entries()) {
    const own = [...at, index];
    slots.push(guarded(() => read(entry, own), null) ?? opaqueSlot(own, entry, unread));
  }
  return slots;
}

const UNCHANGED: Change = { removed: false, text: null, args: null, media: null, callId: null };
const WITH_TEXT: ReadonlySet<Item['kind']> = new Set(['system', 'user', 'text', 'result']);

/**
 * The edits of one list by item. Ignores edits that name no item, do not fit its kind, change a sealed item other than
 * by removing it or its id, or set the text it already has. A removed result takes the media after it along. A text that
 * becomes empty is removed where the provider refuses empty ones.
 */
function changesOf(
  items: readonly Item[],
  edits: readonly Edit[],
  { mayBeEmpty }: ProviderRules,
): ReadonlyMap<number, Change> {
  const changes = new Map<number, Change>();
  const change = (index: number, what: Partial<Change>): void => {
    changes.set(index, { ...(changes.get(index) ?? UNCHANGED), ...what });
  };
  for (const edit of edits) {
    const target = 'item' in edit ? items[edit.item] : undefined;
    if (!target || !('item' in edit)) continue;
    const { kind, sealed } = target;
    if (edit.op === 'remove') change(edit.item, { removed: true });
    else if (edit.op === 'id') change(edit.item, { callId: edit.callId });
    else if (sealed) continue;
    else if (edit.op === 'args') {
      if (kind === 'call') change(edit.item, { args: edit.args });
    } else if (edit.op === 'media') {
      if (kind === 'media') change(edit.item, edit.text === '' ? { removed: true } : { media: edit.text });
    } else if (WITH_TEXT.has(kind) && (target.text !== edit.text || target.isBlank)) {
      const isGone = edit.text === '' && kind !== 'result' && !mayBeEmpty;
      change(edit.item, isGone ? { removed: true } : { text: edit.text });
    }
  }
  // Two results may have the same id: media belongs to the result before it.
  const last = new Map<string, number>();
  items.forEach(({ kind, callId }, index) => {
    if (callId === null) return;
    if (kind === 'result') last.set(callId, index);
    else if (kind === 'media' && changes.get(last.get(callId) ?? -1)?.removed)
      change(index, { removed: true });
  });
  return changes;
}

/** Changed fields of a message. Removed entries of a list leave a hole until the end, so that paths stay valid. */
class Copy {
  readonly patch: Record<string, unknown> = {};
  isGone = false;
  readonly #fields: Native;
  readonly #own = new Set<object>();

  constructor(fields: Native) {
    this.#fields = fields;
  }

  field(name: string): unknown {
    return name in this.patch ? this.patch[name] : this.#fields[name];
  }

  write([name, ...rest]: Path, write: (value: unknown) => unknown): void {
    if (name === undefined) this.isGone ||= write(this.#fields) === GONE;
    else this.patch[name] = this.#written(this.field(String(name)), rest, write);
  }

  #written(value: unknown, [name, ...rest]: Path, write: (value: unknown) => unknown): unknown {
    if (value === GONE || name === undefined) return value === GONE ? GONE : write(value);
    if (typeof value !== 'object' || value === null) return value;
    const before: unknown = Reflect.get(value, name);
    const after = this.#written(before, rest, write);
    if (after === before) return value;
    const copy: object = this.#own.has(value) ? value : Array.isArray(value) ? value.slice() : { ...value };
    this.#own.add(copy);
    Reflect.set(copy, name, after);
    return copy;
  }

  /** Closes the holes; without the fields that did not change. */
  finish(): void {
    for (const own of this.#own) {
      if (Array.isArray(own)) {
        let end = 0;
        for (const entry of own) if (entry !== GONE) own[end++] = entry;
        own.length = end;
      } else
        for (const name of Object.keys(own))
          if (Reflect.get(own, name) === GONE) Reflect.deleteProperty(own, name);
    }
    for (const [name, value] of Object.entries(this.patch)) {
      if (value === GONE) this.patch[name] = undefined;
      if (value === this.#fields[name]) delete this.patch[name];
    }
  }
}

/** `message` with `patch` applied; undefined values remove their fields. */
export function patched(message: Native | null, patch: Native): Native {
  const entries = Object.entries({ ...message, ...patch });
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined || !(name in patch)));
}

/** `list` with `answers` among the results in it, in the order of their calls, otherwise at its start. */
function answered(
  list: readonly unknown[],
  isResult: (part: unknown) => boolean,
  answers: readonly { readonly at: number; readonly part: unknown }[],
): readonly unknown[] {
  const waiting = answers.toSorted((a, b) => a.at - b.at);
  const next: unknown[] = [];
  let results = 0;
  let end = 0;
  for (const part of list) {
    if (isResult(part)) {
      const due = waiting.findIndex(({ at }, index) => at > results + index);
      const before = waiting.splice(0, due < 0 ? waiting.length : due);
      for (const answer of before) next.push(answer.part);
      results += before.length + 1;
      end = next.length + 1;
    }
    next.push(part);
  }
  next.splice(end, 0, ...waiting.map(({ part }) => part));
  return next;
}

/** Whether an item makes its message valid: more than reasoning, approval requests, marks and blank text. */
function stands({ kind, callId, weight }: Item, text: string, { mayBeEmpty }: ProviderRules): boolean {
  if (kind === 'reasoning') return false;
  if (kind === 'opaque') return callId === null && weight > 0;
  if (kind === 'text') return (mayBeEmpty ? text : text.trim()) !== '';
  return kind !== 'user' && kind !== 'system' ? true : mayBeEmpty || text.trim() !== '';
}

function edited(format: Format, message: unknown, reading: Reading, edits: readonly Edit[]): unknown {
  const { rules, list } = format;
  const { role, slots } = reading;
  const native = nativeOf(message) ?? {};
  const fields = reading.fields ?? native;
  const items = itemsOf(slots);
  const changes = changesOf(items, edits, rules);
  const value = fields[list];
  const takes = (typeof value === 'string' || Array.isArray(value)) && !slots.some(isWhole);
  const appended = edits.flatMap((edit) =>
    edit.op === 'append' && takes && role === 'user' && edit.text !== '' ? [edit.text] : [],
  );
  const holds = takes && format.results && (role === 'tool' || (role === 'user' && rules.results === 'next'));
  const answers = edits.flatMap((edit) => {
    if (edit.op !== 'answer' || !holds) return [];
    return edit.calls.map((call) => ({ at: call.at ?? 0, part: format.answer(call, edit.text) }));
  });
  if (changes.size === 0 && appended.length === 0 && answers.length === 0) return message;
  const copy = new Copy(fields);
  let from = 0;
  let left = appended.length > 0 || answers.length > 0;
  let shrunk = false;
  for (const { items: own, places } of slots) {
    const first = from;
    from += own.length;
    const change: ChangeAt = (index) => changes.get(first + index);
    own.forEach((each, index) => {
      const { removed = false, text = null } = change(index) ?? {};
      shrunk ||= removed || text === '';
      left ||= !removed && stands(each, text ?? each.text, rules);
    });
    if (!own.some((_, index) => change(index))) continue;
    const isGone = change(0)?.removed === true;
    const kept = (before: unknown): unknown => (own.some((_, at) => change(at)?.removed) ? GONE : before);
    for (const { at, write = kept, gone = () => GONE } of places)
      copy.write(at, (before) => (isGone ? gone(before) : write(before, change)));
  }
  if (copy.isGone || (shrunk && !left)) return null;
  copy.finish();
  if (appended.length > 0 || answers.length > 0) {
    const { part } = format;
    const now = copy.field(list);
    const texts = [...(typeof now === 'string' && now !== '' ? [now] : []), ...appended];
    const parts = part ? [...listOf(now), ...texts.map((text) => part(text, role))] : [];
    copy.patch[list] = part
      ? answered(parts, format.results?.isResult ?? (() => false), answers)
      : texts.join('\n\n');
  }
  if (Object.keys(copy.patch).length === 0) return message;
  format.tidy?.(copy.patch, fields, role);
  return reading.rebuild ? reading.rebuild(copy.patch) : patched(native, copy.patch);
}

function itemsOf(slots: readonly Slot[]): readonly Item[] {
  const [first] = slots;
  if (first && slots.length === 1) return first.items;
  const items: Item[] = [];
  for (const each of slots) for (const own of each.items) items.push(own);
  return items;
}

function isWhole({ places }: Slot): boolean {
  return places.some(({ at }) => at.length === 0);
}

/** One message with the parts of all. */
function joined({ list, part }: Format, messages: readonly unknown[]): unknown {
  const parts = messages.flatMap((message): unknown => {
    const value = nativeOf(message)?.[list];
    return typeof value === 'string' && part ? [part(value, 'user')] : value;
  });
  return { ...nativeOf(messages[0]), [list]: parts };
}

/** The codec of a format. */
export function createCodec(format: Format): Codec {
  const { name, rules, detect, notice, answer, list, results } = format;
  const read = (message: unknown): Reading =>
    guarded(() => {
      const native = nativeOf(message);
      return native && format.read(native);
    }, null) ?? { role: 'user', slots: [opaqueSlot([], message, format.unread)] };
  return {
    name,
    rules,
    detect: (messages) => guarded(() => detect(messages), false),
    view: (message) => {
      const { role, slots } = read(message);
      return { role, items: itemsOf(slots) };
    },
    edit: (message, edits) =>
      edits.length === 0 ? message : guarded(() => edited(format, message, read(message), edits), message),
    notice,
    answer: (calls, text) => {
      const made = calls.map((call) => answer(call, text));
      return results && made.length > 0 ? [{ role: results.role, [list]: made }] : made;
    },
    ...(results && { join: (messages) => joined(format, messages) }),
    encode: format.encode ?? jsonValue,
  };
}

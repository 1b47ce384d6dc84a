// Shared base of OpenAI's three codecs. A message consists of segments; each has some items and writes its own changes
// into a copy of the message. Each format defines its segments in its own file.

import type { Codec } from '../codec.ts';
import { type Item, item, type Role } from '../message.ts';
import {
  type Change,
  type Changes,
  changesOf,
  guarded,
  jsonValue,
  type Native,
  nativeOf,
  weightOf,
} from '../native.ts';

/** A copy of a message being edited. */
export type Draft = Record<string, unknown>;

/** The changes to a segment's items, by index from 0. */
export type ChangeAt = (index: number) => Change | undefined;

/** Some items of a message, and how their changes are written. */
export interface Segment {
  readonly items: readonly Item[];
  /** Called if one of the items changes. Returns false if the message is removed with them. */
  write(draft: Draft, change: ChangeAt): boolean;
}

/** A parsed message. */
export interface Parsed {
  readonly role: Role;
  readonly segments: readonly Segment[];
  /** Adds texts to the end of a user message. */
  readonly append?: (draft: Draft, texts: readonly string[]) => void;
  /** Whether the remaining message is valid; absent if it always is. */
  readonly stands?: (draft: Draft) => boolean;
}

/** A segment with one item that can only be removed, together with the message. */
export function whole(only: Item): Segment {
  return { items: [only], write: (_draft, change) => !change(0)?.removed };
}

/** A message on the assistant's side. */
export function assistant(...segments: readonly Segment[]): Parsed {
  return { role: 'assistant', segments };
}

/** A message on the tools' side. */
export function tool(...segments: readonly Segment[]): Parsed {
  return { role: 'tool', segments };
}

/** An unreadable message. */
export function unread(message: unknown): Parsed {
  return { role: 'user', segments: [whole(item('opaque', { weight: weightOf(message) }))] };
}

/** What a format supplies to make a codec. */
export interface Format extends Pick<Codec, 'name' | 'rules' | 'detect' | 'notice' | 'answer'> {
  /** Null for an unknown message. May throw if reading the message throws. */
  parse(message: Native): Parsed | null;
}

/** Creates the codec of a format. */
export function codecOf({ parse, detect, ...format }: Format): Codec {
  const read = (message: unknown): Parsed =>
    guarded(() => {
      const native = nativeOf(message);
      return native ? parse(native) : null;
    }, null) ?? unread(message);
  return {
    ...format,
    detect: (messages) => guarded(() => detect(messages), false),
    view: (message) => {
      const { role, segments } = read(message);
      return { role, items: segments.flatMap(({ items }) => items) };
    },
    edit: (message, edits) => {
      if (edits.length === 0) return message;
      const parsed = read(message);
      const changes = changesOf(
        parsed.segments.flatMap(({ items }) => items),
        edits,
      );
      if (changes.byItem.size === 0 && (changes.appended.length === 0 || !parsed.append)) return message;
      return guarded(() => edited(nativeOf(message), parsed, changes), message);
    },
    encode: jsonValue,
  };
}

function edited(message: Native | null, parsed: Parsed, changes: Changes): unknown {
  const draft: Draft = { ...message };
  let from = 0;
  let left = parsed.segments.length === 0;
  for (const { items, write } of parsed.segments) {
    const first = from;
    from += items.length;
    const change: ChangeAt = (index) => changes.byItem.get(first + index);
    if (items.some((_, index) => change(index)) && !write(draft, change)) return null;
    if (items.some((_, index) => !change(index)?.removed)) left = true;
  }
  if (changes.appended.length > 0 && parsed.append) {
    parsed.append(draft, changes.appended);
    left = true;
  }
  if (!left || !(parsed.stands?.(draft) ?? true)) return null;
  return isSame(draft, message) ? message : draft;
}

/** Whether an edit had no effect because the format has no place for it. */
export function isSame(draft: Draft, message: Native | null): boolean {
  const names = Object.keys(draft);
  return (
    message !== null &&
    names.length === Object.keys(message).length &&
    names.every((name) => draft[name] === message[name])
  );
}

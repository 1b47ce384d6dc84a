// Edits messages that consist of parts. Each part is read once, into its items and a function that rebuilds it.
// Independent of the format; does not add parts.

import { type Edit, type Item, item, type Role } from './message.ts';
import { type Change, type Changes, changesOf, guarded, nativeOf, weightOf } from './native.ts';

/** A part with its items; `rebuild` is called only if one of them changes, with indexes in `items`. */
export interface PartReading {
  readonly items: readonly Item[];
  /** Returns the changed part, the same object if nothing changes, or null if it is removed. */
  readonly rebuild: (change: (index: number) => Change | undefined) => unknown;
}

/** A message with its parts; `readings[n]` belongs to `parts[n]`. */
export interface MessageReading {
  readonly role: Role;
  readonly parts: readonly unknown[];
  readonly readings: readonly PartReading[];
}

/** The items of all parts, in order. */
export function itemsOf(reading: MessageReading): readonly Item[] {
  return reading.readings.flatMap(({ items }) => items);
}

/** A part that can be removed but not changed. */
export function kept(part: unknown, own: Item): PartReading {
  return { items: [own], rebuild: (change) => (change(0)?.removed ? null : part) };
}

/** An unreadable part, weighed without the fields in `without`; one that cannot be weighed counts 0. */
export function opaquePart(part: unknown, without: readonly string[] = [], sealed = false): PartReading {
  return kept(part, item('opaque', { sealed, weight: guarded(() => weightOf(part, without), 0) }));
}

/** A part with a single text item. An empty text removes the part, because most providers reject empty texts. */
export function textPart(part: unknown, own: Item, withText: (text: string) => unknown): PartReading {
  return {
    items: [own],
    rebuild: (change) => {
      const { removed = false, text = null } = change(0) ?? {};
      if (removed || text === '') return null;
      return text === null ? part : withText(text);
    },
  };
}

/** A part that is a call; null arguments leave it unchanged. */
export function callPart(
  part: unknown,
  own: Item,
  withArgs: (args: Readonly<Record<string, unknown>>) => unknown,
): PartReading {
  return {
    items: [own],
    rebuild: (change) => {
      const { removed = false, args = null } = change(0) ?? {};
      if (removed) return null;
      return args === null ? part : withArgs(args);
    },
  };
}

/** A part that is an image, sound or document. */
export function mediaPart(part: unknown, own: Item, asText: (text: string) => unknown): PartReading {
  return {
    items: [own],
    rebuild: (change) => {
      const { removed = false, media = null } = change(0) ?? {};
      if (removed || media === '') return null;
      return media === null ? part : asText(media);
    },
  };
}

/** An entry inside a result: text, media, or an entry that stays when the text changes. */
export type InnerKind = 'text' | 'media' | 'other';

/**
 * The list inside a result with all its texts replaced by `text` (null: unchanged) and with changes to its media, the
 * first of which is item 1 of the part. `make` creates a text entry in the list's form; `from` is what it replaces.
 */
export function innerEdited(
  list: readonly unknown[],
  kinds: readonly InnerKind[],
  change: (index: number) => Change | undefined,
  make: (text: string, from: readonly unknown[]) => unknown,
): readonly unknown[] {
  const text = change(0)?.text ?? null;
  const said = text
    ? [
        make(
          text,
          list.filter((_, index) => kinds[index] === 'text'),
        ),
      ]
    : [];
  const first = kinds.indexOf('text');
  let media = 0;
  const inner = list.flatMap((entry, index) => {
    if (kinds[index] === 'text') return text === null ? [entry] : index === first ? said : [];
    if (kinds[index] !== 'media') return [entry];
    media += 1;
    const { removed = false, media: instead = null } = change(media) ?? {};
    if (removed || instead === '') return [];
    return [instead === null ? entry : make(instead, [entry])];
  });
  return text !== null && first < 0 ? [...said, ...inner] : inner;
}

/** Parts after the edits of one list, and the edits that remain to be applied. */
export interface PartsEdited {
  readonly parts: readonly unknown[];
  /** A part was replaced or removed. */
  readonly changed: boolean;
  readonly changes: Changes;
}

/** Applies the edits, except appended texts and answers, which depend on the format. */
export function editParts(reading: MessageReading, edits: readonly Edit[]): PartsEdited {
  const changes = changesOf(itemsOf(reading), edits);
  if (changes.byItem.size === 0) return { parts: reading.parts, changed: false, changes };
  let from = 0;
  let changed = false;
  const parts = reading.parts.flatMap((part, index) => {
    const { items: own = [], rebuild } = reading.readings[index] ?? {};
    const start = from;
    from += own.length;
    if (!own.some((_, at) => changes.byItem.has(start + at)) || !rebuild) return [part];
    const next = rebuild((at) => changes.byItem.get(start + at));
    changed ||= next !== part;
    return next === null ? [] : [next];
  });
  return { parts, changed, changes };
}

/** The part that answers an open call, and the call's index among the calls of its message. */
export interface AnswerPart {
  readonly at: number;
  readonly part: unknown;
}

/** `parts` with `answers` inserted among the existing results, in the order of their calls. */
export function answeredParts(
  parts: readonly unknown[],
  isResult: (part: unknown) => boolean,
  answers: readonly AnswerPart[],
): readonly unknown[] {
  const waiting = [...answers].sort((a, b) => a.at - b.at);
  const next: unknown[] = [];
  let results = 0;
  let end = 0;
  for (const part of parts) {
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

/** One message with the parts of all in its field `name`; a text becomes a part. */
export function joinedBy(name: string, messages: readonly unknown[]): unknown {
  const parts = messages.flatMap((message): unknown => {
    const value = nativeOf(message)?.[name];
    return typeof value === 'string' ? [{ type: 'text', text: value }] : value;
  });
  return { ...nativeOf(messages[0]), [name]: parts };
}

/** Converts content back to a plain text if it is a single text. */
export function shortened(parts: readonly unknown[]): unknown {
  const only = parts.length === 1 ? nativeOf(parts[0]) : null;
  return only?.['type'] === 'text' ? only['text'] : parts;
}

/** Whether a message with these items is valid on its own: more than reasoning and blank text. */
export function standsAlone(items: readonly Item[]): boolean {
  return items.some(({ kind, text }) => {
    if (kind === 'reasoning') return false;
    return kind === 'text' || kind === 'user' || kind === 'system' ? text.trim() !== '' : true;
  });
}

/** Reads every part with `read`, or as opaque if that throws; `without` as in `opaquePart`. */
export function readParts(
  parts: readonly unknown[],
  read: (part: unknown) => PartReading,
  without: readonly string[] = [],
): readonly PartReading[] {
  return parts.map((part) => guarded(() => read(part), null) ?? opaquePart(part, without));
}

/** An unreadable message: one opaque part. */
export function opaqueMessage(message: unknown, role: Role, without: readonly string[] = []): MessageReading {
  return { role, parts: [message], readings: [opaquePart(message, without)] };
}

/** The result of `edit`; the message itself if there are no edits or `edit` throws. */
export function editGuarded<M>(message: M, edits: readonly Edit[], edit: () => M | null): M | null {
  return edits.length === 0 ? message : guarded(edit, message);
}

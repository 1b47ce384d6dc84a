// Editing of a message that is a list of parts: each part read once, with its items and the way to make it anew. It knows no
// format, and no edit that adds parts.

import { type Edit, type Item, item, type Role } from './message.ts';
import { type Change, type Changes, changesOf, guarded, nativeOf, weightOf } from './native.ts';

/** A part with its items; `rebuild` is asked only when one of them changes, by their index in `items`. */
export interface PartReading {
  readonly items: readonly Item[];
  /** The part with the changes made, itself when they name nothing of it, null when it goes. */
  readonly rebuild: (change: (index: number) => Change | undefined) => unknown;
}

/** A message with its parts; `readings[n]` is of `parts[n]`. */
export interface MessageReading {
  readonly role: Role;
  readonly parts: readonly unknown[];
  readonly readings: readonly PartReading[];
}

/** The items of all parts, in order. */
export function itemsOf(reading: MessageReading): readonly Item[] {
  return reading.readings.flatMap(({ items }) => items);
}

/** A part that stays as it is or goes. */
export function kept(part: unknown, own: Item): PartReading {
  return { items: [own], rebuild: (change) => (change(0)?.removed ? null : part) };
}

/** A part nobody here can read, weighed without the fields named; one that cannot even be weighed counts nothing. */
export function opaquePart(part: unknown, without: readonly string[] = [], sealed = false): PartReading {
  return kept(part, item('opaque', { sealed, weight: guarded(() => weightOf(part, without), 0) }));
}

/** A part whose one item is a text; an empty text takes the part away, for most providers refuse empty texts. */
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

/** A part that is a call; null arguments leave it as it is. */
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

/** A part that is a picture, sound or document. */
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

/** What lies inside a result: its text, media, or a thing that stays whatever happens to the text. */
export type InnerKind = 'text' | 'media' | 'other';

/**
 * The list inside a result with `text` in the place of all its texts (null: they stay) and the changes of its media, the
 * first of which is item 1 of the part. `make` gives a text as such a list holds it; `from` is what it stands in for.
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

/** Parts after the edits of one list, with what else that list asks for. */
export interface PartsEdited {
  readonly parts: readonly unknown[];
  /** Some part is another object, or gone. */
  readonly changed: boolean;
  readonly changes: Changes;
}

/** The edits made, but appended texts and answers: those are the format's. */
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

/** The part that answers an open call, and the place of that call among the calls of its message. */
export interface AnswerPart {
  readonly at: number;
  readonly part: unknown;
}

/** `parts` with `answers` among the results there are, in the order of their calls. */
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

/** What came as a text goes back as a text while it is one. */
export function shortened(parts: readonly unknown[]): unknown {
  const only = parts.length === 1 ? nativeOf(parts[0]) : null;
  return only?.['type'] === 'text' ? only['text'] : parts;
}

/** Whether a message of these items may go to a provider alone: more than reasoning and blank text. */
export function standsAlone(items: readonly Item[]): boolean {
  return items.some(({ kind, text }) => {
    if (kind === 'reasoning') return false;
    return kind === 'text' || kind === 'user' || kind === 'system' ? text.trim() !== '' : true;
  });
}

/** Every part as `read` reads it, or opaque where that throws; `without` as for `opaquePart`. */
export function readParts(
  parts: readonly unknown[],
  read: (part: unknown) => PartReading,
  without: readonly string[] = [],
): readonly PartReading[] {
  return parts.map((part) => guarded(() => read(part), null) ?? opaquePart(part, without));
}

/** A message of which nothing is known: one opaque part. */
export function opaqueMessage(message: unknown, role: Role, without: readonly string[] = []): MessageReading {
  return { role, parts: [message], readings: [opaquePart(message, without)] };
}

/** What `edit` gives; an edit that cannot be made leaves the message as it is, and so do no edits. */
export function editGuarded<M>(message: M, edits: readonly Edit[], edit: () => M | null): M | null {
  return edits.length === 0 ? message : guarded(edit, message);
}

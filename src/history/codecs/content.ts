// Contents of messages and results that are a text or a list of entries: texts, media, and entries that stay as they are.

import { type ChangeAt, type Path, type Place, type Slot, slot, slotsIn, withAt } from './lens.ts';
import { type Item, item, type MediaFacts } from './message.ts';
import { joined, listOf, type Native, textIn, weightOf } from './native.ts';

/** An entry: a text in the field `field`, or media. Null stands for any other. */
export type Entry =
  | { readonly text: string; readonly field?: string; readonly sealed?: boolean }
  | { readonly media: MediaFacts; readonly weight?: number; readonly sealed?: boolean };

/** How a format reads entries, and writes a text as one. */
export interface Entries {
  readonly read: (entry: unknown) => Entry | null;
  /** A text as an entry; `from` is what it replaces, which may have marks to keep. */
  readonly part: (text: string, from: readonly unknown[]) => unknown;
  /** What a list without entries becomes; absent for the empty list. */
  readonly none?: unknown;
  readonly unread?: readonly string[];
}

/** Slots of a message's content: of its text, or of its entries; `others` reads those that are neither text nor media. */
export function speech(
  kind: 'system' | 'user' | 'text',
  content: unknown,
  at: Path,
  entries: Entries,
  others: (entry: unknown, at: Path) => Slot | null = () => null,
): readonly Slot[] | null {
  if (typeof content === 'string') return [slot(at, item(kind, { text: content }), { text: [] })];
  if (!Array.isArray(content)) return null;
  const read = (entry: unknown, place: Path): Slot | null =>
    entrySlot(kind, entry, place, entries) ?? others(entry, place);
  return slotsIn(at, content, read, entries.unread);
}

function entrySlot(
  kind: 'system' | 'user' | 'text',
  entry: unknown,
  at: Path,
  entries: Entries,
): Slot | null {
  const found = entries.read(entry);
  if (!found) return null;
  const { sealed = false } = found;
  if ('media' in found) {
    const { media, weight = 0 } = found;
    return slot(at, item('media', { media, weight, sealed }), {
      media: (text, from) => entries.part(text, [from]),
    });
  }
  const { text, field = 'text' } = found;
  return slot(at, item(kind, { text, sealed }), { text: typeof entry === 'string' ? [] : [field] });
}

/** Items of a result with the content `content`: the result with all its text, then its media. */
export function resultItems(facts: Partial<Item>, content: unknown, entries: Entries): readonly Item[] {
  if (typeof content === 'string') return [item('result', { ...facts, text: content })];
  const list = listOf(content);
  const found = list.map(entries.read);
  const others = list.filter((_, index) => !found[index]);
  const weight = (facts.weight ?? 0) + (others.length > 0 ? weightOf(others, entries.unread) : 0);
  const text = joined(found.map((entry) => (entry && 'text' in entry ? entry.text : null)));
  const { callId = null, sealed = false, providerExecuted = false } = facts;
  return [
    item('result', { text, ...facts, weight }),
    ...found.flatMap((entry) => {
      if (!entry || !('media' in entry)) return [];
      const { media, weight: more = 0 } = entry;
      return [item('media', { callId, media, weight: more, sealed, providerExecuted })];
    }),
  ];
}

/** The content with its changes, indexed as in `resultItems`. A new text replaces the first text, or comes first. */
export function resultEdited(content: unknown, change: ChangeAt, entries: Entries): unknown {
  const text = change(0)?.text ?? null;
  if (!Array.isArray(content)) return text ?? content;
  const found = content.map(entries.read);
  const isText = (index: number): boolean => 'text' in (found[index] ?? {});
  const first = found.findIndex((_, index) => isText(index));
  const texts = content.filter((_, index) => isText(index));
  const said = text === null || text === '' ? [] : [entries.part(text, texts)];
  let media = 0;
  const next = content.flatMap((entry: unknown, index): readonly unknown[] => {
    if (isText(index)) return text === null ? [entry] : index === first ? said : [];
    if (!found[index]) return [entry];
    media += 1;
    const { removed = false, media: instead = null } = change(media) ?? {};
    return removed ? [] : [instead === null ? entry : entries.part(instead, [entry])];
  });
  if (first < 0) next.unshift(...said);
  if (next.length === content.length && next.every((entry, index) => entry === content[index]))
    return content;
  return next.length === 0 && entries.none !== undefined ? entries.none : next;
}

/** A result at `at` whose content is at `inside`, and the media in it. */
export function resultSlot(
  at: Path,
  facts: Partial<Item>,
  content: unknown,
  entries: Entries,
  inside: Path,
  id?: Path,
): Slot {
  const write: Place['write'] = (value, change) => {
    const callId = change(0)?.callId ?? null;
    const next = id && callId !== null ? withAt(value, id, callId) : value;
    const edited = resultEdited(content, change, entries);
    return edited === content ? next : withAt(next, inside, edited);
  };
  return { items: resultItems(facts, content, entries), places: [{ at, write }] };
}

/** All text of a search result: title, source and content. */
export function searchText(block: Native): string {
  const texts = listOf(block['content']).map((entry) => textIn(entry, 'text'));
  return joined([textIn(block, 'title'), textIn(block, 'source'), ...texts]);
}

// Marks reads that stay while later changes of their files are removed: a line below each says that it no longer shows
// the file's content. Only written if such a change is removed. If the mark does not fit, the read is masked instead.

import { oneLine, safeCut, type Tokens } from '../../contract/index.ts';
import { isMask, stale, unmarked } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Item } from '../codecs/message.ts';
import { takesText } from '../codecs/takes-text.ts';
import { addTo } from '../grouped.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import { placeKey } from '../ledger/place-key.ts';
import type { Draft } from './draft.ts';
import { changesFile, filesOf, filesRead } from './file-uses.ts';
import { hasFailed } from './outcome.ts';
import { isMaskable, maskResult } from './tiers/mask.ts';

/** Maximum characters of a file name, which is the last folder and the base name. */
const MAX_NAME = 160;

/** Tiers that keep part of a text. */
const CUTTING: ReadonlySet<string> = new Set(['offload', 'truncate']);

/** A read whose files were changed later. */
interface Read {
  readonly place: ItemPosition;
  /** Null if it read several. */
  readonly file: string | null;
  /** The calls that changed them. */
  readonly changes: ReadonlySet<ItemPosition>;
}

export class StaleReads<M> {
  readonly #draft: Draft<M>;
  readonly #codec: Codec<M>;
  readonly #reads: readonly Read[];
  readonly #takes = new Map<number, boolean>();

  /** Of the draft as it came, whatever tiers did. Pinned messages are not marked. */
  constructor(draft: Draft<M>, codec: Codec<M>, isPinned: (message: number) => boolean) {
    this.#draft = draft;
    this.#codec = codec;
    this.#reads = this.#find(isPinned);
  }

  /** Writes marks, newest first, while the prompt stays within `most` tokens; masks the remaining reads. */
  mark(most: Tokens): void {
    for (const { place, file } of this.#due().reverse()) {
      this.#draft.note(place, (text) => below(unmarked(text), stale(file)));
      if (this.#draft.tokens > most && isMaskable(this.#draft, place)) maskResult(this.#draft, place);
    }
  }

  /** Reads that need a mark, oldest first. */
  #due(): Read[] {
    const draft = this.#draft;
    return this.#reads.filter(({ place, changes }) => {
      const cut = draft.changes.get(placeKey(place));
      if (draft.hasGone(place) || (cut && !CUTTING.has(cut.tier))) return false;
      const { text } = draft.item(place);
      // Truncating a text may remove its mark.
      const isDue =
        text === unmarked(text)
          ? [...changes].some((call) => draft.hasGone(call) || draft.isChanged(call))
          : cut !== undefined;
      return isDue && this.#takesText(place);
    });
  }

  #takesText({ message, item }: ItemPosition): boolean {
    const key = placeKey({ message, item });
    const shown = this.#draft.list[message];
    const takes = this.#takes.get(key) ?? (shown ? takesText(this.#codec, shown.message, item) : false);
    this.#takes.set(key, takes);
    return takes;
  }

  #find(isPinned: (message: number) => boolean): Read[] {
    const draft = this.#draft;
    const results = this.#results();
    const byFile = new Map<string, ItemPosition[]>();
    // Iterates from the end, so the changes collected at a read are those after it.
    const reads: Read[] = [];
    for (const call of draft.placesOf('call').toReversed()) {
      const own = draft.item(call);
      const result = results.get(placeKey(call)) ?? null;
      const name = draft.nameOf(call) ?? '';
      if (changesFile(own, name)) {
        if (!result || !hasFailed(draft.item(result)))
          for (const file of filesOf(own)) addTo(byFile, file, call);
      } else if (result && !isPinned(result.message)) reads.push(...this.#readOf(own, name, result, byFile));
    }
    return reads.reverse();
  }

  /** The result of each call. */
  #results(): ReadonlyMap<number, ItemPosition> {
    const results = new Map<number, ItemPosition>();
    for (const place of this.#draft.placesOf('result')) {
      const call = this.#draft.conversation.callOf(place);
      if (call) results.set(placeKey(call), place);
    }
    return results;
  }

  /** A read with its later changes; none if its text is missing or must not change. */
  #readOf(
    call: Item,
    name: string,
    place: ItemPosition,
    byFile: ReadonlyMap<string, readonly ItemPosition[]>,
  ): Read[] {
    const item = this.#draft.item(place);
    const files = byFile.size === 0 ? [] : filesRead(call, name);
    const changes = new Set<ItemPosition>();
    for (const file of files) for (const change of byFile.get(file) ?? []) changes.add(change);
    if (changes.size === 0 || item.sealed || item.providerExecuted || item.text.trim() === '') return [];
    if (isMask(item.text) || hasFailed(item)) return [];
    const [only = ''] = files;
    const file = files.length === 1 ? nameOf(only) : null;
    return [{ place, file, changes }];
  }
}

function nameOf(file: string): string {
  const line = oneLine(file);
  return line.slice(0, safeCut(line, MAX_NAME));
}

const below = (text: string, mark: string): string => `${text}${text.endsWith('\n') ? '' : '\n'}${mark}`;

// Marks reads that stay while later changes of their files are removed: a line below each says that it no longer shows
// the file's content. Only written if such a change is removed. If the mark does not fit, the read is masked instead.

import { oneLine, safeCut, type Tokens } from '../../contract/index.ts';
import { isMask, isPlaceholder, stale, staleIn } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Item } from '../codecs/message.ts';
import { takesText } from '../codecs/takes-text.ts';
import { addTo } from '../grouped.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import { placeKey } from '../ledger/place-key.ts';
import type { Draft } from './draft.ts';
import { changesFile, filesOf, filesRead } from './file-uses.ts';
import { outcomeOf } from './outcome.ts';
import { isMaskable, maskResult } from './tiers/mask.ts';

/** Maximum characters of a file name, which is the last folder and the base name. */
const MAX_NAME = 160;

/** Tiers that keep part of a text. */
const CUTTING: ReadonlySet<string> = new Set(['offload', 'truncate']);

/** A call that changed files, or may have. */
interface FileChange {
  readonly call: ItemPosition;
  readonly isDone: boolean;
  /** A line replaced its content in an earlier compaction, so existing marks already count it. */
  readonly isCounted: boolean;
}

/** A read whose files were changed later. */
interface Read {
  readonly place: ItemPosition;
  /** Null if it read several. */
  readonly file: string | null;
  readonly changes: readonly FileChange[];
  /** Content of its existing mark. */
  readonly known: ReturnType<typeof staleIn>;
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

  /** Cost of the missing marks in the current draft. */
  get tokens(): Tokens {
    let tokens = 0;
    for (const { mark, read } of this.#due()) {
      const { text } = this.#draft.item(read.place);
      const before = read.known ? text.slice(read.known.above.length) : '';
      tokens += this.#draft.text(`\n${mark}`) - this.#draft.text(before);
    }
    return tokens;
  }

  /** Writes marks, newest first, while the prompt stays within `most` tokens; masks the remaining reads. */
  mark(most: Tokens): void {
    for (const { read, mark } of this.#due().reverse()) {
      this.#draft.note(read.place, (text) => below(staleIn(text)?.above ?? text, mark));
      if (this.#draft.tokens > most && isMaskable(this.#draft, read.place))
        maskResult(this.#draft, read.place);
    }
  }

  /** Reads that need a mark, oldest first. */
  #due(): { readonly read: Read; readonly mark: string }[] {
    const due: { read: Read; mark: string }[] = [];
    for (const read of this.#reads) {
      const change = this.#draft.changes.get(placeKey(read.place));
      if (this.#draft.hasGone(read.place) || (change && !CUTTING.has(change.tier))) continue;
      const changes = this.#leaving(read);
      // Truncating a text may remove its mark.
      if (changes.length === 0 && !(read.known && change)) continue;
      const made = changes.filter(({ isDone }) => isDone).length;
      const { known } = read;
      const count = {
        made: (known?.made ?? 0) + made,
        possible: (known?.possible ?? 0) + changes.length - made,
      };
      if (this.#takesText(read.place)) due.push({ read, mark: stale(read.file, count) });
    }
    return due;
  }

  /** Changes that a mark must add, if at least one of them is removed now. */
  #leaving({ changes, known }: Read): readonly FileChange[] {
    const draft = this.#draft;
    const isLeft = ({ call }: FileChange): boolean => draft.hasGone(call) || draft.isChanged(call);
    if (known) return changes.filter((change) => !change.isCounted && isLeft(change));
    return changes.some(isLeft) ? changes.filter((change) => change.isCounted || isLeft(change)) : [];
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
    const byFile = new Map<string, FileChange[]>();
    // Iterates from the end, so the changes collected at a read are those after it.
    const reads: Read[] = [];
    for (const call of draft.placesOf('call').toReversed()) {
      const own = draft.item(call);
      const result = results.get(placeKey(call)) ?? null;
      const name = draft.nameOf(call) ?? '';
      if (changesFile(own, name)) this.#addChange(call, result, byFile);
      else if (result && !isPinned(result.message)) reads.push(...this.#readOf(own, name, result, byFile));
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

  #addChange(call: ItemPosition, result: ItemPosition | null, byFile: Map<string, FileChange[]>): void {
    const outcome = result ? outcomeOf(this.#draft.item(result)) : 'unknown';
    if (outcome === 'failed') return;
    const item = this.#draft.item(call);
    const isCounted = Object.values(item.args ?? {}).some(
      (value) => typeof value === 'string' && isPlaceholder(value),
    );
    const change = { call, isDone: outcome === 'done', isCounted };
    for (const file of filesOf(item)) addTo(byFile, file, change);
  }

  /** A read with its later changes; null if its text is missing or must not change. */
  #readOf(
    call: Item,
    name: string,
    place: ItemPosition,
    byFile: ReadonlyMap<string, readonly FileChange[]>,
  ): Read[] {
    const item = this.#draft.item(place);
    const files = byFile.size === 0 ? [] : filesRead(call, name);
    const changes = new Set<FileChange>();
    for (const file of files) for (const change of byFile.get(file) ?? []) changes.add(change);
    if (changes.size === 0 || item.sealed || item.providerExecuted || item.text.trim() === '') return [];
    if (isMask(item.text) || outcomeOf(item) === 'failed') return [];
    const [only = ''] = files;
    const file = files.length === 1 ? nameOf(only) : null;
    return [{ place, file, changes: [...changes], known: staleIn(item.text) }];
  }
}

function nameOf(file: string): string {
  const line = oneLine(file);
  return line.slice(0, safeCut(line, MAX_NAME));
}

const below = (text: string, mark: string): string => `${text}${text.endsWith('\n') ? '' : '\n'}${mark}`;

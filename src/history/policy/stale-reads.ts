// Marks reads that stay while later changes of their files are removed: a line below each says that it no longer shows
// the file's content. If the mark does not fit, the read is masked instead.

import { isDeepStrictEqual } from 'node:util';
import { oneLine, safeCut, type Tokens } from '../../contract/index.ts';
import { isMask, stale, unmarked } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import { placeKey } from '../ledger/place-key.ts';
import type { Draft } from './draft.ts';
import { changesFile, filesOf, filesRead } from './file-uses.ts';
import { hasFailed } from './outcome.ts';
import { isMaskable, maskResult } from './tiers/mask.ts';

/** Maximum characters of a file name, which is the last folder and the base name. */
const MAX_NAME = 160;

/** Marks reads, newest first, while the prompt stays within `most` tokens; masks the others. Pinned messages stay. */
export function markStaleReads<M>(
  draft: Draft<M>,
  codec: Codec<M>,
  isPinned: (message: number) => boolean,
  most: Tokens,
): void {
  /** Files with a removed change after the result at hand. */
  const changed = new Set<string>();
  for (const place of draft.placesOf('result').toReversed()) {
    const call = draft.conversation.callOf(place);
    if (!call || hasFailed(draft.item(place))) continue;
    const made = draft.item(call);
    const name = draft.nameOf(call) ?? '';
    if (changesFile(made, name)) {
      if (draft.hasGone(call) || draft.isChanged(call)) for (const file of filesOf(made)) changed.add(file);
      continue;
    }
    const files = changed.size === 0 || isPinned(place.message) ? [] : filesRead(made, name);
    if (!files.some((file) => changed.has(file)) || !isDue(draft, place) || !takesText(draft, codec, place))
      continue;
    const [only = ''] = files;
    const line = oneLine(only);
    const mark = stale(files.length === 1 ? line.slice(0, safeCut(line, MAX_NAME)) : null);
    draft.note(place, (text) => `${unmarked(text)}${/(?:^|\n)$/.test(unmarked(text)) ? '' : '\n'}${mark}`);
    if (draft.tokens > most && isMaskable(draft, place)) maskResult(draft, place);
  }
}

/** Whether the result shows a text without a mark, which truncating may have removed. */
function isDue<M>(draft: Draft<M>, place: ItemPosition): boolean {
  const tier = draft.changes.get(placeKey(place))?.tier;
  const { text, sealed, providerExecuted } = draft.item(place);
  if (draft.hasGone(place) || sealed || providerExecuted || text.trim() === '' || isMask(text)) return false;
  return tier === undefined ? text === unmarked(text) : tier === 'offload' || tier === 'truncate';
}

/** Whether a text can be written into the message without changing the form of the result, as that of a value. */
function takesText<M>({ list }: Draft<M>, codec: Codec<M>, { message, item }: ItemPosition): boolean {
  const shown = list[message];
  const text = shown?.view.items[item]?.text ?? '';
  const edited = shown ? codec.edit(shown.message, [{ op: 'text', item, text }]) : null;
  return edited !== null && isDeepStrictEqual(codec.encode(edited), codec.encode(shown?.message as M));
}

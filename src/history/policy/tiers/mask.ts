// Tier 3: replaces results in the middle with a line. Calls stay, and the originals are archived.

import { isMask, keptIn, mask, media, pointerIn } from '../../archive/placeholder.ts';
import { mediaName } from '../../archive/transcript.ts';
import type { ItemPosition } from '../../ledger/groups.ts';
import type { Draft } from '../draft.ts';
import { changesFile } from '../file-uses.ts';
import { isUndone, outcomeOf } from '../outcome.ts';
import type { Policy } from '../policy.ts';
import { accountOf } from '../templates/index.ts';

/** A cheaper result is not worth replacing with a line. */
export const LEAST_SAVED = 40;
/** An account costs at most this share of its result. */
const MOST_OF_RESULT = 0.3;

/** Limits of a batch of masks. */
export interface Masking {
  /** Target size; 0 masks every result that may be masked. */
  readonly aim: number;
  /** Does nothing if the total possible saving is less. */
  readonly atLeast: number;
  /** Groups that stay unchanged. */
  readonly kept: ReadonlySet<number>;
  readonly accounts: boolean;
}

/** All results in order, and those that may be masked. */
function maskable<M>(
  draft: Draft<M>,
  policy: Exclude<Policy['mask'], false>,
  { kept }: Masking,
): ItemPosition[] {
  const results: ItemPosition[] = [];
  const { groupOf } = draft.conversation;
  draft.list.forEach(({ view }, message) => {
    view.items.forEach((item, index) => {
      if (item.kind === 'result') results.push({ message, item: index });
    });
  });
  const last = results.length - policy.keepLast;
  return results.filter((place, rank) => {
    if (rank < policy.keepFirst || rank >= last) return false;
    const group = groupOf[place.message]?.[place.item] ?? -1;
    return group >= 0 && !kept.has(group) && !draft.gone.has(group) && isMaskable(draft, place);
  });
}

/** Whether a line may replace this result. */
export function isMaskable<M>(draft: Draft<M>, place: ItemPosition): boolean {
  const item = draft.item(place);
  if (item.sealed || item.providerExecuted || isMask(item.text)) return false;
  const call = draft.conversation.callOf(place);
  const isChange = changesFile(call && draft.item(call), draft.nameOf(place) ?? '');
  // A failed write must stay visible; without its result the call looks successful.
  return !(isChange ? isUndone(item) : outcomeOf(item) === 'failed');
}

/** Masks results, oldest first, until the draft costs at most `aim`. */
export function maskResults<M>(
  draft: Draft<M>,
  policy: Exclude<Policy['mask'], false>,
  masking: Masking,
): void {
  const places = maskable(draft, policy, masking);
  let won = 0;
  for (const place of places) won += Math.max(0, draft.cost(place) - LEAST_SAVED);
  if (won < masking.atLeast) return;
  for (const place of places) {
    if (draft.tokens <= masking.aim) return;
    draft.reasons.item(place, { why: 'middle' });
    maskResult(draft, place, masking);
  }
}

/** How a result is masked. */
export interface MaskForm {
  readonly tier?: 'mask' | 'pointers';
  /** Adds an account of its content after the line. */
  readonly accounts?: boolean;
}

/** Replaces one result with a line if that is shorter. */
export function maskResult<M>(
  draft: Draft<M>,
  place: ItemPosition,
  { tier = 'mask', accounts = false }: MaskForm = {},
): void {
  maskMedia(draft, place);
  if (draft.cost(place) <= LEAST_SAVED) return;
  const item = draft.item(place);
  const placeholder = draft.placeholder(place) ?? '';
  const tokens = keptIn(placeholder)?.tokens ?? Math.round(draft.text(item.text));
  const earlier = pointerIn(placeholder);
  const account = accounts && placeholder === '' ? accountFor(draft, place) : '';
  draft.change(
    place,
    tier,
    (pointer) => ({
      op: 'text',
      item: place.item,
      text: mask(draft.nameOf(place), tokens, earlier ?? pointer) + account,
    }),
    { least: LEAST_SAVED / 4 },
  );
}

/** On separate lines; empty if there is no short account. */
function accountFor<M>(draft: Draft<M>, place: ItemPosition): string {
  const { text } = draft.item(place);
  const account = accountOf(text, draft.nameOf(place));
  return account === null || draft.text(account) > MOST_OF_RESULT * draft.text(text) ? '' : `\n${account}`;
}

/** Masks the images in a result together with its text. */
function maskMedia<M>(draft: Draft<M>, result: ItemPosition): void {
  const { callId } = draft.item(result);
  const items = draft.list[result.message]?.view.items ?? [];
  for (let index = result.item + 1; items[index]?.kind === 'media'; index += 1) {
    const place = { message: result.message, item: index };
    const item = draft.item(place);
    if (item.callId !== callId || item.sealed) return;
    draft.change(place, 'mask', (pointer) => ({
      op: 'media',
      item: index,
      text: media(mediaName(item), pointer),
    }));
  }
}

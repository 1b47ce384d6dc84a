// Last resort for single texts that are too long for the window: truncates the longest, keeping both ends, and replaces
// images with a line. Never changes instructions or sealed content.

import { keptIn, media as mediaPlaceholder, pointerIn } from '../../archive/placeholder.ts';
import { mediaName } from '../../archive/transcript.ts';
import type { Edit } from '../../codecs/message.ts';
import type { ItemPosition } from '../../ledger/groups.ts';
import type { Pointer } from '../change.ts';
import type { Draft } from '../draft.ts';
import { cutTo, measureOf } from './arrival.ts';

/** No text is truncated below this; less would be useless. */
const LEAST_TOKENS = 150;
/** Minimum saving of a truncation. */
const LEAST_SAVED = 30;

function cuttable<M>(draft: Draft<M>, mayCut: (place: ItemPosition) => boolean): ItemPosition[] {
  return draft.placesOf('user', 'result', 'text').filter((place) => {
    const { sealed, providerExecuted } = draft.item(place);
    if (
      draft.list[place.message]?.made ||
      sealed ||
      providerExecuted ||
      place.item === draft.noticeIn(place.message)
    )
      return false;
    return draft.groupAt(place) >= 0 && !draft.hasGone(place) && !draft.isChanged(place) && mayCut(place);
  });
}

/** Truncates until the draft costs at most `aim`, as far as possible. */
export function cutLongest<M>(draft: Draft<M>, aim: number, mayCut: (place: ItemPosition) => boolean): void {
  if (draft.tokens <= aim) return;
  const places = cuttable(draft, mayCut);
  const costs = places.map((place) => draft.cost(place)).sort((a, b) => b - a);
  // The cap per text that reduces the sum enough.
  const excess = draft.tokens - aim;
  let cap = costs[0] ?? 0;
  let won = 0;
  for (let count = 1; count <= costs.length && won < excess; count += 1) {
    const next = costs[count] ?? 0;
    const step = Math.min(cap - next, (excess - won) / count);
    cap -= step;
    won += step * count;
  }
  cap = Math.max(LEAST_TOKENS, Math.floor(cap) - 1);
  const measure = measureOf(draft.estimator, draft.factor);
  for (const place of places) {
    if (draft.cost(place) <= cap) continue;
    const { text, kind } = draft.item(place);
    const cost = measure.text(text);
    const frame = Math.max(0, Math.ceil(draft.cost(place)) - cost);
    // A text truncated before is truncated as if from the original: one line with true numbers and the full location.
    const placeholder = draft.placeholder(place) ?? '';
    const known = keptIn(placeholder) ?? { tokens: cost, keep: 'both', body: text };
    const earlier = pointerIn(placeholder);
    const edit = (pointer: Pointer): Edit => ({
      op: 'text',
      item: place.item,
      text: cutTo(known.body, cap - frame, known.keep, earlier ?? pointer, measure, {
        tokens: known.tokens,
        kind: kind === 'result' ? 'result' : 'message',
      }),
    });
    draft.change(place, 'truncate', edit, { least: LEAST_SAVED });
  }
  fitMedia(draft, aim, mayCut);
}

function fitMedia<M>(draft: Draft<M>, aim: number, mayCut: (place: ItemPosition) => boolean): void {
  for (const place of draft.placesOf('media')) {
    const item = draft.item(place);
    if (draft.tokens <= aim) return;
    if (item.sealed || draft.isChanged(place)) continue;
    // The price of an image of unknown size is not a reason to remove what the user attached.
    const { bytes = null, width = null } = item.media ?? {};
    if (item.callId === null && bytes === null && width === null) continue;
    if (draft.groupAt(place) < 0 || draft.hasGone(place) || !mayCut(place)) continue;
    draft.change(place, 'truncate', (pointer) => ({
      op: 'media',
      item: place.item,
      text: mediaPlaceholder(mediaName(item), pointer),
    }));
  }
}

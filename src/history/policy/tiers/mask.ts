// Tier 3: replaces results in the middle with a line. Calls stay, and the originals are archived.

import { quoted, ReaderError, type Tokens } from '../../../contract/index.ts';
import { isMask, keptIn, mask, media, pointerIn } from '../../archive/placeholder.ts';
import { mediaName } from '../../archive/transcript.ts';
import type { ItemPosition } from '../../ledger/groups.ts';
import type { Draft } from '../draft.ts';
import { hasFailed } from '../outcome.ts';
import type { Policy } from '../policy.ts';

/** A cheaper result is not worth replacing with a line. */
export const LEAST_SAVED = 40;

/** A tool result that may be shortened. */
export interface ShortenCandidate {
  readonly toolName: string | null;
  readonly text: string;
  readonly tokens: Tokens;
}

/**
 * Called when the history is above its trigger, with the results that may be replaced, in order. Returns one value per
 * result: a text that stays below the line that replaces it, or null to leave it. A text that saves nothing is ignored.
 */
export type Shorten = (results: readonly ShortenCandidate[]) => readonly (string | null)[];

/** Limits of a batch of masks. */
export interface Masking {
  /** Target size; 0 masks every result that may be masked. */
  readonly aim: number;
  /** Does nothing if the total possible saving is less. */
  readonly atLeast: number;
  /** Groups that stay unchanged. */
  readonly kept: ReadonlySet<number>;
}

/** Results that may be masked, in order; `mayMask` takes the rank of each among all results, and their number. */
function maskable<M>(
  draft: Draft<M>,
  kept: ReadonlySet<number>,
  mayMask: (rank: number, count: number) => boolean = () => true,
): ItemPosition[] {
  const results = draft.placesOf('result');
  return results.filter((place, rank) => {
    if (!mayMask(rank, results.length)) return false;
    const group = draft.groupAt(place);
    return group >= 0 && !kept.has(group) && !draft.gone.has(group) && isMaskable(draft, place);
  });
}

/** Whether a line may replace this result. */
export function isMaskable<M>(draft: Draft<M>, place: ItemPosition): boolean {
  const item = draft.item(place);
  if (item.sealed || item.providerExecuted || isMask(item.text)) return false;
  return !hasFailed(item);
}

/** Masks results, oldest first, until the draft costs at most `aim`. */
export function maskResults<M>(
  draft: Draft<M>,
  policy: Exclude<Policy['mask'], false>,
  masking: Masking,
): void {
  const { keepFirst, keepLast } = policy;
  const isMiddle = (rank: number, count: number): boolean => rank >= keepFirst && rank < count - keepLast;
  const places = maskable(draft, masking.kept, isMiddle);
  let won = 0;
  for (const place of places) won += Math.max(0, draft.cost(place) - LEAST_SAVED);
  if (won < masking.atLeast) return;
  for (const place of places) {
    if (draft.tokens <= masking.aim) return;
    maskResult(draft, place);
  }
}

/**
 * Lets the caller shorten results outside the `kept` groups.
 * @throws {ReaderError} BAD_INPUT if the function throws or does not return one value per result
 */
export function shortenResults<M>(draft: Draft<M>, shorten: Shorten, kept: ReadonlySet<number>): void {
  const places = maskable(draft, kept).filter((place) => draft.placeholder(place) === null);
  const refused = (did: string, cause?: unknown): ReaderError =>
    new ReaderError(
      'BAD_INPUT',
      `\`shorten\` ${did}; no message was replaced.`,
      'Make it return an array with a string or null for each result.',
      cause,
    );
  let texts: unknown;
  try {
    texts = shorten(
      places.map((place) => ({
        toolName: draft.nameOf(place),
        text: draft.item(place).text,
        tokens: Math.round(draft.cost(place)),
      })),
    );
  } catch (cause) {
    throw refused('threw an error', cause);
  }
  if (!Array.isArray(texts)) throw refused('did not return an array');
  if (texts.length !== places.length)
    throw refused(`returned ${texts.length} values for ${places.length} results`);
  places.forEach((place, at) => {
    const text: unknown = texts[at];
    if (text === null) return;
    if (typeof text !== 'string') throw refused(`returned ${quoted(String(text))} for a result`);
    maskResult(draft, place, { below: text });
  });
}

/** How a result is masked. */
export interface MaskForm {
  readonly tier?: 'mask' | 'pointers';
  /** Text below the line. */
  readonly below?: string;
}

/** Replaces one result with a line if that is shorter; true if it did. */
export function maskResult<M>(
  draft: Draft<M>,
  place: ItemPosition,
  { tier = 'mask', below = '' }: MaskForm = {},
): boolean {
  maskMedia(draft, place);
  if (draft.cost(place) <= LEAST_SAVED) return false;
  const item = draft.item(place);
  const placeholder = draft.placeholder(place) ?? '';
  const tokens = keptIn(placeholder)?.tokens ?? Math.round(draft.text(item.text));
  const earlier = pointerIn(placeholder);
  return draft.change(
    place,
    tier,
    (pointer) => ({
      op: 'text',
      item: place.item,
      text: mask(draft.nameOf(place), tokens, earlier ?? pointer) + (below === '' ? '' : `\n${below}`),
    }),
    { least: LEAST_SAVED / 4 },
  );
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

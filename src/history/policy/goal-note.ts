// States the goal in a separate note when a compaction writes no notice that could state it, for example when it only
// masks results. The note goes at the end of the prompt so that the cached prefix stays valid. A changed goal is stated
// by the next compaction.

import type { Tokens } from '../../contract/index.ts';
import { goalNote, isGoalNote } from '../archive/placeholder.ts';
import type { ProviderRules } from '../codecs/codec.ts';
import { MAX_GOAL } from '../summary/digest-text.ts';
import { excerptOf, excerptText } from '../summary/excerpt.ts';
import type { Draft } from './draft.ts';
import type { Notice } from './leave-out.ts';

/** A note and its position. */
export interface GoalNote {
  readonly text: string;
  readonly tokens: number;
  /** Message to add the note to if it cannot be a message of its own; else null. */
  readonly host: number | null;
  /** Draft index of the message after the note; the list length for the end. */
  readonly before: number;
}

/** The part of the goal that a prompt must state; null for none. */
export function wantedOf(goal: string | null): string | null {
  const text = goal?.trim() ?? '';
  return text === '' ? null : excerptText(excerptOf(text, MAX_GOAL));
}

/** The goal text a prompt must state, and what that costs. */
export interface Goal {
  /**
   * The note, or null if it has no place or a user message, instruction or kept notice already states the goal
   * verbatim.
   */
  note(notice: Notice | null): GoalNote | null;
  /** Tokens of the note. `withOurs`: earlier notices and notes stay and count as stating the goal. */
  tokens(withOurs: boolean): Tokens;
}

/**
 * `wanted` is the result of `wantedOf`; `system` is the system prompt outside the messages, which may already state it.
 */
export function goalIn<M>(
  draft: Draft<M>,
  wanted: string | null,
  system: string,
  rules: ProviderRules,
  isPinned: (message: number) => boolean,
): Goal {
  if (wanted === null || system.includes(wanted)) return { note: () => null, tokens: () => 0 };
  const isSaid = (withOurs: boolean): boolean =>
    draft.placesOf('user', 'system').some((place) => {
      if (!draft.item(place).text.includes(wanted)) return false;
      if (!withOurs && draft.conversation.groups[draft.groupAt(place)]?.kind === 'notice') return false;
      return !draft.hasGone(place) && !draft.isChanged(place);
    });
  const note = (): GoalNote | null => {
    const text = goalNote(wanted);
    const host = rules.alternates ? hostIn(draft, isPinned) : null;
    if (host === -1) return null;
    const frame = host === null ? draft.estimator.message({ role: 'user', items: [] }) * draft.factor : 0;
    return { text, tokens: draft.text(text) + frame, host, before: endOf(draft) };
  };
  return {
    note: (notice) => (notice?.replacement.text.includes(wanted) || isSaid(true) ? null : note()),
    tokens: (withOurs) => (isSaid(withOurs) ? 0 : (note()?.tokens ?? 0)),
  };
}

/** The user's newest message, or -1. */
function hostIn<M>(draft: Draft<M>, isPinned: (message: number) => boolean): number {
  return draft.list.findLastIndex(
    ({ view }, message) =>
      view.role === 'user' &&
      view.items.some(({ kind }) => kind === 'user') &&
      !draft.isGone(message) &&
      !isPinned(message),
  );
}

/** The end of the list, but before calls whose results are still pending. */
function endOf<M>(draft: Draft<M>): number {
  let end = draft.list.length;
  for (const { open, places } of draft.conversation.groups)
    if (open) end = Math.min(end, places[0]?.message ?? end);
  return end;
}

/**
 * Removes earlier notes at positions where the prompt prefix changes anyway. Removing them elsewhere would invalidate
 * more of the cached prompt than they cost. The others are removed with the next notice.
 */
export function takeEarlierNotes<M>(draft: Draft<M>): void {
  const from = draft.touched()[0] ?? draft.list.length;
  draft.list.forEach(({ made, view }, message) => {
    if (message > from && made !== null && isGoalNote(view.items[0]?.text ?? '')) draft.emptied.add(message);
  });
}

/** Index of the item of `host` that is an earlier note, or -1. */
export function noteIn<M>({ list }: Draft<M>, host: number): number {
  const { view, edits } = list[host] ?? {};
  const ours = new Set(edits?.flat().flatMap((edit) => ('text' in edit ? [edit.text] : [])));
  return view?.items.findLastIndex(({ text }) => isGoalNote(text) && ours.has(text)) ?? -1;
}

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
export class Goal<M> {
  readonly #draft: Draft<M>;
  readonly #wanted: string | null;
  readonly #rules: ProviderRules;
  readonly #isPinned: (message: number) => boolean;

  /**
   * `wanted` is the result of `wantedOf`; `system` is the system prompt outside the messages, which may already state
   * it.
   */
  constructor(
    draft: Draft<M>,
    wanted: string | null,
    system: string,
    rules: ProviderRules,
    isPinned: (message: number) => boolean,
  ) {
    this.#draft = draft;
    this.#wanted = wanted !== null && system.includes(wanted) ? null : wanted;
    this.#rules = rules;
    this.#isPinned = isPinned;
  }

  /**
   * The note, or null if it has no place or a user message, instruction or kept notice already states the goal
   * verbatim.
   */
  note(notice: Notice | null): GoalNote | null {
    const wanted = this.#wanted;
    if (wanted === null || notice?.replacement.text.includes(wanted) || this.#isSaid(wanted, true))
      return null;
    return this.#noteOf(wanted);
  }

  /** Tokens of the note. `withOurs`: earlier notices and notes stay and count as stating the goal. */
  tokens(withOurs: boolean): Tokens {
    const wanted = this.#wanted;
    if (wanted === null || this.#isSaid(wanted, withOurs)) return 0;
    return this.#noteOf(wanted)?.tokens ?? 0;
  }

  #noteOf(wanted: string): GoalNote | null {
    const draft = this.#draft;
    const text = goalNote(wanted);
    const host = this.#rules.alternates ? hostIn(draft, this.#isPinned) : null;
    if (host === -1) return null;
    const frame = host === null ? draft.estimator.message({ role: 'user', items: [] }) * draft.factor : 0;
    return { text, tokens: draft.text(text) + frame, host, before: endOf(draft) };
  }

  #isSaid(wanted: string, withOurs: boolean): boolean {
    const draft = this.#draft;
    const { groups, groupOf } = draft.conversation;
    return draft.list.some(({ view }, message) =>
      view.items.some(({ kind, text }, item) => {
        if ((kind !== 'user' && kind !== 'system') || !text.includes(wanted)) return false;
        if (!withOurs && groups[groupOf[message]?.[item] ?? -1]?.kind === 'notice') return false;
        return !draft.hasGone({ message, item }) && !draft.isChanged({ message, item });
      }),
    );
  }
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

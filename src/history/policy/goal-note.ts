// The goal in a note of its own, where a compaction makes no notice that says it: one that only masks leaves no other place.
// It stands at the end of the prompt, so that what is cached stays; what it says later, a later compaction adds.

import type { Tokens } from '../../contract/index.ts';
import { goalNote, isGoalNote } from '../archive/placeholder.ts';
import type { ProviderRules } from '../codecs/codec.ts';
import { MAX_GOAL } from '../summary/digest-text.ts';
import { excerptOf, excerptText } from '../summary/excerpt.ts';
import type { Draft } from './draft.ts';
import type { Notice } from './leave-out.ts';

/** A note, and where it goes. */
export interface GoalNote {
  readonly text: string;
  readonly tokens: number;
  /** The message it is added to, where none may stand on its own; else null. */
  readonly host: number | null;
  /** The message it stands before, by its place in the draft; its length for the end. */
  readonly before: number;
}

/** What of the goal is to be in a prompt; null for none. */
export function wantedOf(goal: string | null): string | null {
  const text = goal?.trim() ?? '';
  return text === '' ? null : excerptText(excerptOf(text, MAX_GOAL));
}

/** What of the goal a prompt has to say, and what that costs it. */
export class Goal<M> {
  readonly #draft: Draft<M>;
  readonly #wanted: string | null;
  readonly #rules: ProviderRules;
  readonly #isPinned: (message: number) => boolean;

  /** `wanted` as `wantedOf` gives it; `system`: instructions beside the messages, which may say it. */
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

  /** The note; null where the user, the instructions or a notice that stays say the goal word for word, or it has no place. */
  note(notice: Notice | null): GoalNote | null {
    const wanted = this.#wanted;
    if (wanted === null || notice?.replacement.text.includes(wanted) || this.#isSaid(wanted, true))
      return null;
    return this.#noteOf(wanted);
  }

  /** Tokens of the note. `withOurs`: notices and notes of before stay, and what they say. */
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

/** The newest message of the user; -1 for none. */
function hostIn<M>(draft: Draft<M>, isPinned: (message: number) => boolean): number {
  return draft.list.findLastIndex(
    ({ view }, message) =>
      view.role === 'user' &&
      view.items.some(({ kind }) => kind === 'user') &&
      !draft.isGone(message) &&
      !isPinned(message),
  );
}

/** After everything, but before calls whose results are still to come. */
function endOf<M>(draft: Draft<M>): number {
  let end = draft.list.length;
  for (const { open, places } of draft.conversation.groups)
    if (open) end = Math.min(end, places[0]?.message ?? end);
  return end;
}

/**
 * Takes earlier notes where the prompt changes from before them on: elsewhere that would cost the cached prompt more than
 * they do. They go with the next notice.
 */
export function takeEarlierNotes<M>(draft: Draft<M>): void {
  const from = draft.touched()[0] ?? draft.list.length;
  draft.list.forEach(({ made, view }, message) => {
    if (message > from && made !== null && isGoalNote(view.items[0]?.text ?? '')) draft.emptied.add(message);
  });
}

/** The item of `host` that is an earlier note; -1 for none. */
export function noteIn<M>({ list }: Draft<M>, host: number): number {
  const { view, edits } = list[host] ?? {};
  const ours = new Set(edits?.flat().flatMap((edit) => ('text' in edit ? [edit.text] : [])));
  return view?.items.findLastIndex(({ text }) => isGoalNote(text) && ours.has(text)) ?? -1;
}

// The list that a finished draft leaves: changed messages, without those removed, and our own where they belong.

import { ANSWER_LEFT_OUT, INTERRUPTED, QUESTION_LEFT_OUT } from '../archive/placeholder.ts';
import type { Codec, ProviderRules } from '../codecs/codec.ts';
import type { Edit, Role } from '../codecs/message.ts';
import { addTo } from '../grouped.ts';
import type { Pointer } from '../policy/change.ts';
import type { Draft } from '../policy/draft.ts';
import type { Answer } from '../policy/tiers/repair.ts';
import type { Made } from './entry.ts';
import type { ItemPosition } from './groups.ts';
import type { Ledger, Shown, Step } from './ledger.ts';

/** Location of an original, by its place in the draft. */
export type PointerOf = (place: ItemPosition) => Pointer;

const isUserSide = (role: Role): boolean => role === 'user' || role === 'tool';

/** The message before which a notice is inserted: after instructions and the user's first message, before all turns. */
function noticePosition<M>(draft: Draft<M>): number {
  const { groups } = draft.conversation;
  const firstUser = groups.findIndex(({ kind }) => kind === 'user');
  const next = groups.find(({ kind }, number) => kind !== 'system' && number !== firstUser);
  return next?.places[0]?.message ?? draft.list.length;
}

/**
 * The message to add the notice to if it cannot be a message of its own; -1 if it can. `isGone` takes a draft message.
 */
export function noticeHost<M>(
  draft: Draft<M>,
  { alternates }: ProviderRules,
  isGone: (message: number) => boolean = (message) => draft.isGone(message),
): number {
  if (!alternates) return -1;
  for (let at = noticePosition(draft) - 1; at >= 0; at -= 1) {
    const role = draft.list[at]?.view.role ?? 'system';
    if (role !== 'system' && !isGone(at)) return isUserSide(role) ? at : -1;
  }
  return -1;
}

/** Filler between two messages on the side of `role`. */
const between = (role: Role): Pick<Extract<Made, { kind: 'notice' }>, 'text' | 'role'> =>
  isUserSide(role) ? { text: ANSWER_LEFT_OUT, role: 'assistant' } : { text: QUESTION_LEFT_OUT, role: 'user' };

class Decisions<M> {
  readonly #draft: Draft<M>;
  readonly #codec: Codec<M>;
  /** Per message: the last edit of each item, by item number, and edits of the whole message. */
  readonly #edits = new Map<number, Map<number | Edit, Edit>>();
  readonly #gone: Set<number> = new Set();
  /** Our own messages, by the draft message they precede. */
  readonly #made = new Map<number, { readonly made: Made; readonly isNotice: boolean }[]>();
  /** The message that the notice is added to, or -1. */
  #host = -1;

  constructor(draft: Draft<M>, codec: Codec<M>) {
    this.#draft = draft;
    this.#codec = codec;
  }

  edits(pointerOf: PointerOf): void {
    const { changes, additions, list } = this.#draft;
    for (const { place, edit } of changes.values()) this.#edit(place.message, edit(pointerOf(place)));
    for (const [message, more] of additions)
      for (const { edit, for: place } of more) if (!this.#draft.hasGone(place)) this.#edit(message, edit);
    list.forEach(({ view, message: native }, message) => {
      if (this.#draft.isGone(message)) {
        this.#gone.add(message);
        return;
      }
      view.items.forEach((_, item) => {
        const group = this.#draft.conversation.groupOf[message]?.[item] ?? -1;
        if (this.#draft.gone.has(group)) this.#edit(message, { op: 'remove', item });
      });
      const edits = this.#editsOf(message);
      if (edits.length > 0 && this.#codec.edit(native, edits) === null) this.#gone.add(message);
    });
  }

  #edit(message: number, edit: Edit): void {
    const edits = this.#edits.get(message) ?? new Map<number | Edit, Edit>();
    edits.set('item' in edit ? edit.item : edit, edit);
    this.#edits.set(message, edits);
  }

  #editsOf(message: number): Edit[] {
    return [...(this.#edits.get(message)?.values() ?? [])];
  }

  answers(answers: readonly Answer[]): void {
    for (const { at, after, calls } of answers)
      if (!this.#draft.hasGone(at)) this.#make(after + 1, { kind: 'answer', calls, text: INTERRUPTED });
  }

  #make(before: number, made: Made, isNotice: boolean = false): void {
    addTo(this.#made, before, { made, isNotice });
  }

  /** Adds a notice for everything removed. */
  notice(text: string): void {
    this.#host = noticeHost(this.#draft, this.#codec.rules, (message) => this.#gone.has(message));
    const old = this.#draft.noticeIn(this.#host);
    if (this.#host < 0) this.#make(noticePosition(this.#draft), { kind: 'notice', text, role: 'user' }, true);
    else this.#edit(this.#host, old < 0 ? { op: 'append', text } : { op: 'text', item: old, text });
  }

  /** Inserts fillers where two messages of one side would be adjacent and the provider rejects that. */
  fillers(): void {
    if (!this.#codec.rules.alternates) return;
    let last: Role | null = null;
    this.#draft.list.forEach(({ view }, message) => {
      for (const { made } of this.#made.get(message) ?? [])
        last = made.kind === 'notice' ? made.role : 'tool';
      if (this.#gone.has(message) || view.role === 'system') return;
      const before = this.#draft.list[message - 1]?.view.role;
      const parted = before === undefined || this.#gone.has(message - 1) || this.#made.has(message);
      // Results may be several messages.
      const isSeam = last !== null && parted && !(last === 'tool' && view.role === 'tool');
      if (last !== null && isSeam && isUserSide(last) === isUserSide(view.role))
        this.#make(message, { kind: 'notice', ...between(view.role) });
      last = view.role;
    });
  }

  steps(): readonly Step<M>[] {
    const { list } = this.#draft;
    const steps = list.flatMap(({ message: native }, at): readonly Step<M>[] => {
      const made = this.#made.get(at) ?? [];
      if (this.#gone.has(at)) return made;
      const edits = this.#editsOf(at);
      const message = edits.length === 0 ? native : this.#codec.edit(native, edits);
      return message === null ? made : [...made, { at, edits, message, isNotice: at === this.#host }];
    });
    return [...steps, ...(this.#made.get(list.length) ?? [])];
  }
}

/** Texts and answers that a round adds to a list. */
export interface Added {
  readonly answers: readonly Answer[];
  /** Replaces removed messages. */
  readonly notice: string | null;
}

/** Records the decisions of a draft; returns the list that it leaves. */
export function record<M>(
  draft: Draft<M>,
  codec: Codec<M>,
  { answers, notice }: Added,
  pointerOf: PointerOf,
  ledger: Ledger<M>,
): readonly Shown<M>[] {
  const decisions = new Decisions(draft, codec);
  decisions.edits(pointerOf);
  if (notice !== null) decisions.notice(notice);
  decisions.answers(answers);
  decisions.fillers();
  return ledger.decide(decisions.steps());
}

// Converts a finished draft to ledger events: changed messages, removed messages, and the position of the notice. Pure.

import { ANSWER_LEFT_OUT, INTERRUPTED, QUESTION_LEFT_OUT } from '../archive/placeholder.ts';
import type { Codec, ProviderRules } from '../codecs/codec.ts';
import type { Edit, Role } from '../codecs/message.ts';
import type { Pointer } from '../policy/change.ts';
import type { Draft } from '../policy/draft.ts';
import { type GoalNote, noteIn } from '../policy/goal-note.ts';
import type { Answer } from '../policy/tiers/repair.ts';
import { fingerprint } from './fingerprint.ts';
import type { ItemPosition } from './groups.ts';
import type { LedgerEvent, Made } from './ledger-event.ts';
import { runsOf } from './number-ranges.ts';

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
  readonly #made = new Map<
    number,
    { readonly made: Made; readonly covers: readonly number[]; readonly joins: boolean }[]
  >();
  /** Entries covered by a notice that is added to a caller's message. */
  readonly #covering = new Map<number, readonly number[]>();

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

  #make(before: number, made: Made, covers: readonly number[] = [], joins: boolean = false): void {
    const own = this.#made.get(before) ?? [];
    own.push({ made, covers, joins });
    this.#made.set(before, own);
  }

  /** Adds a notice for everything removed, including what removed earlier notices covered. */
  notice(text: string, earlier: (entry: number) => readonly number[]): void {
    const { list } = this.#draft;
    const covers: number[] = [];
    list.forEach(({ entry }, message) => {
      if (!this.#gone.has(message) && !this.#editsOf(message).some(({ op }) => op === 'remove')) return;
      // Pushed one by one: a spread call has a limited argument count.
      for (const one of earlier(entry)) covers.push(one);
      covers.push(entry);
    });
    const host = noticeHost(this.#draft, this.#codec.rules, (message) => this.#gone.has(message));
    if (host < 0) {
      this.#make(noticePosition(this.#draft), { kind: 'notice', text, role: 'user' }, covers);
      return;
    }
    const old = this.#draft.noticeIn(host);
    this.#edit(host, old < 0 ? { op: 'append', text } : { op: 'text', item: old, text });
    this.#covering.set(host, [...earlier(list[host]?.entry ?? -1), ...covers]);
  }

  goal({ text, host, before }: GoalNote): void {
    if (host === null) {
      this.#make(before, { kind: 'notice', text, role: 'user' });
      return;
    }
    const old = noteIn(this.#draft, host);
    this.#edit(host, old < 0 ? { op: 'append', text } : { op: 'text', item: old, text });
  }

  /**
   * Inserts fillers where two messages of one side would be adjacent and the provider rejects that. `joins`: they are
   * removed together with the notice.
   */
  fillers(joins: boolean): void {
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
        this.#make(message, { kind: 'notice', ...between(view.role) }, [], joins);
      last = view.role;
    });
  }

  events(make: (made: Made) => M): LedgerEvent[] {
    const { list } = this.#draft;
    const mark = (message: M): string => fingerprint(this.#codec.view(message));
    const events: LedgerEvent[] = [];
    // Events that list what a notice covers must follow the events of those entries.
    const last: LedgerEvent[] = [];
    for (const message of [...this.#edits.keys()].sort((a, b) => a - b)) {
      const edits = this.#editsOf(message);
      const shown = list[message];
      if (!shown || this.#gone.has(message)) continue;
      const edited = this.#codec.edit(shown.message, edits);
      const covers = this.#covering.get(message);
      (covers ? last : events).push({
        type: 'edited',
        entry: shown.entry,
        edits,
        mark: edited === null ? null : mark(edited),
        ...(covers && { covers: runsOf(covers) }),
      });
    }
    const gone = [...this.#gone].sort((a, b) => a - b).flatMap((message) => list[message]?.entry ?? []);
    if (gone.length > 0) events.push({ type: 'gone', entries: gone });
    events.push(...last);
    for (const [before, own] of [...this.#made].sort(([a], [b]) => a - b))
      for (const { made, covers, joins } of own)
        events.push({
          type: 'made',
          before: list[before]?.entry ?? null,
          made,
          mark: mark(make(made)),
          covers: runsOf(covers),
          ...(joins && { joins }),
        });
    return events;
  }
}

/** Texts and answers that a round adds to a list. */
export interface Added {
  readonly answers: readonly Answer[];
  /** Replaces removed messages. */
  readonly notice: string | null;
  readonly goal: GoalNote | null;
}

/** The events of a draft, in order. The ledger provides what each entry covered. */
export function eventsOf<M>(
  draft: Draft<M>,
  codec: Codec<M>,
  { answers, notice, goal }: Added,
  pointerOf: PointerOf,
  ledger: { covers(entry: number): readonly number[]; make(made: Made): M },
): LedgerEvent[] {
  const decisions = new Decisions(draft, codec);
  decisions.edits(pointerOf);
  if (notice !== null) decisions.notice(notice, (entry) => ledger.covers(entry));
  decisions.answers(answers);
  if (goal !== null) decisions.goal(goal);
  decisions.fillers(notice !== null);
  return decisions.events((made) => ledger.make(made));
}

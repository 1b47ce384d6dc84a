// Decides which tier acts on a draft, when, and how far. Tiers change only the draft.

import type { Tokens } from '../../contract/index.ts';
import { isPlaceholder } from '../archive/placeholder.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Shown } from '../ledger/ledger.ts';
import type { Resolved } from '../options.ts';
import type { Draft } from './draft.ts';
import { type ImportanceCandidate as Candidate, scored } from './importance.ts';
import { type DropBatch, type Known, leaveOut, type Notice } from './leave-out.ts';
import type { Triggered } from './policy.ts';
import { markStaleReads } from './stale-reads.ts';
import { limitOf, type Targets, triggerAt } from './targets.ts';
import { type Keeping, pinnedGroups, protectedGroups, turnsFirst } from './tiers/drop.ts';
import { cutLongest } from './tiers/fit.ts';
import { maskResults, shortenResults } from './tiers/mask.ts';
import { type Pointing, pointToFiles } from './tiers/pointers.ts';
import { WorkingSet } from './working-set.ts';

/** Notice size if no tier of the policy sets it, as a share of the target. */
const LAST_DIGEST = 0.1;

/** Whether the caller keeps a message, or the tool result in it. Each is evaluated once. */
export function pinsOf<M>(
  draft: Draft<M>,
  { isPinned, tools }: Pick<Resolved<M>, 'isPinned' | 'tools'>,
): (message: number) => boolean {
  const known = new Map<number, boolean>();
  const isKept = ({ view, message: native }: Shown<M>, message: number): boolean =>
    (tools.keepsAny &&
      view.items.some(
        ({ kind }, item) => kind === 'result' && tools.isKept(draft.nameOf({ message, item })),
      )) ||
    isPinned(native);
  return (message) => {
    const shown = draft.list[message];
    const is = known.get(message) ?? (shown !== undefined && isKept(shown, message));
    known.set(message, is);
    return is;
  };
}

/** Input of a plan. */
export interface Planned<M> {
  readonly draft: Draft<M>;
  readonly codec: Codec<M>;
  readonly targets: Targets;
  readonly options: Resolved<M>;
  readonly known: Known;
  /** See `pinsOf`. */
  readonly isPinned: (message: number) => boolean;
}

/**
 * Lets the tiers act. Returns the notice that replaces removed messages, or null if none were removed.
 * @throws {ReaderError} ABORTED
 */
export function plan<M>(planned: Planned<M>): Promise<Notice | null> {
  return new Plan(planned).act();
}

class Plan<M> {
  readonly #planned: Planned<M>;
  readonly #draft: Draft<M>;
  readonly #targets: Targets;
  readonly #options: Resolved<M>;
  readonly #keeping: Keeping;
  /** Prompt tokens before any tier acts. */
  readonly #start: Tokens;

  constructor(planned: Planned<M>) {
    const { draft, targets, options, isPinned } = planned;
    this.#planned = planned;
    this.#draft = draft;
    this.#targets = targets;
    this.#options = options;
    this.#keeping = { recentTokens: targets.recent, isPinned };
    this.#start = draft.tokens;
  }

  async act(): Promise<Notice | null> {
    const { shorten } = this.#options;
    if (shorten && this.#isOver({}))
      shortenResults(this.#draft, shorten, protectedGroups(this.#draft, this.#keeping));
    this.#mask();
    this.#point();
    const notice = await this.#last(await this.#leaveOut());
    // Never above the starting size: a tier may save less than the marks cost.
    const { draft, codec, isPinned } = this.#planned;
    if (draft.gone.size > 0 || draft.changes.size > 0)
      markStaleReads(draft, codec, isPinned, Math.min(this.#start, limitOf(this.#targets, this.#start)));
    return notice;
  }

  /** Whether the prompt is above the tier's own trigger, or the one the caller set. */
  #isOver({ at = this.#options.threshold.at }: Triggered): boolean {
    const { force, explicit, trigger, low } = this.#targets;
    if (at === 0) return true;
    const over = explicit ? trigger : Math.max(triggerAt(at, this.#targets), low);
    return force || this.#start > over;
  }

  /** A tier that acts at every call replaces everything it may. */
  #aimOf({ at }: Triggered): Tokens {
    return at === 0 ? 0 : Math.max(1, this.#targets.low);
  }

  /** Tier 3. */
  #mask(): void {
    const { mask } = this.#options.policy;
    if (!mask || !this.#isOver(mask)) return;
    maskResults(this.#draft, mask, {
      aim: this.#aimOf(mask),
      atLeast: this.#targets.force ? 0 : (mask.atLeast ?? 0) * this.#targets.window,
      kept: protectedGroups(this.#draft, this.#keeping),
    });
  }

  /** Tier 4. */
  #point(): void {
    const { pointers } = this.#options.policy;
    if (!pointers || !this.#isOver(pointers)) return;
    const kept = protectedGroups(this.#draft, this.#keeping);
    this.#pointTo(this.#aimOf(pointers), kept, pointers);
  }

  #pointTo(aim: Tokens, kept: ReadonlySet<number>, pointing: Pointing): void {
    pointToFiles(this.#draft, this.#options.tools, this.#planned.codec.rules, aim, kept, pointing);
  }

  /** Tier 5: reduces to the target and to the limit on messages; a notice replaces what is removed. */
  #leaveOut(): Promise<Notice | null> {
    const { drop, messages } = this.#options.policy;
    if (!drop) return Promise.resolve(null);
    const { low, fixed } = this.#targets;
    const { notice, without } = drop;
    const isOver = this.#isOver(drop) && this.#draft.tokens > low;
    const { length } = this.#draft.list;
    const excess = messages && length > messages.at ? length - messages.to : 0;
    const many = excess > 0 ? Math.min(excess, this.#mayLeave()) : 0;
    if (!isOver && many === 0) return Promise.resolve(null);
    const aim = isOver ? low : Number.POSITIVE_INFINITY;
    return this.#leave({ aim, keeping: this.#keeping, tokens: notice * (low - fixed), many, without });
  }

  /**
   * Removable messages, without our own notices and notes: a limit exceeded only by those would be exceeded at every
   * call.
   */
  #mayLeave(): number {
    const kept = protectedGroups(this.#draft, this.#keeping);
    return this.#draft.list.filter(({ made, view: { items } }, message) => {
      const [only] = items;
      const isOurs = made !== null || (items.length === 1 && only !== undefined && isPlaceholder(only.text));
      const groups = this.#draft.conversation.groupOf[message] ?? [];
      return (
        !isOurs && groups.some((group) => group >= 0 && !kept.has(group) && !this.#draft.gone.has(group))
      );
    }).length;
  }

  /** Enforces hard limits: now even what the policy spares may be removed. */
  async #last(notice: Notice | null): Promise<Notice | null> {
    const { explicit, force, low, capacity, trigger } = this.#targets;
    const draft = this.#draft;
    const most = explicit || force ? Math.min(low, capacity) : capacity;
    if (draft.tokens <= most || !(force || this.#start > (explicit ? trigger : most))) return notice;
    const keeping = { ...this.#keeping, recentTokens: 0 };
    const made = notice ?? (await this.#leave({ aim: most, keeping, tokens: LAST_DIGEST * most, many: 0 }));
    const pinned = pinnedGroups(draft, this.#keeping);
    this.#pointTo(most, pinned, { isLastResort: true });
    cutLongest(draft, most, (place) => !this.#keeping.isPinned(place.message));
    return made;
  }

  async #leave(batch: Omit<DropBatch, 'order' | 'capacity'>): Promise<Notice | null> {
    const { capacity } = this.#targets;
    const { order, aim } = await this.#orderFor(batch);
    return leaveOut(this.#draft, { ...batch, capacity, order, aim }, this.#options, this.#planned.known);
  }

  /** Order in which groups are removed, and the target. A soft target may be exceeded to keep files in work. */
  async #orderFor({
    aim,
    tokens,
    keeping,
  }: Pick<DropBatch, 'aim' | 'tokens' | 'keeping'>): Promise<Pick<DropBatch, 'aim' | 'order'>> {
    const draft = this.#draft;
    const { policy, importance, timeoutMs } = this.#options;
    const { signal } = this.#planned.known;
    const kept = protectedGroups(draft, keeping);
    if (importance || !policy.workingSet) {
      const patience = { signal, timeoutMs };
      const score = importance && ((turns: readonly Candidate[]) => scored(turns, importance, patience));
      return { aim, order: await turnsFirst(draft, kept, score) };
    }
    const { explicit, force, fixed, low } = this.#targets;
    const spare = explicit || force || aim < low ? 0 : low - fixed;
    const { order, over } = new WorkingSet(draft).settle(kept, aim - tokens, spare);
    return { aim: aim + over, order };
  }
}

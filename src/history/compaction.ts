// One compaction: repeats rounds in which every tier may act on the list, and archives originals before it records a
// round. It lives for one call; state that outlives the call is passed in.

import { ReaderError, type Tokens } from '../contract/index.ts';
import type { Kept } from './archive/archive.ts';
import { sha256Of, wellFormed } from './archive/exact-text.ts';
import { leftOut } from './archive/placeholder.ts';
import type { Offloaded } from './archive/tool-output.ts';
import type { Codec } from './codecs/codec.ts';
import type { Item } from './codecs/message.ts';
import { isUnsized } from './cost/media.ts';
import { type PromptSize, sizeOf } from './cost/prompt-size.ts';
import type { Lasting } from './lasting.ts';
import { noticeHost, type PointerOf, record } from './ledger/decisions.ts';
import type { Ledger, Shown } from './ledger/ledger.ts';
import { Draft } from './policy/draft.ts';
import type { Notice } from './policy/leave-out.ts';
import { pinsOf, plan } from './policy/plan.ts';
import { limitOf, type Targets } from './policy/targets.ts';
import { arrive } from './policy/tiers/arrival.ts';
import { type Keeping, lastingGroups, protectedGroups, tokensOf } from './policy/tiers/drop.ts';
import { type Answer, repairDraft, takeEmpty } from './policy/tiers/repair.ts';
import { archiveProblem, refuseAborted, tooLong, tooMany } from './problem.ts';
import { addToRecall, RECALL_LINE } from './recall.ts';
import type { Problem, Repair, Report, SummaryReport, Tier } from './report.ts';
import { withUsed } from './summary/digest.ts';

/** A list to compact. */
export interface Task<M> {
  readonly ledger: Ledger<M>;
  readonly codec: Codec<M>;
  readonly targets: Targets;
  /** Raw tokens of everything passed outside the messages. */
  readonly overhead: number;
  readonly before: PromptSize;
  readonly signal: AbortSignal | undefined;
}

/** A result to write to a file, and its text. */
interface Offload {
  readonly offloaded: Offloaded;
  readonly text: string;
}

const MOST_ROUNDS = 6;

const isUnsizedItem = ({ kind, media }: Item): boolean =>
  kind === 'media' && media !== null && isUnsized(media);

export class Compaction<M> {
  readonly #lasting: Lasting<M>;
  readonly #task: Task<M>;
  /** The model's tools can read the storage. */
  readonly #reachable: boolean;
  readonly #tiers = new Map<Tier, { readonly changed: number; readonly saved: number }>();
  readonly #repairs: Repair[] = [];
  #summary: SummaryReport | null = null;
  #room: Tokens;
  #changed = false;
  #recalled = false;
  #problem: Problem | null = null;

  constructor(lasting: Lasting<M>, task: Task<M>) {
    this.#lasting = lasting;
    this.#task = task;
    this.#reachable = lasting.options.storage !== null;
    this.#room = task.targets.capacity;
  }

  get #limit(): Tokens {
    return limitOf(this.#task.targets, this.#task.before.tokens);
  }

  /** Tokens left for upcoming results once everything removable is gone. */
  get room(): Tokens {
    return this.#room;
  }

  /**
   * Compacts `list`, as shown by the ledger, and returns the new shown list.
   * @throws {ReaderError} ABORTED
   */
  async run(list: readonly Shown<M>[]): Promise<readonly Shown<M>[]> {
    const { codec, targets, before, overhead } = this.#task;
    const { own, estimator, calibration } = this.#lasting;
    const isOwn = (text: string): boolean => own.has(sha256Of(text));
    // One round is usually enough. Estimated savings are not exact, so a list still over its trigger gets another
    // round, as it would at the next call. So does a repaired list: tiers that count results count differently in it.
    let shown = list;
    for (let round = 0, size = before; round < MOST_ROUNDS; round += 1) {
      // After the first round the list may cost less per estimated token.
      const factor = round === 0 ? calibration.factor : calibration.slope(size.raw);
      const draft = new Draft(shown, codec.rules, estimator, factor, size.tokens, isOwn);
      const repairs = this.#repairs.length;
      const next = await this.#round(draft);
      if (next === null) break;
      shown = next;
      size = sizeOf(shown, overhead, estimator, calibration);
      const most = targets.force ? targets.low : targets.trigger;
      if (this.#repairs.length > repairs) continue;
      if (size.tokens <= Math.min(most, targets.capacity)) break;
    }
    return shown;
  }

  /** What was done; `shown` is what `run` returned. Consumes the fresh pointers. */
  report(shown: readonly Shown<M>[], after: PromptSize, stablePrefix: number): Report {
    const { options, fresh } = this.#lasting;
    const { before, codec, targets, ledger } = this.#task;
    const limit = this.#limit;
    const repairs = [...ledger.takeRepairs(), ...this.#repairs];
    const fits = after.tokens <= limit;
    const problem = this.#problem ?? this.#overBudget(shown, after.tokens, limit);
    return {
      action: this.#changed || repairs.length > 0 ? 'compacted' : problem === null ? 'none' : 'kept',
      codec: codec.name,
      preset: options.preset,
      before: { messages: before.messages, tokens: before.tokens },
      after: { messages: after.messages, tokens: after.tokens },
      window: targets.window,
      trigger: targets.trigger,
      target: targets.low,
      fits,
      problem,
      windowAssumed: targets.windowAssumed,
      unknownSizes: shown.reduce((sum, { view }) => sum + view.items.filter(isUnsizedItem).length, 0),
      tiers: [...this.#tiers].map(([tier, { changed, saved }]) => ({
        tier,
        changed,
        saved: Math.round(saved),
      })),
      repairs,
      summary: this.#summary,
      pointers: fresh.splice(0),
      stablePrefix,
    };
  }

  /** The limit the list still exceeds, or null if it is within all limits. */
  #overBudget(shown: readonly Shown<M>[], tokens: Tokens, limit: Tokens): Problem | null {
    const { estimator, calibration, options } = this.#lasting;
    const { messages } = options.policy;
    const isTooLong = tokens > limit;
    if (!isTooLong && (!messages || shown.length <= messages.at)) return null;
    const draft = new Draft(shown, this.#task.codec.rules, estimator, calibration.factor, tokens);
    return isTooLong || !messages
      ? tooLong(draft, options, tokens, limit)
      : tooMany(draft, options, messages.at);
  }

  /** Lets every tier act once. Returns the list then, or null if nothing changed. */
  async #round(draft: Draft<M>): Promise<readonly Shown<M>[] | null> {
    const { options, fresh, digest } = this.#lasting;
    const { codec, targets, signal } = this.#task;
    const answers = repairDraft(draft, codec.rules);
    const isPinned = pinsOf(draft, options);
    const keeping = { recentTokens: 0, isPinned };
    this.#room = targets.capacity - tokensOf(draft, lastingGroups(draft, keeping));
    const offloads = await this.#archived(() => this.#offload(draft, keeping));
    if (!offloads) return null;
    const known = { digest, goal: options.goal, signal };
    const notice = await plan({ draft, codec, targets, options, known, isPinned });
    if (notice !== null) takeEmpty(draft);
    if (draft.touched().length === 0 && answers.length === 0) return null;
    const archived = this.#unkept(draft, notice);
    const kept = await this.#archived(() => this.#keep(draft, archived, offloads));
    if (kept === undefined) return null;
    for (const { offloaded } of offloads) fresh.push(offloaded.path);
    // Pushed one by one: a spread call has a limited argument count.
    if (kept) for (const index of originalsIn(draft, archived)) fresh.push(kept.pointer(index));
    const shown = this.#record(draft, archived, kept, answers, notice);
    this.#count(draft, notice);
    return shown;
  }

  /** Runs `work` on the archive. If it fails, sets the problem and returns undefined. @throws {ReaderError} ABORTED */
  async #archived<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      refuseAborted(this.#task.signal);
      if (!(error instanceof ReaderError)) throw error;
      this.#problem = archiveProblem(error);
      return undefined;
    }
  }

  /** Tiers 1 and 2: moves results to files or truncates them. */
  #offload(draft: Draft<M>, keeping: Keeping): readonly Offload[] {
    const { options, archive } = this.#lasting;
    const { capacity } = this.#task.targets;
    const offloads: Offload[] = [];
    arrive(draft, options.policy, {
      reachable: this.#reachable,
      tools: options.tools,
      capacity,
      kept: protectedGroups(draft, keeping),
      mayTouch: ({ message }) => !keeping.isPinned(message),
      keep: (toolName, text) => {
        const offloaded = archive.offloaded(toolName, text);
        offloads.push({ offloaded, text });
        return this.#reachable ? offloaded.shown : null;
      },
    });
    return offloads;
  }

  /** Messages to archive: those that are removed, and one that a notice is added to. */
  #unkept(draft: Draft<M>, notice: Notice | null): readonly number[] {
    const host = notice === null ? -1 : noticeHost(draft, this.#task.codec.rules);
    const unkept = new Set([...draft.unkept(), host]);
    unkept.delete(-1);
    return [...unkept].sort((a, b) => a - b);
  }

  /** Archives what will be replaced. Returns null if there are no messages to archive. */
  async #keep(
    draft: Draft<M>,
    archived: readonly number[],
    offloads: readonly Offload[],
  ): Promise<Kept | null> {
    const { archive, options } = this.#lasting;
    const { codec, signal } = this.#task;
    const { recall, timeoutMs } = options;
    for (const { offloaded, text } of offloads) await archive.offload(offloaded, text, signal);
    if (archived.length === 0) {
      await addToRecall(recall, [], offloads, { signal, timeoutMs });
      return null;
    }
    const messages = archived.flatMap((message) => {
      const shown = draft.list[message];
      if (!shown) return [];
      const names = draft.conversation.names[message] ?? [];
      // Called one at a time: encoding all messages at once would hold a second conversation in memory.
      return [{ view: shown.view, names, native: () => codec.encode(shown.message) }];
    });
    const kept = await archive.keep(messages, codec.name, signal);
    this.#recalled = await addToRecall(recall, messages, offloads, { signal, timeoutMs });
    return kept;
  }

  /** Records the decisions whose originals are archived. */
  #record(
    draft: Draft<M>,
    archived: readonly number[],
    kept: Kept | null,
    answers: readonly Answer[],
    notice: Notice | null,
  ): readonly Shown<M>[] {
    const { ledger, codec } = this.#task;
    const numbers = numbered(archived);
    const reachable = this.#reachable ? kept : null;
    const pointerOf: PointerOf = ({ message, item }) => {
      const index = numbers.get(message);
      return reachable && index !== undefined ? reachable.textPointer(index, item).shown : null;
    };
    const text = notice && this.#noticeText(notice, reachable?.shownMarkdown ?? null);
    this.#lasting.digest = notice
      ? notice.replacement.digest
      : withUsed(this.#lasting.digest, draft.usedLines(this.#lasting.digest));
    return record(draft, codec, { answers, notice: text }, pointerOf, ledger);
  }

  /** The whole notice for messages whose originals are at `pointer`. */
  #noticeText({ leaving, goal, replacement }: Notice, pointer: string | null): string {
    const line = leftOut(leaving.count, Math.round(leaving.all), pointer, leaving.elsewhere);
    const texts = [line, this.#recalled ? RECALL_LINE : '', goal, replacement.text];
    // JSON arguments may contain lone surrogates.
    return wellFormed(texts.filter((text) => text !== '').join('\n\n'));
  }

  #count(draft: Draft<M>, notice: Notice | null): void {
    this.#changed = true;
    // Pushed one by one: a spread call has a limited argument count.
    for (const one of draft.repairs) this.#repairs.push(one);
    this.#summary ??= notice?.replacement.summary ?? null;
    for (const [tier, { changed, saved }] of draft.saved) {
      const before = this.#tiers.get(tier) ?? { changed: 0, saved: 0 };
      this.#tiers.set(tier, { changed: before.changed + changed, saved: before.saved + saved });
    }
  }
}

/**
 * Indexes of the caller's messages among those archived. Our own notices are archived too, for what they covered; one is
 * reported if there is nothing else in the file.
 */
function originalsIn<M>({ list }: Draft<M>, archived: readonly number[]): readonly number[] {
  const originals = archived.flatMap((message, index) => (list[message]?.made === null ? [index] : []));
  return originals.length > 0 ? originals : archived.slice(0, 1).map(() => 0);
}

/** Maps each message to its index among the archived messages. */
const numbered = (archived: readonly number[]): ReadonlyMap<number, number> =>
  new Map(archived.map((message, index) => [message, index]));

// The compactor: follows a conversation from call to call, and gives a list that fits its model's window. What it takes away
// lies in the archive first; what it does not touch goes back as the very objects that came.

import { ReaderError, type Tokens } from '../contract/index.ts';
import { Archive } from './archive/archive.ts';
import { ArrivedTexts } from './archive/arrived-texts.ts';
import { newConversationId } from './archive/conversation-id.ts';
import { KnownPointers } from './archive/known-pointers.ts';
import type { Restored } from './archive/restored.ts';
import { createMemoryStorage } from './archive/storage.ts';
import { CallQueue } from './call-queue.ts';
import type { CodecName } from './codecs/codec.ts';
import { Calibration } from './cost/calibration.ts';
import { createEstimator } from './cost/estimate.ts';
import { instructionsOf, overheadOf, sizeOf } from './cost/prompt-size.ts';
import { Explanation } from './explanation.ts';
import type { Lasting } from './lasting.ts';
import { Following } from './ledger/following.ts';
import type { Shown } from './ledger/ledger.ts';
import { markOf, rawOf } from './ledger/read-messages.ts';
import { checkState, type HistoryState, type Totals } from './ledger/state.ts';
import { countReport, NO_TOTALS, statsOf } from './ledger/totals.ts';
import {
  type CallOptions,
  checkCall,
  type HistoryOptions,
  type Resolved,
  resolveHistory,
} from './options.ts';
import { targetsOf } from './policy/targets.ts';
import { arrivalOf, measureOf } from './policy/tiers/arrival.ts';
import { refuseAborted } from './problem.ts';
import { addToRecall } from './recall.ts';
import { emptyReport, type HistoryStats, type Report, type Tier } from './report.ts';
import { Breaker } from './summary/breaker.ts';

/** A list that fits, and what was done for that. */
export interface Compacted<M> {
  readonly messages: M[];
  readonly report: Report;
}

/** A tool result as it arrives, before it is in any message. */
export interface ArrivingResult {
  readonly toolName: string;
  readonly text: string;
  readonly isError?: boolean;
}

export interface ArrivedResult {
  /** What goes into the message. */
  readonly text: string;
  /** Where the whole result lies; null where it is whole. */
  readonly pointer: string | null;
  readonly tier: Extract<Tier, 'offload' | 'truncate'> | null;
}

/** Follows one conversation. Calls wait for each other; each gives what the one before left. */
export interface Compactor<M = unknown> {
  /**
   * The conversation so far, all of it: as it came, or as this compactor gave it, with what came since. Under its trigger it
   * comes back as it is, but for what a provider would refuse. Messages added to the array while it works are kept.
   * @throws {ReaderError} BAD_INPUT for messages of no known format; ABORTED
   */
  compact(messages: readonly M[], options?: CallOptions): Promise<Compacted<M>>;
  /** Tiers 1 and 2 at the moment a tool answers; what goes to a file is safe once this returns. A failing storage leaves the result whole. */
  onToolResult(result: ArrivingResult, options?: Pick<CallOptions, 'signal'>): Promise<ArrivedResult>;
  /** Prompt tokens the provider counted for the list that `compact` gave last: estimates follow. */
  observe(promptTokens: Tokens): void;
  /** The provider refused the list that `compact` gave last as too long; `promptTokens` where its error says how long. */
  overflowed(promptTokens?: Tokens): void;
  /**
   * The original behind a pointer, of any conversation in the storage.
   * @throws {ReaderError} FILE_NOT_FOUND, CORRUPT_FILE, BAD_INPUT, TIMED_OUT, ABORTED
   */
  restore(pointer: string, options?: Pick<CallOptions, 'signal'>): Promise<Restored>;
  /**
   * Removes archived files of this conversation that it does not name, such as those of a compaction that was cut short;
   * gives their paths. Never files of another conversation, nor files without an owner: those of the function `compact`, and
   * of versions before conversations had folders. A new compactor with the `conversationId` of a conversation that is over
   * names nothing: its `prune` removes all of that conversation's files.
   */
  prune(options?: Pick<CallOptions, 'signal'>): Promise<string[]>;
  /** To be kept beside the conversation, as JSON. */
  state(): HistoryState;
  stats(): HistoryStats;
}

/** Estimates are raised by this when a provider refuses a list and does not say how long it is. */
const OVERFLOW_FACTOR = 1.25;

class HistoryCompactor<M> implements Compactor<M> {
  readonly #options: Resolved<M>;
  readonly #lasting: Lasting<M>;
  readonly #conversationId: string | null;
  readonly #queue = new CallQueue();
  readonly #following: Following<M>;
  #totals: Totals;
  /** What is estimated for; null before the first messages. */
  #format: CodecName | null = null;
  /** The list of the last call. */
  #given: readonly M[] = [];
  /** Marks of the list given last, its raw estimate, and the tokens its window has for the results that come next. */
  #last: { readonly marks: readonly string[]; readonly raw: number; readonly room: Tokens | null } = {
    marks: [],
    raw: 0,
    room: null,
  };

  /** `newId` owns the files in a storage where neither options nor state name an owner; null for none. */
  constructor(what: string, options: HistoryOptions<M>, newId: string | null) {
    this.#options = resolveHistory(what, options);
    const { storage, timeoutMs, conversationId, profile, model } = this.#options;
    const state = this.#options.state === null ? null : checkState(this.#options.state);
    this.#conversationId = conversationId ?? state?.conversationId ?? (storage === null ? null : newId);
    this.#lasting = {
      options: this.#options,
      archive: new Archive(storage ?? createMemoryStorage(), {
        owner: this.#conversationId,
        timeoutMs,
      }),
      pointers: new KnownPointers(state?.files),
      estimator: createEstimator(profile, model),
      calibration: Calibration.from(state?.calibration),
      breaker: new Breaker(state?.breaker),
      arrived: new ArrivedTexts(state?.arrived),
      digest: state?.digest ?? null,
    };
    this.#totals = state?.sums ?? NO_TOTALS;
    this.#following = new Following(this.#options.format, state);
  }

  async compact(messages: readonly M[], options: CallOptions = {}): Promise<Compacted<M>> {
    checkCall('compact', options);
    return this.#queue.run(() => this.#compact(messages, options), options.signal);
  }

  async #compact(messages: readonly M[], options: CallOptions): Promise<Compacted<M>> {
    refuseAborted(options.signal);
    if (!isList(messages))
      throw new ReaderError(
        'BAD_INPUT',
        `The messages are \`${messages === null ? 'null' : typeof messages}\`; expected an array.`,
        'Give the list of messages as your provider takes it.',
      );
    this.#totals = { ...this.#totals, calls: this.#totals.calls + 1 };
    const known = this.#following.followed;
    if (messages.length === 0 && !known) return this.#empty(options);
    const { ledger, codec } = this.#following.of(messages);
    if (known && codec !== known.codec) this.#lasting.digest = null;
    this.#estimateAs(codec.name);
    this.#given = messages;
    const { estimator, calibration } = this.#lasting;
    const overhead = overheadOf(options, estimator);
    const { forgotten } = ledger;
    const list = ledger.follow(messages);
    if (ledger.forgotten > forgotten) this.#lasting.digest = null;
    const before = sizeOf(list, overhead, estimator, calibration);
    const fixed = calibration.factor * (overhead + instructionsOf(list, estimator));
    const targets = targetsOf(this.#options, options, fixed);
    const { signal, system = '' } = options;
    const explanation = options.explain === true ? new Explanation() : null;
    const task = { messages, ledger, codec, targets, overhead, before, system, signal, explanation };
    // Half of this room's code, which a process that has nothing to compact yet does not load.
    const { Compaction } = await import('./compaction.ts');
    const compaction = new Compaction(this.#lasting, task);
    const shown = await compaction.run(list);
    const after = sizeOf(shown, overhead, estimator, calibration);
    const marks = shown.map(markOf);
    let stablePrefix = 0;
    while (stablePrefix < marks.length && marks[stablePrefix] === this.#last.marks[stablePrefix])
      stablePrefix += 1;
    this.#last = { marks, raw: after.raw, room: compaction.room };
    const costOf = (one: Shown<M>): number => rawOf(one, estimator) * calibration.factor;
    const reasons = explanation?.rows(list, shown, costOf);
    const report = { ...compaction.report(shown, after, stablePrefix), ...(reasons && { reasons }) };
    this.#totals = countReport(this.#totals, report);
    if (report.action !== 'none') this.#options.onCompaction(report);
    return { messages: shown.map(({ message }) => message), report };
  }

  /** The ledger of another format has read nothing yet: costs of two estimators never meet. */
  #estimateAs(format: CodecName): void {
    if (format === this.#format) return;
    const { profile, model } = this.#options;
    this.#lasting.estimator = createEstimator(profile, model, format);
    this.#format = format;
  }

  /** Nothing came yet, not even a format. */
  #empty(options: CallOptions): Compacted<M> {
    const targets = targetsOf(this.#options, options, 0);
    const { estimator, calibration } = this.#lasting;
    const tokens = calibration.tokens(overheadOf(options, estimator));
    return { messages: [], report: emptyReport(this.#options.preset, targets, tokens) };
  }

  async onToolResult(
    { toolName, text, isError = false }: ArrivingResult,
    { signal }: Pick<CallOptions, 'signal'> = {},
  ): Promise<ArrivedResult> {
    const whole = { text, pointer: null, tier: null };
    const { archive, pointers, estimator, calibration, arrived } = this.#lasting;
    const { storage, tools, policy, recall, timeoutMs } = this.#options;
    if (arrived.has(text)) return whole;
    const mayOffload = storage !== null && !isError && !tools.isReader(toolName);
    const measure = measureOf(estimator, calibration.factor);
    const room = this.#last.room ?? targetsOf(this.#options, {}, 0).capacity;
    const arrival = arrivalOf(text, toolName, policy, measure, mayOffload, room);
    if (!arrival) return whole;
    const offloaded = archive.offloaded(toolName, text);
    const write = async (): Promise<void> => {
      await archive.offload(offloaded, text, signal);
      await addToRecall(recall, [], [{ text }], { signal, timeoutMs });
      pointers.add(offloaded.pointer);
    };
    try {
      await this.#queue.arrive(write, signal);
    } catch (error) {
      if (!(error instanceof ReaderError) && !signal?.aborted) throw error;
      return whole;
    }
    const shown = arrival.text(storage === null ? null : offloaded.shown);
    arrived.add(shown);
    return { text: shown, pointer: offloaded.pointer, tier: arrival.tier };
  }

  observe(promptTokens: Tokens): void {
    this.#lasting.calibration.observe(promptTokens, this.#last.raw);
  }

  overflowed(promptTokens?: Tokens): void {
    const { calibration } = this.#lasting;
    const estimated = calibration.tokens(this.#last.raw);
    calibration.observe(Math.max(promptTokens ?? 0, Math.ceil(estimated * OVERFLOW_FACTOR)), this.#last.raw);
  }

  restore(pointer: string, { signal }: Pick<CallOptions, 'signal'> = {}): Promise<Restored> {
    return this.#lasting.archive.restore(pointer, signal);
  }

  prune({ signal }: Pick<CallOptions, 'signal'> = {}): Promise<string[]> {
    const { archive, pointers } = this.#lasting;
    return this.#queue.prune(() => {
      const codec = this.#following.followed?.codec;
      const given = this.#given.flatMap(
        (message) => codec?.view(message).items.map(({ text }) => text) ?? [],
      );
      return archive.prune(pointers.files, given, signal);
    }, signal);
  }

  state(): HistoryState {
    return {
      version: 1,
      codec: this.#following.followed?.codec.name ?? null,
      conversationId: this.#conversationId,
      events: [...(this.#following.followed?.ledger.events ?? [])],
      digest: this.#lasting.digest,
      calibration: this.#lasting.calibration.toJSON(),
      breaker: this.#lasting.breaker.toJSON(),
      sums: this.#totals,
      files: [...this.#lasting.pointers.files],
      arrived: [...this.#lasting.arrived.all],
    };
  }

  stats(): HistoryStats {
    return statsOf(this.#totals, this.#lasting.calibration.factor);
  }
}

/** A revoked proxy throws when asked. */
function isList(messages: unknown): boolean {
  try {
    return Array.isArray(messages);
  } catch {
    return false;
  }
}

/**
 * A compactor for one conversation. Cheap to make.
 * @throws {ReaderError} BAD_INPUT for options that are none, or a state that is none
 */
export function createCompactor<M = unknown>(options: HistoryOptions<M> = {}): Compactor<M> {
  return new HistoryCompactor('createCompactor', options, newConversationId());
}

/** What `compact` gives: a list that fits, and the way back. */
export interface CompactedOnce<M> extends Compacted<M> {
  readonly state: HistoryState;
  /** The original behind a pointer of the report. */
  restore(pointer: string): Promise<Restored>;
}

/**
 * Compacts a conversation once. What it gave can be given to it again: nothing changes then. The same call gives the same
 * files, so these have no owner and no `prune` removes them, unless `conversationId` or `state` names one.
 * @throws {ReaderError} BAD_INPUT for messages of no known format or options that are none; ABORTED
 */
export async function compact<M>(
  messages: readonly M[],
  options: HistoryOptions<M> = {},
  call: CallOptions = {},
): Promise<CompactedOnce<M>> {
  const compactor = new HistoryCompactor<M>('compact', options, null);
  const compacted = await compactor.compact(messages, call);
  return { ...compacted, state: compactor.state(), restore: (pointer) => compactor.restore(pointer) };
}

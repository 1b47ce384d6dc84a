// The compactor: follows a conversation from call to call and returns a list that fits its model's window. It archives
// content before removing it, and returns untouched messages as the same objects.

import { ReaderError, type Tokens } from '../contract/index.ts';
import { Archive } from './archive/archive.ts';
import { newConversationId } from './archive/conversation-id.ts';
import { sha256Of } from './archive/exact-text.ts';
import type { Restored } from './archive/restored.ts';
import { createMemoryStorage } from './archive/storage.ts';
import { type CallOptions, checkCall } from './call-options.ts';
import { CallQueue } from './call-queue.ts';
import type { CodecName } from './codecs/codec.ts';
import { codecOf } from './codecs/index.ts';
import { Calibration } from './cost/calibration.ts';
import { createEstimator } from './cost/estimate.ts';
import { instructionsOf, overheadOf, sizeOf } from './cost/prompt-size.ts';
import { checkWindow } from './known-window.ts';
import type { Lasting } from './lasting.ts';
import { Following, followed } from './ledger/following.ts';
import { markOf } from './ledger/read-messages.ts';
import { checkState, type HistoryState, stateOf, type Totals } from './ledger/state.ts';
import { countReport, NO_TOTALS, statsOf } from './ledger/totals.ts';
import { type HistoryOptions, type Resolved, resolveHistory } from './options.ts';
import { targetsOf } from './policy/targets.ts';
import { arrivalOf, type Measure, measureOf } from './policy/tiers/arrival.ts';
import { refuseAborted, refuseOtherList } from './problem.ts';
import { addToRecall } from './recall.ts';
import type { HistoryStats, Report, Tier } from './report.ts';

/** A list that fits, and a report of what was done. */
export interface Compacted<M> {
  readonly messages: M[];
  readonly report: Report;
  /** Of each message, its index in the input list; null for one of our own. */
  readonly positions: readonly (number | null)[];
}

/** A tool result before it is added to a message. */
export interface ArrivingResult {
  readonly toolName: string;
  readonly text: string;
  readonly isError?: boolean;
}

export interface ArrivedResult {
  /** Text to put in the message. */
  readonly text: string;
  /** Location of the full result, or null if `text` is complete. */
  readonly pointer: string | null;
  readonly tier: Extract<Tier, 'offload' | 'truncate'> | null;
}

/** Follows one conversation. Calls are queued; each builds on the result of the one before. */
export interface Compactor<M = object> {
  /**
   * Takes the whole conversation so far: as the caller has it, or as this compactor returned it, plus the messages
   * since. Below the trigger it is returned unchanged, except for repairs of what a provider would reject. Messages
   * appended to the array during the call are kept.
   * @throws {ReaderError} BAD_INPUT if the message format is unknown, or neither `window` nor `model` is set; ABORTED
   */
  compact(messages: readonly M[], options?: CallOptions): Promise<Compacted<M>>;
  /**
   * Applies tiers 1 and 2 to a new tool result. A file it moves the result to is stored when this returns; if the
   * storage fails, the result stays whole.
   */
  onToolResult(result: ArrivingResult, options?: Pick<CallOptions, 'signal'>): Promise<ArrivedResult>;
  /** Reports the prompt tokens the provider counted for the list `compact` last returned. Calibrates the estimates. */
  observe(promptTokens: Tokens): void;
  /** Reports that the provider rejected the last list as too long. Pass `promptTokens` if its error states them. */
  overflowed(promptTokens?: Tokens): void;
  /**
   * Returns the original behind a pointer, from any conversation in the storage.
   * @throws {ReaderError} FILE_NOT_FOUND, CORRUPT_FILE, BAD_INPUT, TIMED_OUT, ABORTED
   */
  restore(pointer: string, options?: Pick<CallOptions, 'signal'>): Promise<Restored>;
  /** State to save with the conversation, as JSON. */
  state(): HistoryState;
  stats(): HistoryStats;
}

/** Texts left of arrived results that a state names. */
const MOST_OWN = 1000;
/** Factor applied to estimates after a provider rejects a list without stating its length. */
const OVERFLOW_FACTOR = 1.25;

class HistoryCompactor<M> implements Compactor<M> {
  readonly #options: Resolved<M>;
  readonly #lasting: Lasting<M>;
  readonly #conversationId: string | null;
  readonly #queue = new CallQueue();
  readonly #following: Following<M>;
  #totals: Totals;
  /** Format the estimator was made for; null before the first messages. */
  #format: CodecName | null = null;
  /** Marks of the list last returned, its raw estimate, and the tokens left in its window for upcoming results. */
  #last: { readonly marks: readonly string[]; readonly raw: number; readonly room: Tokens | null } = {
    marks: [],
    raw: 0,
    room: null,
  };

  /** `newId` owns the files if neither options nor state name an owner; null for no owner. */
  constructor(what: string, options: HistoryOptions<M>, newId: string | null) {
    this.#options = resolveHistory(what, options);
    const { storage, timeoutMs, conversationId, profile, model } = this.#options;
    const state = this.#options.state === null ? null : checkState(this.#options.state);
    this.#conversationId = conversationId ?? state?.conversationId ?? (storage === null ? null : newId);
    const archive = new Archive(storage ?? createMemoryStorage(), { owner: this.#conversationId, timeoutMs });
    this.#lasting = {
      options: this.#options,
      archive,
      own: new Set(state?.own),
      fresh: [],
      estimator: createEstimator(profile, model),
      calibration: new Calibration(state?.calibration),
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
    refuseOtherList(messages);
    this.#totals = { ...this.#totals, calls: this.#totals.calls + 1 };
    const known = this.#following.followed;
    // Without messages, the format stays open.
    const isOpen = messages.length === 0 && !known;
    if (!isOpen) checkWindow(this.#options, options);
    const { ledger, codec } = isOpen ? followed(codecOf<M>('openai-chat')) : this.#following.of(messages);
    if (known && codec !== known.codec) this.#lasting.digest = null;
    this.#estimateAs(codec.name);
    const { estimator, calibration } = this.#lasting;
    const overhead = overheadOf(options, estimator);
    const { forgotten } = ledger;
    const { length } = messages;
    const list = ledger.follow(messages);
    if (ledger.forgotten > forgotten) this.#lasting.digest = null;
    const before = sizeOf(list, overhead, estimator, calibration);
    const fixed = calibration.factor * (overhead + instructionsOf(list, estimator));
    const targets = targetsOf(this.#options, options, fixed);
    const { signal } = options;
    const task = { ledger, codec, targets, overhead, before, signal };
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
    const report = compaction.report(shown, after, stablePrefix);
    this.#totals = countReport(this.#totals, report);
    if (report.action !== 'none') this.#options.onCompaction(report);
    const added = messages.slice(length);
    return {
      messages: [...shown.map(({ message }) => message), ...added],
      report,
      positions: [...shown.map(({ position }) => position), ...added.map((_, at) => length + at)],
    };
  }

  /** Costs of two estimators must not be mixed; the ledger of a new format has not read any messages yet. */
  #estimateAs(format: CodecName): void {
    if (format === this.#format) return;
    const { profile, model } = this.#options;
    this.#lasting.estimator = createEstimator(profile, model, format);
    this.#format = format;
  }

  get #measure(): Measure {
    const { estimator, calibration } = this.#lasting;
    return measureOf(estimator, calibration.factor);
  }

  async onToolResult(
    { toolName, text, isError = false }: ArrivingResult,
    { signal }: Pick<CallOptions, 'signal'> = {},
  ): Promise<ArrivedResult> {
    const whole = { text, pointer: null, tier: null };
    const { archive, own, fresh } = this.#lasting;
    const { storage, tools, policy, recall, timeoutMs } = this.#options;
    if (own.has(sha256Of(text))) return whole;
    const mayOffload = storage !== null && !isError && !tools.isReader(toolName);
    const room = this.#last.room ?? targetsOf(this.#options, {}, 0).capacity;
    const arrival = arrivalOf(text, toolName, policy, this.#measure, mayOffload, room);
    if (!arrival) return whole;
    const offloaded = archive.offloaded(toolName, text);
    const write = async (): Promise<void> => {
      await archive.offload(offloaded, text, signal);
      await addToRecall(recall, [], [{ text }], { signal, timeoutMs });
      fresh.push(offloaded.path);
    };
    try {
      await write();
    } catch (error) {
      if (!(error instanceof ReaderError) && !signal?.aborted) throw error;
      return whole;
    }
    const shown = arrival.text(storage === null ? null : offloaded.shown);
    own.add(sha256Of(shown));
    return { text: shown, pointer: offloaded.path, tier: arrival.tier };
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

  state(): HistoryState {
    return stateOf({
      codec: this.#following.followed?.codec.name ?? null,
      conversationId: this.#conversationId,
      ledger: this.#following.followed?.ledger.saved() ?? null,
      digest: this.#lasting.digest,
      own: [...this.#lasting.own].slice(-MOST_OWN),
      calibration: this.#lasting.calibration.toJSON(),
      sums: this.#totals,
    });
  }

  stats(): HistoryStats {
    return statsOf(this.#totals, this.#lasting.calibration.factor);
  }
}

/**
 * Creates a compactor for one conversation. Cheap.
 * @throws {ReaderError} BAD_INPUT for invalid options or an invalid state
 */
export function createCompactor<M = object>(options: HistoryOptions<M> = {}): Compactor<M> {
  return new HistoryCompactor('createCompactor', options, newConversationId());
}

/** Result of `compact`: a list that fits, and access to the originals. */
export interface CompactedOnce<M> extends Compacted<M> {
  readonly state: HistoryState;
  /** Returns the original behind a pointer of the report. */
  restore(pointer: string): Promise<Restored>;
}

/**
 * Compacts a conversation once. Passing the result in again changes nothing. The same call writes the same files, in no
 * folder of their own unless `conversationId` or `state` names one.
 * @throws {ReaderError} BAD_INPUT for an unknown message format or invalid options; ABORTED
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

// The compactor: follows a conversation from call to call, and gives a list that fits its model's window. What it takes away
// lies in the archive first; what it does not touch goes back as the very objects that came.

import { ReaderError, type Tokens, within } from '../contract/index.ts';
import { Archive, type Kept } from './archive/archive.ts';
import { newConversationId } from './archive/conversation-id.ts';
import { sha256Of } from './archive/exact-text.ts';
import type { Restored } from './archive/restored.ts';
import { createMemoryStorage } from './archive/storage.ts';
import type { Offloaded } from './archive/tool-output.ts';
import type { TranscriptMessage } from './archive/transcript.ts';
import type { Codec } from './codecs/codec.ts';
import { CODECS, codecOf, detectCodec } from './codecs/index.ts';
import { Calibration } from './cost/calibration.ts';
import { createEstimator, type Estimator } from './cost/estimate.ts';
import { eventsOf } from './ledger/decisions.ts';
import type { Place } from './ledger/groups.ts';
import { Ledger, type Shown } from './ledger/ledger.ts';
import { costsOf, markOf, type Reading } from './ledger/reading.ts';
import { checkState, type HistoryState, type Sums } from './ledger/state.ts';
import { countReport, NO_SUMS, statsOf } from './ledger/totals.ts';
import { type CallOptions, type HistoryOptions, type Resolved, resolveHistory } from './options.ts';
import { Draft, type Pointer } from './policy/draft.ts';
import type { Notice } from './policy/drop-oldest.ts';
import { isPinned, plan } from './policy/plan.ts';
import { type Aims, aimsOf } from './policy/targets.ts';
import { arrivalOf, arrive, measureOf } from './policy/tiers/arrival.ts';
import { lastingGroups, protectedGroups, tokensOf } from './policy/tiers/drop.ts';
import { type Answer, repair } from './policy/tiers/repair.ts';
import { archiveProblem, refuseAborted, tooLong } from './problem.ts';
import type { HistoryStats, Problem, Repair, Report, Size, SummaryReport, Tier } from './report.ts';
import { Breaker } from './summary/breaker.ts';
import { type DigestData, mergeDigest } from './summary/digest.ts';
import { noticeText } from './summary/left-out.ts';
import { mergeNames } from './summary/names.ts';

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

const MOST_ROUNDS = 6;
/** Estimates are raised by this when a provider refuses a list and does not say how long it is. */
const OVERFLOW_FACTOR = 1.25;

class HistoryCompactor<M> implements Compactor<M> {
  readonly #options: Resolved<M>;
  readonly #archive: Archive;
  readonly #reachable: boolean;
  readonly #conversationId: string | null;
  readonly #estimator: Estimator;
  readonly #calibration: Calibration;
  readonly #breaker: Breaker;
  #codec: Codec<M> | null = null;
  #ledger: Ledger<M> | null = null;
  #digest: DigestData | null;
  #sums: Sums;
  #pointers: Set<string>;
  /** The list of the last call. */
  #given: readonly M[] = [];
  /** Hashes of the texts that `onToolResult` gave: known again as ours in the list. */
  readonly #arrived: Set<string>;
  /** Marks of the list given last, its raw estimate, and the tokens its window has for the results that come next. */
  #last: { readonly marks: readonly string[]; readonly raw: number; readonly room: Tokens | null } = {
    marks: [],
    raw: 0,
    room: null,
  };
  #queue: Promise<unknown> = Promise.resolve();
  /** Results on their way to the storage. A prune waits for them, and those that come after it for the prune. */
  readonly #arriving = new Set<Promise<void>>();
  #pruned: Promise<unknown> = Promise.resolve();
  /** Pointers since the last report. */
  readonly #fresh: string[] = [];

  /** `newId` owns the files in a storage where neither options nor state name an owner; null for none. */
  constructor(options: HistoryOptions<M>, newId: string | null) {
    this.#options = resolveHistory('createCompactor', options);
    const { storage, storageTimeoutMs, conversationId, profile, model } = this.#options;
    const state = this.#options.state === null ? null : checkState(this.#options.state);
    this.#conversationId = conversationId ?? state?.conversationId ?? (storage === null ? null : newId);
    this.#archive = new Archive(storage ?? createMemoryStorage(), {
      owner: this.#conversationId,
      timeoutMs: storageTimeoutMs,
    });
    this.#reachable = storage !== null;
    this.#estimator = createEstimator(profile, model);
    this.#calibration = Calibration.from(state?.calibration);
    this.#breaker = new Breaker(state?.breaker);
    this.#digest = state?.digest ?? null;
    this.#sums = state?.sums ?? NO_SUMS;
    this.#pointers = new Set(state?.pointers);
    this.#arrived = new Set(state?.arrived);
    const { codec } = this.#options;
    if (codec !== null) this.#use(typeof codec === 'string' ? codecOf<M>(codec) : codec, state);
    else if (state?.codec) this.#use(codecOf<M>(state.codec), state);
  }

  #use(
    codec: Codec<M>,
    state: HistoryState | null,
  ): { readonly ledger: Ledger<M>; readonly codec: Codec<M> } {
    const ledger = new Ledger(codec, state?.events);
    this.#codec = codec;
    this.#ledger = ledger;
    return { ledger, codec };
  }

  #following(messages: readonly M[]): { readonly ledger: Ledger<M>; readonly codec: Codec<M> } {
    if (this.#ledger && this.#codec) {
      const known = { ledger: this.#ledger, codec: this.#codec };
      if (this.#options.codec !== null || known.codec.detect(messages)) return known;
      // Plain texts are of many formats: only later messages tell which.
      const other = CODECS.find((codec) => codec.detect(messages));
      if (!other) return known;
      this.#digest = null;
      return this.#use(other as Codec<M>, null);
    }
    // `detect` has told that messages of this kind are what the codec takes.
    return this.#use(detectCodec(messages) as Codec<M>, null);
  }

  compact(messages: readonly M[], options: CallOptions = {}): Promise<Compacted<M>> {
    return this.#inTurn(() => this.#compact(messages, options), options.signal);
  }

  /** Runs `work` when the calls before are over. A call that is cancelled while it waits leaves the queue at once. */
  #inTurn<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const before = this.#queue;
    const waited = within(() => before, { signal }).catch(() => refuseAborted(signal));
    const done = waited.then(work);
    this.#queue = before.then(() => done).catch(() => undefined);
    return done;
  }

  async #compact(messages: readonly M[], options: CallOptions): Promise<Compacted<M>> {
    refuseAborted(options.signal);
    if (!isList(messages))
      throw new ReaderError(
        'BAD_INPUT',
        `The messages are \`${messages === null ? 'null' : typeof messages}\`; expected an array.`,
        'Give the list of messages as your provider takes it.',
      );
    this.#sums = { ...this.#sums, calls: this.#sums.calls + 1 };
    if (messages.length === 0 && !this.#codec) return this.#empty(options);
    const { ledger, codec } = this.#following(messages);
    this.#given = messages;
    const overhead = this.#overhead(options);
    const { forgotten } = ledger;
    const list = ledger.follow(messages);
    if (ledger.forgotten > forgotten) this.#digest = null;
    const before = this.#size(list, overhead);
    const aims = aimsOf(this.#options, options, this.#calibration.factor * this.#fixed(list, overhead));
    const work: Work = {
      before,
      aims,
      tiers: new Map(),
      repairs: [],
      summary: null,
      room: aims.capacity,
      changed: false,
      problem: null,
    };
    // One round does it. Estimates of what changes will cost are not exact: a list still over its trigger goes round again,
    // as it would at the next call.
    let shown = list;
    for (let round = 0, size = before; round < MOST_ROUNDS; round += 1) {
      // What the first round brought the list down to may cost less for each estimated token.
      const factor = round === 0 ? this.#calibration.factor : this.#calibration.slope(size.raw);
      const draft = new Draft(shown, codec.rules, this.#estimator, factor, size.tokens, this.#arrived);
      const changed = await this.#round(draft, ledger, codec, work, options);
      if (!changed) break;
      shown = ledger.follow(messages);
      size = this.#size(shown, overhead);
      if (size.tokens <= Math.min(aims.force ? aims.low : aims.trigger, aims.capacity)) break;
    }
    return this.#finish(shown, work, overhead, codec);
  }

  /** Lets every tier act once. False where nothing changed. */
  async #round(
    draft: Draft<M>,
    ledger: Ledger<M>,
    codec: Codec<M>,
    work: Work,
    options: CallOptions,
  ): Promise<boolean> {
    const offloads: { readonly offloaded: Offloaded; readonly text: string }[] = [];
    const answers = repair(draft, codec.rules);
    const { policy, readTools } = this.#options;
    const { capacity } = work.aims;
    const keeping = {
      recentTokens: 0,
      isPinned: (message: number): boolean => isPinned(draft, message, this.#options),
    };
    work.room = capacity - tokensOf(draft, lastingGroups(draft, keeping));
    arrive(draft, policy, {
      reachable: this.#reachable,
      exempt: readTools,
      capacity,
      kept: protectedGroups(draft, keeping),
      mayTouch: ({ message }) => !keeping.isPinned(message),
      keep: (toolName, text) => {
        const offloaded = this.#archive.offloaded(toolName, text);
        offloads.push({ offloaded, text });
        return this.#reachable ? offloaded.shown : null;
      },
    });
    const notice = await plan({
      draft,
      rules: codec.rules,
      aims: work.aims,
      options: this.#options,
      known: { digest: this.#digest, breaker: this.#breaker, signal: options.signal },
    });
    if (draft.touched().length === 0 && answers.length === 0) return false;
    work.problem = await this.#carryOut(draft, answers, offloads, notice, ledger, codec, options.signal);
    if (work.problem !== null) return false;
    work.changed = true;
    // One by one: a call takes only so many arguments.
    for (const one of draft.repairs) work.repairs.push(one);
    work.summary ??= notice?.told.summary ?? null;
    for (const [tier, { changed, saved }] of draft.saved) {
      const sum = work.tiers.get(tier) ?? { changed: 0, saved: 0 };
      work.tiers.set(tier, { changed: sum.changed + changed, saved: sum.saved + saved });
    }
    return true;
  }

  #overhead({ system, tools }: CallOptions): number {
    const prompt = system === undefined ? 0 : this.#estimator.text(system);
    return prompt + (tools === undefined ? 0 : this.#estimator.tools(tools));
  }

  /** Raw tokens of what is no history. */
  #fixed(list: readonly Shown<M>[], overhead: number): number {
    let fixed = overhead;
    for (const shown of list) if (shown.view.role === 'system') fixed += this.#cost(shown);
    return fixed;
  }

  #raw(list: readonly Shown<M>[]): number {
    let raw = 0;
    for (const shown of list) raw += this.#cost(shown);
    return raw;
  }

  /** As `estimator.message`. */
  #cost(reading: Reading): Tokens {
    let cost = this.#estimator.message({ role: reading.view.role, items: [] });
    for (const tokens of costsOf(reading, this.#estimator)) cost += tokens;
    return cost;
  }

  #size(list: readonly Shown<M>[], overhead: number): Size & { readonly raw: number } {
    const raw = this.#raw(list) + overhead;
    return { messages: list.length, tokens: this.#calibration.tokens(raw), raw };
  }

  /** Archives what will be replaced, then writes the decisions down. Gives why nothing was done, where nothing was. */
  async #carryOut(
    draft: Draft<M>,
    answers: readonly Answer[],
    offloads: readonly { readonly offloaded: Offloaded; readonly text: string }[],
    notice: Notice | null,
    ledger: Ledger<M>,
    codec: Codec<M>,
    signal: AbortSignal | undefined,
  ): Promise<Problem | null> {
    const archived = draft.unkept();
    let kept: Kept | null = null;
    try {
      for (const { offloaded, text } of offloads) await this.#archive.offload(offloaded, text, signal);
      if (archived.length > 0) {
        kept = await this.#archive.keep(
          archived.flatMap((message) => {
            const shown = draft.list[message];
            if (!shown) return [];
            const names = draft.conversation.names[message] ?? [];
            // Asked for once: copies of all of them at a time would be another conversation in memory.
            return [{ view: shown.view, names, native: () => codec.encode(shown.message) }];
          }),
          codec.name,
          signal,
        );
      }
    } catch (error) {
      refuseAborted(signal);
      if (!(error instanceof ReaderError)) throw error;
      return archiveProblem(error);
    }
    for (const { offloaded } of offloads) this.#note(offloaded.pointer);
    const at = new Map(archived.map((message, index) => [message, index]));
    if (kept) this.#noteKept(kept, at, draft);
    const pointerOf = ({ message, item }: Place): Pointer => {
      const index = at.get(message);
      if (!this.#reachable || !kept || index === undefined) return null;
      return kept.textPointer(index, item).shown;
    };
    const transcript = kept && this.#reachable ? this.#shown(kept.markdownPath) : null;
    const text =
      notice &&
      noticeText(
        notice.leaving.count,
        Math.round(notice.leaving.all),
        transcript,
        notice.leaving.elsewhere,
        notice.told.text,
      );
    for (const event of eventsOf(draft, codec, answers, text, pointerOf, ledger)) ledger.record(event);
    if (notice) this.#digest = notice.told.digest;
    const masked = draft.changedBy('mask');
    if (masked.length > 0) this.#digest = remembered(this.#digest, masked);
    return null;
  }

  #shown(path: string): string {
    return this.#options.storage?.shownAs?.(path) ?? path;
  }

  /** Notes what was kept: `at` says by message of the draft which of it. */
  #noteKept(kept: Kept, at: ReadonlyMap<number, number>, { list }: Draft<M>): void {
    const fileOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('#'));
    const files = new Set<string>();
    const own: string[] = [];
    for (const [message, index] of at) {
      const pointer = kept.pointer(index);
      if (list[message]?.made !== null) {
        own.push(pointer);
        continue;
      }
      this.#note(pointer);
      files.add(fileOf(pointer));
    }
    // Our own notices lie there as well: a way to what they stood for, but no originals. A file of nothing else is kept for
    // their sake: a notice or another file names it.
    for (const pointer of own) {
      if (!files.has(fileOf(pointer))) this.#note(pointer);
      files.add(fileOf(pointer));
    }
  }

  #note(pointer: string): void {
    this.#pointers.add(pointer);
    this.#fresh.push(pointer);
  }

  #finish(shown: readonly Shown<M>[], work: Work, overhead: number, codec: Codec<M>): Compacted<M> {
    const { before, aims, changed } = work;
    const after = this.#size(shown, overhead);
    const marks = shown.map(markOf);
    let stablePrefix = 0;
    while (stablePrefix < marks.length && marks[stablePrefix] === this.#last.marks[stablePrefix])
      stablePrefix += 1;
    this.#last = { marks, raw: after.raw, room: work.room };
    const limit = limitOf(work);
    const fits = after.tokens <= limit;
    const problem =
      work.problem ??
      (fits
        ? null
        : tooLong(
            new Draft(shown, codec.rules, this.#estimator, this.#calibration.factor, after.tokens),
            after.tokens,
            limit,
          ));
    const report: Report = {
      action: changed ? 'compacted' : problem === null ? 'none' : 'kept',
      codec: codec.name,
      preset: this.#options.preset,
      before: { messages: before.messages, tokens: before.tokens },
      after: { messages: after.messages, tokens: after.tokens },
      window: aims.window,
      trigger: aims.trigger,
      target: aims.low,
      fits,
      problem,
      tiers: [...work.tiers].map(([tier, { changed: count, saved }]) => ({
        tier,
        changed: count,
        saved: Math.round(saved),
      })),
      repairs: work.repairs,
      summary: work.summary,
      pointers: this.#fresh.splice(0),
      stablePrefix,
    };
    this.#sums = countReport(this.#sums, report);
    if (report.action !== 'none') this.#options.onCompaction(report);
    return { messages: shown.map(({ message }) => message), report };
  }

  /** Nothing came yet, not even a format. */
  #empty(options: CallOptions): Compacted<M> {
    const aims = aimsOf(this.#options, options, 0);
    const tokens = this.#calibration.tokens(this.#overhead(options));
    const size = { messages: 0, tokens };
    return {
      messages: [],
      report: {
        action: 'none',
        codec: 'openai-chat',
        preset: this.#options.preset,
        before: size,
        after: size,
        window: aims.window,
        trigger: aims.trigger,
        target: aims.low,
        fits: tokens <= aims.capacity,
        problem: null,
        tiers: [],
        repairs: [],
        summary: null,
        pointers: [],
        stablePrefix: 0,
      },
    };
  }

  async onToolResult(
    { toolName, text, isError = false }: ArrivingResult,
    { signal }: Pick<CallOptions, 'signal'> = {},
  ): Promise<ArrivedResult> {
    const whole = { text, pointer: null, tier: null };
    if (this.#arrived.has(sha256Of(text))) return whole;
    const mayOffload = this.#reachable && !isError && !this.#options.readTools.has(toolName);
    const measure = measureOf(this.#estimator, this.#calibration.factor);
    const room = this.#last.room ?? aimsOf(this.#options, {}, 0).capacity;
    const arrival = arrivalOf(text, toolName, this.#options.policy, measure, mayOffload, room);
    if (!arrival) return whole;
    const offloaded = this.#archive.offloaded(toolName, text);
    try {
      await this.#keepArriving(offloaded, text, signal);
    } catch (error) {
      if (!(error instanceof ReaderError) && !signal?.aborted) throw error;
      return whole;
    }
    const shown = arrival.text(this.#reachable ? offloaded.shown : null);
    this.#arrived.add(sha256Of(shown));
    return {
      text: shown,
      pointer: offloaded.pointer,
      tier: arrival.tier,
    };
  }

  async #keepArriving(offloaded: Offloaded, text: string, signal: AbortSignal | undefined): Promise<void> {
    for (let pruned: unknown = null; pruned !== this.#pruned; ) {
      pruned = this.#pruned;
      await within(() => pruned, { signal });
    }
    const kept = this.#archive.offload(offloaded, text, signal).then(() => this.#note(offloaded.pointer));
    const ended = kept.catch(() => undefined).finally(() => this.#arriving.delete(ended));
    this.#arriving.add(ended);
    await kept;
  }

  observe(promptTokens: Tokens): void {
    this.#calibration.observe(promptTokens, this.#last.raw);
  }

  overflowed(promptTokens?: Tokens): void {
    const told = this.#calibration.tokens(this.#last.raw);
    this.#calibration.observe(Math.max(promptTokens ?? 0, Math.ceil(told * OVERFLOW_FACTOR)), this.#last.raw);
  }

  restore(pointer: string, { signal }: Pick<CallOptions, 'signal'> = {}): Promise<Restored> {
    return this.#archive.restore(pointer, signal);
  }

  prune({ signal }: Pick<CallOptions, 'signal'> = {}): Promise<string[]> {
    // A file that is being kept is not named yet.
    const done = this.#inTurn(async () => {
      await within(() => Promise.all(this.#arriving), { signal }).catch(() => refuseAborted(signal));
      const codec = this.#codec;
      const given = this.#given.flatMap(
        (message) => codec?.view(message).items.map(({ text }) => text) ?? [],
      );
      return this.#archive.prune(this.#pointers, given, signal);
    }, signal);
    const before = this.#pruned;
    this.#pruned = done.catch(() => undefined).then(() => before);
    return done;
  }

  state(): HistoryState {
    return {
      version: 1,
      codec: this.#codec?.name ?? null,
      conversationId: this.#conversationId,
      events: [...(this.#ledger?.events ?? [])],
      digest: this.#digest,
      calibration: this.#calibration.toJSON(),
      breaker: this.#breaker.toJSON(),
      sums: this.#sums,
      pointers: [...this.#pointers],
      arrived: [...this.#arrived],
    };
  }

  stats(): HistoryStats {
    return statsOf(this.#sums, this.#calibration.factor);
  }
}

/** One call, as its rounds go. */
interface Work {
  readonly before: Size;
  readonly aims: Aims;
  readonly tiers: Map<Tier, { readonly changed: number; readonly saved: number }>;
  readonly repairs: Repair[];
  summary: SummaryReport | null;
  /** Tokens for the results that come next, when all that may go is gone. */
  room: Tokens;
  changed: boolean;
  problem: Problem | null;
}

/** What a list may cost when all is done. */
function limitOf({ before, aims }: Work): Tokens {
  const demanded = aims.force || (aims.explicit && before.tokens > aims.trigger);
  return demanded ? Math.min(aims.low, aims.capacity) : aims.capacity;
}

/** Names of what was masked: the notice that stands for it one day will tell them. */
function remembered(digest: DigestData | null, masked: readonly TranscriptMessage[]): DigestData {
  const known = digest ?? mergeDigest(null, []);
  return { ...known, names: mergeNames(known.names, masked) };
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
  return new HistoryCompactor(options, newConversationId());
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
  options: HistoryOptions<M> & CallOptions = {},
): Promise<CompactedOnce<M>> {
  const { system, tools, force, signal, ...rest } = options;
  const compactor = new HistoryCompactor<M>(rest, null);
  const compacted = await compactor.compact(messages, {
    ...(system !== undefined && { system }),
    ...(tools !== undefined && { tools }),
    ...(force !== undefined && { force }),
    ...(signal !== undefined && { signal }),
  });
  return { ...compacted, state: compactor.state(), restore: (pointer) => compactor.restore(pointer) };
}

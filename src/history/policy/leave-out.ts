// What goes from a draft for good: groups in their order, as many as must, and what is said in their place. When that
// happens, in which order and how far down is the plan's matter.

import type { Tokens } from '../../contract/index.ts';
import { LONGEST_NOTICE, leftOutIn } from '../archive/placeholder.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import type { Item } from '../codecs/message.ts';
import type { Resolved } from '../options.ts';
import { refuseAborted } from '../problem.ts';
import type { Tier } from '../report.ts';
import type { Breaker } from '../summary/breaker.ts';
import type { DigestData } from '../summary/digest.ts';
import { type Leaving, type Replacement, writeReplacement } from '../summary/left-out.ts';
import type { Draft } from './draft.ts';
import { type Keeping, type LeavingOrder, leavingGroups } from './tiers/drop.ts';

/** A notice takes at most this of what it stands for: less would win nothing. */
const MOST_OF_LEAVING = 0.8;
/** Room an extract leaves, in shares of what the list goes down to, for which more of the list is kept; how often it is tried. */
const LEAST_SPARE = 0.1;
const MOST_ATTEMPTS = 2;
/** What more groups leave, more notes may be needed. */
const MOST_CHOICES = 4;
/** Of that room kept for an extract of less: it may turn out longer. */
const SPARE_KEPT = 0.15;

/** What a batch takes away. */
export interface DropBatch {
  readonly tier: Extract<Tier, 'drop' | 'summarize'>;
  /** Tokens of the prompt to reach. */
  readonly aim: number;
  /** What stays, whatever it costs. */
  readonly keeping: Keeping;
  readonly order: LeavingOrder;
  /** Tokens the notice may say. */
  readonly tokens: Tokens;
  /** Tokens of a prompt that the window takes: a notice is not written at the cost of what stays. */
  readonly capacity: Tokens;
  /** Messages that must go. */
  readonly many: number;
  /** What stands for them where no summarizer says it. */
  readonly without: 'digest' | 'ends';
  /** Tokens of the lines that what stays needs for the sake of what is gone from the draft. */
  noteTokens(): Tokens;
}

/** What is known of the conversation beside its draft. */
export interface Known {
  /** Of what left before. */
  readonly digest: DigestData | null;
  /** What all is for, as the caller has it now. */
  readonly goal: string | null;
  readonly breaker: Breaker;
  readonly signal: AbortSignal | undefined;
}

/** What a notice needs to know of the options. */
export type NoticeOptions = Pick<Resolved<never>, 'summarizer' | 'timeoutMs' | 'summarizerInput'>;

/** What leaves now, and with what left before: messages and tokens. */
export interface LeavingAll extends Leaving {
  readonly count: number;
  /** Of them those that lie where earlier notices say. */
  readonly elsewhere: number;
  readonly all: number;
}

/** What stands for groups that go. */
export interface Notice {
  readonly replacement: Replacement;
  readonly leaving: LeavingAll;
}

/**
 * Takes groups in their order until the draft costs at most `aim`, notice included, and `many` messages are gone. Null where
 * nothing may go, or going would win nothing.
 * @throws {ReaderError} ABORTED
 */
export async function leaveOut<M>(
  draft: Draft<M>,
  batch: DropBatch,
  options: NoticeOptions,
  known: Known,
): Promise<Notice | null> {
  const { tier, aim, capacity, many, without } = batch;
  const maxTokens = Math.max(0, Math.floor(batch.tokens));
  const frame = draft.text(LONGEST_NOTICE);
  const summarizer = tier === 'summarize' ? options.summarizer : null;
  /** What the notice is taken to cost: more than it does, at first. */
  let reserved = maxTokens;
  for (let attempt = 1; ; attempt += 1) {
    const excess = Number.isFinite(aim) ? draft.tokens - aim + reserved + frame : 0;
    const chosen = take(draft, batch, excess);
    if (chosen.length === 0) return null;
    const leaving = leavingOf(draft, chosen, known);
    if (leaving.tokens <= frame && many === 0) {
      draft.undrop(chosen, tier);
      return null;
    }
    const left = Math.floor(capacity - draft.tokens - frame - batch.noteTokens());
    // Where what stays does not fit, it is cut in any case.
    const free = left > 0 ? left : maxTokens;
    const replacement = await replacementFor(
      draft,
      leaving,
      { ...options, summarizer, without },
      Math.min(maxTokens, reserved, free),
      frame,
      known,
    );
    const cost = draft.text(replacement.text);
    const spare = reserved - cost;
    // An extract that needs less room than it might leaves room for more of what it stands for.
    if (summarizer === null && spare > aim * LEAST_SPARE && attempt < MOST_ATTEMPTS) {
      draft.undrop(chosen, tier);
      reserved = Math.ceil(cost + spare * SPARE_KEPT);
      continue;
    }
    draft.reserve(cost + frame, tier);
    return { replacement, leaving };
  }
}

/** Takes groups in their order, `excess` tokens of them and what notes on the others cost; gives those taken. */
function take<M>(
  draft: Draft<M>,
  { tier, keeping, order, many, noteTokens }: DropBatch,
  excess: number,
): readonly number[] {
  for (let notes = 0, attempt = 1; ; attempt += 1) {
    const start = draft.tokens;
    const least = excess + notes;
    const chosen = leavingGroups(
      draft,
      keeping,
      order,
      (tokens, messages) => tokens >= least && messages >= many,
    );
    draft.drop(chosen, tier);
    notes = chosen.length === 0 ? 0 : noteTokens();
    if (start - draft.tokens >= excess + notes || attempt === MOST_CHOICES) return chosen;
    draft.undrop(chosen, tier);
  }
}

/** What is said of what leaves, in at most `maxTokens` after a first line of `frame` tokens. */
async function replacementFor<M>(
  draft: Draft<M>,
  leaving: Leaving,
  { summarizer, timeoutMs, summarizerInput, without }: NoticeOptions & Pick<DropBatch, 'without'>,
  maxTokens: Tokens,
  frame: number,
  { breaker, signal }: Known,
): Promise<Replacement> {
  const replacement = await writeReplacement(leaving, {
    summarizer,
    timeoutMs,
    maxInputTokens: summarizerInput,
    maxTokens: Math.min(maxTokens, Math.floor((leaving.tokens - frame) * MOST_OF_LEAVING)),
    count: (text: string) => Math.ceil(draft.text(text)),
    breaker,
    signal,
    without,
  });
  refuseAborted(signal);
  return replacement;
}

/** What of the draft goes with these groups: whole messages, or the parts of them that belong to the groups. */
function leavingOf<M>(
  draft: Draft<M>,
  chosen: readonly number[],
  { goal, digest }: Pick<Known, 'goal' | 'digest'>,
): LeavingAll {
  const going = new Set(chosen);
  const messages: TranscriptMessage[] = [];
  let tokens = 0;
  let before = 0;
  let earlier: string | null = null;
  let isForeign = false;
  let count = 0;
  let elsewhere = 0;
  draft.list.forEach(({ view, made }, message) => {
    const groups = draft.conversation.groupOf[message] ?? [];
    const notice = view.items[draft.noticeIn(message)];
    if (notice) {
      const said = leftOutIn(notice.text);
      earlier = said.text;
      // In a message of the caller's it is ours as well, where nothing can stand beside that. After a rewind the digest tells
      // of no notice, though one may be left.
      isForeign = (digest?.messages ?? 0) === 0 || (made === null && view.items.length === 1);
      count += said.messages;
      if (said.isKept) elsewhere += said.messages;
      before += said.tokens;
    }
    if (!groups.some((group) => going.has(group))) return;
    if (groups.some((group) => draft.conversation.groups[group]?.kind === 'notice')) return;
    if (made === null) count += 1;
    const names = draft.conversation.names[message] ?? [];
    const items: Item[] = [];
    const itemNames: (string | null)[] = [];
    for (const [index, item] of view.items.entries()) {
      if (!going.has(groups[index] ?? -1)) continue;
      items.push(item);
      itemNames.push(names[index] ?? null);
      tokens += draft.textCost({ message, item: index });
    }
    messages.push({ view: { role: view.role, items }, names: itemNames });
  });
  const all = tokens + before;
  const used = draft.usedLines(digest);
  return { messages, tokens, goal, digest, earlier, isForeign, used, count, elsewhere, all };
}

// Removes groups from a draft in a given order, as many as needed, and prepares the notice that replaces them. When, in
// which order and how far is decided by the plan.

import type { Tokens } from '../../contract/index.ts';
import { LONGEST_NOTICE, leftOutIn } from '../archive/placeholder.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import type { Item } from '../codecs/message.ts';
import type { Resolved } from '../options.ts';
import { refuseAborted } from '../problem.ts';
import type { DigestData } from '../summary/digest.ts';
import { excerptOf, excerptText } from '../summary/excerpt.ts';
import { cutToTokens } from '../summary/input.ts';
import { type Leaving, type Replacement, summarize } from '../summary/summarize.ts';
import type { Draft } from './draft.ts';
import { type Keeping, leavingGroups } from './tiers/drop.ts';

/** A notice costs at most this share of what it replaces; otherwise removal saves too little. */
const MOST_OF_LEAVING = 0.8;
/** Characters of the goal in a notice; the size of a plan's compact context. */
const MAX_GOAL = 2000;
/** Tokens of the goal in a notice, as a share of the capacity. */
const GOAL_SHARE = 0.1;

/** What a batch removes. */
export interface DropBatch {
  /** Prompt tokens to reach. */
  readonly aim: number;
  /** What stays regardless of cost. */
  readonly keeping: Keeping;
  /** Removable groups, first those that go first. */
  readonly order: readonly number[];
  /** Maximum tokens of the notice. */
  readonly tokens: Tokens;
  /** Prompt tokens that fit the window. A notice must not displace what stays. */
  readonly capacity: Tokens;
  /** Number of messages that must be removed. */
  readonly many: number;
  /** Replacement text if there is no summarizer; default: a digest. */
  readonly without?: 'digest' | 'ends' | undefined;
}

/** Facts about the conversation outside its draft. */
export interface Known {
  /** About messages removed earlier. */
  readonly digest: DigestData | null;
  /** The caller's current goal. */
  readonly goal: string | null;
  readonly signal: AbortSignal | undefined;
}

/** Options that a notice depends on. */
export type NoticeOptions = Pick<Resolved<never>, 'summarizer' | 'timeoutMs' | 'summarizerInput'>;

/** Messages and tokens removed now, and in total with earlier removals. */
export interface LeavingAll extends Leaving {
  readonly count: number;
  /** Of the total, messages stored where earlier notices say. */
  readonly elsewhere: number;
  readonly all: number;
}

/** Replacement for removed groups. */
export interface Notice {
  /** The goal, before the replacement; empty if there is none. */
  readonly goal: string;
  readonly replacement: Replacement;
  readonly leaving: LeavingAll;
}

/**
 * Removes groups in order until the draft, including the notice, costs at most `aim` and `many` messages are gone.
 * Returns null if nothing can be removed or removal would not save anything.
 * @throws {ReaderError} ABORTED
 */
export async function leaveOut<M>(
  draft: Draft<M>,
  batch: DropBatch,
  options: NoticeOptions,
  known: Known,
): Promise<Notice | null> {
  const { aim, capacity, keeping, many, order, without = 'digest' } = batch;
  const { summarizer, timeoutMs } = options;
  const goal = goalText(draft, known.goal, capacity * GOAL_SHARE);
  const frame = draft.text(LONGEST_NOTICE) + draft.text(goal);
  const maxTokens = Math.max(0, Math.floor(batch.tokens));
  const excess = Number.isFinite(aim) ? draft.tokens - aim + maxTokens + frame : 0;
  const chosen = leavingGroups(
    draft,
    keeping,
    order,
    (tokens, messages) => tokens >= excess && messages >= many,
  );
  // An earlier notice makes room for the next one, which says the same and more.
  let saved = 0;
  for (const number of chosen) {
    const group = draft.conversation.groups[number];
    if (group?.kind !== 'notice') saved += draft.leavingCost(group);
  }
  if (chosen.length === 0 || (saved <= frame && many === 0)) return null;
  draft.drop(chosen);
  const leaving = leavingOf(draft, chosen, known);
  const left = Math.floor(capacity - draft.tokens - frame);
  // If what stays does not fit, the notice is truncated in any case.
  const free = left > 0 ? left : maxTokens;
  const most = Math.floor((leaving.tokens - frame) * MOST_OF_LEAVING);
  const replacement = await summarize(leaving, {
    summarizer,
    timeoutMs,
    maxInputTokens: options.summarizerInput,
    maxTokens: Math.min(maxTokens, free, most),
    count: (text: string) => Math.ceil(draft.text(text)),
    signal: known.signal,
    without,
  });
  refuseAborted(known.signal);
  draft.reserve(draft.text(replacement.text) + frame, 'drop');
  return { goal, replacement, leaving };
}

/** The goal for the start of a notice, in at most `most` tokens. */
function goalText<M>(draft: Draft<M>, goal: string | null, most: Tokens): string {
  const text = excerptText(excerptOf(goal?.trim() ?? '', MAX_GOAL));
  const fitting = cutToTokens(text, Math.floor(most), (one) => Math.ceil(draft.text(one)));
  return fitting === '' ? '' : `## Goal\n${fitting}`;
}

/** Messages removed with these groups, whole or only the parts that belong to the groups. */
function leavingOf<M>(
  draft: Draft<M>,
  chosen: readonly number[],
  { digest }: Pick<Known, 'digest'>,
): LeavingAll {
  const going = new Set(chosen);
  const messages: TranscriptMessage[] = [];
  let tokens = 0;
  let before = 0;
  let earlierSummary: string | null = null;
  let isForeign = false;
  let count = 0;
  let elsewhere = 0;
  draft.list.forEach(({ view, made }, message) => {
    const groups = draft.conversation.groupOf[message] ?? [];
    const notice = view.items[draft.noticeIn(message)];
    if (notice) {
      const said = leftOutIn(notice.text);
      earlierSummary = said.text;
      // Inside a caller's message it is also ours if it cannot be a message of its own. After a rewind the digest has
      // no record of a notice that may still be in the list.
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
  return { messages, tokens, earlier: digest, earlierSummary, isForeign, used, count, elsewhere, all };
}

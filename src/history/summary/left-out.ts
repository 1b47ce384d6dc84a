// The notice that replaces removed messages: how many, where they are stored, and a summary or digest of them. Only
// builds the text.

import { wellFormed } from '../archive/exact-text.ts';
import { leftOut } from '../archive/placeholder.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import type { SummaryReport } from '../report.ts';
import type { Breaker } from './breaker.ts';
import { type DigestData, mergeDigest } from './digest.ts';
import { type CountTokens, digestText } from './digest-text.ts';
import { cutToTokens } from './input.ts';
import { summarize } from './summarize.ts';
import type { Summarizer } from './summarizer.ts';
import type { UsedLine } from './used-lines.ts';

/** Messages being removed, and what is known of those removed earlier. */
export interface Leaving {
  readonly messages: readonly TranscriptMessage[];
  /** Real tokens of `messages`. */
  readonly tokens: number;
  readonly goal: string | null;
  readonly digest: DigestData | null;
  /** Text of an earlier notice without its first line; null if there is none. */
  readonly earlier: string | null;
  /** The notice was written by another compactor; its text is the only information about what it replaced. */
  readonly isForeign: boolean;
  /** Lines of removed results, from now or earlier, that later calls used. */
  readonly used: readonly UsedLine[];
}

export interface ReplacementOptions {
  /** Null: the text is extracted. */
  readonly summarizer: Summarizer | null;
  readonly timeoutMs: number;
  /** Maximum tokens of the summarizer's transcript. */
  readonly maxInputTokens: number;
  /** Maximum tokens of the text after the first line; 0 for the first line alone. */
  readonly maxTokens: number;
  readonly count: CountTokens;
  readonly breaker: Breaker;
  readonly signal: AbortSignal | undefined;
  /** Replacement text if there is no summarizer. */
  readonly without: 'digest' | 'ends';
}

/** Replacement for removed messages. */
export interface Replacement {
  readonly text: string;
  readonly digest: DigestData;
  readonly summary: SummaryReport | null;
}

/** The digest, after the text of a foreign notice if there is one. */
function extracted(leaving: Leaving, digest: DigestData, { maxTokens, count }: ReplacementOptions): string {
  const { earlier, goal, isForeign } = leaving;
  const old = isForeign && earlier !== null ? cutToTokens(earlier, Math.floor(maxTokens / 2), count) : '';
  const room = maxTokens - (old === '' ? 0 : count(old) + 1);
  return [old, digestText(digest, goal, Math.max(0, room), count)].filter((part) => part !== '').join('\n\n');
}

/** Report for extracted facts without a summarizer. */
function digestReport({ messages }: Leaving, tokens: number): SummaryReport {
  return { by: 'digest', messages: messages.length, tokens, attempts: 0, refused: null };
}

/** Calls the summarizer if there is one. @throws {ReaderError} ABORTED */
export async function writeReplacement(leaving: Leaving, options: ReplacementOptions): Promise<Replacement> {
  const digest = mergeDigest(leaving.digest, leaving.messages, leaving.used);
  if (options.maxTokens <= 0) return { text: '', digest, summary: null };
  if (options.summarizer === null && options.without === 'digest') {
    const text = extracted(leaving, digest, options);
    return { text, digest, summary: digestReport(leaving, options.count(text)) };
  }
  const pinned = pinnedText(leaving.goal, options);
  const { text, report } = await summarize(
    {
      messages: leaving.messages,
      goal: leaving.goal,
      earlier: leaving.digest,
      used: leaving.used,
      tokens: Math.ceil(leaving.tokens),
      earlierSummary: leaving.earlier,
    },
    {
      summarizer: options.summarizer,
      maxTokens: options.maxTokens - options.count(pinned),
      count: options.count,
      timeoutMs: options.timeoutMs,
      maxInputTokens: options.maxInputTokens,
      breaker: options.breaker,
      without: options.without,
      ...(options.signal && { signal: options.signal }),
    },
  );
  const own = report.by === 'digest' ? extracted(leaving, digest, options) : '';
  return { text: own === '' ? pinned + text : own, digest, summary: report };
}

/** The goal, in case the summary omits it; at most half of the room. */
function pinnedText(goal: string | null, { maxTokens, count }: ReplacementOptions): string {
  const text = goal === null ? '' : cutToTokens(goal.trim(), Math.floor(maxTokens / 2), count);
  return text === '' ? '' : `## Goal\n${text}\n\n`;
}

/** The whole notice. `elsewhere`: number of messages stored where an earlier notice in the file says. */
export function noticeText(
  messages: number,
  tokens: number,
  pointer: string | null,
  elsewhere: number,
  text: string,
): string {
  const line = leftOut(messages, tokens, pointer, elsewhere);
  // JSON arguments may contain lone surrogates.
  return wellFormed(text === '' ? line : `${line}\n\n${text}`);
}

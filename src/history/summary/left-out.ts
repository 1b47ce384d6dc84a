// The notice that stands for messages that went: how many, where they lie, and what is to be known of them, from a
// summarizer or extracted. Says; takes nothing away.

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

/** What goes, and what is known of what went before. */
export interface Leaving {
  readonly messages: readonly TranscriptMessage[];
  /** Real tokens of them. */
  readonly tokens: number;
  readonly goal: string | null;
  readonly digest: DigestData | null;
  /** What an earlier notice said, without its first line; null for none. */
  readonly earlier: string | null;
  /** That notice is of another compactor: its text is all that is known of what it stands for. */
  readonly isForeign: boolean;
  /** Lines of results that left, now or before, which later calls used. */
  readonly used: readonly UsedLine[];
}

export interface ReplacementOptions {
  /** Null: the text is extracted. */
  readonly summarizer: Summarizer | null;
  readonly timeoutMs: number;
  /** Of the transcript it is given. */
  readonly maxInputTokens: number;
  /** Of all text after the first line; 0 for the first line alone. */
  readonly maxTokens: number;
  readonly count: CountTokens;
  readonly breaker: Breaker;
  readonly signal: AbortSignal | undefined;
  /** What stands there without a summarizer. */
  readonly without: 'digest' | 'ends';
}

/** What takes the place of messages that go. */
export interface Replacement {
  readonly text: string;
  readonly digest: DigestData;
  readonly summary: SummaryReport | null;
}

/** Digest, or where nothing is known of an earlier notice but its text, that text before it. */
function extracted(leaving: Leaving, digest: DigestData, { maxTokens, count }: ReplacementOptions): string {
  const { earlier, goal, isForeign } = leaving;
  const old = isForeign && earlier !== null ? cutToTokens(earlier, Math.floor(maxTokens / 2), count) : '';
  const room = maxTokens - (old === '' ? 0 : count(old) + 1);
  return [old, digestText(digest, goal, Math.max(0, room), count)].filter((part) => part !== '').join('\n\n');
}

/** Of facts extracted where there is no summarizer. */
function digestReport({ messages }: Leaving, tokens: number): SummaryReport {
  return { by: 'digest', messages: messages.length, tokens, attempts: 0, refused: null };
}

/** Asks the summarizer where there is one. @throws {ReaderError} ABORTED */
export async function writeReplacement(leaving: Leaving, options: ReplacementOptions): Promise<Replacement> {
  const digest = mergeDigest(leaving.digest, leaving.messages, { used: leaving.used });
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

/** The goal, which a summarizer may forget; at most half of the room. */
function pinnedText(goal: string | null, { maxTokens, count }: ReplacementOptions): string {
  const text = goal === null ? '' : cutToTokens(goal.trim(), Math.floor(maxTokens / 2), count);
  return text === '' ? '' : `## Goal\n${text}\n\n`;
}

/** The whole notice. `elsewhere`: messages that lie where a notice in that file says. */
export function noticeText(
  messages: number,
  tokens: number,
  pointer: string | null,
  elsewhere: number,
  text: string,
): string {
  const line = leftOut(messages, tokens, pointer, elsewhere);
  // Arguments as JSON may hold halves of characters that no text around them shows.
  return wellFormed(text === '' ? line : `${line}\n\n${text}`);
}

// The notice that stands for messages that went: how many, where they lie, and what is to be known of them, from a
// summarizer or extracted. Says; takes nothing away.

import type { Breaker } from './breaker.ts';
import { type CountTokens, type DigestData, digestText, mergeDigest } from './digest.ts';
import { leftOut } from './placeholder.ts';
import type { SummaryReport } from './report.ts';
import { summarize } from './summarize.ts';
import type { Summarizer } from './summarizer.ts';
import { cutToTokens } from './summary-input.ts';
import type { TranscriptMessage } from './transcript.ts';

/** What goes, and what is known of what went before. */
export interface Leaving {
  readonly messages: readonly TranscriptMessage[];
  /** Real tokens of them. */
  readonly tokens: number;
  readonly goal: string | null;
  readonly digest: DigestData | null;
  /** Text of an earlier notice of ours, without its first line; null for none. */
  readonly earlier: string | null;
}

export interface Telling {
  /** Null: what is told is extracted. */
  readonly summarizer: Summarizer | null;
  readonly timeoutMs: number;
  /** Of all that is told after the first line; 0 for the first line alone. */
  readonly maxTokens: number;
  readonly count: CountTokens;
  readonly breaker: Breaker;
  readonly signal: AbortSignal | undefined;
}

export interface Told {
  readonly text: string;
  readonly digest: DigestData;
  readonly summary: SummaryReport | null;
}

/** Digest, or where nothing is known of an earlier notice but its text, that text before it. */
function extracted(leaving: Leaving, digest: DigestData, { maxTokens, count }: Telling): string {
  const { earlier, goal } = leaving;
  const old =
    leaving.digest === null && earlier !== null ? cutToTokens(earlier, Math.floor(maxTokens / 2), count) : '';
  const room = maxTokens - (old === '' ? 0 : count(old) + 1);
  return [old, digestText(digest, goal, Math.max(0, room), count)].filter((part) => part !== '').join('\n\n');
}

/** Asks the summarizer where there is one. @throws {ReaderError} ABORTED */
export async function tell(leaving: Leaving, telling: Telling): Promise<Told> {
  const digest = mergeDigest(leaving.digest, leaving.messages);
  if (telling.maxTokens <= 0) return { text: '', digest, summary: null };
  if (telling.summarizer === null)
    return { text: extracted(leaving, digest, telling), digest, summary: null };
  const { text, report } = await summarize(
    {
      messages: leaving.messages,
      goal: leaving.goal,
      earlier: leaving.digest,
      tokens: Math.ceil(leaving.tokens),
      earlierSummary: leaving.earlier,
    },
    {
      summarizer: telling.summarizer,
      maxTokens: telling.maxTokens,
      count: telling.count,
      timeoutMs: telling.timeoutMs,
      breaker: telling.breaker,
      ...(telling.signal && { signal: telling.signal }),
    },
  );
  const told = report.by === 'model' ? text : extracted(leaving, digest, telling);
  return { text: told === '' ? text : told, digest, summary: report };
}

/** The whole notice. */
export function noticeText(messages: number, tokens: number, pointer: string | null, told: string): string {
  const line = leftOut(messages, tokens, pointer);
  return told === '' ? line : `${line}\n\n${told}`;
}

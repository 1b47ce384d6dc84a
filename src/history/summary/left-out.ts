// The notice that replaces removed messages: how many, where they are stored, and a summary or digest of them. Only
// builds the text.

import { wellFormed } from '../archive/exact-text.ts';
import { leftOut } from '../archive/placeholder.ts';
import type { SummaryReport } from '../report.ts';
import { type DigestData, mergeDigest } from './digest.ts';
import { digestText } from './digest-text.ts';
import { cutToTokens } from './input.ts';
import { type SummaryInput, type SummaryOptions, summarize } from './summarize.ts';

/** Messages being removed, and what is known of those removed earlier. */
export interface Leaving extends Required<SummaryInput> {
  /** The earlier notice was written by another compactor; its text is the only information about what it replaced. */
  readonly isForeign: boolean;
}

/** `maxTokens` is for the text after the first line; 0 for the first line alone. */
export type ReplacementOptions = SummaryOptions & Pick<Required<SummaryOptions>, 'without'>;

/** Replacement for removed messages. */
export interface Replacement {
  readonly text: string;
  readonly digest: DigestData;
  readonly summary: SummaryReport | null;
}

/** The digest, after the text of a foreign notice if there is one. */
function extracted(leaving: Leaving, digest: DigestData, { maxTokens, count }: ReplacementOptions): string {
  const { earlierSummary, goal, isForeign } = leaving;
  const old =
    isForeign && earlierSummary !== null ? cutToTokens(earlierSummary, Math.floor(maxTokens / 2), count) : '';
  const room = maxTokens - (old === '' ? 0 : count(old) + 1);
  return [old, digestText(digest, goal, Math.max(0, room), count)].filter((part) => part !== '').join('\n\n');
}

/** Calls the summarizer if there is one. @throws {ReaderError} ABORTED */
export async function writeReplacement(leaving: Leaving, options: ReplacementOptions): Promise<Replacement> {
  const digest = mergeDigest(leaving.earlier, leaving.messages, leaving.used);
  const { maxTokens, count, summarizer, without } = options;
  if (maxTokens <= 0) return { text: '', digest, summary: null };
  if (summarizer === null && without === 'digest') {
    const text = extracted(leaving, digest, options);
    const messages = leaving.messages.length;
    return {
      text,
      digest,
      summary: { by: 'digest', messages, tokens: count(text), attempts: 0, refused: null },
    };
  }
  const pinned = pinnedText(leaving.goal, options);
  const { text, report } = await summarize(
    { ...leaving, tokens: Math.ceil(leaving.tokens) },
    { ...options, maxTokens: maxTokens - count(pinned) },
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

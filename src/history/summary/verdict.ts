// Decides whether a summarizer's answer is usable: within the size limits, and not a refusal, a tool call or a copy of
// its input.

import { plural, type Tokens } from '../../contract/index.ts';
import { wellFormed } from '../archive/exact-text.ts';
import { isToolCall } from '../policy/tool-call-text.ts';
import { OWN_MARK } from './digest.ts';
import type { CountTokens } from './digest-text.ts';
import { EARLIER_HEADING } from './input.ts';
import { sharesNoName } from './shared-names.ts';
import { verbatimShare } from './verbatim.ts';

/** A summary above this share of what it replaces saves too little; OpenHands treats less than 10 % as no progress. */
export const MOST_OF_REPLACED = 0.9;
/** Share of copied characters above which a text is an echo, and the length from which that is reliable. */
const ECHO_SHARE = 0.7;
const ECHO_LENGTH = 200;
/** A text below both limits cannot cover the 1000 or more tokens it replaces: six headings alone take about 20. */
const LEAST_TOKENS = 60;
const LEAST_SHARE = 0.05;
const LEAST_HOLDS_FROM = 1000;
/** First words of a refusal, and the token count below which the text is nothing else. */
const REFUSAL =
  /^(?:(?:I['’]m|I am|We['’]re|We are)(?: \w+)? (?:sorry|unable)|(?:I['’]m |I am )?sorry[,.]|I (?:cannot|can['’]t|could not|won['’]t)|As an? (?:AI|(?:large )?language model)|Unfortunately, I )/i;
const REFUSAL_TOKENS = 100;
/** A model without a transcript says so, or asks for one, in its first sentences. */
const ASKS =
  /\b(?:transcript|conversation) (?:was|is)(?: not|n['’]t) (?:included|attached|provided|given|there|here|in your)\b|\b(?:transcript|conversation) (?:was|is) (?:missing|empty)\b|\bno (?:transcript|conversation) (?:was |is )?(?:included|attached|provided|given|here)\b|\b(?:paste|share|send|provide)\b[^.!?]{0,60}\b(?:transcript|conversation)\b[^.!?]{0,60}\?/i;
const ASKS_WITHIN = 400;
/** No tokenizer averages this many characters per token on prose; longer text is rejected without counting. */
const MAX_CHARACTERS_PER_TOKEN = 32;

export interface Failure {
  /** One sentence. */
  readonly failure: string;
  /** Sent to the summarizer on the next attempt instead of `failure`, whose error text must not act as instructions. */
  readonly retry?: string;
  /** Retrying would not help. */
  readonly final?: true;
}

export interface Answer {
  readonly text: string;
  readonly calledTool: boolean;
}

/** What the answer is compared with. */
export interface Replaced {
  /** Tokens of what the summary replaces. */
  readonly tokens: Tokens;
  /** The earlier summary at its start; null if there is none. */
  readonly earlierSummary: string | null;
}

/** The accepted text, or why the answer is rejected. */
export function judged(
  { text: given, calledTool }: Answer,
  transcript: string,
  { tokens, earlierSummary }: Replaced,
  maxTokens: Tokens,
  count: CountTokens,
): { readonly text: string } | Failure {
  if (calledTool) return { failure: 'It called a tool; expected a text.' };
  if (given.length > maxTokens * MAX_CHARACTERS_PER_TOKEN)
    return {
      failure: `It has ${plural(given.length, 'character')}; expected at most ${plural(maxTokens, 'token')}.`,
    };
  const text = wellFormed(unmarked(given).trim());
  if (text === '') return { failure: 'It was empty.' };
  if (isToolCall(text)) return { failure: 'It was a tool call written as text; expected a summary.' };
  const size = count(text);
  if (size > maxTokens)
    return {
      failure:
        size > tokens * MOST_OF_REPLACED
          ? `It has ${plural(size, 'token')} and replaces ${tokens}; expected at most ${maxTokens}.`
          : `It has ${plural(size, 'token')}; expected at most ${maxTokens}.`,
    };
  if (size < REFUSAL_TOKENS && REFUSAL.test(text))
    return { failure: 'It declined to write one; expected a summary of the transcript.' };
  const least = Math.min(LEAST_TOKENS, tokens * LEAST_SHARE, maxTokens / 2);
  if (tokens > LEAST_HOLDS_FROM && size < least)
    return {
      failure: `It has ${plural(size, 'token')} and replaces ${tokens}; expected at least ${Math.ceil(least)}.`,
    };
  if (sharesNoName(text, transcript))
    return {
      failure:
        'It contains no names from the transcript; expected names, paths, ids and numbers copied from it.',
    };
  if (ASKS.test(text.slice(0, ASKS_WITHIN)))
    return { failure: 'It asked for the transcript; expected a summary of it.' };
  if (earlierSummary !== null && isCopy(text, earlierSummary))
    return { failure: 'It repeated the earlier summary; expected it to include what came after.' };
  if (text.length >= ECHO_LENGTH && verbatimShare(text, fresh(transcript, earlierSummary)) > ECHO_SHARE)
    return { failure: 'It repeated the transcript; expected a summary of it.' };
  return { text };
}

/** The transcript without the earlier summary at its start, which may largely be repeated. */
function fresh(transcript: string, earlier: string | null): string {
  if (earlier === null || earlier.trim() === '') return transcript;
  const start = `${EARLIER_HEADING}${earlier.trim()}`;
  return transcript.startsWith(start) ? transcript.slice(start.length) : transcript;
}

/** `text` without lectern's marks at its start, with which it would be mistaken for a notice. */
function unmarked(text: string): string {
  let at = 0;
  for (;;) {
    while (at < text.length && /\s/.test(text.charAt(at))) at += 1;
    if (!text.startsWith(OWN_MARK, at)) return text.slice(at);
    const line = text.indexOf('\n', at);
    const end = text.indexOf(']', at);
    if (end >= 0 && (line < 0 || end < line)) at = end + 1;
    else at = line < 0 ? text.length : line;
  }
}

/** Nearly all of `text` is from `earlier`, and contains nearly all of it. */
function isCopy(text: string, earlier: string): boolean {
  if (text.trim() === earlier.trim()) return true;
  return (
    text.length <= earlier.length * 1.05 &&
    verbatimShare(text, earlier) > 0.95 &&
    verbatimShare(earlier, text) > 0.95
  );
}

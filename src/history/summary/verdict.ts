// Whether a summarizer's answer can stand for what it replaces: long enough and short enough, no refusal, no call of a tool,
// no copy of what it was given.

import { plural, type Tokens } from '../../contract/index.ts';
import { wellFormed } from '../archive/exact-text.ts';
import { isToolCall } from '../policy/tool-call-text.ts';
import { OWN_MARK } from './digest.ts';
import type { CountTokens } from './digest-text.ts';
import { EARLIER_HEADING } from './input.ts';
import { sharesNoName } from './shared-names.ts';
import { verbatimShare } from './verbatim.ts';

/** A summary above this share of what it replaces wins too little: OpenHands calls progress below 10 % none. */
export const MOST_OF_REPLACED = 0.9;
/** Share of copied characters from which a text is an echo, and the length from which that can be told. */
const ECHO_SHARE = 0.7;
const ECHO_LENGTH = 200;
/** Below both a text cannot hold what the 1000 tokens and more it replaces say: six headings alone take some 20. */
const LEAST_TOKENS = 60;
const LEAST_SHARE = 0.05;
const LEAST_HOLDS_FROM = 1000;
/** How models that decline begin, and the tokens below which such a text is nothing else. */
const REFUSAL =
  /^(?:(?:I['’]m|I am|We['’]re|We are)(?: \w+)? (?:sorry|unable)|(?:I['’]m |I am )?sorry[,.]|I (?:cannot|can['’]t|could not|won['’]t)|As an? (?:AI|(?:large )?language model)|Unfortunately, I )/i;
const REFUSAL_TOKENS = 100;
/** A model that found nothing to summarize says so, or asks for it, in its first sentences. */
const ASKS =
  /\b(?:transcript|conversation) (?:was|is)(?: not|n['’]t) (?:included|attached|provided|given|there|here|in your)\b|\b(?:transcript|conversation) (?:was|is) (?:missing|empty)\b|\bno (?:transcript|conversation) (?:was |is )?(?:included|attached|provided|given|here)\b|\b(?:paste|share|send|provide)\b[^.!?]{0,60}\b(?:transcript|conversation)\b[^.!?]{0,60}\?/i;
const ASKS_WITHIN = 400;
/** No tokenizer makes this many characters a token in words; what is longer is refused without being counted. */
const MAX_CHARACTERS_PER_TOKEN = 32;

export interface Failure {
  /** One sentence. */
  readonly failure: string;
  /** To the summarizer when it is asked again, in place of `failure`: words of an error are no instructions. */
  readonly retry?: string;
  /** Asking again would not help. */
  readonly final?: true;
}

export interface Answer {
  readonly text: string;
  readonly calledTool: boolean;
}

/** What an answer is judged by. */
export interface Replaced {
  /** Tokens of what the summary replaces. */
  readonly tokens: Tokens;
  /** The summary that stood at the front of it; null for none. */
  readonly earlierSummary: string | null;
}

/** The text to be taken, or why the answer is refused. */
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
  if (isToolCall(text)) return { failure: 'It was a call of a tool written as text; expected a summary.' };
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
      failure: 'It names nothing of the transcript; expected names, paths, ids and numbers copied from it.',
    };
  if (ASKS.test(text.slice(0, ASKS_WITHIN)))
    return { failure: 'It asked for the transcript; expected a summary of it.' };
  if (earlierSummary !== null && isCopy(text, earlierSummary))
    return { failure: 'It was the earlier summary again, without what came after it.' };
  if (text.length >= ECHO_LENGTH && verbatimShare(text, fresh(transcript, earlierSummary)) > ECHO_SHARE)
    return { failure: 'It repeated the transcript; expected a summary of it.' };
  return { text };
}

/** The transcript without the earlier summary at its start, most of which may well stay as it is. */
function fresh(transcript: string, earlier: string | null): string {
  if (earlier === null || earlier.trim() === '') return transcript;
  const start = `${EARLIER_HEADING}${earlier.trim()}`;
  return transcript.startsWith(start) ? transcript.slice(start.length) : transcript;
}

/** `text` without marks of ours at its start: with one it would be taken for a notice. */
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

/** Nearly all of `text` is of `earlier`, and nearly all of that is there. */
function isCopy(text: string, earlier: string): boolean {
  if (text.trim() === earlier.trim()) return true;
  return (
    text.length <= earlier.length * 1.05 &&
    verbatimShare(text, earlier) > 0.95 &&
    verbatimShare(earlier, text) > 0.95
  );
}

// Decides whether a summarizer's answer is usable: within the size limits, about the transcript, and not a tool call.

import { plural, type Tokens } from '../../contract/index.ts';
import { wellFormed } from '../archive/exact-text.ts';
import { isToolCall } from '../policy/tool-call-text.ts';
import { OWN_MARK } from './digest.ts';
import type { CountTokens } from './digest-text.ts';
import { namesIn } from './names.ts';

/** A summary above this share of what it replaces saves too little; OpenHands treats less than 10 % as no progress. */
export const MOST_OF_REPLACED = 0.9;
/** A text below both limits cannot cover the 1000 or more tokens it replaces: six headings alone take about 20. */
const LEAST_TOKENS = 60;
const LEAST_SHARE = 0.05;
const LEAST_HOLDS_FROM = 1000;
/** A transcript with fewer names can be summarized without any. */
const LEAST_NAMES = 8;
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
  if (text === earlierSummary?.trim())
    return { failure: 'It repeated the earlier summary; expected it to include what came after.' };
  return { text };
}

/**
 * Whether a summary is of something else, such as a request to be sent the conversation: names, paths, ids and numbers
 * are copied exactly, and it has none of the transcript's.
 */
function sharesNoName(summary: string, transcript: string): boolean {
  if (new Set(namesIn(transcript)).size < LEAST_NAMES) return false;
  return !namesIn(summary).some((name) => transcript.includes(name));
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

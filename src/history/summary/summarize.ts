// The text that stands for messages that go: a summarizer's, checked and asked twice at most; without one, or when it fails,
// a digest; without anything for that, both ends of the transcript. It never gives a failure for a summary.

import { isInsidePair, plural, ReaderError, type Tokens } from '../../contract/index.ts';
import { wellFormed } from '../archive/exact-text.ts';
import { guarded } from '../codecs/native.ts';
import { isToolCall } from '../policy/tool-call-text.ts';
import type { SummaryReport } from '../report.ts';
import type { Breaker } from './breaker.ts';
import { type CountTokens, type DigestInput, digestOf, OWN_MARK } from './digest.ts';
import {
  EARLIER_HEADING,
  SUMMARIZER_INPUT_MAX_TOKENS,
  summaryInstructions,
  summaryTranscript,
} from './input.ts';
import type { Summarizer } from './summarizer.ts';
import { verbatimShare } from './verbatim.ts';

export { Breaker } from './breaker.ts';

export interface SummaryInput extends DigestInput {
  /** Of what the summary replaces, by the `count` of the options. */
  readonly tokens: Tokens;
  /** The summary that stood at the front of what goes; null when there is none. */
  readonly earlierSummary: string | null;
}

export interface SummaryOptions {
  /** Null for none: the digest then. */
  readonly summarizer: Summarizer | null;
  /** Of the summary, at most. */
  readonly maxTokens: Tokens;
  readonly count: CountTokens;
  /** For one answer. */
  readonly timeoutMs?: number;
  readonly maxInputTokens?: Tokens;
  readonly signal?: AbortSignal;
  readonly breaker?: Breaker;
}

export interface Summary {
  /** At most `maxTokens`; empty only when nothing fits or nothing is there. */
  readonly text: string;
  readonly report: SummaryReport;
}

/** Generous for 180 000 tokens in and 8 000 out. */
const TIMEOUT_MS = 60_000;
const MAX_ATTEMPTS = 2;
/** A summary above this share of what it replaces wins too little: OpenHands calls progress below 10 % none. */
const MOST_OF_REPLACED = 0.9;
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
/** Of the message of an error, in characters. */
const ERROR_LENGTH = 200;
/** No tokenizer makes this many characters a token in words; what is longer is refused without being counted. */
const MAX_CHARACTERS_PER_TOKEN = 32;

/**
 * Whatever the summarizer does, throws or never does, a text comes back.
 * @throws {ReaderError} ABORTED when `signal` is
 */
export async function summarize(input: SummaryInput, options: SummaryOptions): Promise<Summary> {
  refuseAborted(options.signal);
  const maxTokens = Math.min(options.maxTokens, Math.floor(input.tokens * MOST_OF_REPLACED));
  const asked = await askTwice(input, options, maxTokens);
  const report = (by: SummaryReport['by'], text: string): Summary => ({
    text,
    report: {
      by,
      messages: input.messages.length,
      tokens: options.count(text),
      attempts: asked.attempts,
      refused: asked.refused,
    },
  });
  if (asked.text !== null) return report('model', asked.text);
  const digest = digestOf(input, maxTokens, options.count);
  if (digest !== '') return report('digest', digest);
  return report('cut', summaryTranscript(input.messages, input.earlierSummary, maxTokens, options.count));
}

interface Asked {
  readonly text: string | null;
  readonly attempts: number;
  readonly refused: string | null;
}

async function askTwice(input: SummaryInput, options: SummaryOptions, maxTokens: Tokens): Promise<Asked> {
  const { summarizer, breaker, count } = options;
  if (summarizer === null) return { text: null, attempts: 0, refused: null };
  if (maxTokens <= 0) return { text: null, attempts: 0, refused: 'There is no room for a summary.' };
  if (breaker && !breaker.admits())
    return {
      text: null,
      attempts: 0,
      refused: 'The summarizer failed several times in a row and is not asked for a while.',
    };
  const most = Math.min(options.maxInputTokens ?? SUMMARIZER_INPUT_MAX_TOKENS, SUMMARIZER_INPUT_MAX_TOKENS);
  const transcript = summaryTranscript(input.messages, input.earlierSummary, most, count);
  let refused: string | null = null;
  let told: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask(summarizer, transcript, maxTokens, told, options);
    const verdict = 'failure' in answer ? answer : judged(answer, transcript, input, maxTokens, count);
    if ('text' in verdict) {
      breaker?.succeeded();
      return { text: verdict.text, attempts: attempt, refused: null };
    }
    refused = verdict.failure;
    told = verdict.told ?? refused;
    if (attempt >= MAX_ATTEMPTS || verdict.final === true) {
      breaker?.failed();
      return { text: null, attempts: attempt, refused };
    }
  }
}

interface Failure {
  /** One sentence. */
  readonly failure: string;
  /** To the summarizer, in place of `failure`: words of an error are no instructions. */
  readonly told?: string;
  /** Asking again would not help. */
  readonly final?: true;
}

interface Answer {
  readonly text: string;
  readonly calledTool: boolean;
}

/** One call of the summarizer: its answer, or what went wrong. @throws {ReaderError} ABORTED */
async function ask(
  summarizer: Summarizer,
  transcript: string,
  maxTokens: Tokens,
  refused: string | null,
  { signal, timeoutMs = TIMEOUT_MS }: SummaryOptions,
): Promise<Answer | Failure> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const abort = (): void => stop.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    refuseAborted(signal);
    const stopped = new Promise<Failure>((resolve) => {
      stop.signal.addEventListener('abort', () => resolve({ failure: 'It was stopped.', final: true }));
      timer = setTimeout(() => {
        resolve({ failure: `The summarizer gave no answer in ${timeoutMs} ms.`, final: true });
        stop.abort(new ReaderError('TIMED_OUT', 'The summary took too long.', 'Allow more time.'));
      }, timeoutMs);
    });
    const request = {
      instructions: summaryInstructions(maxTokens, refused),
      transcript,
      maxTokens,
      signal: stop.signal,
    };
    return await Promise.race([answerOf(summarizer, request), stopped]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    refuseAborted(signal);
  }
}

async function answerOf(
  summarizer: Summarizer,
  request: Parameters<Summarizer>[0],
): Promise<Answer | Failure> {
  try {
    const answer: unknown = await summarizer(request);
    if (typeof answer === 'string') return { text: answer, calledTool: false };
    if (typeof answer !== 'object' || answer === null)
      return {
        failure: `The summarizer gave ${answer == null ? `\`${answer}\`` : `a ${typeof answer}`}, no text.`,
      };
    // Fields of whatever it is; each is looked at before it is used.
    const { text, calledTool } = answer as Record<string, unknown>;
    if (calledTool === true) return { text: typeof text === 'string' ? text : '', calledTool: true };
    if (typeof text !== 'string') return { failure: 'The summarizer gave an object without a text.' };
    return { text, calledTool: false };
  } catch (error) {
    const code = guarded(() => codeOf(error), '');
    const words = guarded(() => wordsOf(error), '');
    const end = words === '' || /[.!?\u2026]$/.test(words) ? '' : '.';
    return {
      failure:
        words === ''
          ? `The summarizer failed${code === '' ? '' : ` with ${code}`}.`
          : `The summarizer failed: ${words}${end}${code === '' ? '' : ` (${code})`}`,
      told: 'There was none, for the request failed.',
    };
  }
}

/** The code of ours, or the status of a provider; empty where there is none. */
function codeOf(error: unknown): string {
  if (error instanceof ReaderError) return error.code;
  if (typeof error !== 'object' || error === null) return '';
  // Fields of whatever it is; looked at before they are used.
  const { status, statusCode } = error as Record<string, unknown>;
  const code = status ?? statusCode;
  return typeof code === 'number' && code >= 100 && code < 600 ? `status ${Math.floor(code)}` : '';
}

/** What reads like a key of a provider, which some of them quote in their errors. */
const KEY = /\bBearer\s+\S+|\b(?:sk|pk|rk|gsk|xai|hf|ghp|pplx)[-_][\w*.-]+|\bAIza[\w-]+/g;

/** The message of what was thrown, on one line, without keys; empty where there is none. */
function wordsOf(error: unknown): string {
  // A field of whatever it is; looked at before it is used.
  const message =
    typeof error === 'object' && error !== null ? (error as Record<string, unknown>)['message'] : error;
  if (typeof message !== 'string') return '';
  const line = wellFormed(message.slice(0, 10 * ERROR_LENGTH))
    .replace(KEY, () => '[key]')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= ERROR_LENGTH) return line;
  const end = ERROR_LENGTH - 1;
  return `${line.slice(0, isInsidePair(line, end) ? end - 1 : end)}\u2026`;
}

function judged(
  { text: given, calledTool }: Answer,
  transcript: string,
  { tokens, earlierSummary }: SummaryInput,
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

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ReaderError(
      'ABORTED',
      'The compaction was cancelled.',
      'Call again to compact.',
      signal.reason,
    );
}

// The text that stands for messages that go: a summarizer's, checked and asked twice at most; without one, or when it fails,
// a digest; without anything for that, both ends of the transcript. It never gives a failure for a summary.

import { isInsidePair, ReaderError, type Tokens } from '../../contract/index.ts';
import { wellFormed } from '../archive/exact-text.ts';
import { guarded } from '../codecs/native.ts';
import type { SummaryReport } from '../report.ts';
import type { Breaker } from './breaker.ts';
import { type CountTokens, type DigestInput, digestOf } from './digest-text.ts';
import { SUMMARIZER_INPUT_MAX_TOKENS, summaryInstructions, summaryTranscript } from './input.ts';
import type { Summarizer } from './summarizer.ts';
import { type Answer, type Failure, judged, MOST_OF_REPLACED } from './verdict.ts';

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
  /** What stands for them where no summarizer says it; default `digest`. */
  readonly without?: 'digest' | 'ends';
}

export interface Summary {
  /** At most `maxTokens`; empty only when nothing fits or nothing is there. */
  readonly text: string;
  readonly report: SummaryReport;
}

/** Generous for 180 000 tokens in and 8 000 out. */
const TIMEOUT_MS = 60_000;
const MAX_ATTEMPTS = 2;
/** Of the message of an error, in characters. */
const ERROR_LENGTH = 200;
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
  const digest = options.without === 'ends' ? '' : digestOf(input, maxTokens, options.count);
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
  let retry: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask(summarizer, transcript, maxTokens, retry, options);
    const verdict = 'failure' in answer ? answer : judged(answer, transcript, input, maxTokens, count);
    if ('text' in verdict) {
      breaker?.succeeded();
      return { text: verdict.text, attempts: attempt, refused: null };
    }
    refused = verdict.failure;
    retry = verdict.retry ?? refused;
    if (attempt >= MAX_ATTEMPTS || verdict.final === true) {
      breaker?.failed();
      return { text: null, attempts: attempt, refused };
    }
  }
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
      retry: 'There was none, for the request failed.',
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

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted)
    throw new ReaderError(
      'ABORTED',
      'The compaction was cancelled.',
      'Call again to compact.',
      signal.reason,
    );
}

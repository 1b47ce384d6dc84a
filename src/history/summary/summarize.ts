// Produces the text that replaces removed messages: from a summarizer, checked and asked at most twice; otherwise a
// digest; otherwise both ends of the transcript. A failure never becomes the summary.

import { ReaderError, safeCut, type Tokens } from '../../contract/index.ts';
import { wellFormed } from '../archive/exact-text.ts';
import { guarded, nativeOf, textIn } from '../codecs/native.ts';
import { stopping } from '../model-call.ts';
import { refuseAborted } from '../problem.ts';
import type { SummaryReport } from '../report.ts';
import type { Breaker } from './breaker.ts';
import { type CountTokens, type DigestInput, digestOf } from './digest-text.ts';
import { SUMMARIZER_INPUT_MAX_TOKENS, summaryInstructions, summaryTranscript } from './input.ts';
import type { Summarizer } from './summarizer.ts';
import { type Answer, type Failure, judged, MOST_OF_REPLACED } from './verdict.ts';

export interface SummaryInput extends DigestInput {
  /** Tokens of the messages, by the `count` of the options. */
  readonly tokens: Tokens;
  /** The earlier summary at the start of the messages; null if there is none. */
  readonly earlierSummary: string | null;
}

export interface SummaryOptions {
  /** Null: use the digest. */
  readonly summarizer: Summarizer | null;
  /** Maximum tokens of the summary. */
  readonly maxTokens: Tokens;
  readonly count: CountTokens;
  /** Timeout for one answer. */
  readonly timeoutMs?: number;
  readonly maxInputTokens?: Tokens;
  readonly signal?: AbortSignal | undefined;
  readonly breaker?: Breaker;
  /** Replacement if the summarizer does not provide one; default `digest`. */
  readonly without?: 'digest' | 'ends';
}

export interface Summary {
  /** At most `maxTokens`; empty only if nothing fits or there is nothing to summarize. */
  readonly text: string;
  readonly report: SummaryReport;
}

/** Generous for 180 000 input and 8 000 output tokens. */
const TIMEOUT_MS = 60_000;
const MAX_ATTEMPTS = 2;
/** Maximum characters of a quoted error message. */
const ERROR_LENGTH = 200;
/**
 * Always returns a text, even if the summarizer throws or never settles.
 * @throws {ReaderError} ABORTED if `signal` is aborted
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
  const unasked = (refused: string | null): Asked => ({ text: null, attempts: 0, refused });
  if (summarizer === null) return unasked(null);
  if (maxTokens <= 0) return unasked('There is no room for a summary.');
  if (breaker && !breaker.admits())
    return unasked('The summarizer is disabled for a while after repeated failures.');
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

/** Calls the summarizer once. Returns its answer or the failure. @throws {ReaderError} ABORTED */
async function ask(
  summarizer: Summarizer,
  transcript: string,
  maxTokens: Tokens,
  refused: string | null,
  { signal, timeoutMs = TIMEOUT_MS }: SummaryOptions,
): Promise<Answer | Failure> {
  const instructions = summaryInstructions(maxTokens, refused);
  try {
    return await stopping(
      (own) => answerOf(summarizer, { instructions, transcript, maxTokens, signal: own }),
      { signal, timeoutMs },
    );
  } catch {
    refuseAborted(signal);
    // Nothing else is thrown.
    return { failure: `The summarizer did not answer within ${timeoutMs} ms.`, final: true };
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
        failure: `The summarizer returned ${answer == null ? `\`${answer}\`` : `a ${typeof answer}`}; expected a text.`,
      };
    // Any object may be returned; both fields are checked before use.
    const { text, calledTool } = answer as Record<string, unknown>;
    if (calledTool === true) return { text: typeof text === 'string' ? text : '', calledTool: true };
    if (typeof text !== 'string')
      return { failure: 'The summarizer returned an object without a `text` string.' };
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
      retry: 'The request failed without an answer.',
    };
  }
}

/** A lectern error code or a provider's HTTP status; empty if there is neither. */
function codeOf(error: unknown): string {
  if (error instanceof ReaderError) return error.code;
  const code = nativeOf(error)?.['status'] ?? nativeOf(error)?.['statusCode'];
  return typeof code === 'number' && code >= 100 && code < 600 ? `status ${Math.floor(code)}` : '';
}

/** Looks like an API key, which some providers quote in their errors. */
const KEY = /\bBearer\s+\S+|\b(?:sk|pk|rk|gsk|xai|hf|ghp|pplx)[-_][\w*.-]+|\bAIza[\w-]+/g;

/** The error message on one line, without API keys; empty if there is none. */
function wordsOf(error: unknown): string {
  const message = typeof error === 'string' ? error : textIn(error, 'message');
  if (message === null) return '';
  const line = wellFormed(message.slice(0, 10 * ERROR_LENGTH))
    .replace(KEY, () => '[key]')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (line.length <= ERROR_LENGTH) return line;
  return `${line.slice(0, safeCut(line, ERROR_LENGTH - 1))}\u2026`;
}

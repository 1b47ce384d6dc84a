// Produces the text that replaces removed messages: from a summarizer, checked and asked at most twice; otherwise a
// digest; otherwise both ends of the transcript. A failure never becomes the summary.

import { ReaderError, safeCut, type Tokens } from '../../contract/index.ts';
import { wellFormed } from '../archive/exact-text.ts';
import type { TranscriptMessage } from '../archive/transcript.ts';
import { guarded, nativeOf, textIn } from '../codecs/native.ts';
import { stopping } from '../model-call.ts';
import { refuseAborted } from '../problem.ts';
import type { SummaryReport } from '../report.ts';
import { type DigestData, mergeDigest } from './digest.ts';
import { type CountTokens, digestText } from './digest-text.ts';
import { cutToTokens, SUMMARIZER_INPUT_MAX_TOKENS, summaryInstructions, summaryTranscript } from './input.ts';
import type { Summarizer } from './summarizer.ts';
import type { UsedLine } from './used-lines.ts';
import { type Answer, type Failure, judged, MOST_OF_REPLACED } from './verdict.ts';

/** Messages being removed, and what is known of those removed earlier. */
export interface Leaving {
  readonly messages: readonly TranscriptMessage[];
  /** Tokens of the messages, by the `count` of the options. */
  readonly tokens: Tokens;
  /** Facts from earlier compactions. */
  readonly earlier: DigestData | null;
  /** Lines of results that later calls used. */
  readonly used: readonly UsedLine[];
  /** The earlier summary at the start of the messages; null if there is none. */
  readonly earlierSummary: string | null;
  /** The earlier notice was written by another compactor; its text is the only information about what it replaced. */
  readonly isForeign: boolean;
}

export interface SummaryOptions {
  /** Null: use the digest. */
  readonly summarizer: Summarizer | null;
  /** Maximum tokens of the text. */
  readonly maxTokens: Tokens;
  readonly count: CountTokens;
  /** Timeout for one answer. */
  readonly timeoutMs: number;
  readonly maxInputTokens: Tokens;
  readonly signal: AbortSignal | undefined;
  /** Replacement if the summarizer does not provide one. */
  readonly without: 'digest' | 'ends';
}

/** Replacement for removed messages. */
export interface Replacement {
  /** At most `maxTokens`; empty only if nothing fits or there is nothing to say. */
  readonly text: string;
  readonly digest: DigestData;
  readonly summary: SummaryReport | null;
}

const MAX_ATTEMPTS = 2;
/** Maximum characters of a quoted error message. */
const ERROR_LENGTH = 200;

/**
 * Always returns a text, even if the summarizer throws or never settles.
 * @throws {ReaderError} ABORTED if `signal` is aborted
 */
export async function summarize(leaving: Leaving, options: SummaryOptions): Promise<Replacement> {
  refuseAborted(options.signal);
  const { messages, earlierSummary } = leaving;
  const { maxTokens, count, summarizer, without } = options;
  const digest = mergeDigest(leaving.earlier, messages, leaving.used);
  if (maxTokens <= 0) return { text: '', digest, summary: null };
  const replaced = { ...leaving, tokens: Math.ceil(leaving.tokens) };
  const most = Math.min(maxTokens, Math.floor(replaced.tokens * MOST_OF_REPLACED));
  const { text: answer, attempts, refused } = await askTwice(replaced, options, most);
  const by = (made: SummaryReport['by'], text: string): Replacement => ({
    text,
    digest,
    summary: { by: made, messages: messages.length, tokens: count(text), attempts, refused },
  });
  if (answer !== null) return by('model', answer);
  const facts = without === 'digest' ? extracted(leaving, digest, options) : '';
  if (facts !== '' || (without === 'digest' && summarizer === null)) return by('digest', facts);
  return by('cut', summaryTranscript(messages, earlierSummary, most, count));
}

/** The digest, after the text of a foreign notice if there is one. */
function extracted(leaving: Leaving, digest: DigestData, { maxTokens, count }: SummaryOptions): string {
  const { earlierSummary, isForeign } = leaving;
  const old =
    isForeign && earlierSummary !== null ? cutToTokens(earlierSummary, Math.floor(maxTokens / 2), count) : '';
  const room = maxTokens - (old === '' ? 0 : count(old) + 1);
  return [old, digestText(digest, Math.max(0, room), count)].filter((part) => part !== '').join('\n\n');
}

interface Asked {
  readonly text: string | null;
  readonly attempts: number;
  readonly refused: string | null;
}

async function askTwice(leaving: Leaving, options: SummaryOptions, maxTokens: Tokens): Promise<Asked> {
  const { summarizer, count } = options;
  const unasked = (refused: string | null): Asked => ({ text: null, attempts: 0, refused });
  if (summarizer === null) return unasked(null);
  if (maxTokens <= 0) return unasked('There is no room for a summary.');
  const most = Math.min(options.maxInputTokens, SUMMARIZER_INPUT_MAX_TOKENS);
  const transcript = summaryTranscript(leaving.messages, leaving.earlierSummary, most, count);
  let refused: string | null = null;
  let retry: string | null = null;
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask(summarizer, transcript, maxTokens, retry, options);
    const verdict = 'failure' in answer ? answer : judged(answer, transcript, leaving, maxTokens, count);
    if ('text' in verdict) return { text: verdict.text, attempts: attempt, refused: null };
    refused = verdict.failure;
    retry = verdict.retry ?? refused;
    if (attempt >= MAX_ATTEMPTS || verdict.final === true) return { text: null, attempts: attempt, refused };
  }
}

/** Calls the summarizer once. Returns its answer or the failure. @throws {ReaderError} ABORTED */
async function ask(
  summarizer: Summarizer,
  transcript: string,
  maxTokens: Tokens,
  refused: string | null,
  { signal, timeoutMs }: SummaryOptions,
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

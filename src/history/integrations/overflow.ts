// Recognises a provider's error for a prompt that is too long, from any client, and retries with a shorter prompt.
// Reads errors only, never the request.

import type { Tokens } from '../../contract/index.ts';
import type { CallOptions } from '../call-options.ts';
import { guarded } from '../codecs/native.ts';
import type { Compacted, Compactor } from '../compactor.ts';

/** What the error states about the prompt, in the provider's tokens. */
export interface Overflow {
  /** Prompt size without tokens reserved for the answer; null if not stated. */
  readonly actual: Tokens | null;
  /** The model's limit; null if not stated. */
  readonly limit: Tokens | null;
}

const N = String.raw`\d[\d,._]{0,14}`;
const ACTUAL = `(?<actual>${N})`;
const LIMIT = `(?<limit>${N})`;
const pattern = (source: string): RegExp => new RegExp(source, 'i');

/**
 * Providers' error messages, those with numbers first. Sources: responses quoted in public issues (OpenAI
 * chathub-dev/chathub 126, FoundationAgents/OpenManus 62; Anthropic entropy-research/Devon 88, stackblitz/bolt.new
 * 7414; vLLM xorbitsai/inference 3785; llama.cpp ggml-org/llama.cpp 15780, abetlen/llama-cpp-python 462; Groq OpenHands
 * 1902; LM Studio cline/cline 3664; Bedrock aws-samples/bedrock-chat 95; text-generation-inference
 * huggingface/llm-vscode 94), and the overflow tests of badlogic/pi-mono for Gemini, xAI, Mistral, OpenRouter,
 * Together, Copilot, Kimi, MiniMax, Qwen and Z.ai.
 */
const REFUSALS: readonly RegExp[] = [
  // Anthropic.
  `prompt is too long:? ${ACTUAL} tokens > ${LIMIT}`,
  `input length and .{0,3}max_tokens.{0,3} exceed context limit: ${ACTUAL} \\+ ${N} > ${LIMIT}`,
  // OpenAI and compatible servers.
  `maximum context length (?:is|of) ${LIMIT}(?: tokens)?.{0,60}?(?:resulted in|requested(?: about)?|request has|passed|contains)(?: at least)? ${ACTUAL}`,
  `exceed the configured limit of ${LIMIT} tokens.{0,40}?resulted in ${ACTUAL}`,
  `you passed ${ACTUAL} input (?:tokens|characters).{0,120}?context length is only ${LIMIT}`,
  `input length \\(?${ACTUAL}\\)? exceeds (?:the )?(?:model.{0,6} )?maximum (?:context|allowed input) length (?:of )?\\(?${LIMIT}`,
  `maximum context length (?:is|of) ${LIMIT}`,
  // Gemini; xAI; Mistral; Together; Copilot; Kimi.
  `input token count (?:\\(|of )?${ACTUAL}\\)? exceeds the maximum number of tokens allowed \\(?${LIMIT}`,
  `input token count exceeds the maximum number of tokens allowed \\(?${LIMIT}`,
  `maximum prompt length is ${LIMIT} but the request contains ${ACTUAL}`,
  `prompt contains ${ACTUAL} tokens.{0,60}?too large for model with ${LIMIT}`,
  `input \\(${ACTUAL} tokens\\) is longer than the model.{0,6} context length \\(${LIMIT}`,
  `prompt token count of ${ACTUAL} exceeds the limit of ${LIMIT}`,
  `exceeded model token limit: ${LIMIT} \\(requested: ${ACTUAL}`,
  `range of input length should be \\[\\d+, ?${LIMIT}`,
  // Local servers.
  `request \\(${ACTUAL} tokens\\) exceeds the available context size \\(${LIMIT}`,
  `prompt \\(length ${ACTUAL}\\) is longer than the maximum model length of ${LIMIT}`,
  `requested tokens \\(${ACTUAL}\\) exceed context window of ${LIMIT}`,
  `keep the first ${ACTUAL} tokens when.{0,20}? context.{0,20}? overflows.{0,80}?context length of only ${LIMIT}`,
  `.inputs. (?:tokens \\+ .max_new_tokens. must be <=|must have less than) ${LIMIT}.{0,20}? Given: ${ACTUAL}`,
  `max(?:imum)? input length is ${LIMIT} tokens, but you supplied ${ACTUAL}`,
  `total number of tokens in the prompt cannot exceed ${LIMIT}.{0,20}?received ${ACTUAL}`,
  // Without numbers.
  'prompt is too long',
  'prompt too long; exceeded max context length',
  'context[_ ](?:length|window)[_ ]exceeded',
  'exceeds? (?:the |model |this model.{0,6} )?(?:available )?context (?:window|size|length|limit)',
  'exceeds the model.{0,6} (?:maximum )?context (?:window|length)',
  'context window exceeds limit',
  'exceed_context_size|request_too_large|ContextOverflowError|ContextWindowExceededError',
  'reduce the length of the (?:messages|prompt|input)',
  'input is too long',
  'exceeded model token limit',
  'greater than the context length',
  'exceeds the maximum number of tokens allowed',
  'too many (?:input )?tokens',
].map(pattern);

/** The answer's share if the number covers prompt and answer; it is subtracted. */
const ANSWER = pattern(`\\b(?<answer>${N}) (?:tokens )?(?:in|for) the (?:completion|output)`);
/** llama.cpp reports numbers in separate fields. */
const PROMPT_FIELD = pattern(`n_prompt_tokens\\W{1,6}(?<actual>${N})`);
const WINDOW_FIELD = pattern(`n_ctx\\W{1,6}(?<limit>${N})`);

/** Rate limits, which depend on time and not on the prompt: waiting helps, shortening does not. */
const RATE =
  /\b(?:TPM|RPM|TPD)\b|tokens per|(?:requests?|tokens|input) per (?:min|hour|day|sec)|per[_ -](?:minute|day)|rate.?limit|quota|thrott|too many requests|please wait|try again later/i;
const TOO_MANY_REQUESTS = 429;
const PAYLOAD_TOO_LARGE = 413;

/** Longer messages quote the request. */
const TEXT_READ = 4096;
const TEXTS_READ = 40;
const OBJECTS_READ = 60;

/**
 * Fields in which clients keep the provider's response: `responseBody` and `data` of the AI SDK, `error` of OpenAI's
 * and Anthropic's clients, `response.data` of axios, `metadata.raw` of OpenRouter, `lastError` of retries. None
 * contains the request.
 */
const FIELDS = [
  'message',
  'name',
  'code',
  'type',
  'lc_error_code',
  'responseBody',
  'body',
  'error',
  'data',
  'metadata',
  'raw',
  'detail',
  'details',
  'response',
  'lastError',
  'cause',
  'n_prompt_tokens',
  'n_ctx',
] as const;
const STATUS = ['status', 'statusCode', 'status_code', 'code'] as const;

/** A field of an error of unknown type, which may be a getter that throws. */
const fieldOf = (value: object, name: string): unknown =>
  guarded<unknown>(() => Reflect.get(value, name), undefined);

interface Said {
  readonly texts: readonly string[];
  readonly statuses: ReadonlySet<number>;
}

/** The messages of an error and its causes; bounded for any input. */
function saidIn(error: unknown): Said {
  const texts: string[] = [];
  const statuses = new Set<number>();
  const waiting: unknown[] = [error];
  const seen = new Set<unknown>();
  for (let at = 0; at < waiting.length && seen.size < OBJECTS_READ && texts.length < TEXTS_READ; at += 1) {
    const value = waiting[at];
    if (typeof value === 'string') {
      texts.push(value.slice(0, TEXT_READ));
      continue;
    }
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const name of STATUS) {
      const status = fieldOf(value, name);
      if (typeof status === 'number') statuses.add(status);
    }
    for (const name of FIELDS) {
      const field = fieldOf(value, name);
      if (typeof field === 'number') {
        if (name.startsWith('n_')) texts.push(`${name}: ${field}`);
      } else if (field !== undefined) waiting.push(field);
    }
    // If there is no `lastError`, all of them.
    const errors = fieldOf(value, 'lastError') === undefined ? fieldOf(value, 'errors') : undefined;
    if (Array.isArray(errors)) waiting.push(...errors.slice(0, OBJECTS_READ));
  }
  return { texts, statuses };
}

function figure(found: RegExpExecArray | null, name: string): Tokens | null {
  const digits = found?.groups?.[name]?.replace(/\D/g, '');
  const value = Number(digits);
  return digits && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function refusalIn(text: string): Overflow | null {
  const found = REFUSALS.map((refusal) => refusal.exec(text)).find((match) => match !== null);
  if (!found) return null;
  const actual = figure(found, 'actual');
  const answer = figure(ANSWER.exec(text), 'answer') ?? 0;
  return {
    actual: actual !== null && actual > answer ? actual - answer : actual,
    limit: figure(found, 'limit'),
  };
}

const firstOf = (texts: readonly string[], of: RegExp, name: string): Tokens | null =>
  texts.map((text) => figure(of.exec(text), name)).find((value) => value !== null) ?? null;

/**
 * What `error` states about a prompt that was too long; null for any other error. Recognises errors of the AI SDK, of
 * OpenAI's and Anthropic's clients, of LangChain, and plain ones by the provider's message, following `cause`. Status
 * 413 alone is sufficient. Rate limits, and any error with status 429, do not count. Never throws.
 */
export function overflowOf(error: unknown): Overflow | null {
  const { texts, statuses } = saidIn(error);
  if (statuses.has(TOO_MANY_REQUESTS) || texts.some((text) => RATE.test(text))) return null;
  const refusals = texts.map(refusalIn).filter((refusal) => refusal !== null);
  if (refusals.length === 0 && !statuses.has(PAYLOAD_TOO_LARGE)) return null;
  return {
    actual: refusals.find(({ actual }) => actual !== null)?.actual ?? firstOf(texts, PROMPT_FIELD, 'actual'),
    limit: refusals.find(({ limit }) => limit !== null)?.limit ?? firstOf(texts, WINDOW_FIELD, 'limit'),
  };
}

/** No provider's window is smaller; a lower number means something else. */
const LEAST_LIMIT: Tokens = 256;

/**
 * Compacts a rejected list further, to the limit stated in the error. Returns null if `error` is not about the prompt's
 * length, if `options.signal` is aborted, or if the list cannot be shortened, in which case a retry would fail again.
 */
export async function afterOverflow<M>(
  compactor: Pick<Compactor<M>, 'compact' | 'overflowed'>,
  messages: readonly M[],
  refused: Compacted<M>,
  error: unknown,
  options: CallOptions = {},
): Promise<Compacted<M> | null> {
  const overflow = overflowOf(error);
  if (overflow === null || options.signal?.aborted) return null;
  const { actual, limit } = overflow;
  compactor.overflowed(actual ?? undefined);
  const { window, after } = refused.report;
  // Without a stated window, it is at most the size of what was rejected.
  const stated = limit !== null && limit >= LEAST_LIMIT ? limit : Math.max(LEAST_LIMIT, after.tokens);
  const again = await compactor.compact(messages, {
    ...options,
    window: Math.min(stated, window),
    force: true,
  });
  return areSame(again.messages, refused.messages) ? null : again;
}

/** Whether both lists hold the same objects. */
export function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((message, index) => message === other[index]);
}

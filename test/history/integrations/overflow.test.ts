import { ContextOverflowError } from '@langchain/core/errors';
import { APICallError, RetryError } from 'ai';
import { describe, expect, it } from 'vitest';
import { createCompactor } from '../../../src/history/index.ts';
import { recovering } from '../../../src/history/integrations/conversations.ts';
import { overflowOf } from '../../../src/history/integrations/overflow.ts';

const refusals: readonly (readonly [said: string, actual: number | null, limit: number | null])[] = [
  ['prompt is too long: 215000 tokens > 200000 maximum', 215_000, 200_000],
  ['input length and `max_tokens` exceed context limit: 90402 + 116650 > 204648, decrease', 90_402, 204_648],
  [
    "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens. Please reduce the length of the messages.",
    131_072,
    128_000,
  ],
  [
    "This model's maximum context length is 65536 tokens. However, you requested 72814 tokens (68718 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.",
    68_718,
    65_536,
  ],
  [
    "This model's maximum context length is 8192 tokens. However, you requested 8213 tokens (6683 in the messages, 730 in the functions, and 800 in the completion).",
    7413,
    8192,
  ],
  [
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens (190000 of text input, 10000 in the output).",
    190_000,
    131_072,
  ],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
    2104,
    4096,
  ],
  [
    'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 372000 tokens.',
    372_000,
    272_000,
  ],
  [
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    null,
    null,
  ],
  [
    'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
    1_100_000,
    1_048_576,
  ],
  ['The input token count exceeds the maximum number of tokens allowed 1048576.', null, 1_048_576],
  ['Input is too long for requested model', null, null],
  ['Your input is too long. Max input length is 4096 tokens, but you supplied 5441 tokens.', 5441, 4096],
  [
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    40_000,
    32_768,
  ],
  ['Please reduce the length of the messages or completion.', null, null],
  ['The decoder prompt (length 21535) is longer than the maximum model length of 16384.', 21_535, 16_384],
  [
    "You passed 30000 input tokens and requested 1000 output tokens. However, the model's context length is only 30720 tokens, resulting in",
    30_000,
    30_720,
  ],
  ['request (9001 tokens) exceeds the available context size (8192 tokens), try increasing it', 9001, 8192],
  ['the request exceeds the available context size. try increasing the context size', null, null],
  ['Requested tokens (516) exceed context window of 512', 516, 512],
  [
    'Trying to keep the first 10136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens, which is not enough.',
    10_136,
    7866,
  ],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens", 537_812, 131_072],
  ["The input (516368 tokens) is longer than the model's context length (262144 tokens).", 516_368, 262_144],
  ["Input length (265330) exceeds model's maximum context length (262144).", 265_330, 262_144],
  ['Input length 131393 exceeds the maximum allowed input length of 131040 tokens.', 131_393, 131_040],
  ['prompt token count of 140,000 exceeds the limit of 128,000', 140_000, 128_000],
  ['Your request exceeded model token limit: 262144 (requested: 291351)', 291_351, 262_144],
  ['Range of input length should be [1, 258048]', null, 258_048],
  ['invalid params, context window exceeds limit', null, null],
  ['model_context_window_exceeded', null, null],
  ["Requested token count exceeds the model's maximum context length of 131072 tokens.", null, 131_072],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 3474 `inputs` tokens and 60 `max_new_tokens`',
    3474,
    2048,
  ],
  ['prompt too long; exceeded max context length by 12 tokens', null, null],
  ['too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292.', 4292, 4081],
];

const others = [
  'Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 5000.',
  'Request too large for gpt-5 in organization org-x on tokens per min (TPM): Limit 200000, Requested 353175. The input or output tokens must be reduced in order to run successfully.',
  'Request too large for model `llama-3.3-70b` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again.',
  'This request would exceed your account rate limit of 40,000 input tokens per minute.',
  'Too many tokens, please wait before trying again.',
  'You exceeded your current quota, please check your plan and billing details.',
  'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after',
  'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens',
  'Incorrect API key provided',
  'fetch failed',
  '',
];

const apiError = (statusCode: number, responseBody: string, message = 'Bad Request'): APICallError =>
  new APICallError({
    message,
    url: 'http://127.0.0.1/',
    statusCode,
    responseBody,
    requestBodyValues: { messages: [{ role: 'user', content: 'Why is my prompt is too long?' }] },
  });

describe('overflowOf', () => {
  it.each(refusals)('recognises %s', (said, actual, limit) => {
    expect(overflowOf(new Error(said))).toEqual({ actual, limit });
    expect(overflowOf(apiError(400, JSON.stringify({ error: { message: said } })))).toEqual({
      actual,
      limit,
    });
    expect(overflowOf(new Error('Failed', { cause: new Error('', { cause: said }) }))).toEqual({
      actual,
      limit,
    });
  });

  it.each(others)('does not recognise: %s', (said) => {
    expect(overflowOf(new Error(said))).toBeNull();
    expect(overflowOf(apiError(400, said))).toBeNull();
  });

  it('recognises a code if the message is not specific', () => {
    const error = Object.assign(new Error('400 Bad Request'), {
      status: 400,
      error: { code: 'context_length_exceeded' },
    });
    expect(overflowOf(error)).toEqual({ actual: null, limit: null });
  });

  it('reads numbers from separate fields', () => {
    const body = {
      error: {
        code: 400,
        message: 'the request exceeds the available context size. try increasing the context size',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 14_429,
        n_ctx: 8192,
      },
    };
    expect(overflowOf(apiError(400, JSON.stringify(body)))).toEqual({ actual: 14_429, limit: 8192 });
    expect(overflowOf({ error: body.error })).toEqual({ actual: 14_429, limit: 8192 });
  });

  it("recognises LangChain's error, and the last error of several attempts", () => {
    const cause = new Error('prompt is too long: 12 tokens > 10 maximum');
    expect(overflowOf(ContextOverflowError.fromError(cause))).toEqual({ actual: 12, limit: 10 });
    expect(overflowOf(new ContextOverflowError('Input exceeded'))).toEqual({ actual: null, limit: null });
    const tries = [apiError(429, 'rate limit'), apiError(400, 'prompt is too long: 12 tokens > 10 maximum')];
    const retried = (errors: unknown[]): RetryError =>
      new RetryError({ message: 'Failed after 2 attempts.', reason: 'errorNotRetryable', errors });
    expect(overflowOf(retried(tries))).toEqual({ actual: 12, limit: 10 });
    expect(overflowOf(retried([...tries].reverse()))).toBeNull();
  });

  it('accepts status 413 unless it is a rate limit, and never 429', () => {
    expect(overflowOf(apiError(413, '', 'Payload Too Large'))).toEqual({ actual: null, limit: null });
    expect(overflowOf(apiError(413, 'on tokens per minute (TPM): Limit 6000'))).toBeNull();
    expect(overflowOf(apiError(429, 'prompt is too long: 12 tokens > 10 maximum'))).toBeNull();
    expect(overflowOf(apiError(400, ''))).toBeNull();
  });

  it('never reads the request', () => {
    expect(overflowOf(apiError(400, 'temperature: out of range'))).toBeNull();
  });

  it('tolerates cycles, getters that throw, deep nesting and values that are not errors', () => {
    const cycle: Record<string, unknown> = { message: 'x' };
    cycle['cause'] = { cause: cycle, error: cycle };
    const deep = Array.from({ length: 100_000 }).reduce<object>((cause) => ({ cause }), {});
    const trap = {
      get message(): string {
        throw new Error('no');
      },
      cause: 'prompt is too long',
    };
    const many = { errors: Array.from({ length: 100_000 }, () => ({ message: 'x'.repeat(10_000) })) };
    for (const odd of [null, undefined, 1, 'x', [], cycle, deep, many, () => 1, Symbol('x')])
      expect(overflowOf(odd)).toBeNull();
    expect(overflowOf(trap)).toEqual({ actual: null, limit: null });
  });

  it('reads only the start of a text', () => {
    for (const piece of ['maximum context length is 1', '1,', 'input length ', 'requested ', "model's "])
      expect(overflowOf(new Error(`${piece.repeat(200_000)} prompt is too long`))?.actual ?? null).toBeNull();
  });
});

const turns = (many: number): { role: string; content: string }[] =>
  Array.from({ length: many }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `${index} ${'words of a conversation '.repeat(50)}`,
  }));

describe('recovering', () => {
  const refusal = new Error('prompt is too long: 9000 tokens > 6000 maximum');

  it('calls once if there is no error', async () => {
    const messages = turns(4);
    const given = await recovering(
      createCompactor({ window: 128_000 }),
      messages,
      ({ messages: sent }) => sent,
    );
    expect(given).toEqual(messages);
  });

  it('retries with a shorter prompt, within the window stated in the error', async () => {
    const sizes: number[] = [];
    const compactor = createCompactor({ window: 200_000 });
    const answer = await recovering(compactor, turns(41), async ({ report }) => {
      sizes.push(report.after.messages);
      if (sizes.length === 1) throw refusal;
      expect(report.after.tokens).toBeLessThan(6000);
      return 'answered';
    });
    expect(answer).toBe('answered');
    expect(sizes[0]).toBe(41);
    expect(sizes[1]).toBeLessThan(41);
  });

  it('rethrows a second rejection unchanged', async () => {
    const thrown: Error[] = [];
    const call = (): never => {
      const error = new Error('prompt is too long');
      thrown.push(error);
      throw error;
    };
    const compactor = createCompactor({ window: 200_000 });
    const caught = await recovering(compactor, turns(41), call).catch((error: unknown) => error);
    expect(thrown).toHaveLength(2);
    expect(caught).toBe(thrown[1]);
  });

  it('throws any other error, and does not retry if nothing can be shortened', async () => {
    let calls = 0;
    const failing =
      (error: Error): (() => never) =>
      () => {
        calls += 1;
        throw error;
      };
    const other = new Error('fetch failed');
    await expect(recovering(createCompactor({ window: 128_000 }), turns(41), failing(other))).rejects.toBe(
      other,
    );
    expect(calls).toBe(1);
    await expect(
      recovering(
        createCompactor({ window: 128_000 }),
        [{ role: 'user', content: 'Go on.' }],
        failing(refusal),
      ),
    ).rejects.toBe(refusal);
    expect(calls).toBe(2);
  });

  it('does not retry after the caller aborted', async () => {
    const controller = new AbortController();
    let calls = 0;
    const call = (): never => {
      calls += 1;
      controller.abort();
      throw refusal;
    };
    const { signal } = controller;
    await expect(recovering(createCompactor({ window: 128_000 }), turns(41), call, { signal })).rejects.toBe(
      refusal,
    );
    expect(calls).toBe(1);
  });
});

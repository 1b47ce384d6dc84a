// What the summarizers over a provider's own client share: their options, and one request with the parameters a model takes.
// The client brings the key, the address, the timeout and the retries.

import { checkOptions, ReaderError, type Tokens } from '../../../contract/index.ts';
import { guarded } from '../../codecs/native.ts';
import { blames, type Failure, failureOf, field, refusal } from './failure.ts';

/** What is used of a client. */
export interface Asking {
  // The client's own types are wider than what is passed, and differ by version.
  create(body: never, options?: { signal?: AbortSignal }): PromiseLike<unknown>;
}

export interface ClientOptions<C> {
  /** Asked once per answer, with its own retries. */
  readonly client: C;
  readonly model: string;
  /** 0 by default; null leaves it to the model. A model that refuses it is asked without. */
  readonly temperature?: number | null;
  /** Of the answer, in the model's own tokens, thinking included; by default twice the summary's size and 1024. */
  readonly maxOutputTokens?: Tokens;
}

const NAMES = { client: true, model: true, temperature: true, maxOutputTokens: true } as const;

/**
 * Checks the options of the summarizer `what`; `askingOf` is what of its client is called.
 * @throws {ReaderError} BAD_INPUT, naming what is missing
 */
export function checkClientOptions<C>(
  what: string,
  options: ClientOptions<C>,
  askingOf: (client: C) => Asking,
): void {
  checkOptions(what, options, NAMES);
  const client = field(options, 'client');
  const model = field(options, 'model');
  const missing = [
    ...(client === undefined ? ['`client`'] : []),
    ...(model === undefined || model === '' ? ['`model`'] : []),
  ];
  const hint = `Call \`${what}({ client, model })\`.`;
  if (missing.length > 0)
    throw new ReaderError('BAD_INPUT', `\`${what}\` was given no ${missing.join(' and no ')}.`, hint);
  // By what is called of it: a client of another provider may throw here.
  if (!guarded(() => typeof askingOf(client as C).create === 'function', false))
    throw new ReaderError('BAD_INPUT', `\`client\` of \`${what}\` is not the provider's client.`, hint);
  if (typeof model !== 'string')
    throw new ReaderError('BAD_INPUT', `\`model\` of \`${what}\` is not a model's name.`, hint);
}

/** Parameters beside model and messages, each under the name the provider gives it. */
export type Parameters = Readonly<Record<string, number>>;

/**
 * Asks with `parameters`, and again without or with another name for one the provider refuses: `instead` gives its new name,
 * or null to leave it out, and has no entry for one that stays. Each is replaced once.
 * @throws {ReaderError} ABORTED, TIMED_OUT, ACCESS_DENIED, BUSY, BAD_INPUT, FILE_NOT_FOUND, LIMIT_EXCEEDED, INTERNAL
 */
export async function ask(
  asking: Asking,
  body: Readonly<Record<string, unknown>>,
  parameters: Parameters,
  instead: Readonly<Record<string, string | null>>,
  signal: AbortSignal,
): Promise<unknown> {
  let sent = parameters;
  for (;;) {
    let failure: Failure;
    try {
      // The client's own type of a body: a version of it that is not known here.
      return await asking.create({ ...body, ...sent } as never, { signal });
    } catch (error) {
      failure = failureOf(error, signal);
    }
    const refused = Object.keys(sent).find((name) => name in instead && blames(failure, name));
    if (refused === undefined) throw refusal(failure);
    const { [refused]: value = 0, ...rest } = sent;
    const name = instead[refused];
    sent = typeof name === 'string' ? { ...rest, [name]: value } : rest;
  }
}

/** Room for an answer in the provider's own tokens, of which a text may take more than ours, and for thinking before it. */
export function answerRoom(maxTokens: Tokens): Tokens {
  return maxTokens * 2 + 1024;
}

/** An answer that stops at its bound is the beginning of a summary. */
export function cutOff(): ReaderError {
  return new ReaderError(
    'OVER_BUDGET',
    'The summary was cut off at the bound of its length.',
    'Use a model that keeps to lengths, or think less.',
  );
}

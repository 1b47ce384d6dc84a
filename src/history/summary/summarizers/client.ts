// Shared by summarizers that use a provider's client: options, and one request with the parameters a model accepts. The
// client supplies the key, base URL, timeout and retries.

import { checkOptions, ReaderError, type Tokens } from '../../../contract/index.ts';
import { guarded } from '../../codecs/native.ts';
import { blames, type Failure, failureOf, field, refusal } from './failure.ts';

/** The used part of a client. */
export interface Asking {
  // The client's own types are wider than what is passed, and differ by version.
  create(body: never, options?: { signal?: AbortSignal }): PromiseLike<unknown>;
}

export interface ClientOptions<C> {
  /** Called once per answer; its own retries apply. */
  readonly client: C;
  readonly model: string;
  /** Default 0; null omits it. If the model rejects it, the request is repeated without it. */
  readonly temperature?: number | null;
  /** Maximum answer size in the model's tokens, including thinking. Default: twice the summary's size plus 1024. */
  readonly maxOutputTokens?: Tokens;
}

const NAMES = { client: true, model: true, temperature: true, maxOutputTokens: true } as const;

/**
 * Checks the options of the summarizer `what`; `askingOf` returns the part of its client that is called.
 * @throws {ReaderError} BAD_INPUT that names what is missing
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
    throw new ReaderError('BAD_INPUT', `\`${what}\` needs a ${missing.join(' and a ')}.`, hint);
  // Accessing the called method may throw for another provider's client.
  if (!guarded(() => typeof askingOf(client as C).create === 'function', false))
    throw new ReaderError('BAD_INPUT', `\`client\` of \`${what}\` is not the provider's client.`, hint);
  if (typeof model !== 'string')
    throw new ReaderError('BAD_INPUT', `\`model\` of \`${what}\` is not a model name.`, hint);
}

/** Parameters other than model and messages, under the provider's names. */
export type Parameters = Readonly<Record<string, number>>;

/**
 * Sends a request with `parameters`. If the provider rejects one, repeats without it or under another name: `instead`
 * maps it to its new name, or to null to omit it; a parameter without an entry stays. Each is replaced once.
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
      // The body type of a client version that is not known here.
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

/**
 * Room for an answer in the provider's tokens, which may be more than lectern's, and for thinking before it.
 */
export function answerRoom(maxTokens: Tokens): Tokens {
  return maxTokens * 2 + 1024;
}

/** An answer that reaches its token limit is only the start of a summary. */
export function cutOff(): ReaderError {
  return new ReaderError(
    'OVER_BUDGET',
    'The summary was cut off at its token limit.',
    'Use a model that respects the limit, or reduce thinking.',
  );
}

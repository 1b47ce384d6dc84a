// A provider asked for a summary, by its own client or by plain HTTP: what is the same whichever provider it is. What is asked
// of it, and what its answer says, is each one's own.

import { checkOptions, ReaderError, type Tokens } from '../../../contract/index.ts';
import { guarded } from '../../codecs/native.ts';
import { type Fetch, field, type JsonAnswer, postJson, refusal, thrown } from './request.ts';

/** What is used of a client. */
export interface Asking {
  // The client's own types are wider than what is passed, and differ by version.
  create(body: never, options?: { signal?: AbortSignal }): PromiseLike<unknown>;
}

export interface ModelOptions {
  readonly model: string;
  /** 0 by default; null leaves it to the model. A model that refuses it is asked without. */
  readonly temperature?: number | null;
  /** Of the answer, in the model's own tokens, thinking included; by default twice the summary's size and 1024. */
  readonly maxOutputTokens?: Tokens;
}

export interface HttpOptions extends ModelOptions {
  readonly baseUrl?: string;
  /** Null for a server that asks for none. */
  readonly apiKey: string | null;
  readonly fetch?: Fetch;
  /** For one request, 60 000 by default. */
  readonly timeoutMs?: number;
}

/** What tells one provider from another. */
export interface Provider<C> {
  /** The function that makes the summarizer, as errors name it. */
  readonly name: string;
  /** It may be asked without a key. */
  readonly keyless: boolean;
  /** What of its client is asked; may throw for a client of another provider. */
  asked(client: C): Asking;
  url(baseUrl: string | undefined): string;
  headers(apiKey: string | null): Readonly<Record<string, string>>;
}

const NAMES = {
  client: true,
  model: true,
  temperature: true,
  maxOutputTokens: true,
  baseUrl: true,
  apiKey: true,
  fetch: true,
  timeoutMs: true,
} as const;

/** A provider as the caller reaches it. */
export class Connection<C> {
  readonly #provider: Provider<C>;
  readonly #options: (ModelOptions & { readonly client: C }) | HttpOptions;

  /** @throws {ReaderError} BAD_INPUT for options it does not have, or without `model`, or without both `client` and `apiKey` */
  constructor(provider: Provider<C>, options: (ModelOptions & { readonly client: C }) | HttpOptions) {
    // By what is called of it, looked at before it is used: a client that is none throws here.
    const isClient = (client: unknown): boolean =>
      guarded(() => typeof provider.asked(client as C).create === 'function', false);
    checkOptionsOf(provider.name, options, isClient, provider.keyless);
    this.#provider = provider;
    this.#options = options;
  }

  /** @throws {ReaderError} ABORTED, TIMED_OUT, BAD_INPUT for an address or key no request can carry, INTERNAL */
  async ask(body: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<JsonAnswer> {
    const options = this.#options;
    if (!('client' in options)) {
      const { baseUrl, apiKey, fetch, timeoutMs } = options;
      const url = this.#provider.url(baseUrl);
      const headers = this.#provider.headers(apiKey);
      return postJson({ url, headers, fetch, timeoutMs, signal }, body);
    }
    try {
      // The client's own type of a body: a version of it that is not known here.
      return {
        status: 200,
        body: await this.#provider.asked(options.client).create(body as never, { signal }),
      };
    } catch (error) {
      return thrown(error, signal);
    }
  }

  /** What a status other than 200 means. */
  refusal(answer: JsonAnswer): ReaderError {
    // A client knows its own address.
    return refusal(answer, 'client' in this.#options ? null : this.#provider.url(this.#options.baseUrl));
  }
}

/**
 * Checks the options of a summarizer over a provider: `model`, and a `client` that `isClient`, or an `apiKey`, which may be
 * null where `keyless`.
 * @throws {ReaderError} BAD_INPUT, naming what is missing
 */
function checkOptionsOf(
  what: string,
  options: unknown,
  isClient: (client: unknown) => boolean,
  keyless: boolean,
): void {
  checkOptions(what, options, NAMES);
  const model = field(options, 'model');
  const client = field(options, 'client');
  const key = field(options, 'apiKey');
  const missing: string[] = [];
  if (client === undefined && (key === undefined || key === '' || (key === null && !keyless)))
    missing.push('`client` or `apiKey`');
  if (model === undefined || model === '') missing.push('`model`');
  const example = `Call \`${what}({ client, model })\`, or \`${what}({ apiKey, model })\` with \`baseUrl\` where it is another server${keyless ? '; `apiKey: null` where that asks for none' : ''}.`;
  if (missing.length > 0)
    throw new ReaderError('BAD_INPUT', `\`${what}\` was given no ${missing.join(' and no ')}.`, example);
  const odd =
    client !== undefined && !isClient(client)
      ? ['client', "the provider's client"]
      : client === undefined && key !== null && typeof key !== 'string'
        ? ['apiKey', 'a text']
        : typeof model !== 'string'
          ? ['model', "a model's name"]
          : null;
  if (odd !== null)
    throw new ReaderError('BAD_INPUT', `\`${odd[0]}\` of \`${what}\` is not ${odd[1]}.`, example);
}

// The compactor as middleware for AI SDK models (`wrapLanguageModel`): every prompt to the model fits it, whoever
// calls. It sees the system prompt and tools, and can retry when the provider rejects a prompt as too long.

import { codecOf } from '../../codecs/index.ts';
import type { Compactor } from '../../compactor.ts';
import { type ConversationOptions, conversationsOf, type Sent } from '../conversations.ts';
import { aborting, fields, modelName, promptTokens } from './call.ts';
import { recoveringStream } from './stream.ts';

/** Arguments of a model call, limited to what is used here. */
export interface ModelCall {
  readonly prompt: unknown[];
  readonly tools?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

export interface MiddlewareOptions extends Omit<ConversationOptions<unknown>, 'format'> {
  /**
   * Returns the name of a call's conversation, such as an id in `params.providerOptions`. Default: the conversation
   * whose newest prompt is a prefix of this one, ignoring system prompts; a new one if there is none.
   */
  readonly conversation?: (params: ModelCall) => string;
}

interface Generating<P, R> {
  doGenerate(params: P): PromiseLike<R>;
}
interface Streaming<P, R> {
  doStream(params: P): PromiseLike<R>;
}

/** A structural `LanguageModelV3Middleware`; `wrapLanguageModel` of versions 5 and 7 accepts it too. */
export interface CompactingMiddleware {
  readonly specificationVersion: 'v3';
  transformParams<P extends ModelCall>(call: { readonly params: P; readonly model: unknown }): Promise<P>;
  wrapGenerate<P extends ModelCall, R>(call: {
    readonly doGenerate: () => PromiseLike<R>;
    readonly params: P;
    readonly model: Generating<P, R>;
  }): Promise<R>;
  wrapStream<P extends ModelCall, R extends { stream: ReadableStream }>(call: {
    readonly doStream: () => PromiseLike<R>;
    readonly params: P;
    readonly model: Streaming<P, R>;
  }): Promise<R>;
  /** The compactor of a conversation, by the name from `conversation`: for `restore`, `state`, `stats`. */
  compactor(conversation: string): Compactor<unknown>;
}

/**
 * Creates middleware that keeps every prompt within the model's window and learns the real size of prompts from usage.
 * If the provider rejects a prompt as too long, it compacts further and retries once (for a stream: if it fails before
 * its first content). Follows many conversations at once, 100 by default, each with its own decisions. It receives
 * complete prompts; set `storage` if originals must outlive a conversation.
 * @throws {ReaderError} BAD_INPUT for invalid options
 */
export function compactingMiddleware(options: MiddlewareOptions = {}): CompactingMiddleware {
  const conversations = conversationsOf('compactingMiddleware', codecOf('ai-sdk'), options);
  const calls = new WeakMap<ModelCall, Sent<unknown>>();

  /** The call with a shorter prompt; null if `error` is another kind of error or the prompt cannot be shortened. */
  async function shortened<P extends ModelCall>(params: P, error: unknown): Promise<P | null> {
    const sent = calls.get(params);
    if (!sent || !(await aborting(params.abortSignal, sent.shorten(error)))) return null;
    return { ...params, prompt: sent.compacted.messages };
  }

  const observe = (params: ModelCall, usage: unknown): void =>
    calls.get(params)?.observe(promptTokens(usage));

  return {
    specificationVersion: 'v3',
    async transformParams({ params, model }) {
      const { prompt, tools, abortSignal } = params;
      const sending = conversations.send(params, prompt, modelName(model), {
        ...(tools !== undefined && { tools }),
        ...(abortSignal && { signal: abortSignal }),
      });
      const sent = await aborting(abortSignal, sending);
      const fitting = { ...params, prompt: sent.compacted.messages };
      calls.set(fitting, sent);
      return fitting;
    },
    async wrapGenerate({ doGenerate, params, model }) {
      const answer = await Promise.resolve(doGenerate()).catch(async (error: unknown) => {
        const shorter = await shortened(params, error);
        if (shorter === null) throw error;
        return model.doGenerate(shorter);
      });
      observe(params, fields(answer)['usage']);
      return answer;
    },
    async wrapStream({ doStream, params, model }) {
      let isSecond = false;
      const answer = await Promise.resolve(doStream()).catch(async (error: unknown) => {
        const shorter = await shortened(params, error);
        if (shorter === null) throw error;
        isSecond = true;
        return model.doStream(shorter);
      });
      const stream = recoveringStream(answer.stream, {
        restart: async (error) => {
          const shorter = isSecond ? null : await shortened(params, error);
          return shorter === null ? null : (await model.doStream(shorter)).stream;
        },
        passed: (part) => {
          if (fields(part)['type'] === 'finish') observe(params, fields(part)['usage']);
        },
      });
      return { ...answer, stream };
    },
    compactor: (name) => conversations.named(name).compactor,
  };
}

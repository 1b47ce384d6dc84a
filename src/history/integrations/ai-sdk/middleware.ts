// The compactor as middleware of a model of the AI SDK (`wrapLanguageModel`): every prompt that goes to the model fits it,
// whoever calls. It sees system prompt and tools, and can ask again when the provider refuses a prompt as too long.

import type { Tokens } from '../../../contract/index.ts';
import type { CallOptions } from '../../call-options.ts';
import type { Compacted, Compactor } from '../../compactor.ts';
import { type Conversation, type ConversationOptions, refuseOther } from '../conversations.ts';
import { afterOverflow } from '../overflow.ts';
import { aborting, aiSdkConversations, fields, modelName, openWindow, promptTokens } from './call.ts';
import { recoveringStream } from './stream.ts';

/** What a model is called with: as far as it is read here. */
export interface ModelCall {
  readonly prompt: unknown[];
  readonly tools?: unknown;
  readonly abortSignal?: AbortSignal | undefined;
}

export interface MiddlewareOptions extends ConversationOptions<unknown> {
  /**
   * Name of the conversation a call belongs to, such as an id in `params.providerOptions`. Default: a prompt goes on with the
   * conversation whose newest prompt it begins with, whatever their system prompts; any other begins one.
   */
  readonly conversation?: (params: ModelCall) => string;
}

interface Generating<P, R> {
  doGenerate(params: P): PromiseLike<R>;
}
interface Streaming<P, R> {
  doStream(params: P): PromiseLike<R>;
}

/** A `LanguageModelV3Middleware`, by shape; `wrapLanguageModel` of versions 5 and 7 takes it too. */
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
  /** The compactor of a conversation, by the name `conversation` gives it: for `restore`, `state`, `stats`. */
  compactor(conversation: string): Compactor;
}

/** A call under way: what came, and what was last given for it. */
interface Call {
  readonly conversation: Conversation<unknown>;
  readonly prompt: readonly unknown[];
  readonly options: CallOptions;
  compacted: Compacted<unknown>;
  given: number;
}

/**
 * Middleware that keeps every prompt within the model's window, learns the real size of prompts from usage, and when the
 * provider refuses a prompt as too long, compacts harder and asks once more (a stream: when it breaks off before its first
 * content). It follows many conversations at once, 100 by default; each is compacted by decisions of its own. Prompts come
 * whole to it: give `storage` where originals shall outlive a conversation.
 * @throws {ReaderError} BAD_INPUT for options that are none
 */
export function compactingMiddleware(options: MiddlewareOptions = {}): CompactingMiddleware {
  refuseOther('compactingMiddleware', options);
  const { conversation: nameOf, ...rest } = options;
  const conversations = aiSdkConversations('compactingMiddleware', rest);
  const windowOf = openWindow(rest);
  const calls = new WeakMap<ModelCall, Call>();

  /** The call with a shorter prompt; null where `error` is of another kind, or nothing can be shorter. */
  async function shortened<P extends ModelCall>(params: P, error: unknown): Promise<P | null> {
    const call = calls.get(params);
    if (!call) return null;
    const { conversation, prompt, compacted } = call;
    const again = await aborting(
      params.abortSignal,
      afterOverflow(conversation, prompt, compacted, error, call.options),
    );
    if (again === null) return null;
    call.compacted = again;
    call.given = conversation.given;
    return { ...params, prompt: again.messages };
  }

  function observe(params: ModelCall, tokens: Tokens | null): void {
    const call = calls.get(params);
    call?.conversation.observe(tokens, call.given);
  }

  return {
    specificationVersion: 'v3',
    async transformParams({ params, model }) {
      const name = modelName(model);
      const { prompt, tools, abortSignal } = params;
      const conversation = nameOf
        ? conversations.named(nameOf(params), name)
        : conversations.of(prompt, name);
      const callOptions: CallOptions = {
        ...(tools !== undefined && { tools }),
        ...(abortSignal && { signal: abortSignal }),
        ...windowOf(name),
      };
      const compacted = await aborting(abortSignal, conversation.compact(prompt, callOptions));
      const fitting = { ...params, prompt: compacted.messages };
      calls.set(fitting, {
        conversation,
        prompt,
        options: callOptions,
        compacted,
        given: conversation.given,
      });
      return fitting;
    },
    async wrapGenerate({ doGenerate, params, model }) {
      const answer = await Promise.resolve(doGenerate()).catch(async (error: unknown) => {
        const shorter = await shortened(params, error);
        if (shorter === null) throw error;
        return model.doGenerate(shorter);
      });
      observe(params, promptTokens(fields(answer)['usage']));
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
          if (fields(part)['type'] === 'finish') observe(params, promptTokens(fields(part)['usage']));
        },
      });
      return { ...answer, stream };
    },
    compactor: (name) => conversations.named(name).compactor,
  };
}

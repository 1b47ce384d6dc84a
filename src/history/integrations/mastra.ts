// The compactor for Mastra: wraps an agent's model (any version), or acts as a processor (version 1). Types are
// structural, so the package `@mastra/core` is not needed.

import { codecOf } from '../codecs/index.ts';
import { modelName, promptTokens } from './ai-sdk/call.ts';
import { compactingMiddleware, type MiddlewareOptions, type ModelCall } from './ai-sdk/middleware.ts';
import { type ConversationOptions, conversationsOf, type Sent } from './conversations.ts';
import { extended } from './extended.ts';
import { stepsApart } from './mastra-steps.ts';

/** An AI SDK model as accepted by Mastra's agents (`LanguageModelV2` and later), limited to what is called here. */
export interface MastraModel<P extends ModelCall, G, S extends { stream: ReadableStream }> {
  doGenerate(params: P): PromiseLike<G>;
  doStream(params: P): PromiseLike<S>;
}

/**
 * Wraps `model` so that the prompt of every step is compacted, including instructions and tools in the size. If the
 * provider rejects a prompt as too long, compacts further and retries once. Steps that Mastra joined are sent as
 * separate steps. The agent's messages and memory stay complete. For agents of Mastra 0.24, whose processors only see
 * the user's newest message, and any later version: `new Agent({ model: compactingModel(model, { window }) })`.
 * @throws {ReaderError} BAD_INPUT for invalid options
 */
export function compactingModel<P extends ModelCall, G, S extends { stream: ReadableStream }, T>(
  model: T & MastraModel<P, G, S>,
  options: MiddlewareOptions = {},
): T {
  const middleware = compactingMiddleware(options);
  const fitting = (params: P): Promise<P> =>
    middleware.transformParams({ params: { ...params, prompt: stepsApart(params.prompt) }, model });
  return extended(model, {
    doGenerate: async (given: P): Promise<G> => {
      const params = await fitting(given);
      return middleware.wrapGenerate({ doGenerate: () => model.doGenerate(params), params, model });
    },
    doStream: async (given: P): Promise<S> => {
      const params = await fitting(given);
      return middleware.wrapStream({ doStream: () => model.doStream(params), params, model });
    },
  });
}

/** Arguments of every processor hook, limited to what is used here. */
export interface ProcessorCall {
  /** Kept by Mastra per processor for one run. */
  readonly state: Record<string, unknown>;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Arguments of `processInputStep`. */
export interface InputStepCall extends ProcessorCall {
  readonly tools?: unknown;
}

/** Arguments of `processLLMRequest`. */
export interface RequestCall<M = unknown> extends ProcessorCall {
  /** A `LanguageModelV2Prompt` or later version. */
  readonly prompt: M[];
  readonly model?: unknown;
  /** Context of the agent's run, from which a caller can derive a conversation name. */
  readonly requestContext?: unknown;
}

/** Arguments of `processOutputStep`. */
export interface OutputStepCall<M = unknown> extends ProcessorCall {
  readonly messages: M[];
  readonly usage?: unknown;
}

/** Arguments of `processAPIError`. */
export interface ErrorCall extends ProcessorCall {
  readonly error: unknown;
  readonly retryCount: number;
}

/** A structural `Processor` of Mastra 1. */
export interface CompactingProcessor {
  readonly id: 'lectern-compaction';
  readonly name: string;
  processInputStep(call: InputStepCall): Promise<undefined>;
  processLLMRequest<M>(call: RequestCall<M>): Promise<{ prompt: M[] }>;
  processOutputStep<M>(call: OutputStepCall<M>): Promise<M[]>;
  processAPIError(call: ErrorCall): Promise<{ retry: boolean } | undefined>;
}

export interface CompactingProcessorOptions extends Omit<ConversationOptions<unknown>, 'format'> {
  /**
   * Returns the name of a request's conversation, such as a thread id in `requestContext`. Default: identified by its
   * messages.
   */
  readonly conversation?: (call: RequestCall) => string;
}

/** State of one agent run. */
interface Run {
  tools?: unknown;
  /** The last request. */
  sent?: Sent<unknown>;
}

/** A symbol, so that serializing a run's state skips it. */
const RUN = Symbol('lectern-compaction');

function runOf({ state }: ProcessorCall): Run {
  // Mastra passes on what a processor leaves in its state. This key holds what was stored below, or nothing.
  const kept = state as { [RUN]?: Run };
  kept[RUN] ??= {};
  return kept[RUN];
}

/**
 * Creates a processor for Mastra 1, to be used as input, output and error processor of an agent. `processLLMRequest`
 * compacts only what is sent to the provider, so messages and memory stay complete. `processOutputStep` learns the real
 * size of prompts. `processAPIError` compacts further and requests one retry if a prompt was too long. The hooks follow
 * Mastra's published interfaces of versions 1.57 to 1.71, and were run in long agent loops with 1.71. Mastra 0.24 never
 * calls them: use `compactingModel` there. Do not use both.
 * @throws {ReaderError} BAD_INPUT for invalid options
 */
export function createCompactingProcessor(options: CompactingProcessorOptions = {}): CompactingProcessor {
  const conversations = conversationsOf('createCompactingProcessor', codecOf('ai-sdk'), options);
  return {
    id: 'lectern-compaction',
    name: 'History compaction',

    async processInputStep(call) {
      if (call.tools !== undefined) runOf(call).tools = call.tools;
      return undefined;
    },

    async processLLMRequest<M>(call: RequestCall<M>): Promise<{ prompt: M[] }> {
      const { abortSignal } = call;
      const prompt = stepsApart(call.prompt);
      const run = runOf(call);
      run.sent = await conversations.send(call, prompt, modelName(call.model), {
        ...(run.tools !== undefined && { tools: run.tools }),
        ...(abortSignal && { signal: abortSignal }),
      });
      // The codec returns messages in the input's format.
      return { prompt: run.sent.compacted.messages as M[] };
    },

    async processOutputStep<M>(call: OutputStepCall<M>): Promise<M[]> {
      runOf(call).sent?.observe(promptTokens(call.usage));
      return call.messages;
    },

    async processAPIError(call) {
      const { sent } = runOf(call);
      // The decisions made here apply when the same prompt is sent again.
      return sent && call.retryCount === 0 && (await sent.shorten(call.error)) ? { retry: true } : undefined;
    },
  };
}

// The compactor in Mastra: around the model of an agent (any version), or as a processor (version 1). Needs nothing of the
// package `@mastra/core`: what it takes and gives is typed by its shape.

import type { CallOptions } from '../call-options.ts';
import type { Compacted } from '../compactor.ts';
import { aiSdkConversations, modelName, openWindow, promptTokens } from './ai-sdk/call.ts';
import { compactingMiddleware, type MiddlewareOptions, type ModelCall } from './ai-sdk/middleware.ts';
import { type Conversation, type ConversationOptions, refuseOther } from './conversations.ts';
import { extended } from './extended.ts';
import { stepsApart } from './mastra-steps.ts';
import { afterOverflow } from './overflow.ts';

/** A model of the AI SDK as Mastra's agents take it (`LanguageModelV2` and later), as far as it is called here. */
export interface MastraModel<P extends ModelCall, G, S extends { stream: ReadableStream }> {
  doGenerate(params: P): PromiseLike<G>;
  doStream(params: P): PromiseLike<S>;
}

/**
 * `model`, its prompts compacted: those of every step, with the instructions and the tools counted, and once more, harder,
 * when the provider refuses one. Steps that Mastra joins to one message go out as steps. The agent's messages and its memory
 * stay whole. For agents of Mastra 0.24, whose processors
 * see no more than what a user has just said, and of any later version: `new Agent({ model: compactingModel(model, { window }) })`.
 * @throws {ReaderError} BAD_INPUT for options that are none
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

/** What every hook of a processor is told, as far as it is read here. */
export interface ProcessorCall {
  /** Kept by Mastra for a processor through one run. */
  readonly state: Record<string, unknown>;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Of `processInputStep`. */
export interface InputStepCall extends ProcessorCall {
  readonly tools?: unknown;
}

/** Of `processLLMRequest`. */
export interface RequestCall<M = unknown> extends ProcessorCall {
  /** A `LanguageModelV2Prompt`, or of a later version. */
  readonly prompt: M[];
  readonly model?: unknown;
  /** Of the agent's run: what a caller may name a conversation by. */
  readonly requestContext?: unknown;
}

/** A list of messages that can put another result in the place of one. */
export interface ResultList {
  updateToolInvocation?(part: {
    readonly type: 'tool-invocation';
    readonly toolInvocation: {
      readonly state: 'result';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly args: unknown;
      readonly result: unknown;
    };
  }): unknown;
}

/** Of `processToolResult`. */
export interface ToolResultCall extends ProcessorCall {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly args: unknown;
  readonly result: unknown;
  readonly providerExecuted?: boolean;
  readonly messageList?: ResultList;
}

/** Of `processOutputStep`. */
export interface OutputStepCall<M = unknown> extends ProcessorCall {
  readonly messages: M[];
  readonly usage?: unknown;
}

/** Of `processAPIError`. */
export interface ErrorCall extends ProcessorCall {
  readonly error: unknown;
  readonly retryCount: number;
}

/** A `Processor` of Mastra 1, by shape. */
export interface CompactingProcessor {
  readonly id: 'lectern-compaction';
  readonly name: string;
  processInputStep(call: InputStepCall): Promise<undefined>;
  processLLMRequest<M>(call: RequestCall<M>): Promise<{ prompt: M[] }>;
  processToolResult(call: ToolResultCall): Promise<undefined>;
  processOutputStep<M>(call: OutputStepCall<M>): Promise<M[]>;
  processAPIError(call: ErrorCall): Promise<{ retry: boolean } | undefined>;
}

export interface CompactingProcessorOptions extends ConversationOptions<unknown> {
  /** Name of the conversation of a request, such as a thread in `requestContext`. Default: known again by its messages. */
  readonly conversation?: (call: RequestCall) => string;
}

/** What one run of an agent has come to. */
interface Run {
  tools?: unknown;
  request?: Request;
}

/** The request sent last. */
interface Request {
  readonly conversation: Conversation<unknown>;
  readonly prompt: readonly unknown[];
  readonly callOptions: CallOptions;
  readonly compacted: Compacted<unknown>;
  readonly given: number;
}

/** No string, so that nothing that stores a run's state stores this. */
const RUN = Symbol('lectern-compaction');

function runOf({ state }: ProcessorCall): Run {
  // Mastra hands on what a processor leaves in its state: under this key lies what was put there below, or nothing.
  const kept = state as { [RUN]?: Run };
  kept[RUN] ??= {};
  return kept[RUN];
}

/** As a model is told it. Null for what is no text and no JSON. */
function resultText(result: unknown): string | null {
  if (typeof result === 'string') return result;
  try {
    return JSON.stringify(result) ?? null;
  } catch {
    return null;
  }
}

/**
 * A processor for Mastra 1, to be given as input, output and error processor of an agent: `processLLMRequest` compacts what
 * goes to the provider and nothing else, so that messages and memory stay whole; `processOutputStep` learns the real size of
 * prompts; `processAPIError` compacts harder and asks for one retry when a prompt was too long; `processToolResult`, with a
 * `storage`, moves long results to files as they arrive. The hooks follow Mastra's published interfaces of version 1.57 to
 * 1.71, and agents of 1.71 have run long loops with them; Mastra 0.24 never calls them: use `compactingModel` there. Use one
 * of the two.
 * @throws {ReaderError} BAD_INPUT for options that are none
 */
export function createCompactingProcessor(options: CompactingProcessorOptions = {}): CompactingProcessor {
  refuseOther('createCompactingProcessor', options);
  const { conversation: nameOf, ...rest } = options;
  const conversations = aiSdkConversations('createCompactingProcessor', rest);
  const windowOf = openWindow(rest);
  return {
    id: 'lectern-compaction',
    name: 'Compaction of the history',

    async processInputStep(call) {
      if (call.tools !== undefined) runOf(call).tools = call.tools;
      return undefined;
    },

    async processLLMRequest<M>(call: RequestCall<M>): Promise<{ prompt: M[] }> {
      const { abortSignal } = call;
      const prompt = stepsApart(call.prompt);
      const run = runOf(call);
      const model = modelName(call.model);
      const conversation = nameOf
        ? conversations.named(nameOf(call), model)
        : conversations.of(prompt, model);
      const callOptions: CallOptions = {
        ...(run.tools !== undefined && { tools: run.tools }),
        ...(abortSignal && { signal: abortSignal }),
        ...windowOf(model),
      };
      const compacted = await conversation.compact(prompt, callOptions);
      run.request = { conversation, prompt, callOptions, compacted, given: conversation.given };
      // The codec gives messages of the format it was given.
      return { prompt: compacted.messages as M[] };
    },

    async processToolResult(call) {
      const { toolName, toolCallId, args, result, messageList, abortSignal } = call;
      const { request } = runOf(call);
      // In the memory of this process an original is not safe: the messages have to keep it.
      if (!options.storage || !request || call.providerExecuted) return undefined;
      const text = resultText(result);
      if (text === null || typeof messageList?.updateToolInvocation !== 'function') return undefined;
      const { compactor } = request.conversation;
      const arrived = await compactor.onToolResult(
        { toolName, text },
        { ...(abortSignal && { signal: abortSignal }) },
      );
      if (arrived.tier === null) return undefined;
      messageList.updateToolInvocation({
        type: 'tool-invocation',
        toolInvocation: { state: 'result', toolCallId, toolName, args, result: arrived.text },
      });
      return undefined;
    },

    async processOutputStep<M>(call: OutputStepCall<M>): Promise<M[]> {
      const { request } = runOf(call);
      request?.conversation.observe(promptTokens(call.usage), request.given);
      return call.messages;
    },

    async processAPIError(call) {
      const { request } = runOf(call);
      if (!request || call.retryCount > 0) return undefined;
      const { conversation, prompt, compacted, callOptions } = request;
      // What is decided here holds when the same prompt comes again.
      const again = await afterOverflow(conversation, prompt, compacted, call.error, callOptions);
      return again === null ? undefined : { retry: true };
    },
  };
}

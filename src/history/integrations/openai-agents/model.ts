// The compactor around a model of the OpenAI Agents SDK: sees complete requests, learns from usage, and can retry after
// a rejection. Sessions and runs keep every item.

import type { AgentInputItem, Model, ModelRequest, StreamEvent } from '@openai/agents-core';
import type { Tokens } from '../../../contract/index.ts';
import type { CallOptions } from '../../call-options.ts';
import type { Compacted } from '../../compactor.ts';
import { type Conversation, refuseOther } from '../conversations.ts';
import { extended } from '../extended.ts';
import { afterOverflow } from '../overflow.ts';
import { type AgentsOptions, agentConversations } from './items.ts';

export interface CompactingModelOptions extends AgentsOptions {
  /** Returns the name of a request's conversation. Default: identified by its items. */
  readonly conversation?: (request: ModelRequest) => string;
}

/** A request in progress. */
interface Asked {
  readonly conversation: Conversation<AgentInputItem>;
  readonly input: readonly AgentInputItem[];
  readonly callOptions: CallOptions;
}

/** Prompt tokens of a usage; null if the provider does not count. */
function promptTokens(usage: { readonly inputTokens?: number } | undefined): Tokens | null {
  const tokens = usage?.inputTokens;
  return tokens !== undefined && tokens > 0 ? tokens : null;
}

/**
 * Wraps `model` so that its requests are compacted, also in the middle of a run, including instructions and tools in
 * the size. If the provider rejects a request as too long, compacts further and retries once; a stream only before its
 * first content. Requests that continue a conversation stored by the provider (`conversationId`, `previousResponseId`)
 * are passed through. Runs and sessions keep every item. Usage: `new Agent({ model: compactingModel(model, { window:
 * 200000 }) })`.
 * @throws {ReaderError} BAD_INPUT for invalid options
 */
export function compactingModel<T extends Model>(model: T, options: CompactingModelOptions = {}): T {
  refuseOther('compactingModel', options);
  const { conversation: nameOf, ...rest } = options;
  const conversations = agentConversations('compactingModel', rest);

  function asked(request: ModelRequest): Asked | null {
    const { input, systemInstructions, tools, handoffs, signal } = request;
    const isDelta = Boolean(request.conversationId ?? request.previousResponseId);
    if (isDelta || typeof input === 'string' || input.length === 0) return null;
    const conversation = nameOf ? conversations.named(nameOf(request)) : conversations.of(input);
    const callOptions: CallOptions = {
      tools: [...tools, ...handoffs],
      ...(systemInstructions !== undefined && { system: systemInstructions }),
      ...(signal && { signal }),
    };
    return { conversation, input, callOptions };
  }

  const shorter = (
    { conversation, input, callOptions }: Asked,
    refused: Compacted<AgentInputItem>,
    error: unknown,
  ): Promise<Compacted<AgentInputItem> | null> =>
    afterOverflow(conversation, input, refused, error, callOptions);

  async function getResponse(request: ModelRequest): ReturnType<Model['getResponse']> {
    const call = asked(request);
    if (!call) return model.getResponse(request);
    const { conversation } = call;
    const ask = async ({ messages }: Compacted<AgentInputItem>): ReturnType<Model['getResponse']> => {
      const { given } = conversation;
      const response = await model.getResponse({ ...request, input: messages });
      conversation.observe(promptTokens(response.usage), given);
      return response;
    };
    const first = await conversation.compact(call.input, call.callOptions);
    try {
      return await ask(first);
    } catch (error) {
      const again = await shorter(call, first, error);
      if (again === null) throw error;
      return await ask(again);
    }
  }

  async function* getStreamedResponse(request: ModelRequest): AsyncGenerator<StreamEvent> {
    const call = asked(request);
    if (!call) {
      yield* model.getStreamedResponse(request);
      return;
    }
    const { conversation } = call;
    let isUnderWay = false;
    async function* ask({ messages }: Compacted<AgentInputItem>): AsyncGenerator<StreamEvent> {
      const { given } = conversation;
      const held: StreamEvent[] = [];
      for await (const event of model.getStreamedResponse({ ...request, input: messages })) {
        // The start of a response is not content yet: an error may follow.
        if (!isUnderWay && event.type === 'response_started') {
          held.push(event);
          continue;
        }
        isUnderWay = true;
        yield* held.splice(0);
        if (event.type === 'response_done') conversation.observe(promptTokens(event.response.usage), given);
        yield event;
      }
      yield* held;
    }
    const first = await conversation.compact(call.input, call.callOptions);
    let again: Compacted<AgentInputItem> | null = null;
    try {
      yield* ask(first);
    } catch (error) {
      again = isUnderWay ? null : await shorter(call, first, error);
      if (again === null) throw error;
    }
    if (again !== null) yield* ask(again);
  }

  return extended(model, { getResponse, getStreamedResponse });
}

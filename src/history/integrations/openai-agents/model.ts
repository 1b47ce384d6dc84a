// The compactor around a model of the OpenAI Agents SDK: sees complete requests, learns from usage, and can retry after
// a rejection. Sessions and runs keep every item.

import type { AgentInputItem, Model, ModelRequest, StreamEvent } from '@openai/agents-core';
import type { Tokens } from '../../../contract/index.ts';
import { conversationsOf, type Sent } from '../conversations.ts';
import { extended } from '../extended.ts';
import { type AgentsOptions, agentItems } from './items.ts';

export interface CompactingModelOptions extends AgentsOptions {
  /** Returns the name of a request's conversation. Default: identified by its items. */
  readonly conversation?: (request: ModelRequest) => string;
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
  const conversations = conversationsOf('compactingModel', agentItems, options);

  /** Null for a request of a conversation that the provider stores, or without items. */
  function sent(request: ModelRequest): Promise<Sent<AgentInputItem>> | null {
    const { input, systemInstructions, tools, handoffs, signal } = request;
    const isDelta = Boolean(request.conversationId ?? request.previousResponseId);
    if (isDelta || typeof input === 'string' || input.length === 0) return null;
    return conversations.send(request, input, null, {
      tools: [...tools, ...handoffs],
      ...(systemInstructions !== undefined && { system: systemInstructions }),
      ...(signal && { signal }),
    });
  }

  async function getResponse(request: ModelRequest): ReturnType<Model['getResponse']> {
    const call = await sent(request);
    if (!call) return model.getResponse(request);
    return call.answer(async ({ messages: input }) => {
      const response = await model.getResponse({ ...request, input });
      call.observe(promptTokens(response.usage));
      return response;
    });
  }

  async function* getStreamedResponse(request: ModelRequest): AsyncGenerator<StreamEvent> {
    const call = await sent(request);
    if (!call) {
      yield* model.getStreamedResponse(request);
      return;
    }
    let isUnderWay = false;
    async function* ask(sending: Sent<AgentInputItem>): AsyncGenerator<StreamEvent> {
      const input = sending.compacted.messages;
      const held: StreamEvent[] = [];
      for await (const event of model.getStreamedResponse({ ...request, input })) {
        // The start of a response is not content yet: an error may follow.
        if (!isUnderWay && event.type === 'response_started') {
          held.push(event);
          continue;
        }
        isUnderWay = true;
        yield* held.splice(0);
        if (event.type === 'response_done') sending.observe(promptTokens(event.response.usage));
        yield event;
      }
      yield* held;
    }
    try {
      yield* ask(call);
      return;
    } catch (error) {
      if (isUnderWay || !(await call.shorten(error))) throw error;
    }
    yield* ask(call);
  }

  return extended(model, { getResponse, getStreamedResponse });
}

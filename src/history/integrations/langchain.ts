// Middleware for LangChain agents: models receive a compacted view, the agent's state keeps every message. Imports the
// packages `langchain` (version 1) and `@langchain/core`, so only users of both should load this module.

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { type AgentMiddleware, createMiddleware } from 'langchain';
import type { Tokens } from '../../contract/index.ts';
import type { Codec } from '../codecs/codec.ts';
import { createLangChainCodec } from '../codecs/langchain/codec.ts';
import { guarded, nativeOf, textIn } from '../codecs/native.ts';
import { isWindow } from '../option-kinds.ts';
import { type ConversationOptions, Conversations, refuseFormat } from './conversations.ts';

/**
 * Options of a compactor. A conversation is named by the run's `thread_id`, plus `|` and the path of the agent if it is
 * a subgraph. Runs without a `thread_id` are identified by their messages. Without `window` and `model`, the window
 * comes from the chat model's `profile`, or from its name.
 */
export type CompactingMiddlewareOptions = Omit<ConversationOptions<BaseMessage>, 'format'>;

/**
 * Middleware for `createAgent`. Compacts the messages before each model call, including the system message and tools in
 * the size. If the provider rejects the prompt as too long, compacts further and retries once. The agent's state
 * keeps every message whole. `optionsFor` can supply the state of an earlier compactor
 * for a thread; otherwise the messages of the agent's state are read again.
 * @throws {ReaderError} BAD_INPUT for invalid options
 */
export function compactingMiddleware(options: CompactingMiddlewareOptions = {}): AgentMiddleware {
  // The codec creates instances of the BaseMessage subclasses passed here.
  const codec = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage }) as Codec<BaseMessage>;
  refuseFormat('compactingMiddleware', options);
  const conversations = new Conversations('compactingMiddleware', codec, options, nameOf);
  const ownWindow = options.window === undefined && options.model === undefined;
  return createMiddleware({
    name: 'LecternCompaction',
    wrapModelCall: async (request, handler) => {
      const { messages, runtime, model } = request;
      const window = ownWindow ? windowOf(model) : null;
      const sent = await conversations.send(runtime, messages, modelName(model), {
        system: systemOf(request),
        tools: request.tools,
        ...(window !== null && { window }),
        ...(runtime.signal && { signal: runtime.signal }),
      });
      return sent.answer(async ({ messages: fitting }) => {
        const answer = await handler({ ...request, messages: fitting });
        sent.observe(promptTokens(answer));
        return answer;
      });
    },
  });
}

/** The used part of a run; LangGraph provides more. */
interface Runtime {
  readonly configurable?: Readonly<Record<string, unknown>>;
}

/** Null for a run without a thread. A subgraph's thread includes its path of tasks, of which the last is this call. */
function nameOf({ configurable }: Runtime): string | null {
  const thread = configurable?.['thread_id'];
  if (typeof thread !== 'string' && typeof thread !== 'number') return null;
  const place = configurable?.['checkpoint_ns'];
  const way = typeof place === 'string' ? place.split('|').slice(0, -1).join('|') : '';
  return way === '' ? String(thread) : `${thread}|${way}`;
}

/** Version 1.0 has only `systemPrompt`. */
function systemOf(request: { readonly systemPrompt?: string; readonly systemMessage?: unknown }): string {
  return request.systemPrompt ?? textIn(nativeOf(request.systemMessage), 'text') ?? '';
}

/** `profile.maxInputTokens` of a chat model in `@langchain/core` 1, or null. */
function windowOf(model: unknown): Tokens | null {
  const tokens = guarded(() => nativeOf(nativeOf(model)?.['profile'])?.['maxInputTokens'], null);
  return typeof tokens === 'number' && isWindow(tokens) ? tokens : null;
}

/** `model` of a chat model, or `modelName` of an older one; null if it has none. */
function modelName(model: unknown): string | null {
  return guarded(() => textIn(model, 'model') ?? textIn(model, 'modelName'), null);
}

/** `usage_metadata.input_tokens` includes cached tokens. An agent with a response format returns a list. */
function promptTokens(answer: unknown): Tokens | null {
  return guarded(() => {
    const native = nativeOf(answer);
    const messages = native?.['messages'];
    const message = Array.isArray(messages) ? nativeOf(messages[0]) : native;
    const tokens = nativeOf(message?.['usage_metadata'])?.['input_tokens'];
    return typeof tokens === 'number' && tokens > 0 ? tokens : null;
  }, null);
}

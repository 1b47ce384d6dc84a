// The compactor as middleware of LangChain's agents: models get the compacted view, the agent's state keeps every message.
// Needs the packages `langchain` (version 1) and `@langchain/core`, which this module imports: only users of both load it.

import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { type AgentMiddleware, createMiddleware } from 'langchain';
import type { Tokens } from '../../contract/index.ts';
import type { CallOptions } from '../call-options.ts';
import type { Codec } from '../codecs/codec.ts';
import { createLangChainCodec } from '../codecs/langchain/codec.ts';
import { guarded, type Native, nativeOf, textIn } from '../codecs/native.ts';
import type { Compacted } from '../compactor.ts';
import { arrived } from './arriving.ts';
import {
  CONVERSATIONS_KEPT,
  type Conversation,
  type ConversationOptions,
  Conversations,
  compactorsBy,
  refuseFormat,
} from './conversations.ts';
import { afterOverflow } from './overflow.ts';

/**
 * As for a compactor. A conversation's name is the `thread_id` of the run, and behind a `|` the way to the agent where it is
 * a subgraph; runs without a `thread_id` are known again by their messages. Without `window` and `model` the window is the
 * chat model's own, where its `profile` tells.
 */
export type CompactingMiddlewareOptions = Omit<ConversationOptions<BaseMessage>, 'format'>;

/**
 * Middleware for `createAgent`. Before each call of the model it compacts what the model gets, counting the system message
 * and the tools with it; a refusal as too long is compacted harder and called once more. With a `storage`, long results of
 * tools go to files, or are cut, as they arrive, and into the state so; their artifact, status and blocks of media stay.
 * Without one the state keeps them whole. `optionsFor` can give a thread the state of an earlier compactor; without that the
 * messages of the agent's state are read anew.
 * @throws {ReaderError} BAD_INPUT for options that are none
 */
export function compactingMiddleware(options: CompactingMiddlewareOptions = {}): AgentMiddleware {
  refuseFormat('compactingMiddleware', options);
  const { conversations: most = CONVERSATIONS_KEPT, optionsFor, ...rest } = options;
  // Its instances are made by the subclasses of BaseMessage that are given here.
  const codec = createLangChainCodec({ HumanMessage, AIMessage, ToolMessage }) as Codec<BaseMessage>;
  const make = compactorsBy<BaseMessage>('compactingMiddleware', {
    ...rest,
    format: codec,
    ...(optionsFor && { optionsFor: (name: string) => ({ ...optionsFor(name), format: codec }) }),
  });
  const conversations = new Conversations<BaseMessage>(make, most, codec);
  const followed = (runtime: Runtime, messages: readonly BaseMessage[]): Conversation<BaseMessage> => {
    const name = nameOf(runtime);
    return name === null ? conversations.of(messages) : conversations.named(name);
  };
  const ownWindow = options.window === undefined && options.model === undefined;
  return createMiddleware({
    name: 'LecternCompaction',
    wrapModelCall: async (request, handler) => {
      const { messages, runtime } = request;
      const conversation = followed(runtime, messages);
      const window = ownWindow ? windowOf(request.model) : null;
      const call: CallOptions = {
        system: systemOf(request),
        tools: request.tools,
        ...(window !== null && { window }),
        ...(runtime.signal && { signal: runtime.signal }),
      };
      const send = async (compacted: Compacted<BaseMessage>) => {
        const { given } = conversation;
        const answer = await handler({ ...request, messages: compacted.messages });
        conversation.observe(promptTokens(answer), given);
        return answer;
      };
      const first = await conversation.compact(messages, call);
      try {
        return await send(first);
      } catch (error) {
        const again = await afterOverflow(conversation, messages, first, error, call);
        if (again === null) throw error;
        return await send(again);
      }
    },
    wrapToolCall: async (request, handler) => {
      const answer = await handler(request);
      // In the memory of this process an original is not safe: the state has to keep it.
      if (!options.storage) return answer;
      const { signal } = request.runtime;
      const { compactor } = followed(request.runtime, request.state.messages);
      const { name } = request.toolCall;
      return shortened(answer, (message) => arrived(compactor, codec, message, name, signal));
    },
  });
}

/** What is read of a run; LangGraph names more. */
interface Runtime {
  readonly configurable?: Readonly<Record<string, unknown>>;
}

/** Null for a run without a thread. A subgraph's own thread is told by the tasks it lies in, the last of which is this call. */
function nameOf({ configurable }: Runtime): string | null {
  const thread = configurable?.['thread_id'];
  if (typeof thread !== 'string' && typeof thread !== 'number') return null;
  const place = configurable?.['checkpoint_ns'];
  const way = typeof place === 'string' ? place.split('|').slice(0, -1).join('|') : '';
  return way === '' ? String(thread) : `${thread}|${way}`;
}

/** Version 1.0 has `systemPrompt` alone. */
function systemOf(request: { readonly systemPrompt?: string; readonly systemMessage?: unknown }): string {
  return request.systemPrompt ?? textIn(nativeOf(request.systemMessage), 'text') ?? '';
}

/** `profile.maxInputTokens` of a chat model, as `@langchain/core` 1 has it; null where there is none. */
function windowOf(model: unknown): Tokens | null {
  const tokens = guarded(() => nativeOf(nativeOf(model)?.['profile'])?.['maxInputTokens'], null);
  return typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= LEAST_WINDOW ? tokens : null;
}

/** As `HistoryOptions.window`. */
const LEAST_WINDOW: Tokens = 256;

/** `usage_metadata.input_tokens` counts what came out of a cache too. An agent with a response format answers with a list. */
function promptTokens(answer: unknown): Tokens | null {
  return guarded(() => {
    const native = nativeOf(answer);
    const messages = native?.['messages'];
    const message = Array.isArray(messages) ? nativeOf(messages[0]) : native;
    const tokens = nativeOf(message?.['usage_metadata'])?.['input_tokens'];
    return typeof tokens === 'number' && tokens > 0 ? tokens : null;
  }, null);
}

/** What a tool answered with, its messages changed: a ToolMessage, or a Command that brings some. */
async function shortened<A extends object>(
  answer: A,
  change: (message: BaseMessage) => Promise<BaseMessage>,
): Promise<A> {
  const native: Native | null = nativeOf(answer);
  // A tool answers with messages of the agent's own classes: `view` tells what is none.
  if (native?.['lg_name'] !== 'Command')
    return (await change(answer as unknown as BaseMessage)) as unknown as A;
  const update = nativeOf(native['update']);
  const messages = update?.['messages'];
  if (!Array.isArray(messages)) return answer;
  const changed: unknown[] = [];
  for (const message of messages) changed.push(await change(message));
  if (changed.every((message, index) => message === messages[index])) return answer;
  // A copy of the same class: constructors of Command drop what they do not know.
  return Object.create(Object.getPrototypeOf(answer), {
    ...Object.getOwnPropertyDescriptors(answer),
    update: {
      value: { ...update, messages: changed },
      writable: true,
      enumerable: true,
      configurable: true,
    },
  });
}

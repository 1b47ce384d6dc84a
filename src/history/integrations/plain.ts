// The compactor as a plain function over messages, for loops of one's own and for frameworks that run every list of messages
// through a function before the model sees it.

import type { CallOptions } from '../call-options.ts';
import type { Compactor } from '../compactor.ts';
import {
  CONVERSATIONS_KEPT,
  type ConversationOptions,
  Conversations,
  compactorsBy,
  refuseOther,
} from './conversations.ts';

export interface HistoryProcessorOptions<M, C> extends ConversationOptions<M> {
  /** Name of the conversation a call belongs to. Default: all calls are of one. */
  readonly conversation?: (messages: readonly M[], context: C | undefined) => string;
  /** What a call knows besides its messages: system prompt, tools, window, signal. */
  readonly call?: (context: C | undefined) => CallOptions;
}

export interface HistoryProcessor<M, C> {
  /**
   * A list that fits, of the conversation as it came or as this function gave it. The caller's array stays as it is.
   * @throws {ReaderError} as `compactor.compact`
   */
  (messages: readonly M[], context?: C): Promise<M[]>;
  /** The compactor of a conversation, by name; without one, of the only one. For `restore`, `observe`, `state`, `stats`. */
  compactor(conversation?: string): Compactor<M>;
}

const ONLY = '';

/**
 * A function that keeps conversations within their model's window. One conversation for all calls, unless `conversation`
 * tells them apart; then the latest used 100 are followed.
 * @throws {ReaderError} BAD_INPUT for options that are none
 */
export function createHistoryProcessor<M = unknown, C = unknown>(
  options: HistoryProcessorOptions<M, C> = {},
): HistoryProcessor<M, C> {
  refuseOther('createHistoryProcessor', options);
  const { conversation, call, ...rest } = options;
  const conversations = new Conversations<M>(
    compactorsBy('createHistoryProcessor', rest),
    rest.conversations ?? CONVERSATIONS_KEPT,
    null,
  );
  const process = async (messages: readonly M[], context?: C): Promise<M[]> => {
    const name = conversation ? conversation(messages, context) : ONLY;
    const compacted = await conversations.named(name).compactor.compact(messages, call?.(context) ?? {});
    return compacted.messages;
  };
  return Object.assign(process, {
    compactor: (name: string = ONLY): Compactor<M> => conversations.named(name).compactor,
  });
}

// The compactor as a function over messages, for custom loops and for frameworks that pass every list through a
// function before the model sees it.

import { checkOptions } from '../../contract/index.ts';
import type { CallOptions } from '../call-options.ts';
import type { Compactor } from '../compactor.ts';
import { type ConversationOptions, Conversations } from './conversations.ts';

export interface HistoryProcessorOptions<M, C> extends ConversationOptions<M> {
  /** Returns the name of a call's conversation. Default: all calls belong to one conversation. */
  readonly conversation?: (messages: readonly M[], context: C | undefined) => string;
  /** Returns the call's options: system prompt, tools, window, signal. */
  readonly call?: (context: C | undefined) => CallOptions;
}

export interface HistoryProcessor<M, C> {
  /**
   * Returns a list that fits, for a conversation in its original form or as returned by this function. Does not modify
   * the array.
   * @throws {ReaderError} see `compactor.compact`
   */
  (messages: readonly M[], context?: C): Promise<M[]>;
  /**
   * The compactor of a conversation by name, or of the only one without. For `restore`, `observe`, `state`, `stats`.
   */
  compactor(conversation?: string): Compactor<M>;
}

const ONLY = '';

/**
 * Creates a function that keeps conversations within their model's window. All calls belong to one conversation unless
 * `conversation` names them; then the 100 most recently used are followed.
 * @throws {ReaderError} BAD_INPUT for invalid options
 */
export function createHistoryProcessor<M = object, C = unknown>(
  options: HistoryProcessorOptions<M, C> = {},
): HistoryProcessor<M, C> {
  if (typeof options !== 'object' || options === null) checkOptions('createHistoryProcessor', options, {});
  const { conversation, call, ...rest } = options;
  const conversations = new Conversations<M, never>('createHistoryProcessor', null, rest, undefined);
  const process = async (messages: readonly M[], context?: C): Promise<M[]> => {
    const name = conversation ? conversation(messages, context) : ONLY;
    const compacted = await conversations.named(name).compactor.compact(messages, call?.(context) ?? {});
    return compacted.messages;
  };
  return Object.assign(process, {
    compactor: (name: string = ONLY): Compactor<M> => conversations.named(name).compactor,
  });
}

// The interface of a codec, which views and edits messages of one format. It never converts a list, so unedited
// messages are returned as the same objects.

import type { Edit, MessageView, OpenCall, Role } from './message.ts';

/** The formats of the package; a codec of another format has a name of its own. */
export type CodecName =
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-agents'
  | 'anthropic'
  | 'ai-sdk'
  | 'langchain'
  | 'gemini'
  | 'bedrock'
  | 'mistral'
  | 'ollama'
  | (string & {});

/** What a provider requires of a list of messages. The compactor keeps to it in everything it removes. */
export interface ProviderRules {
  /** Required role of the first non-system message. */
  readonly startsWith: 'user' | 'any';
  /** The list must end with a user message or a result, not with the assistant. */
  readonly endsWithUser: boolean;
  /** Consecutive messages of the same side are not allowed. */
  readonly alternates: boolean;
  /**
   * `next`: results must be at the start of the very next message; `after`: right after the call, in one or more
   * messages.
   */
  readonly results: 'next' | 'after' | 'anywhere';
  /**
   * One message carries all results for the calls before it, and `answer` edits that message. Otherwise each result is
   * a separate message.
   */
  readonly resultsTogether: boolean;
  /** Form of a call id, which no other call may have; null for any. */
  readonly callId: RegExp | null;
  /** A message or a text part may be empty. */
  readonly mayBeEmpty: boolean;
  /** An assistant message may contain only reasoning. */
  readonly reasoningAlone: boolean;
  /** Arguments of a call may change in a message that contains sealed parts. */
  readonly argsBesideSealed: boolean;
}

/** The most that a provider requires of results in one message, and what most ask for otherwise. */
export const STRICT: ProviderRules = {
  startsWith: 'user',
  endsWithUser: true,
  alternates: false,
  results: 'next',
  resultsTogether: true,
  callId: null,
  mayBeEmpty: false,
  reasoningAlone: false,
  argsBesideSealed: false,
};

/** What the formats of OpenAI and those like it ask for. */
export const LENIENT: ProviderRules = {
  ...STRICT,
  startsWith: 'any',
  endsWithUser: false,
  results: 'after',
  resultsTogether: false,
  mayBeEmpty: true,
};

/** A message format: views, edits and creates messages. All functions are pure and linear in the message. */
export interface Codec<M = unknown> {
  readonly name: CodecName;
  readonly rules: ProviderRules;
  /** Whether the non-empty list `messages` looks like this format. Never throws. */
  detect(messages: readonly unknown[]): boolean;
  /** The parts of the message; unknown parts are `opaque`. Never throws. */
  view(message: M): MessageView;
  /**
   * Returns a new message with the edits applied; unedited parts are the same objects. Null if nothing is left, or the
   * rest is not a valid message. Edits of nonexistent items are ignored.
   */
  edit(message: M, edits: readonly Edit[]): M | null;
  /** A message of `role` with the text `text`. */
  notice(text: string, role: Extract<Role, 'user' | 'assistant'>): M;
  /** Error results for unanswered calls, as separate messages. */
  answer(calls: readonly OpenCall[], text: string): M[];
  /** One message with the parts of all, in order; for formats in which one message holds several parts. */
  join?(messages: readonly M[]): M;
  /** The message as JSON values, with everything that is sent to the provider; bytes as `{ "$bytes": base64 }`. */
  encode(message: M): unknown;
}

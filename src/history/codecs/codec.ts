// What the compactor needs of a message format. A codec views native messages and edits them; it never converts a list, so
// that what is not edited goes back as the very object that came.

import type { Edit, MessageView, OpenCall, Role } from './message.ts';

export type CodecName =
  | 'openai-chat'
  | 'openai-responses'
  | 'openai-agents'
  | 'anthropic'
  | 'ai-sdk'
  | 'langchain'
  | 'gemini'
  | 'pi';

/** What a provider demands of a list of messages, as data: the core keeps to it, whatever it takes away. */
export interface ProviderRules {
  /** Role of the first message that is no system message. */
  readonly startsWith: 'user' | 'any';
  /** The list ends with the user or a result, never with the assistant. */
  readonly endsWithUser: boolean;
  /** Two messages of one side may not follow each other. */
  readonly alternates: boolean;
  /** `next`: results lie in the very next message, before anything else in it; `after`: right after the call, several messages long. */
  readonly results: 'next' | 'after' | 'anywhere';
  /** A message carries the results of all calls of the message before: `answer` edits it. Else each result is its own message. */
  readonly resultsTogether: boolean;
  /** What an id of a call may look like; null for anything. */
  readonly callId: RegExp | null;
  /** A message, or a text part, may be empty. */
  readonly mayBeEmpty: boolean;
  /** An assistant message may hold nothing but reasoning. */
  readonly reasoningAlone: boolean;
  /** Arguments of a call may change in a message that holds sealed parts. */
  readonly argsBesideSealed: boolean;
}

/** A message format: views, edits and makes its native messages. All of it is pure, and linear in the message. */
export interface Codec<M = unknown> {
  readonly name: CodecName;
  readonly rules: ProviderRules;
  /** Whether `messages`, at least one of them, look like this format; never throws, whatever they are. */
  detect(messages: readonly unknown[]): boolean;
  /** Its parts. Whatever is unknown is `opaque`. Never throws. */
  view(message: M): MessageView;
  /**
   * A new message with the edits made; parts that are not edited are the same objects. Null when nothing of it is left:
   * a message whose every part was removed, or whose rest may not stand alone. Edits that name nothing are ignored.
   */
  edit(message: M, edits: readonly Edit[]): M | null;
  /** A message of `role` that says `text`. */
  notice(text: string, role: Extract<Role, 'user' | 'assistant'>): M;
  /** Error results for calls that never got one, as messages of their own. */
  answer(calls: readonly OpenCall[], text: string): M[];
  /** The message as JSON values, everything of it that goes to the provider; bytes as `{ "$bytes": base64 }`. */
  encode(message: M): unknown;
}

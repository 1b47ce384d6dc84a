// A format-independent view of a message: its parts by kind. It does not replace the message, which stays the caller's
// object.

import type { Bytes } from '../../contract/index.ts';

/** Whose message it is. `tool` if the format has a separate role for results. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** Known facts of an image, sound or document; null for facts its bytes do not reveal. */
export interface MediaFacts {
  readonly type: 'image' | 'audio' | 'video' | 'document' | 'other';
  readonly mimeType: string | null;
  /** Size after decoding base64. */
  readonly bytes: Bytes | null;
  /** Pixels. */
  readonly width: number | null;
  readonly height: number | null;
}

/**
 * - `system` instructions; `user` user text; `text` assistant text;
 * - `reasoning` thinking, signed or not;
 * - `call` a tool call, with its arguments as JSON in `text`; `result` its result, with all of its text in `text`;
 * - `media` an image, sound or document; inside a result it has that result's `callId`;
 * - `opaque` anything else; kept unchanged.
 */
export type ItemKind = 'system' | 'user' | 'text' | 'reasoning' | 'call' | 'result' | 'media' | 'opaque';

/** One part of a message. */
export interface Item {
  readonly kind: ItemKind;
  /** What a model reads; empty for media and opaque parts. */
  readonly text: string;
  /** Set for calls, results, media in results, and `opaque` approval requests for a call. */
  readonly callId: string | null;
  /** Set for calls, and for results if the format names the tool there. */
  readonly toolName: string | null;
  /** Arguments of a call if they are an object; otherwise null. */
  readonly args: Readonly<Record<string, unknown>> | null;
  /** Set for calls whose answer needs more than their id and name. */
  readonly form: CallForm | null;
  /** The tool or the format marks the result as an error. */
  readonly isError: boolean;
  /** The format explicitly marks the result as a success. */
  readonly isDone: boolean;
  /** The provider refuses it because a text in it is empty. Texts are compared with `mayBeEmpty` instead. */
  readonly isBlank: boolean;
  /** Signed or encrypted by the provider: must be returned byte-identical or removed with its group. */
  readonly sealed: boolean;
  /** The provider ran the tool: the result may be in the same message, in a later one, or missing. */
  readonly providerExecuted: boolean;
  /** An `opaque` part that replaces everything before it (a provider's own compaction); it is never removed. */
  readonly boundary: boolean;
  /** Of a `media` part, or inside an `opaque` one. */
  readonly media: MediaFacts | null;
  /** Names shared with parts of other messages that must stay or go together, in addition to `callId`. */
  readonly links: readonly string[];
  /** Characters of the native part that cost tokens beyond `text`; set for opaque parts, excluding base64. */
  readonly weight: number;
}

/** Roles that a format names like this, by name. */
export const rolesOf = (...names: readonly Role[]): ReadonlyMap<unknown, Role> =>
  new Map(names.map((name) => [name, name]));

/** The kind of a text in a message of `role`. */
export function textKind(role: Role): Extract<ItemKind, 'system' | 'user' | 'text'> {
  if (role === 'assistant') return 'text';
  return role === 'system' ? 'system' : 'user';
}

/** A message as parts, in the order a model reads them. */
export interface MessageView {
  readonly role: Role;
  readonly items: readonly Item[];
}

const PLAIN: Omit<Item, 'kind'> = {
  text: '',
  callId: null,
  toolName: null,
  args: null,
  form: null,
  isError: false,
  isDone: false,
  isBlank: false,
  sealed: false,
  providerExecuted: false,
  boundary: false,
  media: null,
  links: [],
  weight: 0,
};

/** An item with the given fields; all others are unset. */
export function item(kind: ItemKind, facts: Partial<Omit<Item, 'kind'>> = {}): Item {
  return { kind, ...PLAIN, ...facts };
}

/**
 * A change to one message; `item` is an index in `view(message).items` before any edit of the same list.
 * - `text` replaces the text of a `user`, `text`, `system` or `result` item. A result's texts are merged into one; its
 *   media stay.
 * - `args` replaces the arguments of a call.
 * - `media` replaces a media item with a text (inside the result if it is in one).
 * - `remove` removes the item; for a result, also the media in it.
 * - `id` renames a call, or the call that a result answers; sealed items too.
 * - `append` adds a text part at the end of a user message.
 * - `answer` adds error results for unanswered calls before everything else in a message that carries results.
 */
export type Edit =
  | { readonly op: 'text'; readonly item: number; readonly text: string }
  | { readonly op: 'args'; readonly item: number; readonly args: Readonly<Record<string, unknown>> }
  | { readonly op: 'media'; readonly item: number; readonly text: string }
  | { readonly op: 'remove'; readonly item: number }
  | { readonly op: 'id'; readonly item: number; readonly callId: string }
  | { readonly op: 'append'; readonly text: string }
  | { readonly op: 'answer'; readonly calls: readonly OpenCall[]; readonly text: string };

/** A call without a result. */
export interface OpenCall {
  readonly callId: string;
  readonly toolName: string;
  /** Index among the calls of its message, from 0: in some formats a result answers the call at its own position. */
  readonly at?: number;
  /** The form of the call; absent for null. */
  readonly form?: CallForm;
}

/** Required form of an answer, in formats with several result types. */
export interface CallForm {
  /**
   * Result type; null if only the tool can answer, as with a screenshot: such a call is removed with its group if
   * unanswered.
   */
  readonly result: string | null;
  /** The program that made the call and receives the answer; null if the model made it. */
  readonly caller: string | null;
}

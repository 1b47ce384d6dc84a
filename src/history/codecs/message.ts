// What the compactor sees of a message: its parts, told apart by what they are, whatever format the message is in. Not the
// message itself: that stays the caller's own object.

import type { Bytes } from '../../contract/index.ts';

/** Who a message speaks for. `tool` where the format has a role of its own for results. */
export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** What a picture, sound or document in a message is known to be; null where its bytes do not tell. */
export interface MediaFacts {
  readonly type: 'image' | 'audio' | 'video' | 'document' | 'other';
  readonly mimeType: string | null;
  /** Decoded, not as base64. */
  readonly bytes: Bytes | null;
  /** Pixels. */
  readonly width: number | null;
  readonly height: number | null;
}

/**
 * - `system` instructions; `user` text of the user; `text` text of the assistant;
 * - `reasoning` thinking, signed or not;
 * - `call` a tool called, `text` being its arguments as JSON; `result` what it answered, `text` being all text of it;
 * - `media` a picture, sound or document; one inside a result has that result's `callId`;
 * - `opaque` anything else, kept as it is.
 */
export type ItemKind = 'system' | 'user' | 'text' | 'reasoning' | 'call' | 'result' | 'media' | 'opaque';

/** One part of a message. */
export interface Item {
  readonly kind: ItemKind;
  /** What a model reads of it; empty for media and opaque parts. */
  readonly text: string;
  /** Of a call, a result, media inside a result, and an `opaque` question whether the call may run. */
  readonly callId: string | null;
  /** Of a call, and of a result where the format names it there. */
  readonly toolName: string | null;
  /** Of a call whose arguments are an object; null otherwise. */
  readonly args: Readonly<Record<string, unknown>> | null;
  /** Of a call; null where its id and name are all an answer to it needs. */
  readonly form: CallForm | null;
  /** A result the tool or the format marks as an error. */
  readonly isError: boolean;
  /** A result the format marks as a success, not only leaves without a mark. */
  readonly isDone: boolean;
  /** Signed or encrypted by the provider: it goes back byte for byte, or goes away with its group. */
  readonly sealed: boolean;
  /** The provider ran the tool itself: its result may come in the same message, or later, or never. */
  readonly providerExecuted: boolean;
  /** An `opaque` part that stands for everything before it (a provider's own compaction): it is never taken away. */
  readonly boundary: boolean;
  readonly media: MediaFacts | null;
  /** Names this part shares with parts of other messages that must stay or go together, besides its `callId`. */
  readonly links: readonly string[];
  /** Characters of the native part that cost tokens beyond `text`: of opaque parts, without base64. */
  readonly weight: number;
}

/** The kind of a text in a message of `role`. */
export function textKind(role: Role): Extract<ItemKind, 'system' | 'user' | 'text'> {
  if (role === 'assistant') return 'text';
  return role === 'system' ? 'system' : 'user';
}

/** A message by its parts, in the order a model reads them. */
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
  sealed: false,
  providerExecuted: false,
  boundary: false,
  media: null,
  links: [],
  weight: 0,
};

/** An item with nothing set but what is given. */
export function item(kind: ItemKind, facts: Partial<Omit<Item, 'kind'>> = {}): Item {
  return { kind, ...PLAIN, ...facts };
}

/**
 * A change to one message; `item` counts in `view(message).items`, as it was before any edit of the same list.
 * - `text` replaces the text of a `user`, `text`, `system` or `result` item: all text of a result becomes one text, media in it stay;
 * - `args` replaces the arguments of a call;
 * - `media` puts a text in the place of a media item (inside a result: into that result);
 * - `remove` takes the item out; of a result also the media in it;
 * - `append` adds a text part at the end of a user message;
 * - `answer` adds error results for calls that never got one, before everything else of a message that carries results.
 */
export type Edit =
  | { readonly op: 'text'; readonly item: number; readonly text: string }
  | { readonly op: 'args'; readonly item: number; readonly args: Readonly<Record<string, unknown>> }
  | { readonly op: 'media'; readonly item: number; readonly text: string }
  | { readonly op: 'remove'; readonly item: number }
  | { readonly op: 'append'; readonly text: string }
  | { readonly op: 'answer'; readonly calls: readonly OpenCall[]; readonly text: string };

/** A call without a result. */
export interface OpenCall {
  readonly callId: string;
  readonly toolName: string;
  /** Its place among the calls of its message, from 0: of some formats a result answers the call at its own place. */
  readonly at?: number;
  /** As the call has it; absent for null. */
  readonly form?: CallForm;
}

/** What an answer to a call must be, in formats that have results of several types. */
export interface CallForm {
  /** Null where nobody but the tool can answer, as with a screenshot: without its result the call goes with its group. */
  readonly result: string | null;
  /** The program that made the call, to which the answer goes; null where the model made it. */
  readonly caller: string | null;
}

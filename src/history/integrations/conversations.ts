// One compactor for each of many conversations that come through one function or model, known again by a name the caller
// gives or by how their prompts begin. Keeps the latest used of them, in memory.

import { createHash } from 'node:crypto';
import { checkOptions, ReaderError, type Tokens } from '../../contract/index.ts';
import { newConversationId } from '../archive/conversation-id.ts';
import type { CallOptions } from '../call-options.ts';
import type { Codec } from '../codecs/codec.ts';
import { type Compacted, type Compactor, createCompactor } from '../compactor.ts';
import { fingerprint } from '../ledger/fingerprint.ts';
import { type HistoryOptions, resolveHistory } from '../options.ts';

/** Conversations a shared function follows at once, when not told otherwise. */
export const CONVERSATIONS_KEPT = 100;

/** A conversation and its compactor. */
export class Conversation<M> {
  readonly compactor: Compactor<M>;
  /** Counts the lists given: usage is of the newest alone. */
  #given = 0;
  readonly #follow: (lists: readonly (readonly M[])[]) => void;

  constructor(compactor: Compactor<M>, follow: (lists: readonly (readonly M[])[]) => void) {
    this.compactor = compactor;
    this.#follow = follow;
  }

  /** As `compactor.compact`; the conversation is known again by what came and by what is given. */
  async compact(messages: readonly M[], options: CallOptions = {}): Promise<Compacted<M>> {
    const compacted = await this.compactor.compact(messages, options);
    const isSame =
      compacted.messages.length === messages.length &&
      compacted.messages.every((message, index) => message === messages[index]);
    this.#follow(isSame ? [messages] : [messages, compacted.messages]);
    this.#given += 1;
    return compacted;
  }

  /** As `compactor.overflowed`. */
  overflowed(promptTokens?: Tokens): void {
    this.compactor.overflowed(promptTokens);
  }

  /** Number of the list given last. */
  get given(): number {
    return this.#given;
  }

  /** Usage of list number `given`; of an older one, when calls run side by side, it would mislead. */
  observe(promptTokens: Tokens | null, given: number): void {
    if (promptTokens !== null && given === this.#given) this.compactor.observe(promptTokens);
  }
}

/** A compactor for the conversation of that name, if it has one, with that model, if it is known. */
export type MakeCompactor<M> = (name: string | null, model: string | null) => Compactor<M>;

/** By name, or where there is none by the longest earlier prompt that a prompt begins with. */
export class Conversations<M> {
  readonly #make: MakeCompactor<M>;
  readonly #most: number;
  readonly #codec: Codec<M> | null;
  readonly #kept = new Map<string, Conversation<M>>();
  /** Of lists under way: a list is read once. */
  readonly #read = new WeakMap<readonly M[], readonly string[]>();

  /** `codec` tells prompts apart; null where every conversation has a name. */
  constructor(make: MakeCompactor<M>, most: number, codec: Codec<M> | null) {
    if (!Number.isInteger(most) || most < 1)
      throw new ReaderError(
        'BAD_INPUT',
        `\`conversations\` is \`${String(most)}\`; expected a whole number from 1.`,
        `Leave it out for ${CONVERSATIONS_KEPT}.`,
      );
    this.#make = make;
    this.#most = most;
    this.#codec = codec;
  }

  /** The conversation of that name, new where it is not known. */
  named(name: string, model: string | null = null): Conversation<M> {
    const key = `name ${name}`;
    const known = this.#kept.get(key);
    const conversation = known ?? new Conversation(this.#make(name, model), () => undefined);
    this.#keep(key, conversation);
    return conversation;
  }

  /**
   * The conversation this prompt goes on with. Only the newest prompt of each is known, so that two that began alike part
   * where they first differ, and neither ever reads of the other.
   */
  of(messages: readonly M[], model: string | null = null): Conversation<M> {
    this.#read.delete(messages);
    const marks = this.#marks(messages);
    for (let at = marks.length - 1; at >= 0; at -= 1) {
      const mark = marks[at] ?? '';
      const known = this.#kept.get(mark);
      if (!known) continue;
      this.#keep(mark, known);
      return known;
    }
    const conversation: Conversation<M> = new Conversation(this.#make(null, model), (lists) => {
      for (const [mark, kept] of this.#kept) if (kept === conversation) this.#kept.delete(mark);
      for (const list of lists) {
        const mark = this.#marks(list).at(-1);
        if (mark !== undefined) this.#keep(mark, conversation);
      }
    });
    return conversation;
  }

  #keep(key: string, conversation: Conversation<M>): void {
    this.#kept.delete(key);
    this.#kept.set(key, conversation);
    // A conversation may have two marks: what came and what was given.
    for (const [oldest, { compactor }] of this.#kept) {
      if (new Set(this.#kept.values()).size <= this.#most) return;
      if (compactor !== conversation.compactor) this.#kept.delete(oldest);
    }
  }

  /** A mark for every front of the list, each of all that is before it. Instructions may tell the time: they are left out. */
  #marks(messages: readonly M[]): readonly string[] {
    const codec = this.#codec;
    if (codec === null || !Array.isArray(messages)) return [];
    const read = this.#read.get(messages);
    if (read) return read;
    const marks: string[] = [];
    for (const message of messages) {
      const view = codec.view(message);
      if (view.role === 'system') continue;
      const mark = createHash('sha256')
        .update(marks.at(-1) ?? '')
        .update(fingerprint(view));
      marks.push(mark.digest('hex'));
    }
    this.#read.set(messages, marks);
    return marks;
  }
}

/** What functions that serve many conversations take besides the options of a compactor. */
export interface ConversationOptions<M> extends HistoryOptions<M> {
  /** Conversations followed at once; the one longest unused is forgotten, and read anew when it comes back. Default 100. */
  readonly conversations?: number;
  /**
   * Over the other options, for one conversation by its name: its `state`, `conversationId`, `goal` or `storage`. A
   * `conversationId` given for all is the first conversation's alone, as is the owner that a `state` for all names.
   */
  readonly optionsFor?: (conversation: string) => HistoryOptions<M>;
}

/**
 * Makes compactors by the options of `what`, which are checked now; the model's name counts where they tell none.
 * @throws {ReaderError} BAD_INPUT
 */
export function compactorsBy<M>(
  what: string,
  { conversations, optionsFor, ...options }: ConversationOptions<M>,
): MakeCompactor<M> {
  resolveHistory(what, options);
  createCompactor<M>(options);
  const shared = options.conversationId ?? options.state?.conversationId ?? null;
  let owner: string | null | undefined;
  return (name, model) => {
    const given = name === null || !optionsFor ? options : { ...options, ...optionsFor(name) };
    let own = model !== null && given.model === undefined ? { ...given, model } : given;
    if (shared !== null && (own.conversationId ?? own.state?.conversationId) === shared) {
      if (owner === undefined) owner = name;
      // With the same owner, another conversation would prune the files of the first.
      else if (name === null || name !== owner) own = { ...own, conversationId: newConversationId() };
    }
    return createCompactor<M>(own);
  };
}

/**
 * Options as JavaScript may pass them to `what`, which knows the format itself.
 * @throws {ReaderError} BAD_INPUT for what is no object, and for a `format`
 */
export function refuseFormat(what: string, options: object): void {
  refuseOther(what, options);
  if (Object.hasOwn(options, 'format'))
    throw new ReaderError(
      'BAD_INPUT',
      `\`${what}\` has no option \`format\`.`,
      'Leave it out: the format is known.',
    );
}

/** @throws {ReaderError} BAD_INPUT for options of `what` that are no object */
export function refuseOther(what: string, options: unknown): void {
  if (typeof options !== 'object' || options === null) checkOptions(what, options, {});
}

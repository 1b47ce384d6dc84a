// Manages one compactor per conversation for a shared function or model. Conversations are identified by a name from
// the caller or by the start of their prompts. Keeps the most recently used ones, in memory.

import { createHash } from 'node:crypto';
import { checkOptions, ReaderError, type Tokens } from '../../contract/index.ts';
import { namedModel } from '../../models/index.ts';
import type { CallOptions } from '../call-options.ts';
import type { Codec } from '../codecs/codec.ts';
import { type Compacted, type Compactor, createCompactor } from '../compactor.ts';
import { fingerprint } from '../ledger/fingerprint.ts';
import { type HistoryOptions, resolveHistory } from '../options.ts';
import { afterOverflow, areSame } from './overflow.ts';

/** Default number of conversations that a shared function follows at once. */
export const CONVERSATIONS_KEPT = 100;

/** A call of the model: what is sent for a list. */
export interface Sent<M> {
  readonly compacted: Compacted<M>;
  /** Records the usage. Ignored if a later list was returned in the meantime, because it would distort the estimates. */
  observe(promptTokens: Tokens | null): void;
  /** Shortens the list after `error`; false if that is another error, or the list cannot be shortened. */
  shorten(error: unknown): Promise<boolean>;
  /** Calls with the list, and once more with a shorter one if the provider rejects it as too long. */
  answer<T>(call: (compacted: Compacted<M>) => T | PromiseLike<T>): Promise<T>;
}

/** A conversation and its compactor. */
export class Conversation<M> {
  readonly compactor: Compactor<M>;
  readonly #follow: (lists: readonly (readonly M[])[]) => void;
  #last: Compacted<M> | null = null;

  /** `follow` gets the lists that identify the conversation at the next call. */
  constructor(compactor: Compactor<M>, follow: (lists: readonly (readonly M[])[]) => void = () => undefined) {
    this.compactor = compactor;
    this.#follow = follow;
  }

  /** Compacts `messages` for a call of the model. */
  async send(messages: readonly M[], options: CallOptions = {}): Promise<Sent<M>> {
    const { compactor } = this;
    const compact: Compactor<M>['compact'] = async (list, call) => {
      const done = await compactor.compact(list, call);
      this.#follow(areSame(list, done.messages) ? [list] : [list, done.messages]);
      this.#last = done;
      return done;
    };
    let compacted = await compact(messages, options);
    const shorten = async (error: unknown): Promise<boolean> => {
      const overflowed: Compactor<M>['overflowed'] = (tokens) => compactor.overflowed(tokens);
      const again = await afterOverflow({ compact, overflowed }, messages, compacted, error, options);
      if (again !== null) compacted = again;
      return again !== null;
    };
    return {
      get compacted() {
        return compacted;
      },
      observe: (promptTokens) => {
        if (promptTokens !== null && this.#last === compacted) compactor.observe(promptTokens);
      },
      shorten,
      answer: async (call) => {
        try {
          return await call(compacted);
        } catch (error) {
          if (!(await shorten(error))) throw error;
          return await call(compacted);
        }
      },
    };
  }
}

/**
 * Compacts `messages` and calls with the result. If the provider rejects it as too long, compacts further and retries
 * once. Any other error, a second rejection, and one of a list that cannot be shortened are rethrown.
 * @throws {ReaderError} see `compactor.compact`
 */
export async function recovering<M, T>(
  compactor: Compactor<M>,
  messages: readonly M[],
  call: (compacted: Compacted<M>) => T | PromiseLike<T>,
  options: CallOptions = {},
): Promise<T> {
  const sent = await new Conversation(compactor).send(messages, options);
  return sent.answer(call);
}

/** Creates a compactor for a conversation, given its name and its model if known. */
type MakeCompactor<M> = (name: string | null, model: string | null) => Compactor<M>;

/**
 * Finds conversations by name; without a name, by the longest earlier prompt that is a prefix of the new one. `C` is the
 * call of the framework, from which the caller may derive a name.
 */
export class Conversations<M, C> {
  readonly #make: MakeCompactor<M>;
  readonly #most: number;
  readonly #codec: Codec<M> | null;
  readonly #nameOf: (call: C) => string | null | undefined;
  /** The options set neither model nor window, so each call's model determines it. */
  readonly #isWindowOpen: boolean;
  readonly #kept = new Map<string, Conversation<M>>();
  /** Marks of lists in progress, so that a list is read once. */
  readonly #read = new WeakMap<readonly M[], readonly string[]>();

  /**
   * With the options of `what`; `codec` compares prompts, and is null if every conversation has a name.
   * @throws {ReaderError} BAD_INPUT
   */
  constructor(
    what: string,
    codec: Codec<M> | null,
    { conversations: most = CONVERSATIONS_KEPT, optionsFor, ...rest }: ConversationOptions<M>,
    nameOf: ((call: C) => string | null | undefined) | undefined,
  ) {
    if (!Number.isInteger(most) || most < 1)
      throw new ReaderError(
        'BAD_INPUT',
        `\`conversations\` is \`${String(most)}\`; expected a whole number of at least 1.`,
        `Omit it for the default of ${CONVERSATIONS_KEPT}.`,
      );
    const format = codec === null ? {} : { format: codec };
    const options = { ...rest, ...format };
    resolveHistory(what, options);
    createCompactor<M>(options);
    this.#isWindowOpen = rest.window === undefined && rest.model === undefined && optionsFor === undefined;
    this.#make = (name, model) => {
      const given = name === null || !optionsFor ? options : { ...options, ...optionsFor(name), ...format };
      return createCompactor<M>(model !== null && given.model === undefined ? { ...given, model } : given);
    };
    this.#most = most;
    this.#codec = codec;
    this.#nameOf = nameOf ?? (() => null);
  }

  /** The conversation of a call, by its name if it has one. */
  find(call: C, messages: readonly M[], model: string | null = null): Conversation<M> {
    const name = this.#nameOf(call);
    return name === null || name === undefined ? this.#of(messages, model) : this.named(name, model);
  }

  /** Compacts the messages of a call of the model. */
  send(call: C, messages: readonly M[], model: string | null, options: CallOptions): Promise<Sent<M>> {
    return this.find(call, messages, model).send(messages, { ...this.windowOf(model), ...options });
  }

  /** The window of a call's model, if its name is known and the options leave it open. */
  windowOf(model: string | null): Pick<CallOptions, 'window'> {
    const window = this.#isWindowOpen && model !== null ? namedModel(model)?.window : undefined;
    return window === undefined ? {} : { window };
  }

  /** The conversation with this name; created if it is new. */
  named(name: string, model: string | null = null): Conversation<M> {
    const key = `name ${name}`;
    const known = this.#kept.get(key);
    const conversation = known ?? new Conversation(this.#make(name, model));
    this.#keep(key, conversation);
    return conversation;
  }

  /**
   * The conversation that this prompt continues. Only the newest prompt of each is known, so two that began alike
   * separate at their first difference, and neither receives data of the other.
   */
  #of(messages: readonly M[], model: string | null): Conversation<M> {
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
    // A conversation may have two marks: of its input and of its output.
    for (const [oldest, { compactor }] of this.#kept) {
      if (new Set(this.#kept.values()).size <= this.#most) return;
      if (compactor !== conversation.compactor) this.#kept.delete(oldest);
    }
  }

  /** A mark for every prefix of the list. Instructions are skipped because they may contain the time. */
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

/** Options of functions that serve many conversations, in addition to those of a compactor. */
export interface ConversationOptions<M> extends HistoryOptions<M> {
  /**
   * Number of conversations followed at once. The least recently used is dropped, and read again if it returns. Default
   * 100.
   */
  readonly conversations?: number;
  /**
   * Options for one conversation by name, which override the others: `state`, `conversationId`, `goal` or `storage`.
   */
  readonly optionsFor?: (conversation: string) => HistoryOptions<M>;
}

/**
 * Conversations in the format of `codec`, with the options of `what`; the option `conversation` names those of its calls.
 * @throws {ReaderError} BAD_INPUT, also if the options set `format`
 */
export function conversationsOf<M, C>(
  what: string,
  codec: Codec<M>,
  options: ConversationOptions<M> & { readonly conversation?: (call: C) => string },
): Conversations<M, C> {
  refuseFormat(what, options);
  const { conversation, ...rest } = options;
  return new Conversations<M, C>(what, codec, rest, conversation);
}

/**
 * Checks untyped options of `what`, which determines the format itself.
 * @throws {ReaderError} BAD_INPUT if they are not an object, or set `format`
 */
export function refuseFormat(what: string, options: object): void {
  if (typeof options !== 'object' || options === null) checkOptions(what, options, {});
  if (Object.hasOwn(options, 'format'))
    throw new ReaderError(
      'BAD_INPUT',
      `\`${what}\` has no option \`format\`.`,
      'Remove `format`; it is fixed.',
    );
}

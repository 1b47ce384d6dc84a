// Determines a conversation's format (given, from a state, or detected) and keeps its ledger.

import type { Codec, CodecName } from '../codecs/codec.ts';
import { CODECS, codecOf, detectCodec } from '../codecs/index.ts';
import type { OpenCall } from '../codecs/message.ts';
import { Ledger } from './ledger.ts';
import type { HistoryState } from './state.ts';

/** A ledger and its codec. */
export interface Followed<M> {
  readonly ledger: Ledger<M>;
  readonly codec: Codec<M>;
}

const SOME_CALL: readonly OpenCall[] = [{ callId: 'call', toolName: 'tool' }];

export class Following<M> {
  readonly #isGiven: boolean;
  #followed: Followed<M> | null = null;

  /** @throws {ReaderError} BAD_INPUT for an unknown format */
  constructor(given: Codec<M> | CodecName | null, state: HistoryState | null) {
    this.#isGiven = given !== null;
    const codec = given ?? state?.codec ?? null;
    if (codec !== null) this.#use(typeof codec === 'string' ? codecOf<M>(codec) : codec, state);
  }

  /** Null before the first messages, if neither options nor state name a format. */
  get followed(): Followed<M> | null {
    return this.#followed;
  }

  /**
   * The ledger for `messages`; a new one if these are the first to determine the format.
   * @throws {ReaderError} BAD_INPUT
   */
  of(messages: readonly M[]): Followed<M> {
    const known = this.#followed;
    // `detect` accepted these messages, so they have the codec's type.
    if (!known) return this.#use(detectCodec(messages) as Codec<M>, null);
    // Plain texts fit many formats: beside a result in the known one they are of it. Where that does not fit, later messages
    // determine which.
    if (this.#isGiven || known.codec.detect([...messages, ...known.codec.answer(SOME_CALL, '')]))
      return known;
    const other = CODECS.find((codec) => codec.detect(messages));
    return other ? this.#use(other as Codec<M>, null) : known;
  }

  #use(codec: Codec<M>, state: HistoryState | null): Followed<M> {
    this.#followed = followed(codec, state);
    return this.#followed;
  }
}

/** A ledger in the format of `codec`. */
export function followed<M>(codec: Codec<M>, state: HistoryState | null = null): Followed<M> {
  return { ledger: new Ledger(codec, state?.ledger ?? undefined), codec };
}

// Current views of messages, with cached facts. Callers modify messages in place, so a message is viewed again unless
// every value in it is identical; hashing and estimating, the most expensive steps, are skipped if the view is equal.

import { isDeepStrictEqual } from 'node:util';
import type { Tokens } from '../../contract/index.ts';
import type { Codec } from '../codecs/codec.ts';
import type { MessageView } from '../codecs/message.ts';
import type { Estimator } from '../cost/estimate.ts';
import { fingerprint } from './fingerprint.ts';
import { isUntouched, traceOf } from './trace.ts';

/** Facts derived from a view; null until requested. */
interface Facts {
  mark: string | null;
  costs: readonly Tokens[] | null;
  /** Tokens of the whole message. */
  raw: Tokens | null;
}

/** A message as read. */
export interface ReadMessage {
  readonly view: MessageView;
  /** Shared with earlier equal readings of the same message. */
  readonly facts: Facts;
}

/** The cached `fingerprint`. */
export function markOf({ view, facts }: ReadMessage): string {
  facts.mark ??= fingerprint(view);
  return facts.mark;
}

/** Instructions may contain the time. They are never edited, so a changed instruction is still the same entry. */
export function entryMark(reading: ReadMessage): string {
  const { role, items } = reading.view;
  const instructs = role === 'system' && items.some(({ text }) => text !== '');
  return instructs ? 'system' : markOf(reading);
}

/** Tokens of the items. Always pass the same estimator. */
export function costsOf({ view, facts }: ReadMessage, estimator: Estimator): readonly Tokens[] {
  facts.costs ??= view.items.map((item) => estimator.item(item));
  return facts.costs;
}

/** Tokens of the whole message, as `estimator.message`. Always pass the same estimator. */
export function rawOf(message: ReadMessage, estimator: Estimator): Tokens {
  const { facts, view } = message;
  if (facts.raw === null) {
    facts.raw = estimator.message({ role: view.role, items: [] });
    for (const tokens of costsOf(message, estimator)) facts.raw += tokens;
  }
  return facts.raw;
}

const nothingKnown = (): Facts => ({ mark: null, costs: null, raw: null });

/** Reads the messages of one conversation. */
export class ReadMessages<M> {
  readonly #codec: Codec<M>;
  /** The newest reading of each message and its trace, cached while the message is alive. */
  readonly #known = new WeakMap<
    object,
    { readonly reading: ReadMessage; readonly trace: readonly unknown[] | null }
  >();

  constructor(codec: Codec<M>) {
    this.#codec = codec;
  }

  read(message: M): ReadMessage {
    if (typeof message !== 'object' || message === null)
      return { view: this.#codec.view(message), facts: nothingKnown() };
    const known = this.#known.get(message);
    if (known?.trace && isUntouched(message, known.trace)) return known.reading;
    const trace = traceOf(message);
    const view = this.#codec.view(message);
    const isAlike = known !== undefined && isDeepStrictEqual(known.reading.view, view);
    const reading = { view, facts: isAlike ? known.reading.facts : nothingKnown() };
    this.#known.set(message, { reading, trace });
    return reading;
  }
}

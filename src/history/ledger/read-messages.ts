// Messages as they read now, and what was worked out of that before. Every message is viewed anew at every call, for callers
// change messages in place; only hashing and estimating, which cost most, are spared where it reads as it did.

import type { Tokens } from '../../contract/index.ts';
import type { Codec } from '../codecs/codec.ts';
import type { Item, MessageView } from '../codecs/message.ts';
import type { Estimator } from '../cost/estimate.ts';
import { fingerprint } from './fingerprint.ts';

/** What follows from a view alone; null until it is asked for. */
interface Facts {
  mark: string | null;
  costs: readonly Tokens[] | null;
}

/** A message as it reads. */
export interface ReadMessage {
  readonly view: MessageView;
  /** Shared with earlier readings of the same message that were alike. */
  readonly facts: Facts;
}

/** As `fingerprint`. */
export function markOf({ view, facts }: ReadMessage): string {
  facts.mark ??= fingerprint(view);
  return facts.mark;
}

/** Tokens of its items, by one estimator: always the same one. */
export function costsOf({ view, facts }: ReadMessage, estimator: Estimator): readonly Tokens[] {
  facts.costs ??= view.items.map((item) => estimator.item(item));
  return facts.costs;
}

/** Reads the messages of one conversation. */
export class ReadMessages<M> {
  readonly #codec: Codec<M>;
  /** The newest reading of each message, while somebody holds the message. */
  readonly #known = new WeakMap<object, ReadMessage>();

  constructor(codec: Codec<M>) {
    this.#codec = codec;
  }

  read(message: M): ReadMessage {
    const view = this.#codec.view(message);
    if (typeof message !== 'object' || message === null) return { view, facts: { mark: null, costs: null } };
    const known = this.#known.get(message);
    const isAlike = known !== undefined && readAlike(known.view, view);
    const reading = { view, facts: isAlike ? known.facts : { mark: null, costs: null } };
    this.#known.set(message, reading);
    return reading;
  }
}

/** Whether marks and estimates of the two are the same. */
function readAlike(a: MessageView, b: MessageView): boolean {
  return (
    a.role === b.role &&
    a.items.length === b.items.length &&
    a.items.every((item, index) => {
      const other = b.items[index];
      return other !== undefined && itemsAlike(item, other);
    })
  );
}

function itemsAlike(a: Item, b: Item): boolean {
  return (
    a.kind === b.kind &&
    a.text === b.text &&
    a.callId === b.callId &&
    a.toolName === b.toolName &&
    a.isError === b.isError &&
    a.weight === b.weight &&
    mediaAlike(a.media, b.media)
  );
}

function mediaAlike(a: Item['media'], b: Item['media']): boolean {
  if (a === null || b === null) return a === b;
  return (
    a.type === b.type &&
    a.mimeType === b.mimeType &&
    a.bytes === b.bytes &&
    a.width === b.width &&
    a.height === b.height
  );
}

// Costs of a draft's items in real tokens: original, and after a tier's changes.

import type { Edit, Item } from '../codecs/message.ts';
import type { Estimator } from '../cost/estimate.ts';
import type { ItemPosition } from '../ledger/groups.ts';
import { costsOf, type ReadMessage } from '../ledger/read-messages.ts';

export class ItemCosts {
  readonly #list: readonly ReadMessage[];
  readonly #estimator: Estimator;
  readonly #factor: number;
  readonly #costs: number[][];
  /** Cost of a message without its items. */
  readonly #frame: number;

  /** One estimated token is `factor` real tokens. */
  constructor(list: readonly ReadMessage[], estimator: Estimator, factor: number) {
    this.#list = list;
    this.#estimator = estimator;
    this.#factor = factor;
    this.#costs = list.map((message) => costsOf(message, estimator).map((cost) => cost * factor));
    this.#frame = estimator.message({ role: 'user', items: [] }) * factor;
  }

  of({ message, item }: ItemPosition): number {
    return this.#costs[message]?.[item] ?? 0;
  }

  set({ message, item }: ItemPosition, cost: number): void {
    const row = this.#costs[message];
    if (row) row[item] = cost;
  }

  /** Tokens of an item's original text. */
  ofText({ message, item }: ItemPosition): number {
    const read = this.#list[message];
    const part = read?.view.items[item];
    if (!part || part.kind === 'media') return 0;
    const cost = costsOf(read, this.#estimator)[item] ?? 0;
    return (cost - this.#estimator.beyondText(part)) * this.#factor;
  }

  /** Cost of the messages of `places` (in order) beyond their items. */
  frames(places: readonly ItemPosition[]): number {
    let messages = 0;
    let before = -1;
    for (const { message } of places) {
      if (message !== before) messages += 1;
      before = message;
    }
    return messages * this.#frame;
  }

  /** Cost of `item` after an edit. */
  after(item: Item, edit: Edit): number {
    if (edit.op === 'text') return this.#estimator.item({ ...item, text: edit.text }) * this.#factor;
    if (edit.op === 'args')
      return this.#estimator.item({ ...item, text: JSON.stringify(edit.args) }) * this.#factor;
    return edit.op === 'media' ? this.#estimator.text(edit.text) * this.#factor : 0;
  }
}

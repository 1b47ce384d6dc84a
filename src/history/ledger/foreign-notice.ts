// Where a list that is new to a compactor holds the notice of another. It looks at places, not only at texts: users write
// what they like.

import { isNotice } from '../archive/placeholder.ts';
import type { ReadMessage } from './read-messages.ts';

/**
 * Index of another compactor's notice in a list that is new to the ledger, or -1. A notice comes after the instructions
 * and the user's first message, or inside that message, or before it if the list starts with an answer. It is never
 * last. Anywhere else, it is user text that looks like a notice. Empty messages may be in between.
 */
export function foreignNotice(readings: readonly ReadMessage[]): number {
  let users = 0;
  for (let at = 0; at < readings.length - 1 && users < 2; at += 1) {
    const { role, items } = readings[at]?.view ?? { role: 'system', items: [] };
    const last = items.at(-1);
    if (role === 'system' || last === undefined || items.some(({ boundary }) => boundary)) continue;
    if (role !== 'user') return -1;
    if (last.kind === 'user' && isNotice(last.text)) return at;
    users += 1;
  }
  return -1;
}

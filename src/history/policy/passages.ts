// Calls and results of a draft, as the lines that later calls used are looked for in them.

import type { Passage } from '../summary/used-lines.ts';
import type { Draft } from './draft.ts';

/** In order. Those leave whose group is gone, or in whose place a tier puts a line. */
export function passagesOf<M>(draft: Draft<M>): Passage[] {
  return draft.list.flatMap(({ view }, message) =>
    view.items.flatMap((item, index) => {
      if (item.kind !== 'call' && item.kind !== 'result') return [];
      const place = { message, item: index };
      const leaves = draft.hasGone(place) || draft.isChanged(place);
      return [{ item, tool: draft.nameOf(place), message, leaves }];
    }),
  );
}

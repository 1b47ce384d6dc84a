// The headings of a tagged page by marked content. Used as evidence only; positions come from the ink.

import type { Ink } from '../ink/ink.ts';
import { saidOf } from '../ink/marked-content.ts';

/** A page with a larger share of headings is tagged by appearance, and wrongly. */
const MAX_SHARE = 0.3;

/** Heading levels by marked content id; empty if the page is untagged, or its tags are implausible. */
export function taggedHeadings({ structure, glyphs }: Ink): ReadonlyMap<number, number> {
  const levels = saidOf<number>(structure, ({ role }, around) => {
    const own = /^H([1-6])$/u.exec(role)?.[1];
    return own !== undefined ? Number(own) : role === 'Title' ? 1 : around;
  });
  const headed = glyphs.filter(({ mcid }) => levels.has(mcid)).length;
  return headed <= MAX_SHARE * glyphs.length ? levels : new Map();
}

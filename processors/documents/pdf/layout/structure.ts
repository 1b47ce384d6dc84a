// The headings of a tagged page by marked content. Used as evidence only; positions come from the ink.

import type { Ink, StructureNode } from '../ink/ink.ts';

const MAX_STEPS = 50_000;
/** A page with a larger share of headings is tagged by appearance, and wrongly. */
const MAX_SHARE = 0.3;

/** Heading levels by marked content id; empty if the page is untagged, or its tags are implausible. */
export function taggedHeadings(ink: Ink): ReadonlyMap<number, number> {
  const levels = new Map<number, number>();
  if (ink.structure === undefined) return levels;
  const stack: { readonly node: StructureNode | number; readonly level: number }[] = [
    { node: ink.structure, level: 0 },
  ];
  for (let steps = 0; steps < MAX_STEPS; steps += 1) {
    const next = stack.pop();
    if (next === undefined) break;
    if (typeof next.node === 'number') {
      if (next.level > 0) levels.set(next.node, next.level);
      continue;
    }
    const own = /^H([1-6])$/u.exec(next.node.role)?.[1];
    const level = own !== undefined ? Number(own) : next.node.role === 'Title' ? 1 : next.level;
    for (const child of next.node.children) stack.push({ node: child, level });
  }
  if (levels.size === 0) return levels;
  let headed = 0;
  for (const glyph of ink.glyphs) if (levels.has(glyph.mcid)) headed += 1;
  return headed <= MAX_SHARE * ink.glyphs.length ? levels : new Map();
}

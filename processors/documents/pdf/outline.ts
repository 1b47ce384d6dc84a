// The outline of a PDF (its bookmarks) as headings with page numbers, bounded against loops and floods.

import { MAX_OUTLINE_ENTRIES, type OutlineEntry } from '../document.ts';
import { plainText } from './facts.ts';
import { pageOf } from './ink/structure.ts';
import type { Pdf } from './open.ts';

/** Deeper entries count as entries of this level. */
const MOST_LEVELS = 12;

interface Item {
  readonly title: unknown;
  readonly dest: unknown;
  readonly items: unknown;
}

function isItem(value: unknown): value is Item {
  return (
    typeof value === 'object' && value !== null && 'title' in value && 'dest' in value && 'items' in value
  );
}

/** In document order; empty if there is none or it cannot be read. */
export async function outlineOf({ document }: Pdf): Promise<OutlineEntry[]> {
  let roots: unknown;
  try {
    roots = await document.getOutline();
  } catch {
    return []; // a broken outline is ignored; the pages are read without it
  }
  const entries: OutlineEntry[] = [];
  const waiting: { readonly item: unknown; readonly level: number }[] = [];
  const push = (items: unknown, level: number): void => {
    if (!Array.isArray(items)) return;
    for (const item of (items as unknown[]).slice(0, MAX_OUTLINE_ENTRIES).reverse())
      waiting.push({ item, level });
  };
  push(roots, 1);
  while (entries.length < MAX_OUTLINE_ENTRIES) {
    const next = waiting.pop();
    if (!next) break;
    const { item, level } = next;
    if (!isItem(item)) continue;
    const title = plainText(item.title);
    const page = await pageOf(document, item.dest);
    if (title !== undefined) entries.push({ level, title, ...(page !== undefined && { section: page }) });
    push(item.items, Math.min(level + 1, MOST_LEVELS));
  }
  return entries;
}

// A book's table of contents: chapter titles and their files, from the EPUB 3 navigation document or the EPUB 2 NCX.

import { cleanText } from '../../../src/document/index.ts';
import { readXml, type XmlElement } from '../../../src/package/index.ts';
import { resolvePath } from '../xml-parts.ts';

/** One entry. */
export interface Contents {
  /** 1-based. */
  readonly level: number;
  readonly title: string;
  readonly path: string;
}

const MAX_ENTRIES = 10_000;
/** Applies to both formats; deeper entries are left out. */
const MAX_LEVEL = 12;

/** The entries of the navigation part at `from`; empty if it cannot be parsed. */
export function contentsOf(xml: string, from: string, isNcx: boolean): Contents[] {
  const entries: Contents[] = [];
  const add = (level: number, title: string, href: string | undefined): void => {
    const text = cleanText(title).replace(/\s+/g, ' ').trim();
    const path = href === undefined ? undefined : resolvePath(from, href);
    if (text !== '' && path !== undefined && entries.length < MAX_ENTRIES)
      entries.push({ level, title: text, path });
  };
  // Recursion is bounded by the level.
  const points = (parent: XmlElement, level: number): void => {
    if (level > MAX_LEVEL) return;
    for (const point of parent.elements('navPoint')) {
      add(level, point.at('navLabel', 'text')?.text() ?? '', point.child('content')?.get('src'));
      points(point, level + 1);
    }
  };
  const list = (parent: XmlElement, level: number): void => {
    if (level > MAX_LEVEL) return;
    for (const item of parent.child('ol')?.elements('li') ?? []) {
      const link = item.child('a');
      if (link) add(level, link.text(), link.get('href'));
      list(item, level + 1);
    }
  };
  try {
    const root = readXml(xml);
    if (isNcx) {
      const map = root.child('navMap');
      if (map) points(map, 1);
    } else {
      const navs = [...root.descendants('nav')];
      const toc =
        navs.find((nav) => /(?:^|\s)toc(?:\s|$)/.test(nav.get('epub:type') ?? nav.get('type') ?? '')) ??
        navs[0];
      if (toc) list(toc, 1);
    }
  } catch {
    // An unreadable table of contents loses no text.
  }
  return entries;
}

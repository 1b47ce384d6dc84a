// The headers and footers that the sections of a Word document refer to, and which of them its pages print (ECMA-376
// part 1, 17.10): those of first and of even pages only where the document has such pages.

import { isOn } from './styles.ts';

/** A header or footer, by relationship id. */
export interface MarginReference {
  readonly kind: 'header' | 'footer';
  readonly id: string;
  readonly isPrinted: boolean;
}

const TAG =
  /<(\/?)(?:[\w.-]+:)?(sectPr|sectPrChange|titlePg|headerReference|footerReference)([\s/][^<>]*)?>/g;

const attribute = (attributes: string, name: string): string | undefined =>
  new RegExp(String.raw`(?:^|\s)(?:[\w.-]+:)?${name}\s*=\s*["']([^"']*)["']`).exec(attributes)?.[1];

/** The references in the body `xml`, once each, in order. `evenPages`: even pages have their own. */
export function marginReferences(xml: string, evenPages: boolean): MarginReference[] {
  const kinds = new Map<string, MarginReference['kind']>();
  const printed = new Set<string>();
  /** Ids by kind and type of page; a section without its own has those of the one before. */
  const current = new Map<string, readonly string[]>();
  let own = new Map<string, string[]>();
  let firstPage = false;
  let former = false;
  const endSection = (): void => {
    for (const [key, ids] of own) current.set(key, ids);
    for (const [key, ids] of current) {
      const type = key.slice(key.indexOf(' ') + 1);
      if (type === 'first' ? firstPage : type !== 'even' || evenPages) for (const id of ids) printed.add(id);
    }
    own = new Map();
    firstPage = false;
  };
  for (const [, slash = '', name = '', attributes = ''] of xml.matchAll(TAG)) {
    const closes = slash !== '' || attributes.endsWith('/');
    // What a tracked change replaced.
    if (name === 'sectPrChange') former = !closes;
    else if (former) continue;
    else if (name === 'sectPr') {
      if (closes) endSection();
    } else if (name === 'titlePg') {
      if (slash === '') firstPage = isOn(attribute(attributes, 'val'));
    } else {
      const id = slash === '' ? attribute(attributes, 'id') : undefined;
      if (id === undefined) continue;
      const kind = name === 'headerReference' ? 'header' : 'footer';
      const key = `${kind} ${attribute(attributes, 'type') ?? 'default'}`;
      own.set(key, [...(own.get(key) ?? []), id]);
      if (!kinds.has(id)) kinds.set(id, kind);
    }
  }
  endSection();
  return [...kinds].map(([id, kind]) => ({ id, kind, isPrinted: printed.has(id) }));
}

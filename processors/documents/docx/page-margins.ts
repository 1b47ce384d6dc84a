// Page headers and footers of a Word document, old or new, without duplicates.

import type { Block } from '../document.ts';
import { HARD_BREAK, paragraphBlock } from '../markdown/index.ts';

/** Collects the headers and footers of all sections. */
export class PageMargins {
  readonly headers: Block[] = [];
  readonly footers: Block[] = [];
  readonly #seen = new Set<string>();

  add(kind: 'header' | 'footer', lines: readonly string[]): void {
    const text = lines.join(HARD_BREAK);
    const key = `${kind} ${text}`;
    if (this.#seen.has(key) || text === '') return;
    this.#seen.add(key);
    (kind === 'header' ? this.headers : this.footers).push(paragraphBlock(`Page ${kind}: ${text}`));
  }
}

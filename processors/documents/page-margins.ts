// Page headers and footers of a document, without duplicates.

import { type Block, HARD_BREAK, paragraphBlock } from '../../src/document/index.ts';

/** Collects the headers and footers of all sections. */
export class PageMargins {
  readonly headers: Block[] = [];
  readonly footers: Block[] = [];
  readonly #seen = new Set<string>();

  get count(): number {
    return this.#seen.size;
  }

  /** True if `lines` are known already, or empty. */
  has(kind: 'header' | 'footer', lines: readonly string[]): boolean {
    const text = lines.join(HARD_BREAK);
    return text.trim() === '' || this.#seen.has(`${kind} ${text}`);
  }

  add(kind: 'header' | 'footer', lines: readonly string[]): void {
    if (this.has(kind, lines)) return;
    const text = lines.join(HARD_BREAK);
    this.#seen.add(`${kind} ${text}`);
    (kind === 'header' ? this.headers : this.footers).push(paragraphBlock(`Page ${kind}: ${text}`));
  }
}

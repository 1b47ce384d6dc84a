// Bounds the repeated rows and cells of an OpenDocument sheet before they are expanded.

import { ReaderError } from '../../../src/contract/index.ts';
import { MAX_ROWS_READ } from './grid.ts';

/** Measures the expanded size of an ODS content part, chunk by chunk. */
export class Unfolding {
  readonly hidden: Set<number> = new Set();
  readonly #hiddenStyles = new Set<string>();
  #style = '';
  #tables = 0;
  #repeats = 1;
  #cells = 0;
  #rest = '';

  /** @throws {ReaderError} LIMIT_EXCEEDED if repeated cells expand to more than fits in memory. */
  feed(piece: Buffer): void {
    const text = this.#rest + piece.toString('latin1');
    let at = 0;
    for (const match of text.matchAll(ODS_TAG)) {
      at = match.index + match[0].length;
      this.#tag(match[1] ?? '', match[2] ?? '');
    }
    const open = text.lastIndexOf('<');
    this.#rest = open >= at && text.length - open < 4096 ? text.slice(open) : '';
  }

  #tag(name: string, attributes: string): void {
    switch (name) {
      case 'style:style':
        this.#style = /style:name="([^"]*)"/.exec(attributes)?.[1] ?? '';
        return;
      case 'style:table-properties':
        if (attributes.includes('table:display="false"')) this.#hiddenStyles.add(this.#style);
        return;
      case 'table:table':
        if (this.#hiddenStyles.has(/table:style-name="([^"]*)"/.exec(attributes)?.[1] ?? ''))
          this.hidden.add(this.#tables);
        this.#tables++;
        return;
      case 'table:table-row':
        this.#repeats = Number(/number-rows-repeated="(\d{1,9})"/.exec(attributes)?.[1] ?? 1);
        return;
      default: {
        // Empty cells are repeated up to the edge of every sheet, and cost nothing.
        if (attributes.endsWith('/') && !attributes.includes('value')) return;
        const columns = Number(/number-columns-repeated="(\d{1,9})"/.exec(attributes)?.[1] ?? 1);
        this.#cells += columns * Math.min(this.#repeats, MAX_ROWS_READ);
        if (this.#cells > MAX_UNFOLDED)
          throw new ReaderError(
            'LIMIT_EXCEEDED',
            `The workbook expands to more than ${MAX_UNFOLDED} cells, the limit because this format is loaded into memory.`,
            'Save it as .xlsx or .csv, which are streamed.',
          );
      }
    }
  }
}

/** Maximum cells an ODS file may expand to. */
const MAX_UNFOLDED = 5_000_000;

const ODS_TAG =
  /<(style:style|style:table-properties|table:table|table:table-row|table:table-cell|table:covered-table-cell)(?=[\s/>])([^<>]*)>/g;

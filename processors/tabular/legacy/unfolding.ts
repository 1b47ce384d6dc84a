// Rows and cells that an OpenDocument sheet repeats by number, bounded before they are unfolded.

import { ReaderError } from '../../../src/contract/index.ts';
import { MAX_ROWS_READ } from './grid.ts';

/** What an ODS content part amounts to, read piece by piece. */
export class Unfolding {
  readonly hidden: Set<number> = new Set();
  readonly #hiddenStyles = new Set<string>();
  #style = '';
  #tables = 0;
  #repeats = 1;
  #cells = 0;
  #rest = '';

  /** @throws {ReaderError} LIMIT_EXCEEDED when repeated cells unfold to more than can be held. */
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
        // Empty cells are repeated to the edge of every sheet, and cost nothing.
        if (attributes.endsWith('/') && !attributes.includes('value')) return;
        const columns = Number(/number-columns-repeated="(\d{1,9})"/.exec(attributes)?.[1] ?? 1);
        this.#cells += columns * Math.min(this.#repeats, MAX_ROWS_READ);
        if (this.#cells > MAX_UNFOLDED)
          throw new ReaderError(
            'LIMIT_EXCEEDED',
            `The workbook unfolds to more than ${MAX_UNFOLDED} cells; in this format, which is held in memory, no more are read.`,
            'Save it as .xlsx or .csv, which are read in pieces.',
          );
      }
    }
  }
}

/** Cells an ODS file may unfold to. */
const MAX_UNFOLDED = 5_000_000;

const ODS_TAG =
  /<(style:style|style:table-properties|table:table|table:table-row|table:table-cell|table:covered-table-cell)(?=[\s/>])([^<>]*)>/g;

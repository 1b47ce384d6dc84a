// Output sinks for the text of an OpenDocument: blocks, or lines.

import {
  type Block,
  BlockWriter,
  type Grid,
  headingBlock,
  isEmpty,
  type ListItem,
  paragraphBlock,
  writeRuns,
} from '../../../src/document/index.ts';

/** Receives the results of a walk. */
export interface Sink {
  paragraph(text: string): void;
  heading(level: number, text: string): void;
  item(item: ListItem): void;
  code(text: string): void;
  table(grid: Grid): void;
}

/** Collects blocks. */
export class BlockSink implements Sink {
  readonly #writer = new BlockWriter();

  paragraph(text: string): void {
    if (text.trim() !== '') this.#writer.add(paragraphBlock(text));
    else if (this.#writer.inCode) this.#writer.gap();
    // An empty paragraph ends a list.
    else this.#writer.end();
  }

  heading(level: number, text: string): void {
    this.#writer.add(headingBlock(level, text));
  }

  item(item: ListItem): void {
    this.#writer.item(item);
  }

  code(text: string): void {
    this.#writer.code(text);
  }

  /** Its empty rows and columns at the end are left out. */
  table(grid: Grid): void {
    const table = grid.table('ends');
    if (!isEmpty(table)) this.#writer.add(table);
  }

  /** The blocks so far, which are removed. */
  take(): Block[] {
    return this.#writer.take();
  }
}

/** Collects lines, where blocks are not allowed: a cell, a note. */
export class LineSink implements Sink {
  readonly lines: string[] = [];

  paragraph(text: string): void {
    if (text.trim() !== '') this.lines.push(text.trim());
  }

  heading(_level: number, text: string): void {
    this.paragraph(text);
  }

  item({ marker, text }: ListItem): void {
    this.lines.push(`${marker} ${text}`.trim());
  }

  code(text: string): void {
    this.paragraph(writeRuns([{ text, code: true }]));
  }

  table(grid: Grid): void {
    for (const line of grid.lines()) this.lines.push(line);
  }
}

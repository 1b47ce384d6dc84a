// Output sinks for the text of an OpenDocument: blocks, or lines.

import {
  type Block,
  codeBlock,
  headingBlock,
  isEmpty,
  type ListItem,
  listBlock,
  paragraphBlock,
  tableBlock,
  tableLines,
  writeRuns,
} from '../../../src/document/index.ts';

/** Receives the results of a walk. */
export interface Sink {
  paragraph(text: string): void;
  heading(level: number, text: string): void;
  item(item: ListItem): void;
  code(text: string): void;
  table(rows: readonly (readonly string[])[]): void;
}

/** Collects blocks; adjacent items form one list, adjacent code lines one fence. */
export class BlockSink implements Sink {
  readonly blocks: Block[] = [];
  #items: ListItem[] = [];
  #code: string[] = [];

  paragraph(text: string): void {
    this.#add(paragraphBlock(text));
  }

  heading(level: number, text: string): void {
    this.#add(headingBlock(level, text));
  }

  item(item: ListItem): void {
    this.#endCode();
    this.#items.push(item);
  }

  code(text: string): void {
    this.endList();
    this.#code.push(text);
  }

  table(rows: readonly (readonly string[])[]): void {
    this.#add(tableBlock(rows));
  }

  endList(): void {
    if (this.#items.length === 0) return;
    this.blocks.push(listBlock(this.#items));
    this.#items = [];
  }

  end(): Block[] {
    this.endList();
    this.#endCode();
    return this.blocks;
  }

  #endCode(): void {
    const lines = this.#code;
    this.#code = [];
    const text = lines.join('\n').replace(/^\n+/, '').trimEnd();
    if (text !== '') this.blocks.push(codeBlock(text));
  }

  #add(block: Block): void {
    // An empty paragraph ends a list, but is kept inside code.
    if (isEmpty(block) && this.#code.length > 0) this.#code.push('');
    else this.endList();
    if (isEmpty(block)) return;
    this.#endCode();
    this.blocks.push(block);
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

  table(rows: readonly (readonly string[])[]): void {
    for (const line of tableLines(rows)) this.lines.push(line);
  }
}

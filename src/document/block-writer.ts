// Collects the pieces of a text into blocks: adjacent items form one list, adjacent lines of code one block, adjacent
// quotes one quote. The only place that decides where these end.

import { type Block, codeBlock, isEmpty, type ListItem, listBlock, quoteBlock } from './block.ts';

export class BlockWriter {
  #blocks: Block[] = [];
  #items: ListItem[] = [];
  #list = '';
  #code: string[] = [];
  #quotes: Block[] = [];

  /** Ends what is open; an empty block only does that. */
  add(block: Block): void {
    this.end();
    this.#push(block);
  }

  /** A new list starts at the outermost level of another `list`; deeper levels may mix lists. */
  item(item: ListItem, list: string = ''): void {
    if (this.#items.length === 0 || (item.level === 0 && list !== this.#list)) this.end();
    if (this.#items.length === 0 || item.level === 0) this.#list = list;
    this.#items.push(item);
  }

  quote(block: Block): void {
    if (this.#quotes.length === 0) this.end();
    if (!isEmpty(block)) this.#quotes.push(block);
  }

  /** A line of code. */
  code(text: string): void {
    if (!this.inCode) this.end();
    this.#code.push(text);
  }

  get inCode(): boolean {
    return this.#code.length > 0;
  }

  /** An empty paragraph, which is kept between lines of code. */
  gap(): void {
    if (this.inCode) this.#code.push('');
  }

  /** Ends an open list, code or quote. */
  end(): void {
    if (this.#items.length > 0) this.#push(listBlock(this.#items));
    const code = this.#code.join('\n').replace(/^\n+/, '').trimEnd();
    if (code !== '') this.#push(codeBlock(code));
    if (this.#quotes.length > 0) this.#push(quoteBlock(this.#quotes));
    this.#items = [];
    this.#code = [];
    this.#quotes = [];
  }

  /** The blocks so far, which are removed. */
  take(): Block[] {
    this.end();
    const blocks = this.#blocks;
    this.#blocks = [];
    return blocks;
  }

  #push(block: Block): void {
    if (!isEmpty(block)) this.#blocks.push(block);
  }
}

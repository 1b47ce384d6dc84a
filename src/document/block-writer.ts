// Collects the pieces of a text into blocks: adjacent items form one list, adjacent lines of code one block, adjacent
// quotes one quote. The only place that decides where these end.

import { type Block, codeBlock, isEmpty, type ListItem, listBlock, quoteBlock } from './block.ts';

/** An item whose blocks are an array of the writer. */
type OpenItem = Omit<ListItem, 'blocks'> & { readonly blocks?: Block[] };

export class BlockWriter {
  #blocks: Block[] = [];
  #items: OpenItem[] = [];
  #list = '';
  #code: string[] = [];
  #quotes: Block[] = [];
  #landmarks: string[] = [];

  /** Ends what is open; an empty block only does that. */
  add(block: Block): void {
    this.end();
    this.#push(block);
  }

  /** A new list starts at the outermost level of another `list`; deeper levels may mix lists. */
  item(item: Omit<ListItem, 'blocks'>, list: string = ''): void {
    this.#startItem(item, list);
  }

  /** Adds a block to the list: as a new item, or with an empty marker to the item of that level. */
  inItem(level: number, marker: string, block: Block): void {
    const last = this.#items.at(-1);
    if (marker !== '' || last?.level !== level)
      this.#startItem(
        block.kind === 'paragraph'
          ? { level, marker, text: block.text }
          : { level, marker, text: '', blocks: [block] },
        '',
      );
    else if (last.blocks) last.blocks.push(block);
    else this.#items[this.#items.length - 1] = { ...last, blocks: [block] };
  }

  #startItem(item: OpenItem, list: string): void {
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

  /** A named part of a page starts with the next block, unless it ends before. Parts are nested. */
  startPart(name: string): void {
    this.end();
    this.#landmarks.push(name);
  }

  endPart(): void {
    this.end();
    this.#landmarks.pop();
  }

  #push(block: Block): void {
    if (isEmpty(block)) return;
    this.#blocks.push(this.#landmarks.length > 0 ? { ...block, landmarks: this.#landmarks } : block);
    this.#landmarks = [];
  }
}

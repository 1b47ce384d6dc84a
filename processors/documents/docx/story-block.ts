// The pieces of a Word story between reading and writing. Written as blocks in the flow, and as lines in a cell or
// note.

import {
  type Block,
  codeBlock,
  codeSpan,
  headingBlock,
  isEmpty,
  type ListItem,
  listBlock,
  markdownOf,
  paragraphBlock,
  quoteBlock,
  tableBlock,
  tableLines,
} from '../../../src/document/index.ts';

/** One piece; `text` is inline Markdown, except for code, where it is plain. */
export type StoryBlock =
  | { readonly kind: 'text' | 'quote'; readonly text: string }
  | { readonly kind: 'heading'; readonly level: number; readonly text: string }
  /** `list`: the id of its list. */
  | {
      readonly kind: 'item';
      readonly level: number;
      readonly marker: string;
      readonly text: string;
      readonly list: string;
    }
  /** `sure` is false for a line that is code only next to other code; `markdown` is its form otherwise. */
  | { readonly kind: 'code'; readonly text: string; readonly sure: boolean; readonly markdown: string }
  /** An empty paragraph. */
  | { readonly kind: 'gap' }
  /** `once`: the rows without the text repeated by spans. */
  | {
      readonly kind: 'table';
      readonly rows: readonly (readonly string[])[];
      readonly once: readonly (readonly string[])[];
    }
  /** A chart, a diagram. */
  | { readonly kind: 'block'; readonly block: Block };

/** Collects pieces as blocks: adjacent items form one list, adjacent code lines one block. */
export class BlockWriter {
  readonly #blocks: Block[] = [];
  #items: ListItem[] = [];
  #list = '';
  #code: string[] = [];
  #quotes: Block[] = [];

  add(piece: StoryBlock): void {
    if (piece.kind === 'gap') {
      if (this.#code.length > 0) this.#code.push('');
      return;
    }
    if (piece.kind === 'code' && (piece.sure || this.#code.length > 0)) {
      if (this.#code.length === 0) this.#flush();
      this.#code.push(piece.text);
      return;
    }
    if (piece.kind === 'item') {
      // A new list starts at its outermost level; deeper levels may mix Word lists.
      if (this.#items.length === 0 || (piece.level === 0 && piece.list !== this.#list)) this.#flush();
      if (this.#items.length === 0 || piece.level === 0) this.#list = piece.list;
      this.#items.push(piece);
      return;
    }
    if (piece.kind === 'quote') {
      if (this.#quotes.length === 0) this.#flush();
      const block = paragraphBlock(piece.text);
      if (!isEmpty(block)) this.#quotes.push(block);
      return;
    }
    this.#flush();
    switch (piece.kind) {
      case 'heading':
        this.#push(headingBlock(piece.level, piece.text));
        break;
      case 'table':
        this.#push(tableBlock(piece.rows));
        break;
      case 'block':
        this.#push(piece.block);
        break;
      default:
        this.#push(paragraphBlock(piece.kind === 'code' ? piece.markdown : piece.text));
    }
  }

  /** All blocks so far. */
  finish(): Block[] {
    this.#flush();
    return this.#blocks;
  }

  #flush(): void {
    if (this.#items.length > 0) {
      this.#push(listBlock(this.#items));
      this.#items = [];
    }
    if (this.#code.length > 0) {
      this.#push(codeBlock(this.#code.join('\n').trimEnd()));
      this.#code = [];
    }
    if (this.#quotes.length > 0) {
      this.#push(quoteBlock(this.#quotes));
      this.#quotes = [];
    }
  }

  #push(block: Block): void {
    if (!isEmpty(block)) this.#blocks.push(block);
  }
}

/** A piece as lines of inline Markdown, for a cell or a note. */
export function storyLines(piece: StoryBlock): string[] {
  switch (piece.kind) {
    case 'gap':
      return [];
    case 'item':
      return [`${piece.marker} ${piece.text}`.trimEnd()];
    case 'code':
      return piece.sure ? piece.text.split('\n').map((line) => codeSpan(line)) : [piece.markdown];
    case 'table':
      return tableLines(piece.once);
    case 'block':
      return markdownOf(piece.block)
        .split('\n')
        .filter((line) => line !== '');
    default:
      return [piece.text];
  }
}

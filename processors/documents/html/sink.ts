// Collects blocks while a document is walked: for the page itself, a list item, a quote, a cell.

import {
  type Block,
  type BlockItem,
  headingBlock,
  isEmpty,
  linesBlock,
  markdownOf,
  paragraphBlock,
  type Run,
  safeLines,
  writeRuns,
} from '../../../src/document/index.ts';

/** The purpose of a sink. */
export type SinkKind = 'flow' | 'list' | 'item' | 'quote' | 'cell' | 'term' | 'definition';

/** Collects runs into paragraphs, and these with other blocks. */
export class Sink {
  readonly kind: SinkKind;
  /** True if everything ends up in one table cell, so that blocks are only lines. */
  readonly inCell: boolean;
  readonly blocks: Block[] = [];
  /** Only for a list. */
  readonly items: BlockItem[] = [];
  runs: Run[] = [];
  /** True if the next run starts a line or follows a space. */
  atSpace = true;
  /** 1 to 6 while the text of a heading is collected. */
  heading = 0;
  /** Precedes the next paragraph: a task's checkbox, a note's label. */
  prefix = '';
  ordered = false;
  counter = 1;
  step = 1;

  constructor(kind: SinkKind, inCell: boolean) {
    this.kind = kind;
    this.inCell = inCell || kind === 'cell';
  }

  /** Ends the current paragraph or heading. */
  flush(): void {
    const { runs } = this;
    this.atSpace = true;
    if (runs.length === 0) return;
    this.runs = [];
    const written = writeRuns(runs, { plain: this.heading > 0 });
    const text = this.prefix === '' ? written : this.prefix + withoutLabel(written, this.prefix);
    if (text.trim() === '') return;
    this.prefix = '';
    if (this.inCell) this.blocks.push(linesBlock(text.trim()));
    else if (this.heading > 0) this.push(headingBlock(this.heading, text));
    else if (this.kind === 'list') this.items.push({ marker: '-', blocks: [paragraphBlock(text)] });
    else this.push(paragraphBlock(text));
  }

  push(block: Block): void {
    if (!isEmpty(block)) this.blocks.push(block);
  }

  /** Adds the blocks of another sink unchanged. */
  adopt(blocks: readonly Block[]): void {
    if (this.kind === 'list') {
      if (blocks.length > 0) this.items.push({ marker: '', blocks });
    } else for (const block of blocks) this.blocks.push(block);
  }

  /** The number or bullet of the next item. */
  nextMarker(value: number | undefined): string {
    if (!this.ordered) return '-';
    if (value !== undefined) this.counter = value;
    const marker = `${this.counter}.`;
    this.counter = Math.max(0, this.counter + this.step);
    return marker;
  }
}

/** Removes a label that repeats the note's own number. */
function withoutLabel(text: string, prefix: string): string {
  const label = /^\[\^([^\]]+)\]: $/.exec(prefix)?.[1];
  const start = label === undefined ? null : /^\s*\\?\[?(\w*)\\?\]?[.):]?\s+/.exec(text);
  return start && (start[1] === label?.replace(/-\d+$/, '') || start[1] === '')
    ? text.slice(start[0].length)
    : text.trimStart();
}

/** The content of a cell, as inline Markdown with line breaks. */
export function cellText(cell: Sink): string {
  return cell.blocks.map((block) => markdownOf(block).trimEnd()).join('\n');
}

/** The paragraphs of a term; other blocks stay. */
export const termBlocks = (term: Sink): Block[] =>
  term.blocks.map((block) =>
    block.kind === 'paragraph' ? { kind: 'term', lines: safeLines(block.text) } : block,
  );

/** Adds a definition under its term; a definition without a term is ordinary text. */
export function addDefinition(parent: Sink, blocks: readonly Block[]): void {
  const [first, ...rest] = blocks;
  const term = parent.blocks.at(-1);
  if (first?.kind === 'paragraph' && term?.kind === 'term' && !parent.inCell) {
    const [line = '', ...more] = safeLines(first.text);
    const lines = [...term.lines, `: ${line}`, ...more.map((each) => `  ${each}`)];
    parent.blocks[parent.blocks.length - 1] = { kind: 'term', lines };
    parent.adopt(rest);
  } else parent.adopt(blocks);
}

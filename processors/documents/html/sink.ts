// Where blocks are gathered while a document is walked: the page itself, a list item, a quote, a cell. Turns the
// gathered into blocks of the parent.

import type { Block } from '../document.ts';
import {
  headingBlock,
  paragraphBlock,
  quoteBlock,
  type Run,
  safeLines,
  writeRuns,
} from '../markdown/index.ts';

/** A finished block, and what it is: that decides whether a blank line must stand before the next. */
export interface FinishedBlock {
  readonly kind: 'text' | 'list' | 'code' | 'quote' | 'table' | 'heading' | 'term';
  readonly text: Block;
}

/** One item of a list. An item without a marker goes on with the one before. */
interface Item {
  readonly marker: string;
  readonly pieces: readonly FinishedBlock[];
}

/** What a gathering place is for. */
export type SinkKind = 'flow' | 'list' | 'item' | 'quote' | 'cell' | 'term' | 'definition';

/** Gathers runs into paragraphs and paragraphs into pieces. */
export class Sink {
  readonly kind: SinkKind;
  /** Everything ends up in one table cell, so blocks are only lines. */
  readonly inCell: boolean;
  readonly pieces: FinishedBlock[] = [];
  /** Only of a list. */
  readonly items: Item[] = [];
  runs: Run[] = [];
  /** Nothing or a space stands before the next run. */
  atSpace = true;
  /** 1 to 6 while the text of a heading is gathered. */
  heading = 0;
  /** Stands before the next paragraph: a task's box, a note's label. */
  prefix = '';
  ordered = false;
  counter = 1;
  step = 1;

  constructor(kind: SinkKind, inCell: boolean) {
    this.kind = kind;
    this.inCell = inCell || kind === 'cell';
  }

  /** Ends the paragraph or heading that is being gathered. */
  flush(): void {
    const { runs } = this;
    this.atSpace = true;
    if (runs.length === 0) return;
    this.runs = [];
    const written = writeRuns(runs, { plain: this.heading > 0 });
    const text = this.prefix === '' ? written : this.prefix + withoutLabel(written, this.prefix);
    if (text.trim() === '') return;
    this.prefix = '';
    if (this.inCell) this.pieces.push({ kind: 'text', text: `${text.trim()}\n` });
    else if (this.heading > 0) this.push('heading', headingBlock(this.heading, text));
    else if (this.kind === 'list')
      this.items.push({ marker: '-', pieces: [{ kind: 'text', text: paragraphBlock(text) }] });
    else this.push('text', paragraphBlock(text));
  }

  push(kind: FinishedBlock['kind'], text: Block): void {
    if (text !== '') this.pieces.push({ kind, text });
  }

  /** Takes over what another has gathered, as it is. */
  adopt(pieces: readonly FinishedBlock[]): void {
    if (this.kind === 'list') {
      if (pieces.length > 0) this.items.push({ marker: '', pieces });
    } else for (const piece of pieces) this.pieces.push(piece);
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

/** A note that starts with its own number has it twice. */
function withoutLabel(text: string, prefix: string): string {
  const label = /^\[\^([^\]]+)\]: $/.exec(prefix)?.[1];
  const start = label === undefined ? null : /^\s*\\?\[?(\w*)\\?\]?[.):]?\s+/.exec(text);
  return start && (start[1] === label || start[1] === '') ? text.slice(start[0].length) : text.trimStart();
}

/** A list as pieces: one, unless an item holds blocks that need a blank line before them. */
export function listPieces(list: Sink): FinishedBlock[] {
  const out: FinishedBlock[] = [];
  let lines: string[] = [];
  let indent = '';
  const end = (): void => {
    if (lines.length > 0) out.push({ kind: 'list', text: lines.join('') });
    lines = [];
  };
  for (const { marker, pieces } of list.items) {
    let own = marker;
    if (pieces[0]?.kind === 'list' || marker === '') own = '';
    else indent = ' '.repeat(marker.length > 4 ? 4 : marker.length + 1);
    let before: FinishedBlock['kind'] | undefined;
    for (const { kind, text } of pieces) {
      if (before !== undefined && !isTight(before, kind)) end();
      for (const line of text.slice(0, -1).split('\n')) {
        if (own !== '') lines.push(`${own} ${line}\n`);
        else lines.push(line === '' ? '\n' : `${indent}${line}\n`);
        own = '';
      }
      before = kind;
    }
  }
  end();
  return out;
}

/** Whether `kind` may follow `before` without a blank line and still be read as what it is. */
function isTight(before: FinishedBlock['kind'], kind: FinishedBlock['kind']): boolean {
  if (kind === 'list' || kind === 'code')
    return before === 'text' || before === 'list' || before === 'heading';
  return kind === 'quote' && before === 'text';
}

/** What a quote holds, as one piece. */
export function quotePiece(quote: Sink): FinishedBlock {
  return { kind: 'quote', text: quoteBlock(quote.pieces.map((piece) => piece.text)) };
}

/** What a cell holds, as inline Markdown with line breaks. */
export function cellText(cell: Sink): string {
  return cell.pieces.map((piece) => piece.text.trimEnd()).join('\n');
}

/** Adds a definition under its term; a definition without a term is text like any other. */
export function addDefinition(parent: Sink, pieces: readonly FinishedBlock[]): void {
  const [first, ...rest] = pieces;
  const term = parent.pieces.at(-1);
  if (first?.kind === 'text' && term?.kind === 'term' && !parent.inCell) {
    const lines = safeLines(first.text);
    parent.pieces[parent.pieces.length - 1] = { kind: 'term', text: `${term.text}: ${lines.join('\n  ')}\n` };
    parent.adopt(rest);
  } else parent.adopt(pieces);
}

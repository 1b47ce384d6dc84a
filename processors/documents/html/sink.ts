// Collects blocks while a document is walked: for the page itself, a list item, a quote, a cell. Converts the result to
// blocks of the parent.

import type { Block } from '../document.ts';
import {
  headingBlock,
  paragraphBlock,
  quoteBlock,
  type Run,
  safeLines,
  writeRuns,
} from '../markdown/index.ts';

/** A finished block and its kind, which decides whether a blank line must precede the next one. */
export interface FinishedBlock {
  readonly kind: 'text' | 'list' | 'code' | 'quote' | 'table' | 'heading' | 'term';
  readonly text: Block;
}

/** One list item. An item without a marker continues the previous one. */
interface Item {
  readonly marker: string;
  readonly pieces: readonly FinishedBlock[];
}

/** The purpose of a sink. */
export type SinkKind = 'flow' | 'list' | 'item' | 'quote' | 'cell' | 'term' | 'definition';

/** Collects runs into paragraphs and paragraphs into pieces. */
export class Sink {
  readonly kind: SinkKind;
  /** True if everything ends up in one table cell, so that blocks are only lines. */
  readonly inCell: boolean;
  readonly pieces: FinishedBlock[] = [];
  /** Only for a list. */
  readonly items: Item[] = [];
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
    if (this.inCell) this.pieces.push({ kind: 'text', text: `${text.trim()}\n` });
    else if (this.heading > 0) this.push('heading', headingBlock(this.heading, text));
    else if (this.kind === 'list')
      this.items.push({ marker: '-', pieces: [{ kind: 'text', text: paragraphBlock(text) }] });
    else this.push('text', paragraphBlock(text));
  }

  push(kind: FinishedBlock['kind'], text: Block): void {
    if (text !== '') this.pieces.push({ kind, text });
  }

  /** Adds the pieces of another sink unchanged. */
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

/** Removes a label that repeats the note's own number. */
function withoutLabel(text: string, prefix: string): string {
  const label = /^\[\^([^\]]+)\]: $/.exec(prefix)?.[1];
  const start = label === undefined ? null : /^\s*\\?\[?(\w*)\\?\]?[.):]?\s+/.exec(text);
  return start && (start[1] === label?.replace(/-\d+$/, '') || start[1] === '')
    ? text.slice(start[0].length)
    : text.trimStart();
}

/** A list as pieces: one, unless an item contains blocks that need a blank line before them. */
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

/** True if `kind` may follow `before` without a blank line and keep its meaning. */
function isTight(before: FinishedBlock['kind'], kind: FinishedBlock['kind']): boolean {
  if (kind === 'list' || kind === 'code')
    return before === 'text' || before === 'list' || before === 'heading';
  return kind === 'quote' && before === 'text';
}

/** The content of a quote, as one piece. */
export function quotePiece(quote: Sink): FinishedBlock {
  return { kind: 'quote', text: quoteBlock(quote.pieces.map((piece) => piece.text)) };
}

/** The content of a cell, as inline Markdown with line breaks. */
export function cellText(cell: Sink): string {
  return cell.pieces.map((piece) => piece.text.trimEnd()).join('\n');
}

/** Adds a definition under its term; a definition without a term is ordinary text. */
export function addDefinition(parent: Sink, pieces: readonly FinishedBlock[]): void {
  const [first, ...rest] = pieces;
  const term = parent.pieces.at(-1);
  if (first?.kind === 'text' && term?.kind === 'term' && !parent.inCell) {
    const lines = safeLines(first.text);
    parent.pieces[parent.pieces.length - 1] = { kind: 'term', text: `${term.text}: ${lines.join('\n  ')}\n` };
    parent.adopt(rest);
  } else parent.adopt(pieces);
}

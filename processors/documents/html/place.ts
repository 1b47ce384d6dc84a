// Where the text of a page goes while it is walked: the page itself, a quote, a cell, a term, a list, an item. Collects
// runs into paragraphs and passes these to a writer of blocks.

import {
  type Block,
  BlockWriter,
  headingBlock,
  isEmpty,
  linesBlock,
  paragraphBlock,
  plainText,
  type Run,
  writeRuns,
} from '../../../src/document/index.ts';

/** A list and its items share the writer of the place around them. */
export type PlaceKind = 'flow' | 'list' | 'item';

/** The number of the next item of a list, and what is added for the one after it. */
export interface Numbers {
  next: number;
  readonly step: number;
}

export class Place {
  readonly kind: PlaceKind;
  /** True if everything ends up in one table cell, so that blocks are only lines. */
  readonly inCell: boolean;
  readonly writer: BlockWriter;
  /** The list around an item, the item around a list. */
  readonly #outer: Place | undefined;
  /** Of a list and its items, from 0. */
  readonly #level: number;
  /** Of an item until its first block is written. */
  #marker: string;
  runs: Run[] = [];
  /** True if the next run starts a line or follows a space. */
  atSpace = true;
  /** 1 to 6 while the text of a heading is collected. */
  heading = 0;
  /** Precedes the next paragraph: a task's checkbox, a note's label. */
  prefix = '';
  /** Undefined for a list of bullets. */
  numbers: Numbers | undefined;
  /** The lines of the term that was added last, for its definitions. */
  #term: string[] | undefined;

  constructor(kind: PlaceKind, around: Place | undefined, inCell = false, marker = '') {
    this.kind = kind;
    this.inCell = inCell || around?.inCell === true;
    this.#outer = kind === 'flow' || around?.kind === 'flow' ? undefined : around;
    this.writer = kind === 'flow' || !around ? new BlockWriter() : around.writer;
    this.#level = this.#outer ? this.#outer.#level + (kind === 'list' ? 1 : 0) : 0;
    this.#marker = marker;
  }

  /** True in an item of which nothing is written yet. */
  get startsItem(): boolean {
    return this.#marker !== '' && this.runs.length === 0;
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
    // Text between the items of a list is an item.
    if (this.kind === 'list' && this.heading === 0) this.#marker = '-';
    if (this.inCell) this.add(linesBlock(text.trim()));
    else this.add(this.heading > 0 ? headingBlock(this.heading, text) : paragraphBlock(text));
  }

  add(block: Block): void {
    if (isEmpty(block)) return;
    this.#term = undefined;
    if (this.kind === 'flow') this.writer.add(block);
    else this.writer.inItem(this.#level, this.#marker, block);
    // An item that starts with a list has no marker of its own.
    for (let at: Place | undefined = this; at; at = at.#outer) at.#marker = '';
  }

  /** Adds lines of a term; definitions may follow. */
  addTerm(lines: readonly string[]): void {
    const own = [...lines];
    this.add({ kind: 'term', lines: own });
    this.#term = own;
  }

  /** Adds lines to the term that was added last; false without one. */
  define([first = '', ...more]: readonly string[]): boolean {
    this.#term?.push(`: ${first}`, ...more.map((line) => `  ${line}`));
    return this.#term !== undefined;
  }

  /** The number or bullet of the next item. */
  nextMarker(value: number | undefined): string {
    const { numbers } = this;
    if (!numbers) return '-';
    const number = value ?? numbers.next;
    numbers.next = Math.max(0, number + numbers.step);
    return `${number}.`;
  }

  /** Ends the text, and the outermost list. */
  end(): void {
    this.flush();
    if (this.kind === 'list' && !this.#outer) this.writer.end();
  }
}

/** Removes a label that repeats the note's own number. */
function withoutLabel(text: string, prefix: string): string {
  const label = /^\[\^([^\]]+)\]: $/.exec(plainText(prefix))?.[1];
  const start = label === undefined ? null : /^\s*\[?(\w*)\]?[.):]?\s+/.exec(text);
  return start && (start[1] === label?.replace(/-\d+$/, '') || start[1] === '')
    ? text.slice(start[0].length)
    : text.trimStart();
}

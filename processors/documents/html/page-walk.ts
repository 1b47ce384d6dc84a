// The state of a walk over a page, for the code that reads its elements.

import { type GridCell, GridRoom } from '../../../src/document/index.ts';
import type { HtmlNode } from './node.ts';
import { type Notes, notesOf, type PageOfMany } from './notes.ts';
import { type Flag, PageWriter } from './page-writer.ts';
import type { Survey } from './survey.ts';

/** Options for pictures and links. */
export interface WalkOptions {
  readonly signal: AbortSignal;
  /** The name to show for a picture's address, `''` for none. */
  readonly picture?: (address: string) => string;
  /** The target to show for a link's address, `''` for none. */
  readonly link?: (address: string) => string;
  readonly page?: PageOfMany;
}

/** Deeper lists and quotes are written at this depth. */
const MAX_NESTING = 12;

interface OpenTable {
  readonly rows: GridCell[][];
  /** Undefined in a layout table. */
  row: GridCell[] | undefined;
}

/** Reads the start of an element; true if its children are to be read. */
export type Enter = (node: HtmlNode, walk: PageWalk) => boolean;

export class PageWalk {
  readonly survey: Survey;
  readonly options: WalkOptions;
  readonly notes: Notes;
  readonly out: PageWriter = new PageWriter();
  readonly tables: OpenTable[] = [];
  /** Of all tables of the page. */
  readonly room: GridRoom = new GridRoom();
  /** Abbreviations whose meaning is written. */
  readonly explained: Set<string> = new Set();
  /** To run when an element is left, innermost last. */
  readonly #closers: { readonly node: HtmlNode; readonly close: () => void }[] = [];
  #nesting = 0;

  constructor(survey: Survey, options: WalkOptions) {
    this.survey = survey;
    this.options = options;
    this.notes = notesOf(survey, options.page);
  }

  /** Runs `close` when `node` is left. Always true: its children are to be read. */
  after(node: HtmlNode, close: () => void): true {
    this.#closers.push({ node, close });
    return true;
  }

  /** Content that starts and ends a line. */
  apart(node: HtmlNode): true {
    this.out.break();
    return this.after(node, () => this.out.break());
  }

  style(node: HtmlNode, flag: Flag): true {
    const { flags } = this.out;
    flags[flag] += 1;
    return this.after(node, () => {
      flags[flag] -= 1;
    });
  }

  /** A list or a quote: opened at once and closed after `node`, but a line of its own at the deepest level. */
  nest(node: HtmlNode, open: () => void, close: () => void): true {
    this.out.break();
    if (this.#nesting >= MAX_NESTING) return this.after(node, () => this.out.break());
    this.#nesting += 1;
    open();
    return this.after(node, () => {
      this.#nesting -= 1;
      close();
    });
  }

  leave(node: HtmlNode): void {
    while (this.#closers.at(-1)?.node === node) this.#closers.pop()?.close();
  }
}

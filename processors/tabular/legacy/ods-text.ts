// The text of paragraphs in an OpenDocument spreadsheet: of a cell, a comment, a text box, or a page header.

import type { XmlWalk } from '../../../src/package/index.ts';

/** More than a cell may hold. */
const MAX_TEXT = 1_000_000;
const MAX_ADDRESSES = 100;
/** Fields of page headers, by the element that stands for them. */
const FIELDS: Readonly<Record<string, string>> = {
  'page-number': '[page]',
  'page-count': '[pages]',
  'sheet-name': '[sheet]',
  'file-name': '[file]',
  date: '[date]',
  time: '[time]',
};

/** Gathers paragraphs, a line for each. Feed it the steps inside the element. */
export class OdsText {
  /** True if there was a paragraph, even an empty one. */
  hasParagraph = false;
  readonly #addresses = new Set<string>();
  readonly #withFields: boolean;
  #text = '';
  #paragraphs = 0;
  #field = 0;

  /** @param withFields names fields in place of the value they had when the file was saved */
  constructor(withFields = false) {
    this.#withFields = withFields;
  }

  step(walk: XmlWalk): void {
    if (walk.kind === 'text') {
      if (this.#paragraphs > 0 && this.#field === 0) this.#add(walk.text.replace(/[ \t\r\n]+/g, ' '));
      return;
    }
    const opens = walk.kind === 'open';
    if (walk.name === 'p' || walk.name === 'h') {
      if (opens) {
        if (this.hasParagraph) this.#add('\n');
        this.hasParagraph = true;
        if (!walk.empty) this.#paragraphs++;
      } else this.#paragraphs = Math.max(0, this.#paragraphs - 1);
      return;
    }
    const field = this.#withFields ? FIELDS[walk.name] : undefined;
    if (field !== undefined) {
      if (opens) this.#add(field);
      if (!walk.empty) this.#field = Math.max(0, this.#field + (opens ? 1 : -1));
    }
    if (!opens || this.#paragraphs === 0) return;
    if (walk.name === 's') this.#add(' '.repeat(Math.min(1000, Number(walk.attribute('c') ?? 1) || 1)));
    else if (walk.name === 'tab') this.#add('\t');
    else if (walk.name === 'line-break') this.#add('\n');
    else if (walk.name === 'a') {
      const href = walk.attribute('href') ?? '';
      if (href !== '') this.#addresses.add(this.#addresses.size < MAX_ADDRESSES ? href : '…');
    }
  }

  /** What the text links to; several addresses are apart by spaces. */
  get address(): string {
    return [...this.#addresses].join(' ');
  }

  /** The text so far; starts anew. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    this.#paragraphs = 0;
    this.#field = 0;
    this.hasParagraph = false;
    this.#addresses.clear();
    return text;
  }

  #add(text: string): void {
    if (this.#text.length < MAX_TEXT) this.#text += text;
  }
}

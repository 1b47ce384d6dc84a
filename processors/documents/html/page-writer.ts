// The output state of a page walk: the open places, the current text style, and how text and line breaks are added to a
// paragraph. Independent of elements.

import { type Block, cleanText, type Run } from '../../../src/document/index.ts';
import { type Numbers, Place } from './place.ts';

/** A style that elements enable for their content. */
export type Flag = 'bold' | 'italic' | 'strike' | 'code' | 'superscript' | 'subscript';

/** Accepts text and blocks in document order. */
export class PageWriter {
  /** Number of open elements that enable each style. */
  readonly flags: Record<Flag, number> = {
    bold: 0,
    italic: 0,
    strike: 0,
    code: 0,
    superscript: 0,
    subscript: 0,
  };
  /** Target of the open link. */
  href: string | undefined;
  /** Number of open elements that preserve line breaks. */
  preserved = 0;
  readonly #places: Place[] = [];
  /** The innermost open place. */
  place: Place = new Place('flow', undefined);

  /** Opens a place of its own for a quote, a cell, a term. */
  open(inCell = false): Place {
    return this.#enter(new Place('flow', this.place, inCell));
  }

  /** True outside of quotes, cells, terms and lists. */
  get isOutermost(): boolean {
    return this.#places.length === 0;
  }

  openList(numbers: Numbers | undefined): void {
    this.#enter(new Place('list', this.place)).numbers = numbers;
  }

  openItem(marker: string): void {
    this.#enter(new Place('item', this.place, false, marker));
  }

  #enter(place: Place): Place {
    this.#places.push(this.place);
    this.place = place;
    return place;
  }

  /** Closes the innermost place; the blocks of one of its own. */
  close(): Block[] {
    const { place } = this;
    place.end();
    this.place = this.#places.pop() ?? place;
    return place.kind === 'flow' ? place.writer.take() : [];
  }

  /** Adds a line break; a space inside a heading, which is a single line. */
  break(): void {
    const { place } = this;
    if (place.heading > 0) this.space();
    else place.flush();
  }

  block(block: Block): void {
    this.place.flush();
    this.place.add(block);
  }

  space(): void {
    const { place } = this;
    if (place.atSpace || place.runs.length === 0) return;
    place.runs.push(this.#run(' '));
    place.atSpace = true;
  }

  lineBreak(): void {
    const { place } = this;
    if (place.heading > 0) {
      this.space();
      return;
    }
    // Two breaks in a row end a paragraph in mail and old pages.
    if (place.runs.at(-1)?.text === '\n') {
      place.runs.pop();
      place.flush();
    } else if (place.runs.length > 0) {
      place.runs.push({ ...this.#run('\n'), code: false });
      place.atSpace = true;
    }
  }

  text(given: string): void {
    if (this.preserved > 0 && given.includes('\n')) {
      this.#preservedText(given);
      return;
    }
    const { place } = this;
    let text = given.replace(/[ \t\n\r\f\u00a0]+/g, ' ');
    if (place.atSpace && text.startsWith(' ')) text = text.slice(1);
    if (text === '') return;
    place.atSpace = text.endsWith(' ');
    if (/[\u00ad\u200b\ufeff]/.test(text)) text = text.replace(/[\u00ad\u200b\ufeff]/g, '');
    if (text !== '') place.runs.push(this.#run(text));
  }

  #preservedText(given: string): void {
    const lines = given.replace(/\r\n?/g, '\n').split('\n');
    for (const [at, line] of lines.entries()) {
      if (at > 0) this.lineBreak();
      const text = cleanText(line).replaceAll('\u00a0', ' ').trimEnd();
      if (text === '') continue;
      this.place.runs.push(this.#run(text));
      this.place.atSpace = false;
    }
  }

  /** Adds inline content unchanged, inside the open link. */
  raw(text: string): void {
    if (text === '') return;
    const { place } = this;
    place.runs.push({ text, raw: true, ...(this.href !== undefined && { href: this.href }) });
    place.atSpace = false;
  }

  #run(text: string): Run {
    const flags = this.flags;
    return {
      text,
      ...(flags.bold > 0 && this.place.heading === 0 && { bold: true }),
      ...(flags.italic > 0 && { italic: true }),
      ...(flags.strike > 0 && { strike: true }),
      ...(flags.code > 0 && { code: true }),
      ...(flags.superscript > 0 && { superscript: true }),
      ...(flags.subscript > 0 && { subscript: true }),
      ...(this.href !== undefined && { href: this.href }),
    };
  }
}

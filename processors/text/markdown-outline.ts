// Markdown headings with their lines, plus tables and the last paragraph. Applies CommonMark's block rules where they
// affect headings: fenced code, comments and front matter contain none.

import type { OutlineLine, ProcessContext, Source } from '../../src/contract/index.ts';
import { shortened } from './shortened.ts';
import { lineStarts, MAX_SCANNED } from './text-lines.ts';

const ATX = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/;
/** The optional closing sequence of such a heading. */
const CLOSING = /(?<![ \t])[ \t]+#+$/;
const SETEXT = /^ {0,3}(=+|-+)[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** The delimiter row of a table. */
const TABLE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+(?:\|[ \t]*)?$/;
/** Start of a line that is not a paragraph: a block mark, indented code, a list, HTML. */
const NO_PARAGRAPH = /^(?: {4}|\t| {0,3}(?:[>|<]|[-*+][ \t]|\d{1,9}[.)][ \t]))/;
const MAX_PARAGRAPH_LINES = 3;
/** Paragraphs to look back through for one longer than a caption or footer. */
const MAX_PARAGRAPHS = 20;
const LEAST_WORDS = 6;

interface Paragraph {
  /** Number of its first line. */
  readonly number: number;
  readonly lines: string[];
}

/** Reads the lines of a Markdown text in order. */
export class Headings {
  tables = 0;
  /** The start of each of the last paragraphs. */
  readonly #paragraphs: Paragraph[] = [];
  #number = 0;
  #fence: string | undefined;
  #comment = false;
  #matter = false;
  /** The start of the open paragraph, if any. */
  #open: Paragraph | undefined;

  add(line: string): OutlineLine | undefined {
    this.#number += 1;
    if (this.#number === 1 && /^---[ \t]*$/.test(line)) {
      this.#matter = true;
      return undefined;
    }
    if (this.#isInside(line)) return undefined;
    const atx = ATX.exec(line);
    if (atx) {
      this.#open = undefined;
      return this.#heading(this.#number, atx[1]?.length ?? 1, (atx[2] ?? '').trim().replace(CLOSING, ''));
    }
    const open = this.#open;
    const under = open ? SETEXT.exec(line) : undefined;
    if (open && under) {
      this.#open = undefined;
      this.#paragraphs.pop();
      return this.#heading(open.number, under[1]?.startsWith('=') ? 1 : 2, open.lines.join(' '));
    }
    if (TABLE.test(line)) this.tables += 1;
    this.#read(line);
    return undefined;
  }

  /** The last paragraph with substance. */
  get last(): Paragraph | undefined {
    return this.#paragraphs.findLast(({ lines }) => lines.join(' ').split(/\s+/).length >= LEAST_WORDS);
  }

  #isInside(line: string): boolean {
    if (this.#matter) {
      if (/^(?:---|\.\.\.)[ \t]*$/.test(line)) this.#matter = false;
      return true;
    }
    const mark = FENCE.exec(line)?.[1];
    if (this.#fence !== undefined) {
      const closes = mark?.startsWith(this.#fence) && line.trim() === mark;
      if (closes) this.#fence = undefined;
      return true;
    }
    if (mark !== undefined && !this.#comment) {
      this.#fence = mark;
      this.#open = undefined;
      return true;
    }
    if (!this.#comment && /^ {0,3}<!--/.test(line)) {
      this.#comment = true;
      this.#open = undefined;
    }
    if (!this.#comment) return false;
    if (line.includes('-->')) this.#comment = false;
    return true;
  }

  #read(line: string): void {
    const text = line.trim();
    if (text === '') this.#open = undefined;
    else if (this.#open) {
      if (this.#open.lines.length < MAX_PARAGRAPH_LINES) this.#open.lines.push(text);
    } else if (!NO_PARAGRAPH.test(line)) {
      this.#open = { number: this.#number, lines: [text] };
      this.#paragraphs.push(this.#open);
      if (this.#paragraphs.length > MAX_PARAGRAPHS) this.#paragraphs.shift();
    }
  }

  #heading(number: number, level: number, text: string): OutlineLine {
    const title = text.trim();
    return {
      level,
      text: `${number}: ${shortened(`${'#'.repeat(level)} ${title}`)}`,
      names: { title, from: number, to: this.#number, isHeading: true },
    };
  }
}

/** Tables and the last paragraph as facts, then the headings. */
export async function* markdownOutline(source: Source, context: ProcessContext): AsyncGenerator<OutlineLine> {
  const text = await context.text(source);
  const { brief } = context.selection;
  if (brief && text.size > MAX_SCANNED) return;
  const headings = new Headings();
  const found: OutlineLine[] = [];
  for await (const lines of lineStarts(text, context))
    for (const line of lines) {
      const heading = headings.add(line);
      if (!heading) continue;
      if (brief) found.push(heading);
      else yield heading;
    }
  if (!brief) return;
  const { tables, last } = headings;
  if (tables > 0) yield { level: 0, text: `Tables: ${tables}` };
  if (last)
    yield { level: 0, text: `Last paragraph, line ${last.number}: ${shortened(last.lines.join(' '))}` };
  yield* found;
}

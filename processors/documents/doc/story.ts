// Reads one story of a Word file (body, header, note) into pieces: paragraphs with their style and list, and tables from
// the ends of cells and rows.

import type { Gathered } from '../docx/inline.ts';
import type { Counting, Label } from '../docx/numbering.ts';
import { type ParagraphKind, paragraphPieces } from '../docx/paragraph.ts';
import type { ParagraphLook } from '../docx/styles.ts';
import type { Piece } from '../piece.ts';
import { InlineReader } from './inline.ts';
import type { ParagraphFormat } from './paragraph-format.ts';
import { readRow } from './row.ts';
import { type Held, TableBuilder } from './table.ts';
import type { WordText } from './word-text.ts';

/** Ends of a paragraph, of a cell, and a page break or the end of a section. */
const PARAGRAPH = '\r';
const CELL = '\u0007';
const BREAK = '\f';
const MAX_TABLE_DEPTH = 16;
const MAX_BOX_DEPTH = 8;
/** Longer paragraphs are split, so that merged ones do not grow without limit. */
const MAX_MERGED_RUNS = 200_000;

/** The blocks of one story, in order. */
export class Story {
  readonly #text: WordText;
  readonly #inline: InlineReader;
  readonly #counting: Counting;
  readonly #whitePage: boolean;
  #tables: TableBuilder[] = [];
  #merged: Gathered | undefined;
  #boxes = 0;

  /** `whitePage` is true if paragraphs have a white background. */
  constructor(text: WordText, whitePage: boolean) {
    this.#text = text;
    this.#whitePage = whitePage;
    this.#counting = text.counting();
    this.#inline = new InlineReader(text, (from, to) => this.#box(from, to));
  }

  /** The pieces between two positions; an `undefined` between them is a place to pause. */
  *pieces(from: number, to: number): Generator<Piece | undefined, void, undefined> {
    const { text } = this.#text.pieces;
    const end = Math.min(to, text.length);
    for (let at = from; at < end; ) {
      let last = at;
      // A page break inside a paragraph does not end it.
      while (last < end && !isEnd(text[last], () => this.#text.endsSection(last))) last += 1;
      yield* this.#paragraph(at, last, end);
      yield undefined;
      at = last + 1;
    }
    if (this.#merged) yield* this.#finished(this.#merged);
    yield* this.#closeTables(0);
    this.#inline.fields.endParagraph();
  }

  /** The paragraph whose end mark is at `last`, or whose mark is missing. */
  *#paragraph(from: number, last: number, end: number): Generator<Piece, void, undefined> {
    const place = Math.min(last, end - 1);
    const format = this.#text.paragraphAt(place);
    const depth = depthOf(format, this.#text.pieces.text[last] === CELL);
    yield* this.#closeTables(depth);
    while (this.#tables.length < depth) this.#tables.push(new TableBuilder(this.#text.left));
    const table = this.#tables.at(-1);
    const number = format.style ?? 0;
    const style = this.#text.styles.paragraph(number);
    const mark = this.#inline.format(place, number, style);
    const isCell = depth > 0 && (depth === 1 ? this.#text.pieces.text[last] === CELL : format.innerCell);
    if (table && (format.rowEnd || format.innerRowEnd)) {
      const isKept = !mark.deleted || this.#text.changes === 'mark';
      if (!isKept) this.#text.left.delete();
      format.cells ??= readRow(format.row);
      table.endRow(format.cells, isKept);
      return;
    }
    const gathered = this.#merged ?? { runs: [], beside: [], letters: 0, monospaced: 0 };
    this.#merged = undefined;
    const isWhite = this.#whitePage && depth === 0 && this.#boxes === 0 && !(format.shaded ?? style.shaded);
    this.#inline.read(from, last, { number, style, isWhite }, gathered);
    const joins = format.dropCap || (mark.separator && mark.look.hidden) || this.#isDeletedMark(mark.deleted);
    if (joins && !isCell && gathered.runs.length < MAX_MERGED_RUNS) {
      this.#merged = gathered;
      return;
    }
    this.#inline.fields.endParagraph();
    const heading = headingOf(format, style);
    const kind = { style, heading, label: this.#label(format, style) };
    yield* this.#written({ gathered, kind });
    if (isCell) table?.endCell();
  }

  #isDeletedMark(isDeleted: boolean): boolean {
    return isDeleted && this.#text.changes === 'accept';
  }

  *#written(held: {
    readonly gathered: Gathered;
    readonly kind: Omit<ParagraphKind, 'plain'>;
  }): Generator<Piece, void, undefined> {
    const table = this.#tables.at(-1);
    if (table) table.add(held);
    else yield* paragraphPieces(held.gathered, { ...held.kind, plain: false });
  }

  /** What is left of a merged paragraph at the end of the story. */
  *#finished(gathered: Gathered): Generator<Piece, void, undefined> {
    this.#merged = undefined;
    const style = this.#text.styles.paragraph(0);
    yield* this.#written({ gathered, kind: { style, heading: 0, label: undefined } });
  }

  /** Closes the tables deeper than `depth`: an inner one becomes a piece of the cell around it. */
  *#closeTables(depth: number): Generator<Piece, void, undefined> {
    while (this.#tables.length > depth) {
      const table = this.#tables.pop();
      const outer = this.#tables.at(-1);
      for (const piece of table?.finish() ?? []) {
        const held: Held = { piece };
        if (outer) outer.add(held);
        else yield piece;
      }
    }
  }

  #label(format: ParagraphFormat, style: ParagraphLook): Label | undefined {
    const list = format.list === undefined ? style.numId : String(format.list);
    if (list === '0') return undefined;
    const level = format.level === undefined ? style.listLevel : String(format.level);
    const label = list === undefined ? undefined : this.#counting.next(list, level, undefined);
    if (label) return label;
    if (list === undefined && (style.kind === 'bullet' || style.kind === 'numbered'))
      return { level: style.level, text: '', bullet: true, list: style.kind };
    return undefined;
  }

  /** The text of a box, with its own tables and merged paragraphs. */
  #box(from: number, to: number): Piece[] {
    if (this.#boxes >= MAX_BOX_DEPTH) return [];
    const tables = this.#tables;
    const merged = this.#merged;
    this.#tables = [];
    this.#merged = undefined;
    this.#boxes += 1;
    const pieces: Piece[] = [];
    for (const piece of this.pieces(from, to)) if (piece) pieces.push(piece);
    this.#boxes -= 1;
    this.#tables = tables;
    this.#merged = merged;
    return pieces;
  }
}

function isEnd(character: string | undefined, endsSection: () => boolean): boolean {
  return character === PARAGRAPH || character === CELL || (character === BREAK && endsSection());
}

function depthOf(format: ParagraphFormat, isCell: boolean): number {
  if (!format.inTable && format.depth === 0 && !isCell) return 0;
  return Math.min(MAX_TABLE_DEPTH, Math.max(1, format.depth));
}

function headingOf(format: ParagraphFormat, style: ParagraphLook): number {
  const { outline } = format;
  if (outline === undefined) return style.heading;
  return outline < 9 ? outline + 1 : 0;
}

// The content of a paragraph in a Word file: text in one look, fields, links, notes, pictures, and boxes anchored in it.
// Characters below a space stand for something else ([MS-DOC] 2.4.1).

import { imageMark, noteMark, verbatim } from '../../../src/document/index.ts';
import { Fields } from '../docx/field.ts';
import { countLetters, type Gathered, shownText, styledRun } from '../docx/inline.ts';
import type { ParagraphLook, RunLook } from '../docx/styles.ts';
import { symbolChar } from '../ooxml/symbol.ts';
import type { Piece } from '../piece.ts';
import { type CharacterFormat, characterFormat, NO_FORMAT } from './character.ts';
import type { TextPiece } from './piece-table.ts';
import { placeIn, type WordText } from './word-text.ts';

/** The paragraph being read. */
export interface ParagraphContext {
  /** Number of its style. */
  readonly number: number;
  readonly style: ParagraphLook;
  /** True if white text is invisible here. */
  readonly isWhite: boolean;
}

/** Characters with a meaning of their own, and the one that stands for a symbol. */
const SIGNS = /[(\p{Cc}]/gu;
const MAX_KNOWN = 20_000;
/** Fast saves change characters in a few ways. */
const MAX_CHANGES = 1024;

/** Collects the content of a story's paragraphs, in order. */
export class InlineReader {
  readonly fields: Fields = new Fields();
  readonly #text: WordText;
  readonly #box: (from: number, to: number) => Piece[];
  /** By the changes of a piece, then by style and run. */
  readonly #known = new Map<Buffer, Map<string, CharacterFormat>>();
  #knownCount = 0;
  /** The tracked change whose text is being marked. */
  #change: 'none' | 'inserted' | 'deleted' = 'none';

  /** `box` reads the blocks of a text box. */
  constructor(text: WordText, box: (from: number, to: number) => Piece[]) {
    this.#text = text;
    this.#box = box;
  }

  /** Adds the content between two positions to `into`. */
  read(from: number, to: number, context: ParagraphContext, into: Gathered): void {
    const { pieces, characters, remarks } = this.#text;
    this.#change = 'none';
    for (let at = from; at < to; ) {
      const piece = pieces.at(at);
      if (!piece) break;
      const place = placeIn(piece, at);
      const run = characters.at(place);
      const length = Math.max(1, Math.ceil((run.end - place) / piece.width));
      let end = Math.min(to, piece.to, at + length);
      const custom = remarks.customFrom(at);
      const isReference = custom !== undefined && custom < end;
      if (isReference) end = custom + 1;
      const format = this.#format(run.id, run.modifiers, piece, context.number, context.style);
      this.#span(at, end, format, context, into);
      if (isReference && !format.deleted) this.#raw(noteMark(remarks.refer(custom)), into);
      at = end;
    }
    this.#mark('none', into);
  }

  /** The formatting of the character at `position`. */
  format(position: number, number: number, style: ParagraphLook): CharacterFormat {
    const piece = this.#text.pieces.at(position);
    const run = piece && this.#text.characters.at(placeIn(piece, position));
    return piece && run ? this.#format(run.id, run.modifiers, piece, number, style) : NO_FORMAT;
  }

  #format(
    id: number,
    modifiers: Buffer,
    piece: TextPiece,
    number: number,
    style: ParagraphLook,
  ): CharacterFormat {
    const { changes } = piece;
    const key = `${number} ${id}`;
    const known = this.#known.get(changes)?.get(key);
    if (known) return known;
    const { styles, fonts } = this.#text;
    // Bold and italic of a whole paragraph are its style, not emphasis.
    const { bold: _bold, italic: _italic, vertical: _vertical, ...base } = style.look;
    const format = characterFormat([modifiers, changes.subarray(0, MAX_CHANGES)], base, {
      style: styles.full(number),
      character: (one) => styles.character(one),
      fonts,
    });
    if (this.#knownCount >= MAX_KNOWN) {
      this.#known.clear();
      this.#knownCount = 0;
    }
    const formats = this.#known.get(changes) ?? new Map<string, CharacterFormat>();
    formats.set(key, format);
    this.#known.set(changes, formats);
    this.#knownCount += 1;
    return format;
  }

  #span(from: number, to: number, format: CharacterFormat, context: ParagraphContext, into: Gathered): void {
    const { text } = this.#text.pieces;
    const isMarked = this.#text.changes === 'mark';
    if (format.deleted && !isMarked) {
      if (this.#change !== 'deleted') this.#text.left.delete();
      this.#change = 'deleted';
      return;
    }
    this.#mark(format.deleted ? 'deleted' : format.inserted ? 'inserted' : 'none', into);
    let at = from;
    SIGNS.lastIndex = from;
    for (let match = SIGNS.exec(text); match && match.index < to; match = SIGNS.exec(text)) {
      const sign = match.index;
      if (text[sign] === '\t' || (text[sign] === '(' && !format.symbol)) continue;
      this.#push(text.slice(at, sign), format, context, into);
      this.#sign(text.charCodeAt(sign), sign, format, context, into);
      at = sign + 1;
      // Reading a box moves the position of the search.
      SIGNS.lastIndex = at;
    }
    this.#push(text.slice(at, to), format, context, into);
  }

  #sign(
    code: number,
    position: number,
    format: CharacterFormat,
    context: ParagraphContext,
    into: Gathered,
  ): void {
    const { shapes, remarks } = this.#text;
    switch (code) {
      case 0x13:
        this.fields.begin();
        break;
      case 0x14:
        this.fields.separate();
        break;
      case 0x15:
        this.#push(this.fields.end(), format, context, into);
        break;
      case 0x01:
        this.#picture(format, context, into);
        break;
      case 0x02:
      case 0x05:
        if (!isHidden(format.look, context)) this.#raw(noteMark(remarks.refer(position)), into);
        break;
      case 0x08: {
        const shape = this.fields.inCode ? undefined : shapes.at(position);
        if (!shape) break;
        this.#raw(imageMark(shape.description, ''), into);
        for (const { from, to } of shape.texts)
          for (const block of this.#box(from, to)) into.beside.push(block);
        break;
      }
      case 0x0b:
      case 0x0c:
      case 0x0e:
        if (code === 0x0b || into.runs.length > 0) this.#push('\n', format, context, into);
        break;
      case 0x1e:
        this.#push('-', format, context, into);
        break;
      case 0x28:
        if (format.symbol)
          this.#push(symbolChar(format.symbol.font, format.symbol.code), format, context, into);
        break;
    }
  }

  #picture({ picture, look }: CharacterFormat, context: ParagraphContext, into: Gathered): void {
    if (picture === undefined) return;
    const read = this.#text.picture(picture);
    if (read.kind === 'form') {
      // A form field has its state inside its code, and no result.
      this.fields.setForm(read.text);
      return;
    }
    if (this.fields.inCode || read.kind === 'none') return;
    this.#text.pictures += 1;
    if (!isHidden(look, context)) this.#raw(imageMark(read.description, ''), into, true);
  }

  #push(text: string, format: CharacterFormat, context: ParagraphContext, into: Gathered): void {
    if (text === '') return;
    if (this.fields.inCode) {
      this.fields.code(text);
      return;
    }
    const { look } = format;
    const shown = shownText(text, look.font);
    if (isHidden(look, context)) {
      this.#text.left.hide(shown);
      return;
    }
    countLetters(shown, look.font, into);
    into.runs.push(styledRun(shown, look, this.fields.link));
  }

  #raw(text: string, into: Gathered, picture: boolean = false): void {
    if (text === '' || this.fields.inCode) return;
    const href = this.fields.link;
    into.runs.push({
      text,
      raw: true,
      ...(href !== undefined && { href }),
      ...(picture && { picture: 'inline' }),
    });
  }

  /** Ends the mark of a tracked change, and starts the next. */
  #mark(change: 'none' | 'inserted' | 'deleted', into: Gathered): void {
    const before = this.#change;
    this.#change = change;
    if (before === change || this.#text.changes !== 'mark') return;
    if (before !== 'none') this.#raw(verbatim(before === 'inserted' ? '++}' : '--}'), into);
    if (change !== 'none') this.#raw(verbatim(change === 'inserted' ? '{++' : '{--'), into);
  }
}

function isHidden(look: RunLook, { isWhite }: ParagraphContext): boolean {
  return look.hidden === true || (isWhite && look.white === true && look.shaded !== true);
}

// Reads one story of a Word document (body, header, note) into pieces: paragraphs with lists and styles, tables, and
// merged or split paragraphs. Fields, list counters and merged paragraphs carry over from block to block.

import { XmlElement } from '../../../src/package/index.ts';
import type { Relationship } from '../ooxml/package.ts';
import { type Piece, pieceLines } from '../piece.ts';
import type { Attachments, WordDocument } from './document.ts';
import { type Gathered, InlineReader } from './inline.ts';
import type { Counting, Label } from './numbering.ts';
import { paragraphPieces } from './paragraph.ts';
import { isGround, isOn, lookOf, type ParagraphLook } from './styles.ts';
import { readTable } from './table.ts';

const MAX_BOX_DEPTH = 16;

/** The blocks of one story, in order. */
export class Story {
  readonly #document: WordDocument;
  readonly #inline: InlineReader;
  readonly #counting: Counting;
  readonly #attachments: Attachments;
  #merged: Gathered | undefined;
  #depth = 0;
  readonly #whitePage: boolean;
  /** Tables around the current block; they may have their own background. */
  #tables = 0;

  /**
   * `relations` are those of the story's part, `attachments` their content read beforehand; `whitePage` is true if
   * paragraphs have a white background.
   */
  constructor(
    document: WordDocument,
    relations: ReadonlyMap<string, Relationship>,
    attachments: Attachments,
    whitePage = false,
  ) {
    this.#document = document;
    this.#whitePage = whitePage;
    this.#attachments = attachments;
    this.#counting = document.numbering.counting();
    this.#inline = new InlineReader(document, relations, attachments, (content) => this.#box(content));
  }

  /** The pieces of one block; an `undefined` between them is a place to pause. */
  *pieces(block: XmlElement, plain = false): Generator<Piece | undefined, void, undefined> {
    switch (block.name) {
      case 'p':
        yield* this.#paragraph(block, plain);
        return;
      case 'tbl':
        yield* readTable(block, (cell, header) => this.#cell(cell, header), {
          keepDeleted: this.#document.changes === 'mark',
          left: this.#document.left,
          frame: (cell) => this.#frame(cell),
        });
        return;
      case 'del':
      case 'moveFrom':
        if (this.#document.changes === 'mark') yield* this.all(block, plain);
        else if (block.name === 'del') this.#document.left.delete();
        return;
      case 'altChunk': {
        const known = this.#attachments.get(block.get('r:id') ?? block.get('id') ?? '');
        if (known) for (const one of known) yield { kind: 'block', block: one };
        else this.#document.left.lose('imported into the document (`altChunk`)', 'file');
        return;
      }
      case 'AlternateContent':
        for (const choice of block.elements()) {
          let some = false;
          for (const piece of this.all(choice, plain)) {
            some = true;
            yield piece;
          }
          if (some) return;
        }
        return;
      case 'r':
      case 'hyperlink':
      case 'fldSimple':
      case 'oMath':
      case 'oMathPara':
        // Some writers put text where only paragraphs are allowed.
        yield* this.#loose(block, plain);
        return;
      // Ranges may begin and end between paragraphs.
      case 'commentRangeStart':
        this.#document.remarks.words.begin(block.get('id') ?? '');
        return;
      case 'commentRangeEnd':
        this.#document.remarks.words.end(block.get('id') ?? '');
        return;
      case 'sectPr':
      case 'tblPr':
      case 'tcPr':
      case 'sdtPr':
      case 'sdtEndPr':
      case 'pPr':
        return;
      default:
        yield* this.all(block, plain);
    }
  }

  /** The pieces of all blocks inside `parent`. */
  *all(parent: XmlElement, plain: boolean): Generator<Piece | undefined, void, undefined> {
    for (const node of parent.children) if (typeof node !== 'string') yield* this.pieces(node, plain);
  }

  /** The pieces of a story that is only this. */
  *whole(root: XmlElement): Generator<Piece | undefined, void, undefined> {
    yield* this.all(root, false);
    yield* this.end();
  }

  /** The rest of a merged paragraph at the end of the story. */
  *end(): Generator<Piece, void, undefined> {
    const last = this.#merged;
    this.#merged = undefined;
    if (last) yield* this.#written(last, this.#document.styles.paragraph(undefined), undefined, false);
  }

  *#paragraph(element: XmlElement, plain: boolean): Generator<Piece, void, undefined> {
    const properties = element.child('pPr');
    const style = this.#document.styles.paragraph(properties?.child('pStyle')?.get('val'));
    const gathered = this.#merged ?? { runs: [], beside: [], letters: 0, monospaced: 0 };
    this.#merged = undefined;
    const ground = properties?.child('shd');
    const white =
      this.#whitePage &&
      this.#tables === 0 &&
      this.#depth === 0 &&
      !(ground ? isGround(ground) : style.shaded);
    this.#inline.read(element, style.look, white, gathered);
    if (isDropCap(properties) || this.#mergesWithNext(properties?.child('rPr'))) {
      this.#merged = gathered;
      return;
    }
    this.#inline.fields.endParagraph();
    yield* this.#written(gathered, style, properties, plain);
  }

  *#loose(element: XmlElement, plain: boolean): Generator<Piece, void, undefined> {
    const gathered: Gathered = { runs: [], beside: [], letters: 0, monospaced: 0 };
    const style = this.#document.styles.paragraph(undefined);
    this.#inline.read(wrapped(element), style.look, false, gathered);
    yield* this.#written(gathered, style, undefined, plain);
  }

  /** A paragraph whose mark is deleted, or hidden as a style separator, merges with the next one. */
  #mergesWithNext(mark: XmlElement | undefined): boolean {
    if (!mark) return false;
    const separator = mark.child('specVanish');
    if (separator && isOn(separator.get('val')) && lookOf(mark).hidden === true) return true;
    if (this.#document.changes === 'mark') return false;
    return mark.child('del') !== undefined || mark.child('moveFrom') !== undefined;
  }

  *#written(
    gathered: Gathered,
    style: ParagraphLook,
    properties: XmlElement | undefined,
    plain: boolean,
  ): Generator<Piece, void, undefined> {
    const heading = headingLevel(style, properties);
    yield* paragraphPieces(gathered, { style, heading, label: this.#label(style, properties), plain });
  }

  #label(style: ParagraphLook, properties: XmlElement | undefined): Label | undefined {
    const own = properties?.child('numPr');
    const numId = own?.child('numId')?.get('val') ?? style.numId;
    if (numId === '0') return undefined;
    const isList = style.kind === 'bullet' || style.kind === 'numbered';
    if (numId !== undefined && this.#document.numbering.has(numId)) {
      const label = this.#counting.next(
        numId,
        own?.child('ilvl')?.get('val') ?? style.listLevel,
        properties?.child('pStyle')?.get('val'),
      );
      // Each built-in style of a deeper level has a list of its own, at level 0.
      return label?.level === 0 && isList ? { ...label, level: style.level } : label;
    }
    return isList ? { level: style.level, text: '', bullet: true, list: style.kind } : undefined;
  }

  /** A text box inside a paragraph, with its own fields and merges. */
  #box(content: XmlElement): Piece[] {
    if (this.#depth >= MAX_BOX_DEPTH) {
      this.#document.tooDeep();
      return [];
    }
    this.#depth += 1;
    const merged = this.#merged;
    this.#merged = undefined;
    const pieces: Piece[] = [];
    for (const piece of this.whole(content)) if (piece) pieces.push(piece);
    this.#merged = merged;
    this.#depth -= 1;
    return pieces;
  }

  /** The text of a cell as lines of inline content. */
  #cell(cell: XmlElement, header: boolean): string {
    this.#tables += 1;
    const pieces = [...this.all(cell, header), ...this.end()];
    this.#tables -= 1;
    return pieces
      .flatMap((piece) => (piece ? pieceLines(piece) : []))
      .join('\n')
      .trim();
  }

  /** The content of a cell that only frames it. */
  *#frame(cell: XmlElement): Generator<Piece | undefined, void, undefined> {
    this.#tables += 1;
    yield* this.all(cell, false);
    this.#tables -= 1;
  }
}

/** A drop cap is a separate paragraph before the one it starts (ECMA-376 part 1, 17.3.1.11). */
function isDropCap(properties: XmlElement | undefined): boolean {
  const kind = properties?.child('framePr')?.get('dropCap');
  return kind === 'drop' || kind === 'margin';
}

function headingLevel(style: ParagraphLook, properties: XmlElement | undefined): number {
  const own = properties?.child('outlineLvl')?.get('val');
  if (own === undefined) return style.heading;
  const level = Number(own);
  return Number.isInteger(level) && level >= 0 && level < 9 ? level + 1 : 0;
}

function wrapped(element: XmlElement): XmlElement {
  const paragraph = new XmlElement('p', undefined);
  paragraph.children.push(element);
  return paragraph;
}

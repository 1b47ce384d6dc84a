// What all stories of a Word file share: its text, styles, lists, shapes and remarks, and the formatting at a position.

import { LeftOut, type TrackedChanges } from '../docx/document.ts';
import { Counting } from '../docx/numbering.ts';
import { TABLE } from './fib.ts';
import { readFonts } from './fonts.ts';
import { FormattedRuns, styleOf } from './formatted-runs.ts';
import { Lists } from './lists.ts';
import { type Piece, PieceTable, readPieces } from './piece-table.ts';
import { Plex } from './plex.ts';
import { Remarks } from './remarks.ts';
import { Shapes } from './shapes.ts';
import { StyleSheet } from './stylesheet.ts';
import type { WordFile } from './word-file.ts';

const SECTION = 12;
const NONE = Buffer.alloc(0);

export class WordText {
  readonly file: WordFile;
  readonly changes: TrackedChanges;
  readonly pieces: PieceTable;
  readonly fonts: readonly string[];
  readonly styles: StyleSheet;
  readonly shapes: Shapes;
  readonly remarks: Remarks;
  readonly left: LeftOut = new LeftOut();
  /** Pictures shown so far. */
  pictures = 0;
  readonly characters: FormattedRuns;
  readonly #paragraphs: FormattedRuns;
  readonly #lists: Lists;
  readonly #sectionEnds = new Set<number>();

  constructor(file: WordFile, changes: TrackedChanges) {
    this.file = file;
    this.changes = changes;
    this.pieces = new PieceTable(piecesOf(file), file.word);
    this.fonts = readFonts(file.part(TABLE.fonts));
    this.styles = new StyleSheet(file.part(TABLE.styles), this.fonts);
    this.characters = new FormattedRuns(file.word, file.part(TABLE.characters), 'characters');
    this.#paragraphs = new FormattedRuns(file.word, file.part(TABLE.paragraphs), 'paragraphs');
    this.#lists = new Lists(file.partAndBeyond(TABLE.lists), file.partAndBeyond(TABLE.listOverrides));
    this.shapes = new Shapes(file);
    this.remarks = new Remarks(file, this.pieces.text);
    const sections = new Plex(file.part(TABLE.sections), SECTION);
    for (let index = 1; index <= sections.count; index += 1)
      this.#sectionEnds.add(sections.position(index) - 1);
  }

  /** Counters for the lists of one story. */
  counting(): Counting {
    return new Counting(this.#lists.resolve);
  }

  /** True if the character at `position` ends a section of the body. */
  endsSection(position: number): boolean {
    return this.#sectionEnds.has(position);
  }

  /** The style and modifiers of the paragraph whose mark is at `position` ([MS-DOC] 2.4.6.1). */
  paragraphAt(position: number): { readonly style: number; readonly modifiers: readonly Buffer[] } {
    const piece = this.pieces.at(position);
    if (!piece) return { style: 0, modifiers: [] };
    const { modifiers, id } = this.#paragraphs.at(placeIn(piece, position));
    return {
      style: id < 0 ? 0 : styleOf(modifiers),
      modifiers: [id < 0 ? NONE : modifiers.subarray(2), piece.changes],
    };
  }
}

/** The place in the stream of the character at `position` in `piece`. */
export const placeIn = (piece: Piece, position: number): number =>
  piece.at + (position - piece.from) * piece.width;

/** The pieces of the text; without a list of them the text is in one piece. */
function piecesOf(file: WordFile): Piece[] {
  const pieces = readPieces(file.part(TABLE.pieces));
  if (pieces.length > 0) return pieces;
  const { textFrom, textTo } = file.fib;
  const length = file.stories.headerBoxes.to;
  const width = textTo - textFrom >= length * 2 ? 2 : 1;
  return length === 0 ? [] : [{ from: 0, to: length, at: textFrom, width, changes: NONE }];
}
